"""Exports of instruments, watches and boards: what stands above, below and beside their numbers."""

import pytest

from simper_tf.tables import rates


@pytest.mark.parametrize("line", ["OutputRate:,60Hz", "Sampling rate:,60", "fs=,60", "fs: ,60 Hz"])
def test_a_comma_between_cells_is_no_decimal_sign(line):
    assert [claim.rate for claim in rates.stated([line])] == [60]
    assert [claim.rate for claim in rates.stated(["fs=,60"], decimal=",")] == [0.6]


@pytest.mark.parametrize(
    "lines",
    [
        ["#CLOCK=20.0mS"],
        ["X,CH1,Start,Increment,", "Sequence,Volt,-1.5e+01,2.0e-02"],
        ["--- Data File Created By ActiGraph v6.13.3 date format M/d/yyyy at 50 Hz  Filter Normal ---"],
    ],
)
def test_steps_and_rates_of_instruments_are_stated(lines):
    assert [claim.rate for claim in rates.stated(lines)] == pytest.approx([50])


def test_an_epoch_as_a_clock_holds_against_the_rate_of_the_device():
    line = "File Created By A at 30 Hz Filter Normal"
    assert [claim.rate for claim in rates.stated([line, "Epoch Period (hh:mm:ss) 00:00:10"])] == [0.1]
    assert [claim.rate for claim in rates.stated([line, "Epoch Period (hh:mm:ss) 00:00:00"])] == [30]


@pytest.mark.parametrize("line", ["File created by A, notch at 50 Hz", "Clock: 24 h", "Clock=16 MHz", "Epoch 30 s"])
def test_filters_and_clocks_of_instruments_are_no_rates(line):
    assert not rates.stated([line])
