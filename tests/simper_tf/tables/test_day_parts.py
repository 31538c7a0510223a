"""Tables of days and hours: a column a part of a day under all kinds of names, spans of hours, hours behind days."""

import numpy as np
import pandas as pd
import pytest

import simper_tf
from simper_tf.tables import day_parts, series_files

DAYS = pd.date_range("2021-03-01", periods=20)
NAMES = {
    "clock": [f"{k:02d}:00" for k in range(24)],
    "with seconds": [f"{k}:00:00" for k in range(24)],
    "spans": [f"{k:02d}:00 - {k + 1:02d}:00" for k in range(24)],
    "ends": [f"{k:02d}:00" for k in range(1, 25)],
    "H1": [f"H{k}" for k in range(1, 25)],
    "Hour 0": [f"Hour {k}" for k in range(24)],
    "halves": [f"{k // 2:02d}:{k % 2 * 30:02d}" for k in range(48)],
    "SP1": [f"SP{k}" for k in range(1, 49)],
    "quarters": [f"{k // 4:02d}:{k % 4 * 15:02d}" for k in range(96)],
}


def written(path, names, **others):
    """Writes a table whose cells rise through the days, by more and more."""
    values = (np.arange(len(DAYS) * len(names), dtype=float) ** 2).reshape(len(DAYS), -1)
    frame = pd.DataFrame(values, columns=names)
    frame.insert(0, "date", DAYS.strftime("%Y-%m-%d"))
    frame.assign(**others).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", NAMES)
def test_parts_of_days_are_one_series(kind, tmp_path):
    series = series_files.series_of(written(tmp_path / "a.csv", NAMES[kind]))
    assert series.values.shape == (20 * len(NAMES[kind]), 1)
    assert (np.diff(series.values[:, 0]) > 0).all()
    np.testing.assert_allclose(np.diff(series.times), 86400 / len(NAMES[kind]))
    assert "Its rows are days and its columns parts of them: they are one series." in series.notes


def test_a_sum_of_the_day_and_missing_cells_are_left_out(tmp_path):
    path = written(tmp_path / "a.csv", NAMES["H1"], total=np.arange(20.0) ** 2)
    path.write_text(path.read_text().replace(",2401.0,", ",,"))
    series = series_files.series_of(path)
    assert np.isfinite(series.values).all()
    assert series.values.shape == (479, 1)
    assert 49.0**2 not in series.values
    assert "The column 'total' is no part of a day and is left out." in series.notes


@pytest.mark.parametrize(
    ("names", "step"),
    [
        ([f"station {k}" for k in range(24)], 86400.0),
        ([str(k) for k in range(24)], 86400.0),
        ([f"H{k}" for k in range(1, 24)], 86400.0),
        (NAMES["H1"][::2] + NAMES["H1"][1:13:2], 86400.0),
        (NAMES["H1"], 3600.0),
    ],
    ids=["no parts", "mere numbers", "too few", "gaps", "rows of hours"],
)
def test_other_tables_stay_as_they_are(names, step):
    seconds, values = step * np.arange(20), np.ones((20, len(names)))
    assert day_parts.unrolled(seconds, values, names) == (seconds, values, names, [])


def test_the_day_is_read_where_rows_are_days(tmp_path):
    hours = np.arange(20 * 24) / 24
    load = 5 + np.sin(2 * np.pi * hours) + 0.1 * np.random.default_rng(0).normal(size=len(hours))
    frame = pd.DataFrame(load.reshape(20, 24), columns=NAMES["clock"]).assign(date=DAYS.strftime("%d/%m/%Y"))
    frame.to_csv(tmp_path / "load.csv", index=False)
    assert simper_tf.read(tmp_path / "load.csv").hertz * 86400 == pytest.approx(1, rel=0.01)


HOURS = pd.date_range("2021-03-01", periods=200, freq="h")


@pytest.mark.parametrize("form", ["%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M", "%m/%d/%Y %H:%M:%S"])
@pytest.mark.parametrize("between", [" - ", " to "])
def test_an_hour_may_be_told_by_its_start_and_end(form, between, tmp_path):
    ends = (HOURS + pd.Timedelta("1h")).strftime(form)
    frame = pd.DataFrame({"Time (CET)": HOURS.strftime(form) + between + ends, "load": np.arange(200.0) ** 2})
    frame.to_csv(tmp_path / "a.csv", index=False)
    np.testing.assert_allclose(np.diff(series_files.series_of(tmp_path / "a.csv").times), 3600)


def test_hours_behind_days_need_no_names(tmp_path):
    frame = pd.DataFrame({"day": HOURS.strftime("%Y-%m-%d"), "hour": HOURS.hour, "x": np.arange(200.0) ** 2})
    frame.to_csv(tmp_path / "a.csv", index=False, header=False)
    series = series_files.series_of(tmp_path / "a.csv")
    np.testing.assert_allclose(np.diff(series.times), 3600)
    assert series.values.shape == (200, 1)
