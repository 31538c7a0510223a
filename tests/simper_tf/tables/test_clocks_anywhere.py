"""Times since 1970 in a column that nobody names, wherever it stands, and lines as Python prints them."""

import numpy as np
import pytest
from made_series import WAVE, read, write

from simper_tf.recordings import sources
from simper_tf.tables import series_files
from simper_tf.tables.times import time_sizes

COUNT = len(WAVE)
CLOCK = 1506432387 + 0.02 * np.arange(COUNT) + np.random.default_rng(0).uniform(0, 0.019, COUNT)  # With jitter.
NUMBERS = np.arange(COUNT)


def stamps(unit):
    return [f"{moment / unit:.{3 if unit == 1 else 0}f}" for moment in CLOCK]


def check(found, **given):
    np.testing.assert_allclose(found.times, CLOCK - CLOCK[0], atol=2e-3)
    wave = np.array(WAVE, float)
    np.testing.assert_allclose(found.values[:, 0], (wave - wave.mean()) / wave.std(), atol=1e-2)
    assert found.values.shape[1] == 1


@pytest.mark.parametrize("unit", [1, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("header", ["", "x,stamp_of_device", "a,b", "value,Unnamed: 1"])
def test_a_column_that_rises_since_1970_is_a_clock(tmp_path, unit, header):
    check(read(tmp_path, header, WAVE, stamps(unit)))


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0)])
def test_a_clock_stands_in_any_place_beside_a_counter(tmp_path, order):
    columns = [WAVE, stamps(1), NUMBERS]
    check(read(tmp_path, "", *[columns[k] for k in order]))


def test_a_column_under_a_name_of_times_is_taken_before_a_clock(tmp_path):
    np.testing.assert_allclose(read(tmp_path, "t,x,at", 0.5 * NUMBERS, WAVE, stamps(1)).times, 0.5 * NUMBERS)


def test_large_numbers_that_fall_and_rise_are_no_clock():
    assert time_sizes.unit_since_1970(np.array([1e9, 1.2e9])) == 1
    assert time_sizes.unit_since_1970(np.array([1e9, 1e10])) is None
    assert time_sizes.unit_since_1970(np.array([np.nan, 1e9])) is None


def test_a_wave_of_large_numbers_is_a_channel(tmp_path):
    large = [str(round(1.5e9 + 1e8 * float(value))) for value in WAVE]
    found = read(tmp_path, "t,x", 0.5 * NUMBERS, large)
    assert found.names == ("x",)


@pytest.mark.parametrize(
    "row", ["(u'{x}', {t}, {k})", "('{x}', {t}, {k}),", "[{x}, {t}, {k}];", "({x} {t} {k})", "{{{x}, {t}}}",
            '["{x}", "{t}"]', "[[{x} {t}]]", "(b'{x}', '{t}')"],
)  # fmt: skip
def test_lines_in_brackets_are_rows(tmp_path, row):
    lines = [row.format(x=x, t=t, k=k) for x, t, k in zip(WAVE, stamps(1), NUMBERS, strict=True)]
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n")
    check(series_files.series_of(tmp_path / "a.txt"))


def test_several_numbers_in_one_text_are_a_column_each(tmp_path):
    rows = [f"(u'{x} 7 {k % 5}', {t}, {k})" for x, t, k in zip(WAVE, stamps(1), NUMBERS, strict=True)]
    path = write(tmp_path, "", rows, name="a.log")
    source = sources.open_file(path)
    source.info()
    assert source.channels() == 2
    assert source.notes[:2] == (
        "The column number 4 rises by 0.019 and is taken for seconds.",
        "The column number 5 rises evenly, as numbers of rows do, and is left out.",
    )


def test_dates_in_brackets_stay_whole(tmp_path):
    rows = [f"('2024-03-01 00:00:{k:02}', {x})" for x, k in zip(WAVE, NUMBERS, strict=True)]
    np.testing.assert_allclose(read(tmp_path, "", rows).times, NUMBERS)
