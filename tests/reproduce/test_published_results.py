"""Pages in `docs/results` are what their tables make of the rows beside them."""

import functools
import pathlib
import re

import pytest

from reproduce import page, ranking
from reproduce.grid import Grid
from reproduce.results import gather
from reproduce.studies import STUDIES
from reproduce.studies.scales import SCALES
from simper_tf.evaluation import markdown_tables, rows

ROOT = pathlib.Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
SCALE = SCALES["small"].located("data", "raw")


class Noting(Grid):
    """A grid that notes the names of the runs whose rows were asked for."""

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.used = set()

    def rows_of(self, run):
        self.used.add(run.name())
        return super().rows_of(run)

    def kept_rows(self, name):
        self.used.add(name)
        return super().kept_rows(name)


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    return Noting(tmp_path_factory.mktemp("runs"), kept=RESULTS / "rows.jsonl")


@pytest.fixture(scope="module")
def results_of(grid):
    """Returns a function of a name that returns the results of that table."""
    return functools.cache(lambda name: gather(STUDIES[name][0](SCALE), SCALE, SCALE.seeds_of(name), grid))


def numbers(text: str) -> set[float]:
    """Returns the numbers of a text from 10 on or with decimals, but for those of code, addresses and tables' names."""
    plain = re.sub(r"`[^`]*`|\[\d+\]|\]\([^)]*\)|[Tt]ables? \d+", " ", text)
    return {float(number) for number in re.findall(r"(?<![\w.,+-])(?:\d+\.\d+|[1-9]\d+)(?!\.?\w|,\d)", plain)}


def parts_of(name: str) -> list[str]:
    """Returns the parts of a page that name pages of results: rows that do, and paragraphs with their tables."""
    parts = []
    for part in (ROOT / "docs" / name).read_text().split("\n\n"):
        if part.startswith("| ") and all("(results/" in row for row in part.splitlines()[2:]):
            parts += part.splitlines()[2:]
        elif part.startswith("|"):
            parts[-1] += f"\n{part}"
        else:
            parts.append(part)
    named = [part for part in parts if re.search(r"\(results/\w+\.md", part)]
    return [part for part in named if "taskset" not in part]  # It tells of a further run.


@pytest.mark.parametrize("part", [*parts_of("paper.md"), *parts_of("patterns.md")], ids=lambda part: part[:40])
def test_numbers_of_a_page_stand_on_the_results_it_names(part, results_of):
    names = re.findall(r"\(results/(\w+)\.md", part)
    known = set().union(*(numbers((RESULTS / f"{name}.md").read_text()) for name in names))
    if not numbers(part) <= known:  # A few are of single seeds.
        of_seeds = (row.value for name in names for rows in results_of(name).rows.values() for row in rows)
        known |= {float(f"{value:.2g}") for value in of_seeds}
    assert numbers(part) <= known


def claims() -> list[str]:
    """Returns the rows of the table of claims that name pages of results."""
    table = (ROOT / "docs" / "paper.md").read_text().split("| claim |")[1].split("\n\n")[0]
    return [row for row in table.splitlines()[2:] if "(results/" in row]


@pytest.mark.parametrize("claim", claims())
def test_a_claim_of_a_table_of_one_seed_says_so(claim):
    seeds = {len(SCALE.seeds_of(name)) for name in re.findall(r"\(results/(\w+)\.md", claim)}
    assert min(seeds) >= ranking.FEWEST or "one seed" in claim


def test_bold_has_one_rule_which_pages_and_the_paper_state():
    for name in STUDIES:
        text = (RESULTS / f"{name}.md").read_text()
        has_bold = any("**" in line for line in text.splitlines() if line.startswith("|"))
        assert not has_bold or page.BOLD in text, name
        assert not has_bold or len(SCALE.seeds_of(name)) >= ranking.FEWEST, name
    paper = " ".join((ROOT / "docs" / "paper.md").read_text().split())
    assert page.BOLD.removeprefix("Bold: ").split(";")[0] in paper
    assert "clips and seeds decides" in paper


def test_no_bold_line_is_behind_another_in_a_paired_test(results_of):
    tested = 0
    for block in results_of("noise").study.blocks:
        for own, other in block.paired:
            for number, cells in enumerate(block.pairs(own, other)):
                bold = {block.lines[line].title for line in page.bold(block, results_of("noise"), number)}
                if pair := results_of("noise").pairs.get(cells):
                    assert not (pair.low > 1 and other in bold)
                    assert not (pair.high < 1 and own in bold)
                    tested += bool(bold & {own, other})
    assert tested


def test_every_table_has_a_page_and_nothing_else_is_there():
    assert {path.name for path in RESULTS.iterdir()} == {"rows.jsonl", *(f"{name}.md" for name in STUDIES)}


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_a_page_is_what_its_rows_make(name, results_of):
    results = results_of(name)
    assert (RESULTS / f"{name}.md").read_text() == page.markdown(results)
    assert results.is_whole()
    assert not results.lacking()
    assert results.commits()
    assert not [commit for commit in results.commits() if commit.endswith("-dirty")]


@pytest.mark.slow
def test_rows_of_no_page_are_not_kept(grid, results_of):
    for name in STUDIES:
        results_of(name)
    assert set(rows.read_runs(RESULTS / "rows.jsonl")) <= grid.used


def test_the_table_of_the_readme_is_that_of_its_rows(results_of):
    results = results_of("phone_ppg")
    readme = (ROOT / "README.md").read_text()
    command = "python -m reproduce --table=phone_ppg"
    for text in (readme, (ROOT / "docs" / "paper.md").read_text()):
        assert markdown_tables.put_table(text, command, page.first_table(results)) == text
    asked = re.findall(r"trainers\.reproduce[^`]*?--table=([\w,]+)", readme)
    assert {name for names in asked for name in names.split(",")} <= set(STUDIES)
