"""Times of day of series: with a date or alone, of 12 hours or 24, and in digits."""

import numpy as np
import pandas as pd
import pytest
from made_series import COUNT, HOUR, WAVE, read

CLOCKS = {
    "hours": (
        [f"{k // 12:02}:{5 * k % 60:02}" for k in range(COUNT)],
        300,
        "Times such as 03:55 are taken for hours and",
    ),
    "seconds": (
        [f"{k // 60:02}:{k % 60:02}" for k in range(COUNT)],
        1,
        "Times such as 00:47 are taken for minutes and",
    ),
    "midnight": ([f"{(1436 + k) // 60 % 24:02}:{(1436 + k) % 60:02}" for k in range(COUNT)], 60, ""),
    "24": ([f"{k % 24 + 1:02}:00:00" for k in range(COUNT)], HOUR, ""),
    "fractions": ([f"00:{k / 2:04.1f}" for k in range(COUNT)], 0.5, ""),
}


@pytest.mark.parametrize(("texts", "step", "note"), CLOCKS.values(), ids=CLOCKS.keys())
def test_what_two_parts_of_a_clock_are_taken_for_is_said(tmp_path, texts, step, note):
    found = read(tmp_path, "clock,x", texts, WAVE)
    np.testing.assert_allclose(found.times, step * np.arange(COUNT), atol=1e-9)
    assert bool(found.notes) == bool(note)
    assert "".join(found.notes).startswith(note)


def test_a_rate_holds_against_a_clock_that_is_a_guess(tmp_path):
    found = read(tmp_path, "clock,x", CLOCKS["seconds"][0], WAVE, rate=10.0)
    np.testing.assert_allclose(found.times, np.arange(COUNT) / 10)
    assert found.names == ("x",)


def test_digits_of_a_clock_are_no_seconds(tmp_path):
    moments = pd.date_range("2023-08-10 09:59:30", periods=COUNT, freq="s")
    found = read(tmp_path, "time,x", [int(text) for text in moments.strftime("%H%M%S")], WAVE)
    np.testing.assert_allclose(found.times, np.arange(COUNT))
    assert found.notes == ("Times such as 93100 are taken for hours, minutes and seconds.",)


def test_a_few_whole_seconds_are_no_digits_of_a_clock(tmp_path):
    seconds = [0, 10, 25, 40, 55, 110, 120, 145]
    np.testing.assert_allclose(read(tmp_path, "time (s),x", seconds, WAVE[:8]).times, seconds)
    np.testing.assert_allclose(read(tmp_path, "time,x", seconds, WAVE[:8]).times, 1e-3 * np.array(seconds))


@pytest.mark.parametrize("minutes", [5, 10, 15, 30])
@pytest.mark.parametrize("way", [1, -1])
def test_the_hour_that_comes_twice_in_autumn_is_two_hours(tmp_path, minutes, way):
    moments = pd.date_range("2023-10-28", periods=400, freq=f"{minutes}min", tz="Europe/Berlin")
    found = read(tmp_path, "time,x", moments.strftime("%Y-%m-%d %H:%M:%S")[::way], (np.arange(400) % 7)[::way])
    np.testing.assert_allclose(found.times, 60 * minutes * np.arange(400))
    assert found.notes[-1] == f"In row {27 * 60 // minutes + 1} summer time ends: the later ones are an hour later."


STATIONS = pd.date_range("2020-01-30 21:14:00", periods=200, freq="17min")  # Through noon, midnight and a month's end.


@pytest.mark.parametrize("day", ["%d/%m/%Y", "%m/%d/%Y", "%-m/%-d/%Y", "%Y-%m-%d", "%d.%m.%Y"])
@pytest.mark.parametrize("time", ["%I:%M:%S %p", "%-I:%M:%S %p", "%-I:%M %p", "%I:%M%p"])
@pytest.mark.parametrize("order", ["date,time", "time,date"])
@pytest.mark.parametrize("way", [1, -1])
def test_a_date_beside_a_clock_of_12_hours_is_read(tmp_path, day, time, order, way):
    columns = STATIONS.strftime(day), STATIONS.strftime(time)
    columns = columns if order == "date,time" else columns[::-1]
    found = read(tmp_path, f"{order},x", *(column[::way] for column in columns), np.sin(np.arange(200))[::way])
    np.testing.assert_allclose(found.times, 17 * 60 * np.arange(200))
    assert found.names == ("x",)


@pytest.mark.parametrize("half", ["AM", "am", "a.m.", "A.M."])
@pytest.mark.parametrize("time", ["%I:%M:%S", "%-I:%M"])
@pytest.mark.parametrize(("header", "mark"), [("date,time,half,x", ","), ("", ","), ("", " ")])
def test_the_half_of_the_day_may_be_a_third_column(tmp_path, half, time, header, mark):
    halves = [half if hour < 12 else half.replace("a", "p").replace("A", "P") for hour in STATIONS.hour]
    columns = STATIONS.strftime("%d/%m/%Y"), STATIONS.strftime(time), halves, np.sin(np.arange(200))
    found = read(tmp_path, header, *columns, mark=mark)
    np.testing.assert_allclose(found.times, 17 * 60 * np.arange(200))
    assert found.values.shape[1] == 1


@pytest.mark.parametrize("form", ["%I:%M:%S %p", "%-I:%M %p", "%H:%M"])
@pytest.mark.parametrize("way", [1, -1])
def test_a_clock_alone_passes_noon_and_midnight(tmp_path, form, way):
    found = read(tmp_path, "time,x", STATIONS.strftime(form)[::way], np.sin(np.arange(200))[::way])
    np.testing.assert_allclose(found.times, 17 * 60 * np.arange(200))


def test_a_clock_beside_the_half_of_the_day_needs_no_date(tmp_path):
    columns = STATIONS.strftime("%I:%M:%S"), STATIONS.strftime("%p"), np.sin(np.arange(200))
    found = read(tmp_path, "time,half,x", *columns)
    np.testing.assert_allclose(found.times, 17 * 60 * np.arange(200))
    assert found.names == ("x",)


def test_two_rows_of_a_day_are_told_apart_by_their_clock(tmp_path):
    moments = pd.date_range("2020-01-01 06:00", periods=COUNT, freq="12h")
    found = read(tmp_path, "date,time,x", moments.strftime("%m/%d/%Y"), moments.strftime("%I:%M %p"), WAVE)
    np.testing.assert_allclose(found.times, 12 * HOUR * np.arange(COUNT))
