"""Rows and columns of series: their order, what is none of a channel, fillers, zeros at the ends, unknown endings."""

import numpy as np
import pandas as pd
import pytest
from made_series import write

from simper_tf.recordings import sources
from simper_tf.tables import series_files
from simper_tf.utils.errors import NoRecordingError, RawDataError

COUNT, DAY = 80, 86400.0
TIMES = np.arange(COUNT) / 50
WAVE = np.sin(2 * np.pi * 1.2 * TIMES)
DATES = pd.date_range("2023-08-10", periods=COUNT).strftime("%Y-%m-%d").to_numpy()


def is_wave(found, channel=0):
    return np.corrcoef(found.values[:, channel], WAVE)[0, 1] > 0.9999


@pytest.mark.parametrize(("cells", "seconds"), [(DATES, DAY * np.arange(COUNT)), (TIMES, TIMES)])
def test_the_newest_row_may_be_the_first(tmp_path, cells, seconds):
    found = series_files.series_of(write(tmp_path, "time,x", cells[::-1], WAVE[::-1]))
    np.testing.assert_allclose(found.times, seconds)
    assert is_wave(found)
    assert found.notes == ("The newest row is the first: they are read from the last to the first.",)


def test_rows_out_of_order_are_sorted_by_dates(tmp_path):
    order = np.r_[30:COUNT, 0:30]
    found = series_files.series_of(write(tmp_path, "date,x", DATES[order], WAVE[order]))
    np.testing.assert_allclose(found.times, DAY * np.arange(COUNT))
    assert is_wave(found)
    assert found.notes == ("Rows out of order are sorted by their dates.",)


def test_days_the_last_one_first_are_sorted_by_dates(tmp_path):
    """Hours of a day rise, and days fall, as in archives of power networks."""
    hours = pd.date_range("2018-10-20", periods=24 * 40, freq="h")
    order = np.arange(len(hours)).reshape(-1, 24)[::-1].ravel()
    load = np.cos(2 * np.pi * np.arange(len(hours)) / 24)
    found = series_files.series_of(write(tmp_path, "Datetime,MW", hours[order], load[order]))
    assert found.notes[0] == "Rows out of order are sorted by their dates."
    np.testing.assert_allclose(found.times, 3600 * np.arange(len(hours)))
    assert np.corrcoef(found.values[:, 0], load)[0, 1] > 0.999


def test_days_of_events_that_come_twice_are_no_times(tmp_path):
    random = np.random.default_rng(0)
    days = pd.date_range("2018-01-01", periods=60, freq="D")[random.integers(0, 60, 60)]
    with pytest.raises(RawDataError, match="their rate"):
        series_files.series_of(write(tmp_path, "day,x", days, random.normal(size=60)))


def test_rows_out_of_order_by_numbers_are_refused(tmp_path):
    order = np.r_[30:COUNT, 0:30]
    with pytest.raises(
        RawDataError, match=r"sample 51 at 0 s after one at 1\.58 s; expected times that do not run back"
    ):
        series_files.series_of(write(tmp_path, "time,x", TIMES[order], WAVE[order]))


WHOLE = 3000  # Samples of packets that are late, and of clocks that step back.
BEAT = np.sin(2 * np.pi * 1.2 * np.arange(WHOLE) / 130)
STAMPS = {
    "seconds": ("time,x", "{:.6f}"), "no_name": ("", "{:.6f}"), "milliseconds": ("t_ms,x", "{:.3f}"),
    "since_1970": ("timestamp,x", "{:.4f}"), "dates": ("time,x", ""),
}  # fmt: skip


def stamped(folder, kind, seconds, values):
    header, form = STAMPS[kind]
    scaled = 1000 * seconds if kind == "milliseconds" else 1.7e9 * (kind == "since_1970") + seconds
    cells = [form.format(each) for each in scaled]
    if kind == "dates":
        cells = (pd.Timestamp("2023-08-10 12:00") + pd.to_timedelta(seconds, unit="s")).strftime("%Y-%m-%d %H:%M:%S.%f")
    return series_files.series_of(write(folder, header, cells, values))


@pytest.mark.parametrize(("kind", "way"), [*((kind, 1) for kind in STAMPS), ("seconds", -1), ("dates", -1)])
@pytest.mark.parametrize("back", [0.009, 0.015, 0.1, 0.4])
def test_a_clock_that_steps_back_a_little_keeps_the_order(tmp_path, kind, way, back):
    times = np.arange(WHOLE) / 130
    slips = times - back * (np.arange(WHOLE) // 150 % 2)
    found = stamped(tmp_path, kind, slips[::way], BEAT[::way])
    np.testing.assert_allclose(found.times, times, atol=back + 1e-3)
    assert np.corrcoef(found.values[:, 0], BEAT)[0, 1] > 0.9999
    assert (np.diff(found.times) > 0).all()
    assert sum(note.startswith("The clock steps back 10 times, by 0.") for note in found.notes) == 1


@pytest.mark.parametrize("kind", STAMPS)
@pytest.mark.parametrize("size", [1, 5, 20, 100])
@pytest.mark.parametrize("late", [1, 2])
def test_packets_that_are_late_are_sorted_by_their_times(tmp_path, kind, size, late):
    places = np.arange(WHOLE // size, dtype=float)
    places[10 :: max(600 // size, 10)] += late + 0.5
    order = (size * np.argsort(places)[:, None] + np.arange(size)).ravel()
    assert (np.diff(order) < 0).any()
    found = stamped(tmp_path, kind, order / 130, BEAT[order])
    np.testing.assert_allclose(found.times, np.arange(WHOLE) / 130, atol=1e-4)
    assert np.corrcoef(found.values[:, 0], BEAT)[0, 1] > 0.9999
    said = f"Rows out of order are sorted by their {'dates' if kind == 'dates' else 'times'}."
    assert said in found.notes


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("pause", [0, 3600])
@pytest.mark.parametrize("share", [0.01, 0.05, 0.15])
def test_neighbors_in_the_wrong_order_are_sorted(tmp_path, way, pause, share):
    times = np.arange(WHOLE) / 100 + pause * (np.arange(WHOLE) > 2000)
    order = np.arange(WHOLE)
    swapped = np.flatnonzero(np.random.default_rng(3).random(WHOLE // 2) < 2 * share) * 2
    order[swapped], order[swapped + 1] = swapped + 1, swapped
    if share > 0.1:
        with pytest.raises(RawDataError, match="expected times that do not run backwards"):
            series_files.series_of(write(tmp_path, "time,x", times[order][::way], BEAT[order][::way]))
        return
    found = series_files.series_of(write(tmp_path, "time,x", times[order][::way], BEAT[order][::way]))
    np.testing.assert_allclose(found.times, times, atol=1e-6)
    assert np.corrcoef(found.values[:, 0], BEAT)[0, 1] > 0.9999
    assert "Rows out of order are sorted by their times." in found.notes


def test_one_step_back_is_told_with_its_row(tmp_path):
    times = np.arange(200) / 50
    times[100:] -= 0.03
    values = np.sin(times)
    found = series_files.series_of(write(tmp_path, "time,x", times, values))
    assert found.notes == ("The clock steps back by 0.01 s in row 101: the 2 times around are spread evenly.",)
    np.testing.assert_allclose(found.times[[98, 99, 100, 101]], [1.96, 1.96 + 0.03 / 3, 1.96 + 0.06 / 3, 1.99])


@pytest.mark.parametrize("row", [1, 198])
def test_a_step_back_at_an_end_goes_on_at_the_usual_pace(tmp_path, row):
    times = np.arange(200) / 50
    times[row] = times[row - 1] - 0.01 if row > 1 else times[0] - 0.01
    found = series_files.series_of(write(tmp_path, "time,x", times + 1, np.sin(times)))
    np.testing.assert_allclose(found.times, np.arange(200) / 50, atol=0.02)
    assert (np.diff(found.times) > 0).all()


@pytest.mark.parametrize(
    ("every", "back"), [(20, 0.015), (8, 0.015), (150, 0.6), (1000, 3.0)], ids=["often", "oftener", "far", "farther"]
)
def test_a_clock_that_steps_back_often_or_far_is_refused(tmp_path, every, back):
    slips = np.arange(WHOLE) / 130 - back * (np.arange(WHOLE) // every % 2)
    with pytest.raises(RawDataError, match=f"sample {every + 1} at .* expected times that do not run backwards"):
        stamped(tmp_path, "seconds", slips, BEAT)


def test_an_hour_back_within_a_day_is_refused(tmp_path):
    minutes = np.r_[np.arange(900), np.arange(840, 1440)] + 0.0
    with pytest.raises(RawDataError, match=r"sample 901 at 50400 s after one at 53940 s"):
        series_files.series_of(write(tmp_path, "time (min),x", minutes, np.sin(minutes)))


LONG = 60  # Rows of a series above another.


@pytest.mark.parametrize("cells", [DATES[:LONG], TIMES[:LONG], 1950 + np.arange(LONG)])
def test_series_one_below_the_other_are_channels(tmp_path, cells):
    values = np.random.default_rng(1).normal(size=(4, LONG)).round(5)
    path = write(tmp_path, "country,year,x", np.repeat([*"abcd"], LONG), [*cells] * 4, values.ravel())
    if isinstance(cells[0], float):
        path.write_text(path.read_text().replace("year", "time"))
    found = series_files.series_of(path)
    assert found.names == ("x",) * 4
    assert found.notes[-1] == "4 series one below the other are channels."
    for k, channel in enumerate(values):
        np.testing.assert_allclose(found.values[:, k], (channel - channel.mean()) / channel.std(), atol=1e-5)


def test_series_of_other_lengths_one_below_the_other_are_refused(tmp_path):
    path = write(tmp_path, "date,x", np.r_[DATES[:60], DATES[10:30]], WAVE)
    with pytest.raises(RawDataError, match="expected times that do not run backwards"):
        series_files.series_of(path)


def test_an_unnamed_first_column_with_jitter_is_the_times(tmp_path):
    jitter = np.cumsum(np.random.default_rng(0).uniform(0.016, 0.024, COUNT)).round(5)
    found = series_files.series_of(write(tmp_path, "", jitter, WAVE))
    np.testing.assert_allclose(found.times, jitter - jitter[0], atol=1e-9)
    assert found.notes[0].startswith("The first column rises by 0.0")


def test_an_unnamed_first_column_that_falls_is_a_channel(tmp_path):
    levels = [1800 + 100 * value for value in WAVE]
    with pytest.raises(RawDataError, match="samples without their rate"):
        series_files.series_of(write(tmp_path, "", levels, WAVE))
    assert series_files.series_of(write(tmp_path, "", levels, WAVE), 50.0).values.shape == (COUNT, 2)


@pytest.mark.parametrize("filler", ["-999", "-99.99", "-9999.0", "999.9", "99999"])
def test_fillers_are_missing_with_a_note(tmp_path, filler):
    cells = [filler if k in (7, 8) else f"{value:.5f}" for k, value in enumerate(WAVE)]
    found = series_files.series_of(write(tmp_path, "time,x", TIMES, cells))
    np.testing.assert_allclose(found.times, np.delete(TIMES, [7, 8]))
    assert found.notes == (f"In column 'x' 2 cells of {float(filler):g} stand for missing numbers.",)


@pytest.mark.parametrize("real", ["-99.9", "999.9", "-999"])
def test_a_value_near_the_others_is_no_filler(tmp_path, real):
    cells = [real if k == 7 else f"{float(real) + 5 + 9 * value:.5f}" for k, value in enumerate(WAVE)]
    found = series_files.series_of(write(tmp_path, "time,x", TIMES, cells))
    assert (len(found.times), found.notes) == (COUNT, ())


@pytest.mark.parametrize(("number", "length"), [(3, 66), (4, 66), (2, COUNT)])
def test_zeros_at_the_ends_of_three_channels_are_left_out(tmp_path, number, length):
    seen = np.where((np.arange(COUNT) >= 10) & (np.arange(COUNT) < 76), 3 + WAVE, 0)
    found = series_files.series_of(write(tmp_path, ",".join(["time", *"abcd"[:number]]), TIMES, *[seen] * number))
    assert len(found.times) == length
    assert found.notes == (() if number == 2 else ("14 rows of zeros at the ends are left out.",))


@pytest.mark.parametrize("mark", [",", " ", "\t", ";"])
@pytest.mark.parametrize("above", [[], ["# Sampling rate: 50 Hz", "ECG"]])
def test_numbers_in_one_line_are_one_channel(tmp_path, mark, above):
    path = tmp_path / "a.txt"
    path.write_text("\n".join([*above, mark.join(f"{value:.5f}" for value in WAVE)]))
    found = series_files.series_of(path, None if above else 50.0)
    np.testing.assert_allclose(found.times, TIMES)
    assert is_wave(found)
    assert found.notes == ("The numbers stand in one line: they are one channel.",)


def test_numbers_in_a_few_lines_are_as_many_channels(tmp_path):
    rows = [",".join(f"{value:.5f}" for value in values) for values in (WAVE, 2 - WAVE, WAVE**2)]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    found = series_files.series_of(tmp_path / "a.csv", 50.0)
    assert found.values.shape == (COUNT, 3)
    assert is_wave(found)
    assert found.notes == ("The numbers stand in 3 lines: each is a channel.",)


@pytest.mark.parametrize(
    ("name", "above"),
    [("a.lvm", ["LabVIEW Measurement", "Separator\tTab", "***End_of_Header***"]),
     ("a.mot", ["Coordinates", "version=1", "nRows=80", "endheader"]), ("a", []), ("a.log", [])],
)  # fmt: skip
def test_a_table_of_any_ending_is_read(tmp_path, name, above):
    path = write(tmp_path, "\n".join([*above, "time\tknee"]), TIMES, WAVE, mark="\t", name=name)
    found = series_files.series_of(path)
    assert isinstance(sources.open_file(path), sources.Series)
    np.testing.assert_allclose(found.times, TIMES)
    assert found.names == ("knee",)


def test_a_header_may_name_more_columns_than_rows_have(tmp_path):
    found = series_files.series_of(write(tmp_path, "time,a,b,c,d", TIMES, WAVE))
    assert (found.names, is_wave(found)) == (("a",), True)
    np.testing.assert_allclose(found.times, TIMES, atol=1e-6)


def test_clock_times_beside_two_kinds_of_marks_are_times(tmp_path):
    clock = [f"11:{30 + k // 60}:{k % 60:02}" for k in range(COUNT)]
    found = series_files.series_of(write(tmp_path, "", clock, WAVE, [f"{k % 7}.5;-0.2" for k in range(COUNT)]))
    assert is_wave(found)
    np.testing.assert_allclose(found.times, np.arange(COUNT))
    assert found.notes == ("The column number 3 holds text and is left out.",)


def test_rows_of_other_lengths_are_refused_by_their_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("".join("1,2,3\n" if k % 10 else "1,2,3,4,5\n" for k in range(1, 200)))
    with pytest.raises(RawDataError, match=r"found no table of numbers \(5 cells in line 10, 3 in others\)"):
        series_files.series_of(path)


def test_a_column_that_rises_evenly_is_proposed_as_times(tmp_path):
    path = write(tmp_path, "depth,x", 0.04 * np.arange(COUNT), WAVE)
    with pytest.raises(RawDataError, match=r"Column 'depth' rises by 0.04 and may be a clock: name it, `time=depth`\."):
        series_files.series_of(path)
    assert is_wave(series_files.series_of(path, time="depth"))
    with pytest.raises(RawDataError, match=r"`rate=NUMBER`\.$"):
        series_files.series_of(write(tmp_path, "row,x", np.arange(COUNT), WAVE))


def test_a_last_column_of_late_milliseconds_is_proposed(tmp_path):
    late = np.random.default_rng(0).choice([12, 13, 16, 70], COUNT, p=[0.3, 0.6, 0.09, 0.01])
    path = write(tmp_path, "", WAVE, 4700 + np.cumsum(late))
    with pytest.raises(RawDataError, match=r"Column 2 rises by 13 and may be a clock: name it, `time=2`\."):
        series_files.series_of(path)


@pytest.mark.parametrize(
    "lines", [["It was a dark night."] * 40, ["for k in range(9):", "    x = 3", ""] * 20, ["1,2"] * 5]
)
def test_prose_of_an_unknown_ending_is_no_recording(tmp_path, lines):
    (tmp_path / "a.lvm").write_text("\n".join(lines))
    with pytest.raises(NoRecordingError, match=r"a\.lvm is no recording: it is text\.$"):
        sources.open_file(tmp_path / "a.lvm")


def test_fillers_of_many_columns_are_told_of_the_first_three(tmp_path):
    rows = [f"{k / 50},{','.join(str(-999 if k == 9 else (k * n) % 7) for n in range(1, 7))}" for k in range(100)]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    told = [note for note in series_files.series_of(tmp_path / "a.csv").notes if "-999" in note]
    assert told == [f"In column {n} 1 cells of -999 stand for missing numbers." for n in (2, 3, 4)]


def test_rows_of_many_thousand_cells_are_cut_at_their_mark(tmp_path):
    """A line longer than any cell of Python's reader of tables, as it is where another mark is tried."""
    row = ",".join(f"{value:.6f}" for value in np.resize(WAVE, 30_000))
    (tmp_path / "a.csv").write_text(f"{row}\n" * 9)
    with pytest.raises(RawDataError, match="found samples without their rate"):
        series_files.series_of(tmp_path / "a.csv")
