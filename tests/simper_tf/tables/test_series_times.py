"""Times of series: units, epochs and dates, stamps that repeat, and times that are none."""

import numpy as np
import pandas as pd
import pytest

from simper_tf.tables import clock, series_files
from simper_tf.utils.errors import RawDataError

COUNT, RATE = 600, 50.0
TIMES = np.arange(COUNT) / RATE
WAVE = np.sin(2 * np.pi * 1.2 * TIMES)
RNG = np.random.default_rng(5)


def table(folder, name, moments, values=WAVE, form="{:.6f}"):
    path = folder / "a.csv"
    cells = [moment if isinstance(moment, str) else form.format(moment) for moment in moments]
    lines = [f"{cell},{value:.6f}" for cell, value in zip(cells, values, strict=True)]
    path.write_text("\n".join([f"{name},x", *lines]) + "\n")
    return path


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("time", 1), ("Time", 1), ("Time [s]", 1), ("TIME(S)", 1), ("time/s", 1), ("time_s", 1), ("time_seconds", 1),
        ("Time (sec)", 1), ("timestamp", 1), ("Timestamps", 1), ("timestamp (s)", 1), ("time since start [s]", 1),
        ("t", 1), ("t [s]", 1), ("s", 1), ("elapsed (s)", 1), ("seconds_elapsed", 1), ("SecondsElapsed", 1),
        ("Time [ms]", 1e3), ("timestamp_ms", 1e3), ("t/ms", 1e3), ("ms", 1e3), ("time", 1e3), ("timer", 1e3),
        ("timestamp", 1e6), ("time_us", 1e6), ("t [µs]", 1e6), ("sensor timestamp [ns]", 1e9), ("t [ns]", 1e9),
        ("time (min)", 1 / 60), ("Zeit (s)", 1), ("Phone_timestamp_ms", 1e3),
        ("GPST", 1), ("gpstime", 1), ("TOW", 1), ("iTOW", 1e3), ("UTC", 1), ("tiempo (s)", 1), ("tijd", 1), ("czas", 1),
        ("Время (мс)", 1e3), ("时间", 1), ("時間(s)", 1), ("시간", 1),
    ],
)  # fmt: skip
def test_names_and_units_of_times(tmp_path, name, factor):
    found = series_files.series_of(table(tmp_path, name, factor * TIMES, form="{:.9g}"))
    np.testing.assert_allclose(found.times, TIMES, atol=1e-3)
    assert found.names == ("x",)


@pytest.mark.parametrize(
    ("factor", "name"), [(1, "time"), (1e3, "epoc (ms)"), (1e3, "time"), (1e6, "t"), (1e9, "time")]
)
def test_seconds_since_1970_are_told_by_their_size(tmp_path, factor, name):
    moments = [f"{round((1_700_000_000_000 + 20 * k) * factor / 1000)}" for k in range(COUNT)]
    if factor == 1:
        moments = [f"{1_700_000_000 + time:.2f}" for time in TIMES]
    found = series_files.series_of(table(tmp_path, name, moments))
    np.testing.assert_allclose(found.times, TIMES, atol=1e-5)
    assert found.notes == ()


DATES = {
    "iso": ("%Y-%m-%dT%H:%M:%S.%f", 6), "space": ("%Y-%m-%d %H:%M:%S.%f", 3), "zone": ("%Y-%m-%dT%H:%M:%S.%fZ", 0),
    "dots": ("%Y-%m-%dT%H.%M.%S.%f", 3), "day_first": ("%d/%m/%Y %H:%M:%S.%f", 3), "clock": ("%H:%M:%S.%f", 3),
    "minutes": ("%M:%S.%f", 3),
}  # fmt: skip


@pytest.mark.parametrize(("form", "cut"), DATES.values(), ids=DATES.keys())
def test_dates_and_times_of_day_are_read(tmp_path, form, cut):
    moments = pd.Timestamp("2023-11-14 09:13:20") + pd.to_timedelta(TIMES, unit="s")
    texts = [moment.strftime(form) for moment in moments]
    texts = [text[:-cut] if cut and "Z" not in text and cut < 6 else text for text in texts]
    found = series_files.series_of(table(tmp_path, "timestamp (+0200)", texts))
    np.testing.assert_allclose(found.times, TIMES, atol=1e-3)


def test_a_time_of_day_passes_midnight(tmp_path):
    moments = pd.Timestamp("2023-11-14 23:59:55") + pd.to_timedelta(TIMES, unit="s")
    found = series_files.series_of(table(tmp_path, "time", [moment.strftime("%H:%M:%S.%f") for moment in moments]))
    np.testing.assert_allclose(found.times, TIMES, atol=1e-6)


def test_of_several_columns_of_times_the_finest_is_taken(tmp_path):
    path = tmp_path / "a.csv"
    lines = [f"{1_700_000_000 + int(time)},{time:.3f},{value:.5f}" for time, value in zip(TIMES, WAVE, strict=True)]
    path.write_text("\n".join(["time,seconds_elapsed,x", *lines]))
    found = series_files.series_of(path)
    np.testing.assert_allclose(found.times, TIMES)
    assert found.notes == ("The column 'time' holds times as well and is left out.",)


@pytest.mark.parametrize("name", ["timeout", "temperature", "t2", "tension", "time_of_flight", "sample"])
def test_a_name_that_only_looks_like_time_is_a_channel(tmp_path, name):
    found = series_files.series_of(table(tmp_path, name, np.cos(TIMES)), 50.0)
    assert found.names == (name, "x")


def test_an_unnamed_evenly_rising_first_column_is_seconds(tmp_path):
    path = table(tmp_path, "time", TIMES)
    path.write_text(path.read_text().partition("\n")[2])
    found = series_files.series_of(path)
    np.testing.assert_allclose(found.times, TIMES, atol=1e-6)
    assert found.notes == ("The first column rises by 0.02 and is taken for seconds.",)


@pytest.mark.parametrize("name", ["value1", "Column 1", "X", "Unnamed: 0", "ch0"])
def test_a_first_column_whose_name_says_nothing_may_be_seconds(tmp_path, name):
    found = series_files.series_of(table(tmp_path, name, TIMES + 200))
    np.testing.assert_allclose(found.times, TIMES, atol=1e-6)
    assert found.notes == ("The first column rises by 0.02 and is taken for seconds.",)


@pytest.mark.parametrize("name", ["wavelength", "depth", "angle"])
def test_a_rising_column_of_another_quantity_is_no_time(tmp_path, name):
    with pytest.raises(RawDataError, match="their rate"):
        series_files.series_of(table(tmp_path, name, TIMES))


@pytest.mark.parametrize("clock", [0.015625, 0.1, 1.0])
def test_stamps_of_a_coarse_clock_are_spread_evenly_with_a_note(tmp_path, clock):
    moments = np.floor(TIMES / clock) * clock
    found = series_files.series_of(table(tmp_path, "time (s)", moments))
    assert np.median(np.diff(found.times)) == pytest.approx(1 / RATE, rel=0.02)
    assert np.ptp(np.diff(found.times)) < 1e-6
    repeated = int((np.diff(moments) == 0).sum())
    said = f"{repeated} of 600 time stamps repeat: the samples" if repeated else "Time stamps rounded to 0.0156 s"
    assert found.notes[0].startswith(f"{said} are spread evenly")


def test_repeated_stamps_with_a_hole_keep_the_hole():
    stamps = np.floor(np.r_[TIMES[:300], TIMES[300:] + 5] * 10) / 10
    mended, kept, _ = clock.mend("a", stamps)
    assert kept.all()
    assert np.argmax(np.diff(mended)) == 299
    assert np.diff(mended)[299] == pytest.approx(5, abs=0.25)
    assert (np.diff(mended) > 0).all()


def test_repeated_stamps_of_a_clock_that_drifts_follow_it():
    true = np.cumsum(np.linspace(0.018, 0.022, 5000))
    mended, _, _ = clock.mend("a", np.floor(true * 20) / 20)
    np.testing.assert_allclose(mended - mended[0], true - true[0], atol=0.06)
    assert (np.diff(mended) > 0).all()


def test_rounded_times_are_spread_and_jitter_is_kept():
    exact = np.arange(900) / 29.97
    mended, _, notes = clock.mend("a", np.round(exact, 2))
    np.testing.assert_allclose(np.diff(mended), 1 / 29.97, rtol=1e-4)
    assert notes == ["Time stamps rounded to 0.01 s are spread evenly."]
    jittered = np.round(exact + RNG.uniform(-0.01, 0.01, 900), 3)
    mended, _, notes = clock.mend("a", jittered)
    np.testing.assert_allclose(mended, jittered - jittered[0])
    assert notes == []


def test_ten_thousand_times_tell_the_step_of_the_clock():
    stamps = np.round(np.arange(10_001) / 29.97, 2)
    stamps[-1] += 0.003  # Not rounded: nobody looks so far.
    assert clock.mend("a", stamps)[2] == ["Time stamps rounded to 0.01 s are spread evenly."]
    stamps[-2] += 0.003
    assert clock.mend("a", stamps)[2] == []


@pytest.mark.parametrize("absurd", [1e300, 1e18, -1e300, -1e18])
@pytest.mark.parametrize("row", [0, -1])
def test_a_time_far_from_all_others_is_left_out_with_a_note(tmp_path, absurd, row):
    moments = TIMES.copy()
    moments[row] = absurd
    found = series_files.series_of(table(tmp_path, "time", moments, form="{:.9g}"))
    assert len(found.times) == COUNT - 1
    assert found.times[-1] < 12
    assert len(found.notes) == 1
    assert found.notes[0].startswith(f"1 of 600 rows are left out: the time {absurd:.6g} in row ")


def test_many_absurd_times_are_refused():
    moments = np.r_[TIMES, 1e18 * np.arange(1, 20)]
    with pytest.raises(RawDataError, match="expected times of one recording"):
        clock.mend("a", moments)


def test_the_span_is_bounded_by_the_samples():
    moments = np.r_[TIMES, 11_000.0]
    mended, _, _ = clock.mend("a", moments)
    assert mended[-1] <= 2 * 1000 * len(moments) / RATE


@pytest.mark.parametrize(("row", "message"), [(300, "sample 301 at 1"), (599, "sample 600 at 1")])
def test_times_that_run_backwards_are_refused(tmp_path, row, message):
    moments = TIMES.copy()
    moments[row] = 1.0
    with pytest.raises(RawDataError, match=f"{message} s after one .* expected times that do not run backwards"):
        series_files.series_of(table(tmp_path, "time", moments))


def test_times_that_never_rise_are_refused():
    with pytest.raises(RawDataError, match="times that never rise"):
        clock.mend("a", np.ones(50))


def test_rows_without_a_time_are_left_out(tmp_path):
    moments = ["" if k in (5, 6) else f"{time:.3f}" for k, time in enumerate(TIMES)]
    found = series_files.series_of(table(tmp_path, "time", moments))
    assert len(found.times) == COUNT - 2
    assert found.notes == ("2 of 600 rows without a time are left out.",)


def test_of_channels_with_times_of_their_own_the_fullest_is_read(tmp_path):
    moments = pd.Timestamp("2022-07-11 14:25:18") + pd.to_timedelta(TIMES, unit="s")
    stamps = [moment.isoformat(sep=" ") for moment in moments]
    lines = ["Datetime1,flow,Datetime2,CO2"]
    for k, (stamp, value) in enumerate(zip(stamps, WAVE, strict=True)):
        lines += [f"{stamp},{value:.4f},,"] + [f",,{stamp},{7 + k % 3}"] * (k % 4 == 0)
    (tmp_path / "a.csv").write_text("\n".join(lines))
    found = series_files.series_of(tmp_path / "a.csv")
    np.testing.assert_allclose(found.times, TIMES, atol=1e-6)
    assert found.names == ("flow",)
    assert "150 of 750 rows without a time are left out." in found.notes


@pytest.mark.parametrize(
    ("name", "first", "a_second", "form"),
    [
        ("Timestamp (ticks)", 637450740000000000, 1e7, "{:.0f}"),
        ("time", 637450740000000000, 1e7, "{:.0f}"),
        ("FILETIME", 132545052000000000, 1e7, "{:.0f}"),
        ("datenum", 738157.25, 1 / 86400, "{:.12f}"),
    ],
)
def test_ticks_and_days_of_matlab_are_times(tmp_path, name, first, a_second, form):
    whole = [first + round(a_second * time) if a_second > 1 else first + a_second * time for time in TIMES]
    found = series_files.series_of(table(tmp_path, name, whole, form=form))
    np.testing.assert_allclose(found.times, TIMES, atol=2e-4)
    assert found.names == ("x",)


@pytest.mark.parametrize("mark", ["  ", ","])
def test_exponents_of_fortran_are_numbers(tmp_path, mark):
    rows = (f"{time:.6E}{mark}{value:.6E}".replace("E", "D") for time, value in zip(TIMES, WAVE, strict=True))
    (tmp_path / "a.dat").write_text("\n".join([f"time{mark}x", *rows]))
    found = series_files.series_of(tmp_path / "a.dat")
    np.testing.assert_allclose(found.times, TIMES, atol=1e-5)
    assert np.corrcoef(found.values[:, 0], WAVE)[0, 1] == pytest.approx(1, abs=1e-6)
    assert found.names == ("x",)


@pytest.mark.parametrize("rate", [1.0, 10.0, 25.0, 50.0, 100.0, 200.0])
@pytest.mark.parametrize("days", [1.5, 5.0, 11.0])
@pytest.mark.parametrize(("word", "a_second"), [("milliseconds", 1e3), ("nanoseconds", 1e9)])
def test_times_since_a_phone_was_started_days_ago(tmp_path, word, a_second, days, rate):
    moments = np.round(a_second * (days * 86400 + 0.1234 + np.arange(300) / rate))
    found = series_files.series_of(table(tmp_path, "time", moments, WAVE[:300], form="{:.0f}"))
    np.testing.assert_allclose(found.times, np.arange(300) / rate, atol=2e-3)
    assert any(f"are taken for {word} since a start." in note for note in found.notes)


@pytest.mark.parametrize(
    ("first", "step"),
    [
        (7.2e8 + 0.25, 5.0),
        (7.9e8 + 0.5, 300.5),
        (8e8, 600.0),
        (8e8, 1800.0),
        (8e8, 3600.0),
        (7.2e8, 0.02),
        (7.2e8, 1.0),
    ],
)
def test_seconds_of_the_last_century_stay_seconds(tmp_path, first, step):
    found = series_files.series_of(table(tmp_path, "time", first + step * np.arange(300), WAVE[:300], form="{:.2f}"))
    np.testing.assert_allclose(found.times, step * np.arange(300), atol=1e-3)
