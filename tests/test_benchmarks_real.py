import types

import pytest

from benchmarks import real


def row(truth, tolerance="", kind="repeats"):
    return real.truth({"truth": truth, "tolerance": tolerance, "kind": kind})


def answered(hertz, count=4, pairs=None):
    spans = [(k / hertz, (k + 1) / hertz) for k in range(count)]
    return types.SimpleNamespace(hertz=hertz, count=count, pairs=pairs, repetitions=spans)


def test_commas_of_a_truth_need_no_quotes(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text('file,seen,truth,tolerance\na.mkv,"x, y",0.92 Hz; 2 reps (at 1.1, 14.2 s),0.02\nb.mkv,z,1 Hz,0.1\n')
    first, second = real.listed_in(path)
    assert first == {"file": "a.mkv", "seen": "x, y", "truth": "0.92 Hz; 2 reps (at 1.1, 14.2 s)", "tolerance": "0.02"}
    assert second == {"file": "b.mkv", "seen": "z", "truth": "1 Hz", "tolerance": "0.1"}


def test_a_truth_has_frequencies_counts_and_tolerances():
    two = row("0.36 Hz (9 reps), 0.33 Hz (5 reps); 14 in all", "0.03 Hz or 1 rep")
    assert (two.hertz, two.near, two.count, two.off) == ((0.36, 0.33), 0.03, 14, 1)
    assert row("0.88 Hz = 53 bpm", "3 bpm").near == pytest.approx(0.05)
    assert row("0.34 Hz in 0-9 s", "0.02").span == (0, 9)
    assert row("1 Hz", kind="control").hertz == row("nothing repeats").hertz == ()
    assert row("1.2 Hz at rate 100").rate == 100
    assert [row(told, "1").is_control for told in ("3 reps at 1, 2, 3 s", "0.05 per row", "nothing repeats")] == [
        0,
        0,
        1,
    ]
    assert (row("1.16e-05 Hz", "3.5e-07").hertz, row("1.16e-05 Hz", "3.5e-07").near) == ((1.16e-05,), 3.5e-07)


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ([answered(1.04)], real.RIGHT),
        ([answered(0.5)], real.WRONG),
        ([answered(0.5, pairs=1.0)], real.NAMED),
        ([answered(2.0, count=9)], real.RIGHT),  # By its count.
        ([], real.SILENT),
    ],
)
def test_an_answer_is_right_by_frequency_or_count(answers, outcome):
    assert real.outcome(row("1 Hz; 9 reps", "0.05 Hz or 1 rep"), answers)[0] == outcome


def test_a_control_is_refused_or_answered():
    nothing = row("nothing repeats")
    assert real.outcome(nothing, []) == (real.REFUSED, None)
    assert real.outcome(nothing, [answered(1.0)]) == (real.ANSWERED, None)


def test_a_file_that_is_not_opened_has_a_row_with_what_was_found(tmp_path):
    (tmp_path / "truth.csv").write_text("file,truth,tolerance,kind\nempty.csv,1 Hz,0.05 Hz,pulse\n")
    (tmp_path / "empty.csv").touch()
    (line,) = real.rows(tmp_path)
    assert (line["answer"], line["outcome"]) == ("an empty file", real.NOT_OPENED)
    assert real.totals([line["outcome"]]) == "Of 1 that repeat: 1 not opened. Of 0 controls: 0 answered."


def test_slow_frequencies_are_told_to_three_digits():
    assert (real.in_digits(1.16e-5, 1.16e-5), real.in_digits(0.875, 0.875)) == ("1.16e-05", "0.875")
    assert (real.in_digits(-2e-7, 1e-5, "+"), real.in_digits(-2e-7, 1.0, "+")) == ("-2e-07", "-0.000")


def test_totals_count_recordings_and_controls():
    assert real.totals([real.RIGHT, real.SILENT, real.REFUSED]) == (
        "Of 2 that repeat: 1 right, 1 silent. Of 1 controls: 0 answered."
    )
