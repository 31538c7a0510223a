"""Every writing of numbers in a table, by every separator, beside every writing of its times."""

import itertools

import numpy as np
import pytest

from simper_tf.tables import series_files
from simper_tf.tables.times import time_units

RATE = 25
WAVE = 3000 + 1000 * np.sin(np.arange(40) / 2)
# Of numbers to a thousandth; and of whole ones.
WRITTEN = {
    "plain": "{:.3f}", "exponents": "{:.6e}", "signs": "{:+.3f}", "units": "{:.3f} mV", "units_beside": "{:.3f}m/s²",
    "percent": "{:.3f}%", "quotes": '"{:.3f}"', "commas_of_thousands": "{:,.3f}", "spaces": "{:_.3f}",
}  # fmt: skip
MARKS = {"spaces": (" ", "\u202f", "\u00a0", "'")}
TIMES = {
    "seconds": ("time", lambda second: f"{second:.2f}"),
    "milliseconds": ("time_ms", lambda second: f"{1000 * second:.0f}"),
    "units": ("time", lambda second: f"{1000 * second:.0f} ms"),
    "clock": ("time", lambda second: f"0:{second:06.3f}"),
    "date": ("Date", lambda second: f"2024-03-01T10:00:{second:06.3f}+01:00"),
    "epoch": ("timestamp", lambda second: f"{1.7e9 + second:.3f}"),
}
SEPARATORS = (",", ";", "\t", "|", ", ", " ")


def tables():
    """Yields an identifier and the text of each table that can be cut into its cells."""
    for (kind, form), (name, (header, time)), separator in itertools.product(
        WRITTEN.items(), TIMES.items(), SEPARATORS
    ):
        for mark, decimal in itertools.product(MARKS.get(kind, ("_",)), ".,"):
            if decimal == "," and kind == "commas_of_thousands":
                form = form.replace(",", "_")
                mark = "."
            values = [form.format(value) for value in WAVE]
            values = [value.replace(".", decimal) if decimal == "," else value for value in values]
            values = [value.replace("_", mark) for value in values]
            times = [time(k / RATE) for k in range(len(WAVE))]
            times = (
                [text.replace(".", ",") for text in times] if decimal == "," and name in ("seconds", "epoch") else times
            )
            cells = [
                [f'"{cell}"' if separator.strip() in cell and "," in cell and '"' not in cell else cell for cell in row]
                for row in zip(times, values, strict=True)
            ]
            if separator in (" ", "\t") and any(" " in cell for cell in cells[0]):
                continue
            text = "\n".join(separator.join(row) for row in [[header, "x"], *cells])
            yield f"{kind}-{name}-{separator!r}-{mark!r}{decimal}", text


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("kind", WRITTEN)
def test_numbers_and_times_are_read_however_they_are_written(tmp_path, kind, name):
    number = 0
    for found, text in tables():
        if found.startswith(f"{kind}-{name}-"):
            (tmp_path / "a.csv").write_text(text, encoding="utf-8")
            series = series_files.series_of(tmp_path / "a.csv")
            np.testing.assert_allclose(
                series.values, (WAVE - WAVE.mean())[:, None] / WAVE.std(), atol=1e-5, err_msg=found
            )
            np.testing.assert_allclose(series.times, np.arange(len(WAVE)) / RATE, atol=1e-6, err_msg=found)
            number += 1
    assert number >= 8


def test_a_channel_of_codes_is_no_measured_one(tmp_path):
    rows = [f"{k / 10:.1f},{k % 7},{k % 9}{'ABC'[k % 3]}" for k in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["time,x,seat", *rows]))
    assert series_files.series_of(tmp_path / "a.csv").names == ("x",)


RULES = {
    "of_dashes": ["time,ecg", "----,---"],
    "of_markdown": ["| time | ecg |", "|-----:|-----|"],
    "of_a_database": [" time  |   ecg   ", "-------+---------"],
}


@pytest.mark.parametrize("above", RULES.values(), ids=RULES.keys())
def test_a_rule_below_the_names_is_no_row_of_units(tmp_path, above):
    forms = {",": "{:.2f},{:.3f}", "| ": "| {:.2f} | {:.3f} |", " t": " {:5.2f} | {:7.3f}"}
    form = forms.get(above[0][:2], forms[","])
    rows = [form.format(k / RATE, value) for k, value in enumerate(WAVE)]
    (tmp_path / "a.txt").write_text("\n".join([*above, *rows]))
    assert series_files.series_of(tmp_path / "a.txt").names == ("ecg",)


@pytest.mark.parametrize("separator", ["\t", ";"])
def test_a_sum_below_the_rows_is_no_decimal_comma(tmp_path, separator):
    rows = [f"{k / RATE:.2f}{separator}{value:.3f}" for k, value in enumerate(WAVE)]
    (tmp_path / "a.txt").write_text("\n".join([f"time{separator}ecg", *rows, "Total,40"]))
    np.testing.assert_allclose(series_files.series_of(tmp_path / "a.txt").times, np.arange(len(WAVE)) / RATE, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("time\tx\n0.0\t998\n0.1\t1,024\n0.2\t1,002\n", (998, 1024, 1002)),  # Times have points.
        ('time,x\n0.0,998\n0.1,"1,024"\n0.2,"1,002"\n', (998, 1024, 1002)),
        ("time;x\n0;1,5\n1;2,5\n2;1.234,5\n", (1.5, 2.5, 1234.5)),
        ("time x\n0 998\n1 1,234,567\n2 3\n", (998, 1234567, 3)),
    ],
)
def test_marks_between_thousands_are_taken_out(tmp_path, text, values):
    (tmp_path / "t.tsv").write_text(text)
    found = series_files.series_of(tmp_path / "t.tsv").values[:, 0]
    np.testing.assert_allclose(found, (values - np.mean(values)) / np.std(values), rtol=1e-5)


UNITS = {
    1e-9: ("ns", "nanoseconds"), 1e-6: ("us", "µs", "usec", "microseconds"), 1e-3: ("ms", "msec", "milliseconds"),
    1: ("s", "sec", "seconds", "Sekunden"), 60: ("min", "mins", "minutes"), 3600: ("h", "hr", "hrs", "hours", "Std"),
    86400: ("d", "days", "Tage", "jours"), 604800: ("weeks", "wk"), 365.2425 * 7200: ("months",),
    365.2425 * 86400: ("yr", "yrs", "years"),
}  # fmt: skip
NAMES = ("time_{}", "Time ({})", "t [{}]", "t/{}", "elapsed {}", "Time in {}", "timestamp.{}", "Zeit, {}")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seconds", UNITS)
def test_times_have_the_unit_that_their_name_ends_with(seconds, name):
    steps = np.arange(20) * (1.0 if seconds >= 1 else 40)
    for unit in UNITS[seconds]:
        found, note = time_units.seconds(name.format(unit), "", steps)
        np.testing.assert_allclose(found, seconds * steps, err_msg=unit)
        assert not note


def test_the_time_of_a_heart_rate_is_none_in_hours():
    np.testing.assert_allclose(time_units.seconds("time_hr", "", 1.7e9 + np.arange(20))[0], 1.7e9 + np.arange(20))
