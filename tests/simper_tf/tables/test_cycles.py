"""Columns that count again and again, and how notes name columns and steps."""

import numpy as np
import pandas as pd
import pytest
from made_series import COUNT, HOURS, WAVE, read

from simper_tf.tables import channels, clock
from simper_tf.tables.times import cycles

LEFT_OUT = "The column {} counts again and again, as hours of days do, and is left out."
PERIODS = np.concatenate([np.arange(1, 1 + most) for most in (48, 48, 46, 48, 50, 48, 20)])


@pytest.mark.parametrize("name", ["settlementPeriod", "slot", "hour_of_all"])
def test_a_counter_that_begins_again_each_day_is_no_channel(tmp_path, name):
    wave = 3 + np.sin(np.arange(len(PERIODS)) / 5)
    times = pd.date_range("2023-01-01", periods=len(PERIODS), freq="30min").astype(str)
    found = read(tmp_path, f"time,{name},x", times, PERIODS, wave)
    assert found.names == ("x",)
    assert found.notes == (LEFT_OUT.format(repr(name)),)


def test_a_counter_of_a_data_frame_is_no_channel_either():
    wave = 3 + np.sin(np.arange(len(PERIODS)) / 5)
    table = pd.DataFrame({"time": np.arange(len(PERIODS)) / 2, "slot": PERIODS, "x": wave})
    assert channels.of_data_frame("a", table, None, "", []).names == ("x",)


def test_a_counter_is_read_where_it_stands_alone_or_is_named(tmp_path):
    times = np.arange(len(PERIODS)) / 2
    assert read(tmp_path, "t,slot", times, PERIODS).names == ("slot",)
    assert read(tmp_path, "t,slot,x,y", times, PERIODS, 0 * times, ["still on"] * len(times)).names == ("slot",)
    path = tmp_path / "a.csv"
    pd.DataFrame({"t": times, "slot": PERIODS, "x": times**2}).to_csv(path, index=False)
    held = channels._of_table(path, ".csv", (None, None), "", ["slot"])
    assert held.names == ["slot"]


@pytest.mark.parametrize("values", [
    np.arange(300) % 7, 3 + np.arange(300) % 24, PERIODS[5:],
    np.where(np.arange(300) == 9, np.nan, np.arange(300) % 12),
])  # fmt: skip
def test_numbers_that_rise_by_one_and_fall_back_are_a_counter(values):
    assert cycles.counts_again(values.astype(float))


@pytest.mark.parametrize("values", [
    np.arange(300) % 2, np.arange(300) % 6, np.arange(300), 0.5 * (np.arange(300) % 24), np.zeros(300),
    np.abs(np.arange(300) % 24 - 12), np.round(20 * np.sin(np.arange(300) / 9)),
    np.concatenate([np.arange(k, 30) for k in (0, 5, 9, 3, 7)]), np.repeat(np.arange(30) % 10, 10),
])  # fmt: skip
def test_waves_steps_and_rows_are_no_counter_of_cycles(values):
    assert not cycles.counts_again(values.astype(float))


def test_the_time_of_each_block_has_any_step():
    blocks = np.tile(0.5 + 0.01 * np.arange(100), 5)
    assert cycles.counts_again(blocks, is_clock=True)
    assert not cycles.counts_again(blocks)


@pytest.mark.parametrize(
    ("step", "words"),
    [(0.01, "100 a second"), (0.5, "2 a second"), (2, "every 2 seconds"), (60, "every minute"),
     (1800, "every 30 minutes"), (3600, "every hour"), (10800, "every 3 hours"), (86400, "every day")],
)  # fmt: skip
def test_steps_longer_than_a_second_are_said_as_such(step, words):
    times = np.repeat(2 * step * np.arange(200.0), 2)
    _, _, notes = clock.mend("a", times)
    assert notes == [f"200 of 400 time stamps repeat: the samples are spread evenly, {words}."]


def test_notes_name_columns_by_their_number_in_the_file(tmp_path):
    rows = [np.arange(COUNT), np.full(COUNT, 3), WAVE, np.full(COUNT, 4)]
    found = read(tmp_path, "", *rows, rate=10.0)
    assert found.notes == (
        "The column number 1 rises evenly, as numbers of rows do, and is left out.",
        "The column number 2 never changes and is left out.",
        "The column number 4 never changes and is left out.",
    )
    found = read(tmp_path, "", HOURS, *rows)
    assert found.notes[1:] == (
        "The column number 3 never changes and is left out.",
        "The column number 5 never changes and is left out.",
    )
