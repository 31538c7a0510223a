"""Months, quarters, halves and weeks of years in text, in the notations of many offices, and what only looks so."""

import numpy as np
import pandas as pd
import pytest

from simper_tf.tables import series_files
from simper_tf.utils.errors import RawDataError
from tests.simper_tf.tables import made_series

COUNT, DAY, WAVE = made_series.COUNT, made_series.DAY, made_series.WAVE
MONTHS = pd.date_range("2014-11-01", periods=COUNT, freq="MS")
QUARTERS = pd.date_range("1996-01-01", periods=COUNT, freq="QS")
WEEKS = pd.date_range("2014-11-03", periods=COUNT, freq="W-MON")


def assert_read(folder, cells, moments, header, mark):
    values = [value.replace(".", ",") if mark == ";" else value for value in WAVE]
    cells = [f'"{cell}"' if mark in cell else cell for cell in cells]
    path = made_series.write(folder, header.replace(",", mark), cells, values, mark=mark)
    found = series_files.series_of(path)
    np.testing.assert_allclose(found.times, (moments - moments[0]).total_seconds(), err_msg=cells[0])
    assert found.values.shape == (COUNT, 1)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("header", ["date,x", "Monat,x", ""])
@pytest.mark.parametrize(
    "form",
    [
        "%m.%Y", "%m/%Y", "%m-%Y", "%m/%y", "%m-%y", "%y/%m", "%YM%m", "%Y M%m", "%Y-M%m", "%Y:%m", "%Y/%m", "%Y-%m",
        "%b-%y", "%b %y", "%b/%y", "%b'%y", "%b%y", "%b. %y", "%B %y", "%y-%b", "%b-%Y", "%b %Y", "%b, %Y", "%b%Y",
        "%Y-%b", "%Y %B", "M%m %Y", "M%m/%Y",
    ],
)  # fmt: skip
def test_months_are_read_in_any_notation(tmp_path, form, header, mark):
    assert_read(tmp_path, MONTHS.strftime(form), MONTHS, header, mark)


def test_months_with_a_broken_sign_behind_them_are_read(tmp_path):
    assert_read(tmp_path, MONTHS.strftime("%Y %m???"), MONTHS, "index,x", ",")


@pytest.mark.parametrize(
    "form",
    [
        "{y}Q{q}", "{y}-Q{q}", "{y} Q{q}", "{y}/Q{q}", "{y}:Q{q}", "Q{q} {y}", "Q{q}-{y}", "Q{q}/{y}", "{q}Q{y}",
        "{q}Q {y}",
        "{y} {q}Q", "{y}T{q}", "T{q}-{y}", "{y}K{q}", "{y}q{q}", "{q}. Quartal {y}", "Qtr {q} {y}", "{y} Quarter {q}",
        "{s}Q{q}", "Q{q}-{s}", "Q{q} '{s}", "Q{q}/{s}", "{q}Q{s}", "{q}Q'{s}", "{q}Q-{s}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("mark", [",", ";"])
def test_quarters_are_read_in_any_notation(tmp_path, form, mark):
    cells = [form.format(y=moment.year, s=f"{moment.year % 100:02}", q=moment.quarter) for moment in QUARTERS]
    assert_read(tmp_path, cells, QUARTERS, "period,x", mark)


@pytest.mark.parametrize("form", ["{}H{}", "{}-H{}", "{}S{}", "{} Half {}"])
def test_halves_of_years_are_read(tmp_path, form):
    cells = [form.format(1990 + k // 2, k % 2 + 1) for k in range(COUNT)]
    assert_read(tmp_path, cells, pd.date_range("1990-01-01", periods=COUNT, freq="6MS"), "half,x", ",")


@pytest.mark.parametrize(
    "form",
    [
        "%G-W%V", "%GW%V", "%G W%V", "%G-KW%V", "%GU%V", "%G week %V", "W%V %G", "W%V/%G", "KW%V/%G", "KW %V %G",
        "CW%V-%G",
        "Week %V %G", "W%V-%g", "KW%V/%g", "%g-W%V", "%G-W%V-%u", "%GW%V%u",
    ],
)  # fmt: skip
@pytest.mark.parametrize("mark", [",", ";"])
def test_weeks_are_read_in_any_notation(tmp_path, form, mark):
    years = WEEKS.strftime(form.replace("%g", "%%g"))
    cells = [cell.replace("%g", f"{iso:02}") for cell, iso in zip(years, WEEKS.isocalendar().year % 100, strict=True)]
    assert_read(tmp_path, cells, WEEKS, "week,x", mark)


def test_two_digits_of_a_year_pass_a_century_either_way(tmp_path):
    for first in ("1998-11-01", "1967-01-01"):
        months = pd.date_range(first, periods=COUNT, freq="MS")
        assert_read(tmp_path, months.strftime("%m/%y"), months, "date,x", ",")
        path = made_series.write(tmp_path, "date,x", months.strftime("%b-%y")[::-1], WAVE[::-1])
        np.testing.assert_allclose(
            series_files.series_of(path).times[1:3] / DAY, [30, 61] if "98" in first else [31, 59]
        )


@pytest.mark.parametrize("form", ["%d/%m", "%m/%d", "%d-%m", "%d-%b", "%b %d", "%B %d"])
def test_days_without_a_year_are_read_where_no_year_fits(tmp_path, form):
    days = pd.date_range("2023-12-10", periods=COUNT)  # A year later they are those of 2024.
    assert_read(tmp_path, days.strftime(form), days, "date,x", ",")


def test_what_may_be_months_or_days_is_asked_for(tmp_path):
    cells = [f"{k:02}/05" for k in range(1, 10)]
    path = made_series.write(tmp_path, "date,x", cells, WAVE[:9])
    with pytest.raises(RawDataError) as error:
        series_files.series_of(path)
    assert error.value.found == "the column 'date' with 01/05, which may be a month and a year or a day and a month"
    assert "years with four digits, such as 06/2015" in error.value.action
    assert len(series_files.series_of(path, 4.0).times) == 9
    assert_read_with_a_clock(tmp_path, cells)


def assert_read_with_a_clock(folder, cells):
    path = made_series.write(folder, "date,time,x", cells, np.arange(len(cells)) / 4, WAVE[: len(cells)])
    np.testing.assert_allclose(series_files.series_of(path).times, np.arange(len(cells)) / 4)


RNG = np.random.default_rng(5)
OTHERS = {
    "scores": [f"{k}/{10 + k % 3}" for k in RNG.integers(0, 11, COUNT)],
    "shares_of_30": [f"{k}/30" for k in RNG.integers(1, 30, COUNT)],
    "pressures": [f"{k}/80" for k in RNG.integers(90, 99, COUNT)],
    "durations": [f"{k // 20}h{k % 20 + 30}" for k in range(COUNT)],
    "resistances": [f"{k % 4 + 1}k{k + 10}" for k in range(COUNT)],
    "labels": [f"mark-{k % 9 + 1}" for k in range(COUNT)],
    "days_of_one_name": [f"Decay {k % 28 + 1}" for k in range(COUNT)],
    "questions": [f"Q{k % 4 + 1}" for k in range(COUNT)],
}


@pytest.mark.parametrize("cells", OTHERS.values(), ids=OTHERS.keys())
def test_what_only_looks_like_a_part_of_a_year_is_no_time(tmp_path, cells):
    path = made_series.write(tmp_path, "what,x", cells, WAVE)
    with pytest.raises(RawDataError, match="samples without their rate"):
        series_files.series_of(path)
    np.testing.assert_allclose(series_files.series_of(path, 4.0).times, np.arange(COUNT) / 4)


@pytest.mark.parametrize("numbers", [1.2015 + np.arange(COUNT), 6 + np.arange(COUNT) / 1e4, RNG.uniform(1, 13, COUNT)])
def test_broken_numbers_without_a_name_are_no_months(tmp_path, numbers):
    found = made_series.read(tmp_path, "", [f"{number:.4f}" for number in numbers], WAVE, rate=4.0)
    assert np.ptp(found.times) < 3600
