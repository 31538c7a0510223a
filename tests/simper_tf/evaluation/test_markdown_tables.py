import numpy as np
import pytest
from made_up import row

from simper_tf.evaluation import markdown_tables

COMMAND = "python -m a.b"
MARKED = f"# Title\n\n<!-- results: {COMMAND} -->\n| old |\n<!-- end of results -->\nRest.\n"


def test_a_markdown_table_has_a_header_a_divider_and_a_line_each():
    table = markdown_tables.markdown_table(["a", "b"], [["1", "2"], ["3", "4"]])
    assert table == "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"


def test_one_row_shows_its_interval_and_several_their_spread():
    assert markdown_tables.cell([row()]) == "0.125 [0.1, 0.15]"
    values = [0.1, 0.2, 0.4]
    expected = f"{np.mean(values):.4g} ± {np.std(values, ddof=1):.2g} (n=3)"
    assert markdown_tables.cell([row(value=value, seed=seed) for seed, value in enumerate(values)]) == expected
    assert markdown_tables.cell([row(value=1.0), row(value=3.0)]) == "2 ± 1.4 (n=2)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0001669, "0.00017"), (12.7, "13"), (9.96, "10"), (109.9, "110"), (0.996, "1.0"), (-0.0449, "-0.045"),
        (1.85e-06, "1.9e-06"), (0.00001, "0.000010"), (0.0, "0"), (float("nan"), "nan"), (float("inf"), "inf"),
    ],
)  # fmt: skip
def test_a_short_number_has_two_digits_and_no_exponent(value, text):
    assert markdown_tables.short(value) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0.0001439, 0.0001669, 0.0001899], "0.00017 ± 0.00002"), ([1.07, 1.1, 1.13], "1.1 ± 0.03"),
        ([85.99, 86.0, 86.01], "86 ± 0.01"), ([0.0, 0.0, 3.0], "1.0 ± 1.7"), ([2.0, 2.0, 2.0], "2.0 ± 0"),
    ],
)  # fmt: skip
def test_a_spread_has_the_decimals_of_its_mean_or_one_digit(values, text):
    rows = [row(value=value, seed=seed) for seed, value in enumerate(values)]
    assert markdown_tables.short_cell(rows) == text
    assert markdown_tables.short_cell(rows, 4) == f"{text} (n=3)"


def test_results_stand_a_protocol_a_line_missing_ones_blank():
    rows = [row("fft"), row("fft", "pearson", 0.9, ""), row("1nn", value=0.25)]
    assert markdown_tables.results_table(rows).splitlines() == [
        "| protocol | mae (Hz) | pearson |",
        "| --- | --- | --- |",
        "| fft | 0.125 [0.1, 0.15] | 0.9 [0.1, 0.15] |",
        "| 1nn | 0.25 [0.1, 0.15] |  |",
    ]


def test_runs_of_several_seeds_share_a_cell():
    assert "| fft | 0.2 ± 0.14 (n=2) |" in markdown_tables.results_table([row(value=0.1), row(value=0.3, seed=1)])


def test_no_rows_make_an_empty_table():
    assert markdown_tables.results_table([]).splitlines() == ["| protocol |", "| --- |"]
    assert markdown_tables.cell([]) == ""


def test_a_table_takes_the_place_of_the_one_between_its_marks():
    found = markdown_tables.put_table(MARKED, COMMAND, "| new |")
    assert found == MARKED.replace("old", "new")
    assert markdown_tables.put_table(found, COMMAND, "| new |") == found
    other = MARKED.replace("a.b", "c.d").replace("Title", "Other")
    assert markdown_tables.put_table(other + MARKED, COMMAND, "| new |") == other + MARKED.replace("old", "new")


@pytest.mark.parametrize("document", ["", "# Title\n", MARKED.replace("a.b", "c.d"), MARKED.replace("end of", "end")])
def test_a_document_without_both_marks_is_refused_by_its_name(document):
    with pytest.raises(ValueError, match=r"^a\.md lacks the lines '<!-- results: python -m a\.b -->' and '<!-- end of"):
        markdown_tables.put_table(document, COMMAND, "| new |", name="a.md")
