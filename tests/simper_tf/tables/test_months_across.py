"""Tables of a row a year and a column a month, which are one series."""

import calendar

import numpy as np
import pandas as pd
import pytest

from simper_tf.tables import channels, series_files
from simper_tf.tables.texts import months_across
from simper_tf.tables.texts.delimited import Table

YEARS, SHORT, LONG = np.arange(1961, 1981), [*calendar.month_abbr][1:], [*calendar.month_name][1:]
MONTHS = pd.date_range("1961-01-01", periods=240, freq="MS")
WAVE = np.round(10 - 8 * np.cos(2 * np.pi * np.arange(240) / 12) + np.random.default_rng(0).normal(size=240), 2)
NOTE = "Its rows are years and its columns months: they are one series."
BY_PLACES = "The first column is taken for years, the twelve others for their months: they are one series."


def written(folder, header, rows, mark=",", name="a.csv"):
    lines = [mark.join(map(str, row)) for row in [*([header] if header else []), *rows]]
    (folder / name).write_text("\n".join([*lines, ""]))
    return folder / name


def by_years(cells=WAVE, years=YEARS):
    """Returns rows of a year and its twelve numbers."""
    return [[year, *row] for year, row in zip(years, np.reshape(cells, (-1, 12)), strict=True)]


def assert_months(series, kept=slice(None), note=NOTE):
    """Asserts that a series holds the months that are kept."""
    seconds = (MONTHS - MONTHS[0]).total_seconds().to_numpy()[kept]
    np.testing.assert_allclose(series.times, seconds - seconds[0])
    wave = WAVE[kept]
    np.testing.assert_allclose(series.values, ((wave - wave.mean()) / wave.std())[:, None], atol=1e-4)
    assert series.notes[0] == note


@pytest.mark.parametrize("year", ["Year", "YEAR", "yr", "", "Jahr", "Season", "Unnamed: 0"])
@pytest.mark.parametrize(
    "months", [SHORT, LONG, [month.upper() for month in SHORT], [f"{month}." for month in SHORT],
               [month.replace("Sep", "Sept").lower() for month in SHORT]],
)  # fmt: skip
def test_months_by_any_english_name_are_one_series(tmp_path, year, months):
    assert_months(series_files.series_of(written(tmp_path, [year, *months], by_years())))


@pytest.mark.parametrize("form", ["{}", "{:02}"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_numbers_from_1_to_12_name_months(tmp_path, form, mark):
    numbers = [form.format(month) for month in range(1, 13)]
    assert_months(series_files.series_of(written(tmp_path, ["Year", *numbers], by_years(), mark)))
    found = series_files.series_of(written(tmp_path, ["", *numbers], by_years(), mark))
    assert_months(found, note=BY_PLACES)


@pytest.mark.parametrize("header", [[], SHORT, [f'"{month}"' for month in SHORT]])
def test_twelve_unnamed_columns_beside_years_are_months(tmp_path, header):
    assert_months(series_files.series_of(written(tmp_path, header, by_years())), note=BY_PLACES)


@pytest.mark.parametrize("more", [["Annual"], ["Mean"], ["Total"], ["J-D", "D-N", "DJF"], ["station"]])
def test_what_is_no_month_is_left_out_with_a_note(tmp_path, more):
    rows = [[*row, *(["north"] if more == ["station"] else [row[1]] * len(more))] for row in by_years()]
    found = series_files.series_of(written(tmp_path, ["Year", *SHORT, *more], rows))
    assert_months(found)
    assert found.notes[1:] == tuple(f"The column {name!r} is no month and is left out." for name in more)


@pytest.mark.parametrize("cell", ["", "-999", "-99.99", "***", "*", "NA"])
def test_missing_months_stay_missing(tmp_path, cell):
    cells = WAVE.astype(str)
    lost = [7, 100, *range(236, 240)]  # And the last year is not over.
    cells = np.array([cell if k in lost else value for k, value in enumerate(cells)])
    assert_months(
        series_files.series_of(written(tmp_path, ["Year", *SHORT], by_years(cells))), np.delete(range(240), lost)
    )


def test_rows_of_other_things_and_of_years_that_lack_are_fine(tmp_path):
    rows = [*by_years()[:9], *by_years()[10:], ["Mean", *[5.0] * 12]]
    kept = np.delete(range(240), range(108, 120))
    assert_months(series_files.series_of(written(tmp_path, ["Year", *SHORT], rows)), kept)


def test_the_newest_year_and_months_by_letters_may_come_first(tmp_path):
    assert_months(series_files.series_of(written(tmp_path, ["Year", *SHORT], by_years()[::-1])))
    assert_months(series_files.series_of(written(tmp_path, [], by_years()[::-1])), note=BY_PLACES)
    order = np.argsort(SHORT)
    rows = [[row[0], *(row[1 + k] for k in order)] for row in by_years()]
    assert_months(series_files.series_of(written(tmp_path, ["Year", *np.array(SHORT)[order]], rows)))


@pytest.mark.parametrize("first", [3, 6, 9])
def test_years_may_begin_with_any_month(tmp_path, first):
    found = series_files.series_of(written(tmp_path, ["Year", *SHORT[first:], *SHORT[:first]], by_years()))
    np.testing.assert_allclose(found.values[:, 0], (WAVE - WAVE.mean()) / WAVE.std(), atol=1e-4)
    assert np.diff(found.times).max() < 32 * 86400


def test_a_pivot_of_pandas_is_one_series():
    frame = pd.DataFrame({"year": MONTHS.year, "month": MONTHS.month_name(), "x": WAVE})
    table = frame.pivot_table(index="year", columns="month", values="x").reset_index()
    assert_months(channels.of_data_frame("table", table, None, "", []))


def test_columns_that_are_wished_are_read_by_years(tmp_path):
    path = written(tmp_path, ["Year", *SHORT, "Mean"], [[*row, np.mean(row[1:])] for row in by_years()])
    found = series_files.series_of(path, columns=["Mean"])
    assert (found.names, len(found.times)) == (("Mean",), len(YEARS))


@pytest.mark.parametrize(
    ("names", "first"),
    [(["Year", *SHORT[:11], "Mean"], YEARS), (["Year", *SHORT], np.repeat(YEARS[:10], 2)),
     (["Site", *SHORT], YEARS - 1900), ([""] * 13, 2 * YEARS - 1900), ([""] * 13, YEARS / 2), ([""] * 14, YEARS),
     (["Year", *"abcdefghijkl"], YEARS)],
)  # fmt: skip
def test_other_tables_stay_as_they_are(names, first):
    table = Table(names, [""] * len(names), [first.astype(float), *[WAVE[:20]] * (len(names) - 1)], [], [])
    assert months_across.unrolled(table) is table
