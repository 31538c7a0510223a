"""Tables with a date a column and a sensor a row, which are turned."""

import datetime

import numpy as np
import pandas as pd
import pytest

from simper_tf.tables import channels, series_files
from simper_tf.tables.texts import dates_across
from simper_tf.tables.texts.delimited import Table

DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=day) for day in range(60)]
WAVES = np.round(np.sin(2 * np.pi * np.arange(60) / np.array([[7.0], [12.0]])), 4)
NOTE = "Its columns are 60 dates: each row is a channel."


def series_of(folder, header, rows, name="a.csv", above=()):
    """Returns the series of a table: cells of its header, and first cells of two rows of waves."""
    lines = [*above, ",".join(header)]
    lines += [",".join([*first, *map(str, wave)]) for first, wave in zip(rows, WAVES, strict=True)]
    (folder / name).write_text("\n".join(lines))
    return series_files.series_of(folder / name)


def assert_waves(series, names, step=86400.0):
    """Asserts that a series holds both waves, by their names, at times a day or another step apart."""
    assert series.names == names
    np.testing.assert_allclose(series.times, step * np.arange(60), rtol=2e-3)
    np.testing.assert_allclose(series.values.T, (WAVES - WAVES.mean(1)[:, None]) / WAVES.std(1)[:, None], atol=1e-3)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%m/%d/%y", "%d.%m.%Y"])
def test_a_row_of_a_sensor_is_a_channel(form, tmp_path):
    series = series_of(tmp_path, ["sensor", *(day.strftime(form) for day in DAYS)], [["north"], ["south"]])
    assert_waves(series, ("north", "south"))
    assert NOTE in series.notes


def test_words_beside_the_dates_name_a_row_and_numbers_do_not(tmp_path):
    header = ["Province", "Country", "Lat", "Long", *map(str, DAYS)]
    assert_waves(series_of(tmp_path, header, [["", "Chad", "15", "19"], ["Yukon", "Canada", "63", "-135"]]),
                 ("Chad", "Yukon Canada"))  # fmt: skip
    assert_waves(series_of(tmp_path, ["id", *map(str, DAYS)], [["17"], ["4"]]), ("17", "4"))


def test_years_across_are_told_though_they_look_like_numbers(tmp_path):
    header, rows = ["Country", "Code", *map(str, range(1960, 2020))], [["Chad", "TCD"], ["Cuba", "CUB"]]
    series = series_of(tmp_path, header, rows, above=["Data Source,World Development Indicators"])
    assert_waves(series, ("Chad TCD", "Cuba CUB"), 365.2425 * 86400)


def test_months_across_are_a_month_apart(tmp_path):
    months = [f"{2015 + month // 12}-{month % 12 + 1:02d}" for month in range(60)]
    series = series_of(tmp_path, ["", *months], [["north"], ["south"]])
    assert series.names == ("north", "south")
    assert set(np.round(np.diff(series.times) / 86400)) == {28, 29, 30, 31}


def test_tables_of_statistical_offices_with_marks_are_turned(tmp_path):
    months = [f"{2015 + month // 12}-{month % 12 + 1:02d} " for month in range(60)]
    cells = [[f"{number:g} " for number in wave] for wave in WAVES]
    cells[0][7], cells[1][7], cells[0][20], cells[1][30] = ": ", ": ", f"{WAVES[0, 20]:g} b", f"{WAVES[1, 30]:g} ep"
    rows = ["\t".join([f"M,NR,{name}", *row]) for name, row in zip(("DE", "FR"), cells, strict=True)]
    (tmp_path / "a.tsv").write_text("\n".join(["\t".join(["freq,unit,geo\\TIME_PERIOD", *months]), *rows]))
    series = series_files.series_of(tmp_path / "a.tsv")
    assert series.names == ("M,NR,DE", "M,NR,FR")
    left = np.delete(WAVES, 7, axis=1)  # The month that is missing.
    assert series.values.shape == (59, 2)
    for found, wave in zip(series.values.T, left, strict=True):
        assert np.corrcoef(found, wave)[0, 1] == pytest.approx(1, abs=1e-6)


def test_a_pivot_of_pandas_with_dates_across_is_turned():
    frame = pd.DataFrame(WAVES, index=["north", "south"], columns=pd.to_datetime(DAYS))
    assert_waves(channels.of_data_frame("table", frame, None, "", []), ("north", "south"))


@pytest.mark.parametrize(("name", "dates"), [("time", 10), ("sensor", 7), ("", 10)])
def test_times_of_rows_and_few_dates_are_not_turned(name, dates):
    names = [name, *map(str, DAYS[:dates])]
    table = Table(names, [""] * len(names), [np.arange(60.0), *[WAVES[0]] * dates], [], [])
    assert dates_across.turned(table) is table
