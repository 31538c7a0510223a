"""Dates of series: their writing, calendars over several columns, years, days, and numbers that are none of these."""

import numpy as np
import pandas as pd
import pytest
from made_series import COUNT, DAY, DAYS, HOUR, HOURS, MONTH_SECONDS, MONTHS, WAVE, YEAR, read

from simper_tf.tables.times import dates
from simper_tf.utils.errors import RawDataError

WRITTEN = {
    "iso": (DAYS.strftime("%Y-%m-%d"), DAY), "month_first": (DAYS.strftime("%-m/%-d/%Y"), DAY),
    "day_first": (DAYS.strftime("%-d/%-m/%Y"), DAY), "short_years": (DAYS.strftime("%d.%m.%y"), DAY),
    "no_numbers": (DAYS.strftime("%-d.%m.%Y"), DAY), "digits": (DAYS.strftime("%Y%m%d"), DAY),
    "words": (DAYS.strftime("%d %b %Y"), DAY), "digits_of_hours": (HOURS.strftime("%Y%m%d%H"), HOUR),
    "digits_of_minutes": (HOURS.strftime("%Y%m%d%H%M"), HOUR), "am_pm": (HOURS.strftime("%m/%d/%Y %I:%M %p"), HOUR),
    "digits_of_seconds": (HOURS.strftime("%Y%m%d%H%M%S"), HOUR), "days_of_years": (DAYS.strftime("%Y%j"), DAY),
    "words_and_hours": (HOURS.strftime("%b %d %Y %H:%M"), HOUR),
    "of_servers": (HOURS.strftime("[%d/%b/%Y:%H:%M:%S]"), HOUR),
    "of_names_of_files": (HOURS.strftime("%Y-%m-%d_%H-%M-%S"), HOUR), "weekdays": (DAYS.strftime("%A %d %B %Y"), DAY),
    "chinese": (DAYS.strftime("%Y年%m月%d日"), DAY), "korean": (DAYS.strftime("%Y년 %m월 %d일"), DAY),
}  # fmt: skip


@pytest.mark.parametrize(("texts", "step"), WRITTEN.values(), ids=WRITTEN.keys())
def test_dates_are_read_as_they_are_written(tmp_path, texts, step):
    found = read(tmp_path, "date;x", texts, WAVE, mark=";")
    np.testing.assert_allclose(found.times, step * np.arange(COUNT))
    assert (found.names, found.notes) == (("x",), ())


@pytest.mark.parametrize("texts", [["8/14/2023", "8/15/2023", "8/16/2023"], ["14/8/2023", "15/8/2023", "16/8/2023"]])
def test_what_can_be_no_month_is_the_day(tmp_path, texts):
    np.testing.assert_allclose(read(tmp_path, "when,x", texts, WAVE[:3]).times, [0, DAY, 2 * DAY])


@pytest.mark.parametrize(("form", "step"), [("%d/%m/%Y", 1), ("%m/%d/%Y", 1)])
def test_day_and_month_are_told_apart_by_even_steps(tmp_path, form, step):
    texts = pd.date_range("2023-01-01", periods=12).strftime(form)  # Each may be the other.
    np.testing.assert_allclose(read(tmp_path, "when,x", texts, WAVE[:12]).times, step * DAY * np.arange(12))


@pytest.mark.parametrize("name", ["a", "stamp", "obs"])
@pytest.mark.parametrize("kind", ["digits", "digits_of_hours", "digits_of_seconds"])
def test_digits_that_are_all_days_are_dates_under_any_name(tmp_path, kind, name):
    texts, step = WRITTEN[kind]
    np.testing.assert_allclose(read(tmp_path, f"{name},x", texts, WAVE).times, step * np.arange(COUNT))


def test_digits_that_no_calendar_has_are_no_dates(tmp_path):
    found = read(tmp_path, "a,x", 20230110 + np.arange(COUNT), WAVE, rate=10)  # To the 57th of January.
    np.testing.assert_allclose(found.times, np.arange(COUNT) / 10)


FORMS_OF_MONTHS = ["%b %Y", "%Y-%m", "%Y %m", "%YM%m", "%Y/%m", "%Y%m", "%m/%Y", "%-m-%Y", "%b-%y", "%Y年%m月"]


@pytest.mark.parametrize("form", FORMS_OF_MONTHS)
def test_months_are_read_as_they_are_written(tmp_path, form):
    found = read(tmp_path, "month,x", MONTHS.strftime(form), WAVE)
    np.testing.assert_allclose(found.times, MONTH_SECONDS)


@pytest.mark.parametrize("form", ["{}Q{}", "{}-Q{}", "{} q{}"])
def test_quarters_are_no_months(tmp_path, form):
    found = read(tmp_path, "quarter,x", [form.format(1990 + k // 4, 1 + k % 4) for k in range(COUNT)], WAVE)
    starts = pd.date_range("1990-01-01", periods=COUNT, freq="QS")
    np.testing.assert_allclose(found.times, (starts - starts[0]).total_seconds())


def test_october_that_is_written_as_1871_1_is_read(tmp_path):
    texts = [f"{1871 + k // 12 + (1 + k % 12) / 100:.2f}".rstrip("0") for k in range(COUNT)]
    found = read(tmp_path, "Date,P", texts, WAVE)
    assert texts[9] == "1871.1"
    np.testing.assert_allclose(found.times[[1, 9, 10, 12]] / DAY, [31, 273, 304, 365])


TENTHS = [f"{k / 10:.1f}" for k in range(COUNT)]

LATE = pd.date_range("2023-12-20", periods=COUNT)
CLOCK = 100 * HOURS.hour  # Such as 900.

CALENDARS = {
    "year_month": ("year,month,x", (MONTHS.year, MONTHS.month), MONTH_SECONDS),
    "year_month_day": ("yr,mo,day,x", (DAYS.year, DAYS.month, DAYS.day), DAY * np.arange(COUNT)),
    "year_to_hour": ("YYYY,MM,DD,hh,x", (HOURS.year, HOURS.month, HOURS.day, HOURS.hour), HOUR * np.arange(COUNT)),
    "name_of_a_year": ("dcyear,month,x", (MONTHS.year, MONTHS.month), MONTH_SECONDS),
    "no_names_year_month": ("", (MONTHS.year, MONTHS.month), MONTH_SECONDS),
    "no_names_to_hour": ("", (HOURS.year, HOURS.month, HOURS.day, HOURS.hour), HOUR * np.arange(COUNT)),
    "to_seconds": (
        "year,month,day,hour,minute,second,x",
        (HOURS.year, HOURS.month, HOURS.day, HOURS.hour, [59] * COUNT, [0.5] * COUNT),
        HOUR * np.arange(COUNT),
    ),
    "of_a_minute": (
        "yr,mo,dy,hr,mn,sec,x",
        ([2020] * COUNT, [2] * COUNT, [1] * COUNT, [0] * COUNT, [7] * COUNT, TENTHS),
        np.arange(COUNT) / 10,
    ),
    "days_of_a_year": (
        "year,doy,x",
        (LATE.year, LATE.dayofyear),
        DAY * np.arange(COUNT),
    ),
    "years": ("year,x", (1900 + np.arange(COUNT),), YEAR * np.arange(COUNT)),
    "years_with_holes": ("year,x", (1900 + 5 * np.arange(COUNT),), 5 * YEAR * np.arange(COUNT)),
    "days_and_hours": ("date,hr,x", (HOURS.strftime("%Y-%m-%d"), HOURS.hour), HOUR * np.arange(COUNT)),
    "days_to_seconds": (
        "date,hr,min,sec,x",
        (["2023-08-10"] * COUNT, [7] * COUNT, [3] * COUNT, TENTHS),
        np.arange(COUNT) / 10,
    ),
    "days_and_hours_to_24": ("date,hr,x", (HOURS.strftime("%Y-%m-%d"), HOURS.hour + 1), HOUR * np.arange(COUNT)),
    "days_and_times": ("d,t,x", (HOURS.strftime("%d/%m/%Y"), HOURS.strftime("%H:%M")), HOUR * np.arange(COUNT)),
    "days_and_digits": ("date,interval,x", (HOURS.strftime("%d/%m/%Y"), CLOCK), HOUR * np.arange(COUNT)),
    "digits_of_both": ("UTC_DATE,UTC_TIME,x", (HOURS.strftime("%Y%m%d"), 100 * CLOCK), HOUR * np.arange(COUNT)),
    "day_and_digits": ("year,month,day,HrMn,x", (HOURS.year, HOURS.month, HOURS.day, CLOCK), HOUR * np.arange(COUNT)),
    "old_years": ("year,x", (np.arange(COUNT) - 9,), YEAR * np.arange(COUNT)),
    "times_with_points": ("d,t,x", (HOURS.strftime("%d/%m/%Y"), HOURS.strftime("%H.%M.%S")), HOUR * np.arange(COUNT)),
}


@pytest.mark.parametrize(("header", "columns", "seconds"), CALENDARS.values(), ids=CALENDARS.keys())
def test_columns_of_a_calendar_are_the_times(tmp_path, header, columns, seconds):
    found = read(tmp_path, header, *columns, WAVE)
    np.testing.assert_allclose(found.times, seconds)
    assert found.names == (header.rpartition(",")[2],)
    assert found.notes == ()


@pytest.mark.parametrize("unit", [1, 30], ids=["counts", "minutes"])
def test_counts_beside_days_are_no_times_of_day(tmp_path, unit):
    with pytest.raises(RawDataError, match="with the date of the row before"):
        read(tmp_path, "date,number,x", HOURS.strftime("%Y-%m-%d"), unit * np.arange(COUNT) % (24 * unit), WAVE)


def test_parts_of_dates_are_no_channels(tmp_path):
    columns = DAYS.strftime("%Y-%m-%d"), DAYS.month, DAYS.dayofweek, WAVE
    found = read(tmp_path, "date,mnth,weekday,x", *columns)
    assert found.names == ("x",)
    assert found.notes == tuple(
        f"The column '{name}' is of the calendar and is left out." for name in ("mnth", "weekday")
    )
    assert read(tmp_path, "date,mnth,weekday", *columns[:3]).names == ("mnth", "weekday")  # There is nothing else.


@pytest.mark.parametrize("name", ["day", "hour", "year", "month", "week", "season"])
def test_beside_other_times_a_name_of_a_calendar_is_a_channel(tmp_path, name):
    values = [2000 + k * k % 7 if name == "year" else 1 + k * k % 7 for k in range(COUNT)]
    found = read(tmp_path, f"time,{name}", np.arange(COUNT) / 50, values)
    assert found.names == (name,)
    np.testing.assert_allclose(found.times, np.arange(COUNT) / 50)


def test_years_that_repeat_are_no_times(tmp_path):
    days = pd.date_range("2018-01-01", periods=800)
    with pytest.raises(RawDataError, match="samples without their rate"):
        read(tmp_path, "year,month,x", days.year, days.strftime("%b"), np.sin(np.arange(800)))


def test_a_minimum_beside_a_calendar_is_a_channel(tmp_path):
    lows = [k * k % 11 for k in range(COUNT)]
    assert read(tmp_path, "year,month,day,min,x", DAYS.year, DAYS.month, DAYS.day, lows, WAVE).names == ("min", "x")


def test_small_whole_numbers_beside_unnamed_years_are_values(tmp_path):
    counts = [1 + k * k % 11 for k in range(COUNT)]
    found = read(tmp_path, "", 1900 + np.arange(COUNT), counts, WAVE)
    assert found.values.shape == (COUNT, 2)
    np.testing.assert_allclose(found.times, YEAR * np.arange(COUNT))
    assert found.notes == ("The first column is taken for years.",)
    found = read(tmp_path, "", MONTHS.year, MONTHS.month, counts, WAVE)
    assert found.values.shape == (COUNT, 2)
    np.testing.assert_allclose(found.times, MONTH_SECONDS)


@pytest.mark.parametrize(("header", "digits"), [("decimal date,x", 3), ("year,x", 2), ("time,x", 4), ("", 3)])
def test_years_with_a_fraction_are_told_with_a_note(tmp_path, header, digits):
    years = [f"{1958 + k / 12:.{digits}f}" for k in range(COUNT)]
    found = read(tmp_path, header, years, WAVE)
    assert np.median(np.diff(found.times)) == pytest.approx(YEAR / 12, rel=0.05)
    assert found.times[-1] == pytest.approx(YEAR * (COUNT - 1) / 12, rel=1e-3)
    assert found.notes[0] == f"Times from 1958 to {float(years[-1]):.7g} are taken for years."


@pytest.mark.parametrize(("step", "years"), [(0.25, 0.25), (0.5, 0.5), (1, 1)])
def test_times_named_so_may_be_quarters_or_years(tmp_path, step, years):
    found = read(tmp_path, "time,value", 1960 + step * np.arange(COUNT), WAVE)
    np.testing.assert_allclose(found.times, years * YEAR * np.arange(COUNT))
    assert found.notes == (f"Times from 1960 to {1960 + 47 * step:g} are taken for years.",)


@pytest.mark.parametrize("rate", [50, 360, 4, 1])
def test_a_recording_cut_in_its_middle_is_of_seconds(tmp_path, rate):
    found = read(tmp_path, "time,x", [f"{1600 + k / rate:.6f}" for k in range(COUNT)], WAVE)
    np.testing.assert_allclose(found.times, np.arange(COUNT) / rate, atol=1e-5)


@pytest.mark.parametrize("name", ["frequency", "wavenumber", "depth", "age"])
def test_what_rises_without_a_name_of_times_is_none(tmp_path, name):
    for step in (0.25, 0.5, 1 / 12):
        with pytest.raises(RawDataError, match="samples without their rate"):
            read(tmp_path, f"{name},x", [f"{1900 + step * k:.4f}" for k in range(COUNT)], WAVE)


@pytest.mark.parametrize(
    ("name", "first", "step", "seconds"),
    [("HJD", 2_455_000, 0.02, 1728), ("BJD-2400000", 55_000, 0.02, 1728), ("", 2_455_000, 0.02, 1728),
     ("Date", 44_197, 1, DAY), ("DateTime", 44_197, 1 / 24, HOUR), ("date", 737_791, 1 / 24, HOUR),
     ("ts", 1_700_000_000_000, 20, 0.02), ("ts", 0, 20, 0.02), ("t [years]", 0, 1, YEAR)],
)  # fmt: skip
def test_days_and_stamps_are_told_by_name_and_size(tmp_path, name, first, step, seconds):
    cells = [f"{first + step * k:.7f}" for k in range(COUNT)]
    found = read(tmp_path, f"{name},x" if name else "", cells, WAVE)
    np.testing.assert_allclose(found.times, seconds * np.arange(COUNT), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("cells", [[f"{0.8 + k % 5 / 10}" for k in range(COUNT)], [0.8 * k for k in range(COUNT)]])
def test_durations_under_the_name_of_a_date_are_no_times(tmp_path, cells):
    with pytest.raises(RawDataError, match=r"without (their rate|times)"):
        read(tmp_path, "date,x", cells, WAVE)


def test_rounds_of_a_training_are_no_seconds(tmp_path):
    with pytest.raises(RawDataError, match="samples without their rate"):
        read(tmp_path, "epoch,loss", np.arange(COUNT), WAVE)
    stamps = 1_700_000_000_000 + 20 * np.arange(COUNT)
    np.testing.assert_allclose(read(tmp_path, "epoch,x", stamps, WAVE).times, np.arange(COUNT) / 50, atol=1e-6)


@pytest.mark.parametrize("header", ["RR", ""])
def test_intervals_alone_are_no_times(tmp_path, header):
    with pytest.raises(RawDataError, match="numbers without times, such as milliseconds from beat to beat"):
        read(tmp_path, header, [800 + k * k % 17 for k in range(COUNT)])


def test_dates_that_repeat_are_refused(tmp_path):
    days = np.repeat(DAYS.strftime("%Y-%m-%d")[:12], 4)
    message = r"found 36 of 48 rows with the date of the row before; expected one row for each time\. Write a column"
    with pytest.raises(RawDataError, match=message):
        read(tmp_path, "date,station,x", days, ["a", "b", "c", "d"] * 12, WAVE)


WEEKS = pd.date_range("2020-12-28", periods=COUNT, freq="7D")  # From 2020-W53.

LATER = pd.date_range("2011-12-20", periods=COUNT, freq="D")

NOONS = LATER + pd.Timedelta(hours=12)


@pytest.mark.parametrize(
    ("moments", "form"),
    [
        (MONTHS, "%Y %b"), (MONTHS, "%Y-%b"), (MONTHS, "%Y %B"), (MONTHS, "%b-%Y"), (MONTHS, "%Y/%b"),
        (MONTHS, "%B %Y"), (WEEKS, "%G-W%V"), (WEEKS, "%GW%V"), (WEEKS, "%G-W%V-%u"), (LATER, "%Y/%j"),
        (LATER, "%Y-%j"), (NOONS, "%Y/%j %H:%M:%S"), (NOONS, "%Y-%jT%H:%M:%S"), (NOONS, "%Y%m%d %H%M"),
        (NOONS, "%Y%m%dT%H%M%S"), (NOONS, "%Y%m%d:%H%M"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("header", ["when,x", "time,x", ""])
def test_parts_of_years_are_dates(tmp_path, moments, form, header):
    found = read(tmp_path, header, moments.strftime(form), WAVE)
    np.testing.assert_allclose(found.times, (moments - moments[0]).total_seconds())
    assert found.values.shape == (COUNT, 1)


@pytest.mark.parametrize("form", ["Q{quarter} {year}", "{year} Q{quarter}", "{year}Q{quarter}", "Q{quarter}/{year}"])
def test_quarters_are_dates_on_either_side_of_their_year(tmp_path, form):
    quarters = [form.format(quarter=k % 4 + 1, year=1970 + k // 4) for k in range(COUNT)]
    starts = pd.date_range("1970-01-01", periods=COUNT, freq="QS")
    np.testing.assert_allclose(read(tmp_path, "quarter,x", quarters, WAVE).times, (starts - starts[0]).total_seconds())


def test_uneven_julian_dates_need_no_name(tmp_path):
    days = np.round(2458896.5903 + np.cumsum(np.random.default_rng(0).uniform(0.01, 3, COUNT)), 4)
    found = read(tmp_path, "", [f"{day:.4f}" for day in days], WAVE, mark="\t", name="a.dat")
    np.testing.assert_allclose(found.times, DAY * (days - days[0]), atol=1e-3)
    assert "are taken for Julian days" in found.notes[0]


@pytest.mark.parametrize(("header", "first"), [("MJD,x", 55_376.6), ("HJD,x", 2_455_376.6), ("", 2_455_376.6)])
def test_nights_in_another_order_are_sorted(tmp_path, header, first):
    nights = first + np.arange(6)[[3, 4, 5, 0, 1, 2], None] + np.arange(8) / 100
    found = read(tmp_path, header, [f"{day:.4f}" for day in nights.ravel()], WAVE)
    np.testing.assert_allclose(found.times, DAY * (np.sort(nights.ravel()) - first), atol=1e-3)
    assert found.notes[-1] == "Rows out of order are sorted by their dates."


def test_milliseconds_as_large_as_julian_dates_are_none(tmp_path):
    stamps = 2_458_896 + np.cumsum(np.random.default_rng(0).integers(5, 500, COUNT))
    assert read(tmp_path, "", stamps, WAVE, rate=50.0).values.shape == (COUNT, 2)
    with pytest.raises(RawDataError, match="samples without their rate"):
        read(tmp_path, "", stamps, WAVE)


@pytest.mark.parametrize("name", ["timestep", "time_step", "TimeStep"])
def test_a_timestep_is_a_time_unless_it_counts(tmp_path, name):
    found = read(tmp_path, f"{name},x", [f"{0.01 * k:.2f}" for k in range(COUNT)], WAVE)
    np.testing.assert_allclose(found.times, 0.01 * np.arange(COUNT))
    with pytest.raises(RawDataError, match="samples without their rate"):
        read(tmp_path, f"{name},x", range(COUNT), WAVE)


@pytest.mark.parametrize(("per", "digits"), [(12, 2), (12, 3), (12, 4), (52, 3), (52, 4), (365, 4), (365.25, 6)])
@pytest.mark.parametrize("first", [1850.0417, 1958.208])
@pytest.mark.parametrize("holes", [0, 12])
@pytest.mark.parametrize("way", [1, -1])
def test_years_with_a_fraction_need_no_name(tmp_path, per, digits, first, holes, way):
    years = np.delete(first + np.arange(300) / per, 7 + 20 * np.arange(holes))
    found = read(tmp_path, "", [f"{year:.{digits}f}" for year in years[::way]], np.sin(years)[::way], mark="\t")
    np.testing.assert_allclose(found.times, YEAR * (years - years[0]), atol=YEAR / per)
    assert found.values.shape[1] == 1
    assert any("are taken for years" in note for note in found.notes)


def test_years_of_rows_in_another_order_are_told_by_their_name():
    years = 1749.042 + np.arange(300) / 12
    mixed = np.concatenate([years[0::3], years[1::3], years[2::3]])
    assert dates.of_years(mixed, "Date in fraction of year")
    assert not dates.of_years(mixed)


def test_middles_of_years_need_no_name(tmp_path):
    found = read(tmp_path, "", [f"{1700.5 + k}" for k in range(COUNT)], WAVE)
    np.testing.assert_allclose(found.times, YEAR * np.arange(COUNT))
    assert found.notes == ("Times from 1700.5 to 1747.5 are taken for years.",)


@pytest.mark.parametrize("rate", [1, 4, 10, 25, 50, 60, 64, 100, 128, 250, 256, 360, 500, 1000])
@pytest.mark.parametrize("digits", [3, 4, 6])
def test_seconds_as_large_as_years_are_none(rate, digits):
    assert not dates.of_years(np.round(1600 + np.arange(600) / rate, digits))


@pytest.mark.parametrize("header", [",0", ""])
def test_years_need_no_name(tmp_path, header):
    found = read(tmp_path, header, 1821 + np.arange(COUNT), WAVE)
    np.testing.assert_allclose(found.times, YEAR * np.arange(COUNT))
    assert found.notes == ("The first column is taken for years.",)
