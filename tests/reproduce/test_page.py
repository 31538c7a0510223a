"""Pages of tables: what stands in a cell, who is first, and what is compared seed by seed."""

import dataclasses
import pathlib

import pytest
from made_up import row

from reproduce.grid import Run
from reproduce.page import markdown, table
from reproduce.ranking import first, proven, seed_by_seed, sentence, spread
from reproduce.results import gather
from reproduce.studies.scales import SCALES
from reproduce.studies.table import Block, Cell, Line, Study

A, B, C = (Run("base.cfg").but(method=method) for method in ("simclr", "moco", "byol"))
TITLES = {A: "SimCLR", B: "MoCo", C: "BYOL"}


def with_interval(protocol, metric, value, **others):
    """Returns a row with an interval of 0.05 around its value."""
    made = row(protocol, metric, value, **others)
    return dataclasses.replace(made, low=value - 0.02, high=value + 0.03)


@dataclasses.dataclass
class Made:
    """A grid whose runs have made-up values: run without a seed -> a value for each seed, as far as it is finished."""

    values: dict
    metric: str = "mae"
    protocol: str = "fft"

    def rows_of(self, run):
        seed = int(dict(run.changes)["seed"])
        return [
            with_interval(self.protocol, self.metric, known[seed], seed=seed, seconds=10.0 + seed)
            for each, known in self.values.items() if each.seeded(seed) == run and seed < len(known)
        ]  # fmt: skip

    def folder_of(self, run):
        given = dict(run.changes)
        return pathlib.Path("_".join(given[name] for name in ("method", "steps", "seed") if name in given))


def block(*metrics, runs=(A, B, C), paper=None):
    """Returns a block of one line a run and one column a metric."""
    lines = tuple(Line(TITLES[run], tuple(Cell(run, "fft", metric, paper) for metric in metrics)) for run in runs)
    return Block("", tuple(metrics), lines)


def results_of(made, values, metric="mae", seeds=None):
    """Returns the results of a study of one block, of so many seeds."""
    seeds = range(seeds or max(map(len, values.values())))
    return gather(Study("mine", "Mine", "About.", (made,)), SCALES["smoke"], seeds, Made(values, metric))


def said(values, metric="mae"):
    """Returns who is first of lines with these values, one a seed."""
    lines = [
        [with_interval("fft", metric, value, seed=seed) for seed, value in enumerate(known)]
        for known in values.values()
    ]
    return sentence(metric, [TITLES[run] for run in values], lines)


def test_a_line_has_mean_deviation_the_papers_number_and_seconds():
    made = block("mae", runs=(A, B), paper=2.96)
    printed = table(made, results_of(made, {A: [1.0, 3.0], B: [5.0]}, seeds=3))
    header, _, *lines = [line.strip("| ").split(" | ") for line in printed.splitlines()]
    assert header == ["mae", "paper", "seconds"]
    assert lines == [["SimCLR", "**2.0 ± 1.4 (n=2)**", "2.96", "10"], ["MoCo", "5.0 [5.0, 5.0]", "2.96", "10"]]


def test_a_cell_that_is_not_finished_is_empty_and_never_first():
    lines = (Line("none", (None,)), *block("mae", runs=(B, A)).lines)
    made = Block("", ("mae",), lines)
    printed = table(made, results_of(made, {A: [1.0]}, seeds=3)).splitlines()
    assert printed[2:] == ["| none |  |  |", "| MoCo |  |  |", "| SimCLR | 1.0 [0.98, 1.0] | 10 |"]  # First of nobody.
    assert said({A: [1.0]}) == ""


@pytest.mark.parametrize(
    ("metric", "values", "expected"),
    [
        ("mae", {A: [0.1], B: [0.4], C: [0.8]}, "SimCLR, then MoCo (a factor of 4)"),
        ("pearson", {A: [-0.9], B: [-0.4], C: [0.8]}, "BYOL, then MoCo (0.8 against -0.4)"),
        ("mae", {A: [0.0], B: [0.4]}, "SimCLR, then MoCo (0.4 against 0)"),
    ],
)
def test_the_smallest_error_or_largest_correlation_is_first(metric, values, expected):
    assert said(values, metric) == f"{metric}: {expected}."


def test_lines_whose_seeds_meet_are_level():
    own, others, far = ([with_interval("fft", "mae", of) for of in known] for known in ([1, 1.2], [1.2, 1.3], [2, 2.1]))
    assert first([own, others, far]) == proven([own, others, far, far]) == [0, 1]
    assert proven([own, others, far]) == []  # One is behind, and two would be bold.
    assert said({A: [1.0, 1.2], B: [1.3, 1.5], C: [2.0, 2.1]}).startswith("mae: SimCLR, then MoCo")


@pytest.mark.parametrize("columns", [4, 5])
def test_of_five_columns_it_is_said_who_is_first_most_often(columns):
    made = block(*["mae"] * columns)
    text = markdown(results_of(made, {A: [1.0, 1.2], B: [1.4, 1.5], C: [2.0, 2.1]}, seeds=3))
    assert ("First, or level with the first, of 5 columns: SimCLR in 5." in text) == (columns == 5)


def test_a_line_too_wide_to_be_told_apart_is_not_bold():
    values = {A: [0.0, 4.0], B: [2.5, 2.5], C: [3.0, 3.0]}  # The first is behind nobody, and ahead of nobody.
    assert said(values) == "mae: MoCo, then BYOL (a factor of 1.2); not told apart: SimCLR."
    printed = table(block("mae"), results_of(block("mae"), values, seeds=3)).splitlines()[2:]
    assert ["**" in line for line in printed] == [False, True, False]


def test_where_all_are_level_no_line_is_bold():
    values = {A: [1.0, 1.2, 1.1], B: [1.3, 1.0, 1.4]}
    assert said(values) == "mae: nobody is first."
    assert "**" not in table(block("mae", runs=(A, B)), results_of(block("mae", runs=(A, B)), values))


def test_ahead_is_who_is_better_with_each_seed_than_with_any():
    values = {A: [1.0, 1.2, 1.1], B: [1.3, 9.0, 1.4], C: [1.15, 9.0, 1.4]}
    assert said(values) == "mae: SimCLR, then MoCo (a factor of 3.5); not told apart: BYOL."
    falling = {run: [-value for value in known] for run, known in values.items()}
    assert said(falling, "pearson") == "pearson: SimCLR, then MoCo (-1.1 against -3.9); not told apart: BYOL."


@pytest.mark.parametrize(("gap", "is_ahead"), [(0.035, False), (0.037, True)])
def test_ahead_is_who_is_better_by_more_than_clips_explain(gap, is_ahead):
    own, others = ([with_interval("fft", "mae", value)] * 3 for value in (1, 1 + gap))
    assert (first([own, others]) == [0]) == is_ahead  # Half intervals of 0.03 and 0.02 make 0.036.


def test_values_that_are_not_finite_are_shown_and_never_first():
    made = block("mae", runs=(A, B))
    printed = table(made, results_of(made, {A: [float("nan")], B: [0.4]}, seeds=3))
    assert printed.splitlines()[2:] == [
        "| SimCLR | nan [nan, nan] | 10 |", "| MoCo | 0.40 [0.38, 0.43] | 10 |",
    ]  # fmt: skip


def test_spread_is_half_an_interval_where_seeds_say_nothing():
    assert spread([row("fft")]) == pytest.approx(0.025)
    pixels = [row("pixels", value=0.12, seed=seed) for seed in range(3)]
    assert spread(pixels) == pytest.approx(0.025)
    methods = [row("fft", value=value) for value in (0.131, 0.131)]
    assert first([methods, pixels]) == [1, 0]  # Level by the interval of the pixels.


def test_only_the_side_of_an_interval_that_faces_another_counts():
    pixels = dataclasses.replace(row("pixels", value=0.5), low=0.4, high=1.9)  # A few large errors.
    assert first([[row("fft", value=0.30)] * 2, [pixels]]) == [0]
    assert first([[row("fft", value=0.45)] * 2, [pixels]]) == [0, 1]
    assert first([[pixels], [row("fft", value=1.8)] * 2]) == [0, 1]


def test_what_has_learned_nothing_shows_the_interval_of_clips():
    made = Block("", ("mae",), (Line("pixels", (Cell(A, "pixels", "mae"),)),))
    study = Study("mine", "", "", (made,))
    results = gather(study, SCALES["smoke"], (0, 1, 2), Made({A: [0.12, 0.12, 0.12]}, protocol="pixels"))
    assert table(made, results).splitlines()[2] == "| pixels | 0.12 [0.10, 0.15] |"


def test_seconds_count_each_run_once_with_what_it_begins_with():
    begun = B.begun_with(A)
    cells = tuple(Cell(run, "fft", metric) for metric in ("mae", "mape") for run in (begun, begun.but(steps=7), A))
    made = Block("", tuple("abcdef"), (Line("all", cells), Line("one", (Cell(A, "fft", "mae"), *[None] * 5))))
    results = results_of(made, {A: [1.0, 1.0], begun: [1.0, 1.0]})
    assert table(made, results).splitlines()[2].endswith("| 21 |")  # 10 and 11 s, twice; one is not finished.
    assert results.seconds(results.study.cells()) == 21


def test_a_run_written_in_two_ways_counts_once():
    twice = Line("again", (Cell(A.but(seed=5), "fft", "mae"),))
    made = dataclasses.replace(block("mae"), lines=(*block("mae").lines, twice))
    results = results_of(made, {A: [1.0, 2.0], B: [1.0]})
    assert results.count() == (3, 6)
    assert not results.is_whole()


def test_a_page_names_command_split_and_commits():
    study = Study("mine", "My", "About.", (dataclasses.replace(block("mae", runs=(A,)), title="Digits"),))

    class Grid(Made):
        def rows_of(self, run):
            seed = int(dict(run.changes)["seed"])
            return [dataclasses.replace(row(seed=seed, split="validation"), commit=("abc", "def-dirty")[seed])]

    text = markdown(gather(study, SCALES["smoke"], [0, 1], Grid({})))
    assert text.startswith("# My\n\nAbout.\n\nOf validation clips: ")
    assert text.index("## Digits") < text.index("## Settings\n\nScale `smoke`.")
    assert "2 of 2 runs are finished, 0 minutes of training for each seed; commit abc, def-dirty." in text
    assert "`python -m reproduce --table=mine --scale=smoke --seeds=0,1`" in text
    assert "## Digits\n\n|  | mae |\n" in text  # Of one line the seconds are those above.


def test_where_nobody_competes_nobody_is_first():
    made = dataclasses.replace(block("mae"), ranked=False)
    results = results_of(made, {A: [0.1], B: [0.4], C: [0.8]}, seeds=3)
    assert "**" not in table(made, results)
    assert "First in" not in markdown(results)


@pytest.mark.parametrize(("seeds", "is_ranked"), [(1, False), (2, False), (3, True)])
def test_fewer_than_three_seeds_rank_no_line(seeds, is_ranked):
    made = block("mae")
    results = results_of(made, {A: [0.1] * 3, B: [0.4] * 3, C: [0.8] * 3}, seeds=seeds)
    text = markdown(results)
    assert ("**" in table(made, results), "First in each column" in text) == (is_ranked, is_ranked)
    assert ("An order takes 3 seeds, so lines are not ranked." in text) != is_ranked


def test_lines_that_share_draws_are_compared_seed_by_seed():
    """Seeds differ by more than the two lines do, and still one is ahead in each."""
    made = dataclasses.replace(block("mae", runs=(A, B)), against=(("SimCLR", "MoCo"),))
    text = markdown(results_of(made, {A: [0.01, 1.0, 4.0], B: [2.5, 2.0, 3.6]}))
    expected = "mae: ahead in 2 of 3 seeds; the error of MoCo is 0.9 to 250 times as large."
    assert f"SimCLR against MoCo, seed by seed:\n\n* {expected}\n" in text
    assert "seed by seed" not in markdown(results_of(made, {A: [1.0], B: [2.0]}))
    assert "seed by seed" not in markdown(results_of(made, {A: [1.0, 2.0], B: [2.0]}))


@pytest.mark.parametrize(
    ("own", "theirs", "number"),
    [
        ([0.0, 1.0], [2.0, 0.5], 1),
        ([float("nan"), 1.0], [2.0, 0.5], 0),
        ([1.0, 1.0], [float("nan"), 0.5], 1),
        ([float("nan"), 1.0], [float("nan"), 2.0], 1),
    ],
)
def test_zero_or_infinite_errors_are_compared_without_a_quotient(own, theirs, number):
    rows, others = ([row(value=value, seed=seed) for seed, value in enumerate(line)] for line in (own, theirs))
    assert seed_by_seed("mae", rows, others, "MoCo") == f"mae: ahead in {number} of 2 seeds."


class Correlated(Made):
    """A grid whose rows of errors have others beside them, such as correlations."""

    beside = {}

    def rows_of(self, run):
        made = super().rows_of(run)
        for of_run, further in self.beside.items():
            for protocol, metric, value in further:
                made += [
                    row(protocol, metric, known, seed=of.seed)
                    for of in super().rows_of(run) if of_run.seeded(of.seed) == run
                    for known in [value[of.seed] if isinstance(value, list) else value]
                ]  # fmt: skip
        return made


def of_correlated(made, values, beside):
    grid = Correlated(values)
    grid.beside = beside
    return gather(Study("mine", "Mine", "About.", (made,)), SCALES["smoke"], range(3), grid)


def test_a_stalled_line_is_marked_and_ranks_nothing():
    made = dataclasses.replace(block("mae"), against=(("MoCo", "SimCLR"),))
    values = {A: [0.1, 0.1, 0.1], B: [0.4, 0.5, 0.6], C: [0.8, 0.9, 1.0]}
    beside = {A: [("fft", "pearson", [0.9, 0.199, 0.9])], B: [("fft", "pearson", 0.2)], C: [("fft", "pearson", 0.9)]}
    results = of_correlated(made, values, beside)
    assert [results.stalled(line.cells[0]) for line in made.lines] == [{1}, set(), set()]
    lines = [line.split(" | ")[1] for line in table(made, results).splitlines()[2:]]
    assert lines == ["0.10 ± 0 † 1 of 3", "**0.50 ± 0.10**", "0.90 ± 0.10"]
    text = markdown(results)
    assert "\n\n* mae: MoCo, then BYOL (a factor of 1.8).\n" in text
    assert "* mae: ahead in 0 of 2 seeds; the error of SimCLR is 0.17 to 0.25 times as large.\n" in text
    assert "† stalled: answers and labels correlate by less than 0.2, or the error is that of one answer" in text
    beside[A] = [("fft", "pearson", float("nan"))]
    assert "| SimCLR | 0.10 ± 0 † |" in table(made, of_correlated(made, values, beside))
    assert "stalled" not in markdown(of_correlated(made, values, {}))


def test_an_error_of_one_answer_for_all_is_stalled():
    values = {A: [6.40] * 3, B: [6.30] * 3}
    beside = {run: [("fft", "pearson", 0.97), ("training_mean", "mae", 6.42)] for run in (A, B)}
    results = of_correlated(block("mae", runs=(A, B)), values, beside)
    cells = [Cell(run, "fft", "mae") for run in (A, B)]
    assert [len(results.stalled(cell)) for cell in cells] == [3, 0]
    control = Cell(A, "training_mean", "mae")
    assert not results.stalled(control)  # It is what it is.


def test_a_metric_of_all_columns_stands_once_above_the_lines():
    titles = ("1-NN: MAE (Hz)", "FFT: MAE (Hz)", "1-NN: MAPE (%)", "FFT: MAPE (%)")
    made = Block("", titles, (Line("SimCLR", (Cell(A, "fft", "mae"), None, None, None)),))
    results = results_of(block("mae", runs=(A,)), {A: [1.0]}, seeds=1)
    headers = [text.splitlines()[0] for text in table(made, results).split("\n\n")]
    assert headers == ["| MAE (Hz) | 1-NN | FFT |", "| MAPE (%) | 1-NN | FFT |"]
    unlike = dataclasses.replace(made, columns=("1-NN: MAE (Hz)", "FFT: MAE (Hz)", "1-NN: MAE (bpm)", "floor (Hz)"))
    assert table(unlike, results).splitlines()[0] == "|  | " + " | ".join(unlike.columns) + " |"


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({A: [0.10, 0.12, 0.14], B: [0.11, 0.13, 0.15]}, "any column"),
        ({A: [0.0], B: [0.0]}, "any column"),
        ({A: [0.10, 0.12, 0.14], B: [0.40, 0.42, 0.44]}, None),
    ],
)
def test_a_page_names_columns_that_tell_no_line_apart(values, where):
    page = markdown(results_of(block("mae", runs=(A, B)), values))
    words = "No line" if len(values[A]) >= 3 else "By clips alone, no line"
    assert (f"{words} that learned is ahead of another in" in page) == (where is not None)
    assert where is None or f"another in {where}." in page


@pytest.mark.parametrize(
    ("learned", "control", "where"),
    [
        ([0.10, 0.11, 0.12], [0.4, 0.4, 0.4], "every column"),
        ([0.10, 0.11, 0.12], [0.11, 0.12, 0.1], "no column"),
        ([0.10, 0.11, 0.12], [0.01, 0.01, 0.01], "no column"),
        ([0.10, 0.11, 0.12], [], None),
    ],
)
def test_a_page_says_where_learning_is_ahead_of_all_controls(learned, control, where):
    lines = block("mae").lines
    made = Block("", ("mae",), (*lines[:2], Line("control: none", lines[2].cells)))
    page = markdown(results_of(made, {A: learned, B: [0.3, 0.5, 0.7], C: control}, seeds=3))
    assert ("ahead of all controls" in page) == (where is not None)
    assert where is None or f"A line that learned is ahead of all controls in {where}." in page


def test_a_control_does_not_tell_lines_apart():
    lines = block("mae").lines
    made = Block("", ("mae",), (*lines[:2], Line("control: none", lines[2].cells)))
    values = {A: [0.10, 0.12, 0.14], B: [0.11, 0.13, 0.15], C: [0.9, 0.9, 0.9]}
    assert "another in any column." in markdown(results_of(made, values))
