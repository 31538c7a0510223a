"""Series of tables as programs write them: columns, header lines, decimal signs, and what is refused."""

import os
import pathlib

import numpy as np
import pytest

from simper_tf.reading.series import series_reader
from simper_tf.tables import series_files, time_columns
from simper_tf.utils.errors import RawDataError

COUNT, RATE = 600, 50.0
TIMES = np.arange(COUNT) / RATE
WAVE = np.sin(2 * np.pi * 1.2 * TIMES)
REAL = pathlib.Path(os.environ.get("SIMPER_REAL", pathlib.Path(__file__).parents[4] / "shared" / "real"), "series")


def rows(*columns, mark=",", form="{:.6g}"):
    """Returns lines of a table."""
    cells = [[cell if isinstance(cell, str) else form.format(cell) for cell in column] for column in columns]
    return [mark.join(row) for row in zip(*cells, strict=True)]


def written(folder, *lines, name="a.csv", encoding="utf-8"):
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding=encoding)
    return path


def is_wave(found, channel=0):
    """Returns whether a channel is the wave, which a third of a sample's shift does not change much."""
    return abs(np.corrcoef(found.values[:, channel], WAVE[-len(found.values) :])[0, 1]) > 0.98


def rate(found):
    return 1 / np.median(np.diff(found.times))


HEADERS = {
    "rate_in_a_comment": ["# Simple Text Format", "# Sampling Rate (Hz):= 50.00", "# Labels:= PPG"],
    "json_in_a_comment": ["# OpenSignals Text File Format", '# {"dev": {"sampling rate": 50, "resolution": [10]}}'],
    "percent_comments": ["%OpenBCI Raw EEG Data", "%Number of channels = 8", "%Sample Rate = 50 Hz"],
    "lines_of_a_watch": ["Name,", "Device,Watch4", "Sample Rate,50 hertz", "", "", "Lead,Lead I", "Unit,µV", ""],
    "interval": ["Interval=\t0.02 s", "ChannelTitle=\tECG"],
    "steps_per_sample": ["recording.acq", "20 msec/sample", "1 channels", "ECG", "mV"],
    "fs": ["fs: 50", "value"],
    "kilohertz": ["Sampling frequency = 0.05 kHz"],
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS.keys())
def test_a_rate_in_the_header_is_read(tmp_path, header):
    found = series_files.series_of(written(tmp_path, *header, *rows(WAVE)))
    assert rate(found) == pytest.approx(50)
    assert found.values.shape == (COUNT, 1)
    assert is_wave(found)


def test_a_rate_in_the_name_of_a_file_or_column_is_read(tmp_path):
    assert rate(series_files.series_of(written(tmp_path, "ECG", *rows(WAVE), name="ecg_50hz.csv"))) == pytest.approx(50)
    assert rate(series_files.series_of(written(tmp_path, "ECG (50 Hz)", *rows(WAVE)))) == pytest.approx(50)


def test_a_row_of_starts_and_one_of_rates_are_no_samples(tmp_path):
    path = written(tmp_path, "1544027337.00,1544027337.00", "32.000000,32.000000", *rows(WAVE, 3 - WAVE))
    found = series_files.series_of(path)
    assert rate(found) == pytest.approx(32)
    assert found.values.shape == (COUNT, 2)


@pytest.mark.parametrize(
    "header",
    [
        ["time,x", "s,mV"], ["'Elapsed time','ECG'", "'seconds','mV'"], ["sep=,", "time,x", "CAL,CAL", "s,mV"],
        ["Time [s], PLETH"], ['"Time (s)","Acceleration x (m/s^2)"'], ["seconds_elapsed,x"], ["elapsed (s),x"],
    ],
)  # fmt: skip
def test_rows_of_names_and_units_are_no_samples(tmp_path, header):
    found = series_files.series_of(written(tmp_path, *header, *rows(TIMES, WAVE)))
    assert rate(found) == pytest.approx(50)
    assert found.values.shape == (COUNT, 1)
    assert is_wave(found)
    assert found.notes == ()


@pytest.mark.parametrize(("unit", "seconds"), [("min", 60), ("[MS]", 1e-3)])
def test_a_row_of_units_tells_that_of_times(tmp_path, unit, seconds):
    lines = rows(TIMES / seconds, WAVE, form="{:.9f}")
    assert rate(series_files.series_of(written(tmp_path, "time,x", f"{unit},mV", *lines))) == pytest.approx(
        50, rel=1e-4
    )


@pytest.mark.parametrize(("mark", "point"), [(";", ","), ("\t", ","), ("\t", "."), (" ", "."), ("  ", ","), ("|", ".")])
@pytest.mark.parametrize("header", [True, False])
def test_separators_and_decimal_signs_are_told(tmp_path, mark, point, header):
    lines = [line.replace(".", point) for line in rows(TIMES, WAVE, mark=mark, form="{:.4f}")]
    found = series_files.series_of(written(tmp_path, *[mark.join(("time", "x"))] * header, *lines, name="a.txt"))
    assert rate(found) == pytest.approx(50)
    assert is_wave(found)


def test_one_column_of_decimal_commas_is_one_channel(tmp_path):
    lines = [line.replace(".", ",") for line in rows(2 + WAVE, form="{:.3f}")]
    for header in (["ECG"], []):
        found = series_files.series_of(written(tmp_path, *header, *lines), 50.0)
        assert found.values.shape == (COUNT, 1)
        assert is_wave(found)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings_of_spreadsheets_are_read(tmp_path, encoding):
    found = series_files.series_of(written(tmp_path, "time (s);größe", *rows(TIMES, WAVE, mark=";"), encoding=encoding))
    assert found.names == ("größe",)
    assert is_wave(found)


def test_columns_that_cannot_repeat_are_left_out_with_a_note(tmp_path):
    counter = np.arange(COUNT)
    wrapping = counter % 16
    label = ["walk"] * COUNT
    lines = rows(counter, wrapping, TIMES, WAVE, np.full(COUNT, 7.0), label, [""] * COUNT)
    found = series_files.series_of(written(tmp_path, ",nSeq,time,x,still,activity,empty", *lines))
    assert found.names == ("x",)
    assert found.notes == (
        "The column 'activity' holds text and is left out.",
        "The column 'empty' holds no number and is left out.",
        "The column number 1 rises evenly, as numbers of rows do, and is left out.",
        "The column 'nSeq' rises evenly, as numbers of rows do, and is left out.",
        "The column 'still' never changes and is left out.",
    )


def test_a_sparse_column_is_left_out_and_empty_cells_are_holes(tmp_path):
    sparse = ["5" if k % 50 == 0 else "" for k in range(COUNT)]
    holes = ['""' if 100 <= k < 104 else f"{value:.5f}" for k, value in enumerate(WAVE)]
    found = series_files.series_of(written(tmp_path, "time,x,gps", *rows(TIMES, holes, sparse)))
    assert found.names == ("x",)
    assert found.notes == ("The column 'gps' has numbers in 12 of 600 rows and is left out.",)
    assert len(found.times) == COUNT - 4
    assert np.diff(found.times).max() == pytest.approx(5 / RATE)


def test_words_in_a_few_cells_are_holes(tmp_path):
    cells = ["Err" if k == 7 else "NULL" if k == 9 else f"{value:.5f}" for k, value in enumerate(WAVE)]
    found = series_files.series_of(written(tmp_path, "time,x", *rows(TIMES, cells)))
    assert len(found.times) == COUNT - 2


def test_without_times_an_empty_row_keeps_its_place(tmp_path):
    cells = ['""' if 100 <= k < 110 else f"{value:.5f}" for k, value in enumerate(WAVE)]
    found = series_files.series_of(written(tmp_path, *cells), 50.0)
    assert found.times[-1] == pytest.approx(TIMES[-1])
    assert np.diff(found.times).max() == pytest.approx(11 / RATE)


def test_values_are_of_mean_0_and_deviation_1(tmp_path):
    found = series_files.series_of(
        written(tmp_path, "time,x,y", *rows(TIMES, 1e200 * WAVE, 5 + 1e-9 * WAVE, form="{:.12g}"))
    )
    assert found.values.dtype == np.float32
    np.testing.assert_allclose(found.values.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(found.values.std(axis=0), 1, atol=1e-4)


@pytest.mark.parametrize("values", ["0.1", "1.5", "ab"])
def test_a_last_row_that_was_cut_is_no_harm(tmp_path, values):
    path = written(tmp_path, "time,x", *rows(TIMES, WAVE), f"{TIMES[-1] + 0.02:.3f}")
    assert len(series_files.series_of(path).times) == COUNT


def test_too_many_cells_in_one_row_are_told(tmp_path):
    lines = rows(TIMES, WAVE)
    lines[300] += ",5,6"
    found = series_files.series_of(written(tmp_path, "time,x", *lines))
    assert found.notes == ("1 row with more cells than the others is left out.",)
    assert len(found.times) == COUNT - 1


def test_no_rate_is_refused_with_a_flag_and_a_value(tmp_path):
    with pytest.raises(RawDataError, match=r"Name it, such as `rate=50`, at which it would repeat 7\d times a minute"):
        series_files.series_of(written(tmp_path, *rows(WAVE)))


REFUSED = {
    "text": (["hello world", "how are you"], "row 1: hello world"),
    "nothing": (["", ""], "no rows"),
    "two_decimal_signs": (["x;y", *['"1,024.5";2', '"1.024,5";2'] * 20], "commas and points in numbers"),
    "words_beside_counts": (["sample,seat", *[f"{k},{k % 9}{'ABC'[k % 3]}" for k in range(20)]], "text such as '1B'"),
    "an_unclear_comma": (
        ["x;y", *["1,024;2", "998;3"] * 20],
        "998 and 1,024 in column 1, whose comma may be a decimal sign",
    ),
    "still": (["time,x", *rows(TIMES, np.ones(COUNT))], "values that never change"),
    "times_alone": (["time", *rows(TIMES)], "a column of times alone"),
    "empty": (["time,x", *rows(TIMES, [""] * COUNT)], "0 samples that are numbers"),
    "a_long_line": (["1," * 2**20], "a line of 1,048,576 letters or more"),
    "an_open_quote": (["x,y", *['1,"2'] * 3, *["1,2"] * 30], "no table of numbers|samples without their rate|row 1"),
}


@pytest.mark.parametrize(("lines", "found"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_series_is_refused_in_one_sentence(tmp_path, lines, found):
    with pytest.raises(RawDataError, match=found) as refusal:
        series_files.series_of(written(tmp_path, *lines))
    assert "\n" not in str(refusal.value)


def test_underscores_are_no_part_of_a_number(tmp_path):
    with pytest.raises(RawDataError):
        series_files.series_of(written(tmp_path, *["1_000,2_0"] * 30), 50.0)


@pytest.mark.parametrize(
    ("name", "shape", "rate_given", "expected"),
    [
        ("biosppy_rate_in_header_BSD3.txt", (20000, 1), None, 1000.0),
        ("datetime_repeated_times_MIT.csv", (1999, 1), None, 100.5),
        ("ecg_clean_refused_Apache2.csv", (44611, 1), None, 1000.0),
        ("rounded_times_ODCBY.csv", (2501, 5), None, 125.0),
        ("timer_ms_MIT.csv", (15000, 1), None, 117.0),
        ("welltory_01_ms_jitter_CC0.csv", (3155, 2), None, 29.4),
        ("welltory_19_CC0.csv", (2153, 3), None, 29.4),
        ("heartpy_118e12.csv", (43200, 1), 360.0, 360.0),
        ("ring_empty_quotes_MIT.csv", (1279, 1), 64.0, 64.0),
    ],
)
@pytest.mark.skipif(not REAL.is_dir(), reason="The folder of real recordings is not there.")
def test_published_files_are_read_as_they_are(name, shape, rate_given, expected):
    found = series_files.series_of(REAL / name, rate_given)
    assert found.values.shape == shape
    assert rate(found) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [([0, 1, 2], 1), ([0], 0), ([5, 5, 5], 0), ([3, 2, 1], -1), ([0, 1, 0.5, 2], 0),
     ([*range(100), 98, *range(99, 150)], 1), ([0, np.nan, 2], 0), ([0, np.nan, 2, 3], 1)],
)  # fmt: skip
def test_times_run_one_way_if_hardly_any_runs_the_other(seconds, expected):
    assert time_columns.direction(np.array(seconds, float)) == expected


def test_a_first_column_of_rounded_steps_is_no_signal(tmp_path):
    times, wave = np.arange(400) / 100, np.sin(2 * np.pi * 1.2 * np.arange(400) / 100)
    rows = [f"{int(1000 * time)},{value:.4f}" for time, value in zip(times, wave, strict=True)]  # 289 for 290.
    (tmp_path / "a.csv").write_text("\n".join(rows))
    read = series_files.series_of(tmp_path / "a.csv", None)
    np.testing.assert_allclose(read.times, times, atol=2e-3)
    assert (read.values.shape, read.notes[0]) == (
        (400, 1), "The first column is taken for milliseconds: it rises by about 10.",
    )  # fmt: skip
    assert series_files.series_of(tmp_path / "a.csv", 100.0).values.shape == (400, 1)


@pytest.mark.parametrize("ending", ["csv", "npy"])
def test_columns_that_are_named_stay_though_they_never_change(tmp_path, ending):
    path, rate, columns = tmp_path / f"a.{ending}", None if ending == "csv" else RATE, (1, 2)
    values = np.stack((WAVE, np.full(COUNT, 0.1)), axis=1)
    if ending == "csv":
        columns = ("red", "green")
        np.savetxt(path, np.column_stack((TIMES, values)), delimiter=",", header="time,red,green", comments="")
    else:
        np.save(path, values)
    every, named = (series_files.series_of(path, rate, columns=one) for one in ((), columns))
    assert (every.values.shape[1], named.values.shape[1]) == (1, 2)
    assert len(every.notes) == len(named.notes) + 1
    np.testing.assert_array_equal(named.values[:, :1], every.values)
    assert np.ptp(named.values[:, 1]) == 0
    (answer,) = series_reader.reading_of_samples(named.times, named.values).clear
    assert answer.hertz == pytest.approx(1.2, rel=0.01)
    with pytest.raises(RawDataError, match="values that never change"):
        series_files.series_of(path, rate, columns=columns[1:])
