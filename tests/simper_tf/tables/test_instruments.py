"""Exports of instruments, watches and boards: what stands above, below and beside their numbers."""

import json

import numpy as np
import pandas as pd
import pytest

from simper_tf.recordings import search
from simper_tf.tables import series_files
from simper_tf.tables.texts import delimited
from simper_tf.tables.times import rates
from simper_tf.utils import raw_files

RATE, COUNT = 50.0, 200
SECONDS = np.arange(COUNT) / RATE
WAVE = np.sin(SECONDS * 7.5)
PLAIN = "{0:.3f},{1:.4f}"


def assert_read(folder, above, row=PLAIN, name="a.csv", **more):
    """Asserts that lines of times and numbers in some form are read as the series that they hold."""
    lines = [*above, *(row.format(time, value) for time, value in zip(SECONDS, WAVE, strict=True))]
    (folder / name).write_text("\n".join([*lines, ""]), encoding=more.get("encoding", "utf-8"))
    series = series_files.series_of(folder / name)
    np.testing.assert_allclose(series.times, SECONDS[: len(series.times)] * more.get("unit", 1), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(series.values[:, 0], (WAVE - WAVE.mean()) / WAVE.std(), atol=1e-2)
    return series


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


@pytest.mark.parametrize(("interval", "found"), [("1", [1.0]), ("5", [0.2]), ("238", [])])
def test_the_step_of_a_polar_file_is_in_seconds(tmp_path, interval, found):
    """A step of 238 says that there are intervals of beats in place of samples."""
    above = ["[Params]", "Version=106", "SMode=111111100", f"Interval={interval}", "", "[Note]", "run", "", "[HRData]"]
    assert [claim.rate for claim in rates.stated(above)] == pytest.approx(found)
    (tmp_path / "a.hrm").write_text("\n".join([*above, *(f"{120 + k % 7}\t0\t83" for k in range(60))]))
    if found:
        assert np.diff(series_files.series_of(tmp_path / "a.hrm").times) == pytest.approx(1 / found[0])
    assert not rates.stated(["Interval=1"])


def test_an_epoch_as_a_clock_holds_against_other_rates():
    line = "File Created By A at 30 Hz Filter Normal"
    assert [claim.rate for claim in rates.stated([line, "Epoch Period (hh:mm:ss) 00:00:10"])] == [0.1]
    assert [claim.rate for claim in rates.stated([line, "Epoch Period (hh:mm:ss) 00:00:00"])] == [30]


@pytest.mark.parametrize("line", ["File created by A, notch at 50 Hz", "Clock: 24 h", "Clock=16 MHz", "Epoch 30 s"])
def test_filters_and_clocks_of_instruments_are_no_rates(line):
    assert not rates.stated([line])


def test_a_first_row_that_counts_the_others_is_no_sample(tmp_path):
    series = assert_read(tmp_path, ["20 msec/sample", "CH1\tCH2\t", f"{COUNT}\t{COUNT}\t"], "{1:.4f}\t{0:.3f}\t")
    assert len(series.times) == COUNT


@pytest.mark.parametrize(
    "header", ["X[s],EMG", "X (sec),EMG", "x-axis,1\nsecond,Volt", "1700000000.0, IBI", "time,flux\ns,electrons/sec"]
)
def test_an_axis_in_seconds_is_that_of_times(tmp_path, header):
    assert_read(tmp_path, [header])


@pytest.mark.parametrize("header", ["x (m),y (m)", "x-axis,y-axis"])
def test_an_axis_without_a_unit_of_time_holds_none(tmp_path, header):
    lines = [header, *(f"{time:.3f},{value:.4f}" for time, value in zip(SECONDS, WAVE, strict=True))]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    with pytest.raises(series_files.RawDataError, match="without their rate"):
        series_files.series_of(tmp_path / "a.csv")


def test_names_between_bars_name_what_spaces_set_off(tmp_path):
    above = ["|    TIME|    FLUX|", "|  double|  double|", "|    days|   e-/sec|", "|    null|    null|"]
    series = assert_read(tmp_path, above, " {0:8.3f} {1:8.4f}", "a.tbl", unit=86400)
    assert series.names == ("FLUX",)


@pytest.mark.parametrize("word", [".", "--undefined--", "missing"])
def test_a_number_may_be_missing_in_the_first_row(tmp_path, word):
    lines = ["time,x", f"-0.020,{word}", *(PLAIN.format(*pair) for pair in zip(SECONDS, WAVE, strict=True))]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    assert series_files.series_of(tmp_path / "a.csv").values.shape == (COUNT, 1)


def test_milliseconds_behind_a_colon_are_read_in_any_date(tmp_path):
    for day in ("11/14/2023", "2023-11-14", "14.11.2023"):
        lines = [f"{day} 22:13:{k // 50:02d}:{20 * (k % 50):03d},{value:.4f}" for k, value in enumerate(WAVE)]
        (tmp_path / "a.csv").write_text("\n".join(["Time,x", *lines]))
        np.testing.assert_allclose(series_files.series_of(tmp_path / "a.csv").times, SECONDS, atol=1e-6)


def test_a_text_in_latin_letters_is_no_film(tmp_path):
    assert_read(tmp_path, ["Kanäle: 2", "Zeit [s]\tKraft [N]"], "{0:.3f}\t{1:.4f}", "a.asc", encoding="latin-1")
    assert raw_files.is_text("Kanäle".encode("latin-1"))
    assert not raw_files.is_text(b"\xff\xfb\x90\x00")


@pytest.mark.parametrize("row", ["t={0:.3f} ax={1:.4f}", "t:{0:.3f},ax:{1:.4f}", "t: {0:.3f}\tax: {1:.4f}"])
def test_labels_beside_numbers_are_their_names(tmp_path, row):
    series = assert_read(tmp_path, ["Sensor found!"], row, "a.log")
    assert (series.names, series.notes) == (("ax",), ())
    assert series_files.is_table(tmp_path / "a.log")


def test_lines_of_a_monitor_that_are_damaged_are_counted(tmp_path):
    lines = ["Sensor found!", *(f"t={time:.3f} ax={value:.4f}" for time, value in zip(SECONDS, WAVE, strict=True))]
    for most, said in ((1, "1 line unlike the others is left out."), (3, "3 lines unlike the others are left out.")):
        damaged = {120: "t=2.380 ax=", 150: "reset", 190: "t=3.7t=3.8 ax=1"}
        rows = [damaged.get(k, line) if k in [*damaged][:most] else line for k, line in enumerate(lines)]
        (tmp_path / "a.log").write_text("\n".join(rows))
        series = series_files.series_of(tmp_path / "a.log")
        assert (series.notes, len(series.times)) == ((said,), COUNT - most)


@pytest.mark.parametrize("row", ["22:13:0{0:.3f} -> {1:.4f}", "22:13:0{0:.3f} -> ax:{1:.4f}"])
def test_an_arrow_behind_a_time_sets_it_off(tmp_path, row):
    assert_read(tmp_path, [], row, "a.log")


@pytest.mark.parametrize("level", "EWIDV")
def test_a_log_of_a_board_has_its_milliseconds(tmp_path, level):
    lines = [f"{level} ({1000 * time:.0f}) PPG: ir={value:.4f} red={2 * value:.4f}"
             for time, value in zip(SECONDS, WAVE, strict=True)]  # fmt: skip
    (tmp_path / "a.log").write_text("\n".join(["I (3) boot: ESP-IDF v5.1", *lines]))
    series = series_files.series_of(tmp_path / "a.log")
    np.testing.assert_allclose(series.times, SECONDS, atol=1e-6)
    assert series.names == ("ir", "red")


def test_settings_and_prose_have_no_labels_of_columns(tmp_path):
    (tmp_path / "a.txt").write_text("\n".join(f"gain{k} = {k}" for k in range(20)))
    assert not any(answer for answer, _ in delimited.are_tables(str(tmp_path / "a.txt")))


@pytest.mark.parametrize(
    "value",
    [
        {"time": {"data": [*SECONDS], "size": COUNT}, "x": {"data": [*WAVE], "size": COUNT}},
        [{"type": "time", "data": [*SECONDS]}, {"type": "x", "data": [*WAVE]}, {"type": "place", "data": [[1, 2]]}],
        [{"Time": SECONDS[k], "acc": [{"x": v, "y": 1.0} for v in WAVE[k : k + 8]]} for k in range(0, COUNT, 8)],
    ],
    ids=["keyed", "typed", "vectors"],
)
def test_json_of_streams_is_read_side_by_side(tmp_path, value):
    (tmp_path / "a.json").write_text(json.dumps(value))
    assert_series = series_files.series_of(tmp_path / "a.json")
    np.testing.assert_allclose(assert_series.times, SECONDS, atol=1e-6)
    np.testing.assert_allclose(assert_series.values[:, 0], (WAVE - WAVE.mean()) / WAVE.std(), atol=1e-3)


PACKETS = ["Sample Index", "Other", "Other", "Marker Channel", "Package Num Channel", "Timestamp (Formatted)"]


@pytest.mark.parametrize("electrodes", ["EXG Channel 0", "EEG Channel 1", "emg_channel_2"])
def test_bytes_and_packets_beside_electrodes_are_no_signals(tmp_path, electrodes):
    names = ",".join(["time", electrodes, "Accel Channel 0", *PACKETS])
    above = ["%OpenBCI Raw EEG Data", f"%Sample Rate = {RATE:g} Hz", names]
    found = assert_read(tmp_path, above, ",".join([PLAIN, *["{1:.3f}"] * (1 + len(PACKETS))]))
    assert found.names == (electrodes, "Accel Channel 0")
    why = "is of packets, not of a sensor, and is left out."
    told = "Sample Index", "Other", "Marker Channel"
    assert found.notes[:3] == tuple(f"The column {name!r} {why}" for name in told)


def test_without_electrodes_other_columns_are_signals(tmp_path):
    found = assert_read(tmp_path, ["time,Other,Marker"], f"{PLAIN},{{1:.3f}}")
    assert found.names == ("Other", "Marker")


@pytest.mark.parametrize("lone", ["#", "%", "# "])
def test_a_lone_mark_among_comments_leaves_the_names(tmp_path, lone):
    for above in (["# a board", "time,x", lone], ["# a board", "# time,x", lone], [lone, "# a board", "time,x"]):
        assert assert_read(tmp_path, above).names == ("x",)


def test_words_beside_dates_and_numbers_make_a_table(tmp_path):
    dates = pd.date_range("2021-05-01", periods=COUNT, freq="15min").strftime("%Y-%m-%d %H:%M")
    rows = [f"USGS\t0123\t{date}\tEST\t{value:.3f}\tP" for date, value in zip(dates, WAVE, strict=True)]
    above = ["# of a river", "agency\tsite\tdatetime\tzone\tflow\tmark", "5s\t15s\t20d\t6s\t14n\t10s"]
    (tmp_path / "a.rdb").write_text("\n".join([*above, *rows]))
    assert len(search.find([str(tmp_path / "a.rdb")]).sources) == 1
    (tmp_path / "b.rdb").write_text("\n".join(f"2021-05-01 10:00:{k:02d} INFO, done {k} of 60" for k in range(60)))
    assert not search.find([str(tmp_path / "b.rdb")]).sources
