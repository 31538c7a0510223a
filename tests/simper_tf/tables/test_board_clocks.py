"""Milliseconds of boards in the first column of rows without a header, and what else rises."""

import datetime
import re

import numpy as np
import pandas as pd
import pytest
from made_series import read

from simper_tf.tables.times import board_clocks
from simper_tf.utils.errors import RawDataError

COUNT, START = 400, 236_141
WAVE = [f"{value:.3f}" for value in np.sin(np.arange(COUNT) / 5)]
DAY_OF_1970 = {"spreadsheet": 25_569, "matlab": 719_529, "julian": 2_440_588}


def ticks(step, late=0.0, lost=0.0, start=START, seed=0):
    """Returns whole numbers of a clock, some late by a share of its step, and some lost."""
    draw = np.random.default_rng(seed)
    moments = start + step * (np.arange(2 * COUNT) + late * draw.uniform(size=2 * COUNT))
    return np.floor(moments[draw.random(2 * COUNT) >= lost][:COUNT])


def summed(amounts):
    return START + np.cumsum(np.maximum(np.round(amounts), 1.0))


@pytest.mark.parametrize("lost", [0, 0.05, 0.17, 0.3])
@pytest.mark.parametrize("late", [0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_every_step_of_a_board_is_told(lost, late, seed):
    for step in [*range(3, 200, 4), *(1000 / rate for rate in (8, 15, 30, 60, 64, 100, 128, 200, 250, 256))]:
        start = START + (START % step == 0)
        assert board_clocks.milliseconds(ticks(step, late, lost, start, seed)) == pytest.approx(
            step, abs=1 + late * step
        )


@pytest.mark.parametrize(("late", "lost"), [(0, 0), (0.1, 0), (0.1, 0.17)])
def test_milliseconds_first_without_names_are_times(tmp_path, late, lost):
    clock = ticks(30, late, lost)
    found = read(tmp_path, "", clock.astype(int), WAVE, WAVE[::-1])
    np.testing.assert_allclose(found.times, (clock - clock[0]) / 1000, atol=2e-3)
    assert found.notes[0] == "The first column is taken for milliseconds: it rises by about 30."
    assert found.values.shape == (COUNT, 2)


def test_a_rate_that_is_given_tells_the_unit(tmp_path):
    found = read(tmp_path, "", ticks(30, lost=0.17).astype(int), WAVE, rate=1000 / 30)
    assert np.median(np.diff(found.times)) == pytest.approx(0.03)
    found = read(tmp_path, "", ticks(30, lost=0.17).astype(int), WAVE, rate=50.0)
    assert np.diff(found.times) == pytest.approx(0.02)
    assert "times in no unit that suits 50 a second" in found.notes[0]


def test_dates_are_believed_before_milliseconds(tmp_path):
    dates = pd.date_range("2024-03-01", periods=COUNT, freq="min")
    found = read(tmp_path, "", ticks(30, lost=0.17).astype(int), dates, WAVE)
    np.testing.assert_allclose(found.times, 60 * np.arange(COUNT))


@pytest.mark.parametrize("lost", [0, 0.17])
@pytest.mark.parametrize(("header", "step"), [("", 20_000), ("sensor,x", 20), ("sensor,x", 20_000), ("at,x", 20)])
def test_microseconds_and_named_clocks_are_proposed(tmp_path, lost, header, step):
    column, named = ("1", "1") if not header else (header[:-2], repr(header[:-2]))
    sentence = f"Column {named} rises by {step} and may be a clock: name it, `time={column}`."
    with pytest.raises(RawDataError, match=re.escape(sentence)):
        read(tmp_path, header, (step * ticks(1, lost=lost, start=7)).astype(int), WAVE)


def test_a_clock_that_is_not_first_is_proposed(tmp_path):
    with pytest.raises(RawDataError, match="Column 2 rises by 20 and may be a clock"):
        read(tmp_path, "", WAVE, ticks(20, lost=0.17).astype(int))


@pytest.mark.parametrize("mean", [2, 3, 5, 10, 20, 50, 100, 200])
@pytest.mark.parametrize("seed", range(5))
def test_sums_of_counts_and_of_loads_are_no_clock(mean, seed):
    draw = np.random.default_rng(seed)
    slow = np.sin(np.arange(COUNT) / 20 + draw.random())
    for amounts in (
        draw.poisson(mean, COUNT), draw.integers(1, 2 * mean + 1, COUNT), mean * np.exp(0.3 * draw.normal(size=COUNT)),
        mean * (1 + 0.4 * slow), mean * draw.choice([1, 2, 3, 5], COUNT), draw.normal(105, 5, COUNT),
    ):  # fmt: skip
        assert board_clocks.step(summed(amounts)) is None


def test_an_energy_meter_of_a_load_that_changes_slowly_is_none():
    slow = np.sin(np.arange(COUNT) / 20)
    for share in (0.04, 0.08, 0.15, 0.3):
        for load in (60, 100, 150, 200):
            assert board_clocks.step(summed(load * (1 + share * slow))) is None


@pytest.mark.parametrize("step", [1, 2, 5, 10, 20, 60, 100])
def test_even_scales_and_counters_are_not_taken(step):
    assert board_clocks.milliseconds(step * np.arange(0.0, COUNT)) is None  # Seconds, or angles.
    assert board_clocks.milliseconds(401 + step * np.arange(0.0, 60)) is None  # Nanometers.
    if step > 1:
        kept = np.delete(step * np.arange(0.0, COUNT), range(7, COUNT, 9))
        assert board_clocks.milliseconds(kept) is None  # Frames, of which some are gone.


def test_what_repeats_falls_or_is_broken_is_no_clock():
    clock = ticks(20)
    for other in (np.repeat(clock[::2], 2), clock[::-1], clock + 0.5, np.r_[np.nan, clock], clock[:19]):
        assert board_clocks.step(other) is None


@pytest.mark.parametrize("freq", ["D", "B", "7D", "14D", "MS", "ME", "QS", "QE"])
@pytest.mark.parametrize("epoch", DAY_OF_1970)
def test_days_of_dates_are_no_milliseconds(freq, epoch):
    days = (pd.date_range("1975-03-01", periods=80, freq=freq) - pd.Timestamp("1970-01-01")).days
    assert board_clocks.milliseconds(days.to_numpy(float) + DAY_OF_1970[epoch]) is None


def test_years_dates_and_times_of_day_are_no_milliseconds():
    years = np.delete(1801 + 2 * np.arange(99.0), range(7, 99, 9))
    dates = [(datetime.date(2024, 1, 1) + datetime.timedelta(7 * k)).strftime("%Y%m%d") for k in range(60)]
    moments = [f"{9 + k // 360}{k // 6 % 60:02}{k % 6}3" for k in range(COUNT)]
    for numbers in (years, dates, moments):
        assert board_clocks.milliseconds(np.array(numbers, float)) is None


@pytest.mark.parametrize("words", [(), ("GYRO",), ("ACC", "phone")], ids=len)
@pytest.mark.parametrize("unit", [1, 1000], ids=["milliseconds", "seconds"])
def test_words_before_the_times_of_a_board_change_nothing(tmp_path, words, unit):
    stamps = ticks(10, lost=0.2)
    times = [f"{stamp / unit:.{3 * (unit > 1)}f}" for stamp in stamps]
    found = read(tmp_path, "", *([word] * COUNT for word in words), times, times, WAVE, mark=";")
    np.testing.assert_allclose(found.times, (stamps - stamps[0]) / 1000, atol=1e-9)
    assert found.names == ("",)


def test_what_rises_unevenly_without_a_name_is_to_be_named(tmp_path):
    stamps = 55_705 + np.cumsum(np.random.default_rng(0).exponential(size=COUNT))
    with pytest.raises(RawDataError, match="Column 1 rises and may be a clock: name it in a row above all"):
        read(tmp_path, "", [f"{stamp:.4f}" for stamp in stamps], WAVE)
