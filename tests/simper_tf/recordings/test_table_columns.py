"""Which columns of a table are times and which are channels, whatever a program put beside them."""

import numpy as np
import pytest

from simper_tf import Recordings
from simper_tf.reading import read
from simper_tf.recordings import columns, series, sources
from simper_tf.recordings.errors import RawDataError

TIMES = np.arange(500) / 50
WAVE = np.sin(2 * np.pi * TIMES)


def write(path, header, *values):
    rows = [",".join("" if np.isnan(cell) else f"{cell:.9g}" for cell in row) for row in zip(*values, strict=True)]
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("time", 1), ("Time", 1), ("Time [s]", 1), ("TIME(S)", 1), ("time/s", 1), ("time_s", 1), ("time_seconds", 1),
        ("Time (sec)", 1), ("timestamp", 1), ("Timestamps", 1), ("timestamp (s)", 1), ("time since start [s]", 1),
        ("t", 1), ("t [s]", 1), ("s", 1), ("Time [ms]", 1e3), ("timestamp_ms", 1e3), ("t/ms", 1e3), ("ms", 1e3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rate", [None, 30.0])
def test_a_column_whose_name_begins_with_time_holds_the_times_whatever_rate_is_named(tmp_path, name, factor, rate):
    times, values = series.read(write(tmp_path / "a.csv", f"{name},x", factor * TIMES, WAVE), rate)
    np.testing.assert_allclose(times, TIMES)
    assert values.shape == (500, 1)


@pytest.mark.parametrize(
    ("name", "unit"), [("time (min)", "min"), ("Time [h]", "h"), ("time_us", "us"), ("t [ns]", "ns")]
)
def test_times_in_other_units_are_refused_with_what_to_do(tmp_path, name, unit):
    path = write(tmp_path / "a.csv", f"{name},x", TIMES, WAVE)
    with pytest.raises(RawDataError, match=rf"the column '.*'; expected times in sec.* Write .* seconds, not {unit}\."):
        series.read(path, 50.0)


@pytest.mark.parametrize("name", ["timer", "timeout", "temperature", "t2", "tension"])
def test_a_name_that_only_looks_like_time_is_a_channel(tmp_path, name):
    times, values = series.read(write(tmp_path / "a.csv", f"{name},x", np.cos(TIMES), WAVE), 50.0)
    assert values.shape == (500, 2)
    times, values = series.read(write(tmp_path / "a.csv", "time_of_flight,time,x", np.cos(TIMES), TIMES, WAVE), None)
    np.testing.assert_allclose(times, TIMES)
    assert values.shape == (500, 2)


@pytest.mark.parametrize("header", ["time,x,", "time,x,note"])
def test_a_column_without_any_number_is_left_out_and_told(tmp_path, header):
    path = write(tmp_path / "a.csv", header, TIMES, WAVE, np.full(500, np.nan))
    opened = read.prepare(sources.open_file(path), read.Wishes())
    assert opened.source.channels() == 1
    assert opened.info.rate == pytest.approx(50)
    name = "'note'" if header.endswith("note") else "number 3"
    assert opened.notes == (f"The column {name} holds no number and is left out.",)


def test_a_column_that_costs_most_rows_is_refused_by_its_name(tmp_path):
    gps = np.where(np.arange(500) % 50 == 0, 7.0 + TIMES**2, np.nan)
    path = write(tmp_path / "a.csv", "time,x,GPS", TIMES, WAVE, gps)
    message = r"a.csv: found numbers in 10 of 500 rows of the column 'gps'; expected .* of the 500 rows of the others"
    with pytest.raises(RawDataError, match=message):
        series.read(path, None)
    with pytest.raises(ValueError, match=message):
        Recordings(path)
    gaps = np.where(np.arange(500) % 3 == 0, np.nan, WAVE)
    assert len(series.read(write(path, "time,x,y", TIMES, WAVE, gaps), None)[0]) == 333
    alone = series.read(write(path, "time,x", TIMES, np.where(np.arange(500) % 5 == 0, WAVE, np.nan)), None)
    assert len(alone[0]) == 100


@pytest.mark.parametrize(
    ("header", "rate"), [(",time,x", None), ("Unnamed: 0,time,x", 30.0), ("frame,x", 50.0), (",x", 50.0)]
)
def test_a_column_that_counts_the_rows_is_left_out_and_told(tmp_path, header, rate):
    table = [np.arange(500), TIMES, WAVE] if "time" in header else [np.arange(500), WAVE]
    opened = read.prepare(sources.open_file(write(tmp_path / "a.csv", header, *table), rate), read.Wishes())
    assert (opened.source.channels(), opened.info.rate) == (1, pytest.approx(50))
    assert len(opened.notes) == 1
    assert opened.notes[0].endswith(" rises evenly, as numbers of rows do, and is left out.")


@pytest.mark.parametrize("name", ["Zeit", "elapsed", ""])
def test_a_column_that_may_be_times_is_refused_where_nothing_says_that_it_is(tmp_path, name):
    rounded = np.round(np.arange(500) / 30, 3)
    path = write(tmp_path / "a.csv", f"{name},x", rounded, WAVE)
    with pytest.raises(RawDataError, match=r"which rises by 0.033 from row to row; expected .* Name it time if"):
        series.read(path, 30.0)


def test_a_column_that_rises_alone_or_unevenly_is_a_channel(tmp_path):
    assert series.read(write(tmp_path / "a.csv", "x", np.arange(500)), 50.0)[1].shape == (500, 1)
    risen = np.cumsum(np.random.default_rng(0).uniform(0.1, 1, 500))
    assert series.read(write(tmp_path / "a.csv", "x,y", risen, WAVE), 50.0)[1].shape == (500, 2)


def test_a_table_without_any_number_is_refused(tmp_path):
    path = write(tmp_path / "a.csv", "time,x", TIMES, np.full(500, np.nan))
    with pytest.raises(RawDataError, match="0 samples that are numbers"):
        series.read(path, None)
    assert columns.split("a", ["time", "x"], np.full((9, 2), np.nan))[1].shape == (9, 1)


def test_of_very_many_columns_without_a_number_only_the_first_are_told():
    table = np.full((9, 100_000), np.nan)
    table[:, -1] = np.sin(np.arange(9))
    times, values, notes = columns.split("a", [], table)
    assert times is None
    np.testing.assert_array_equal(values, table[:, -1:])
    assert [note.split(" holds")[0] for note in notes] == [f"The column number {k}" for k in (1, 2, 3)]
