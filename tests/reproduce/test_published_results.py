"""Pages in `docs/results` are what their tables make of the rows beside them."""

import pathlib
import re

import pytest

from reproduce import page
from reproduce.grid import Grid
from reproduce.results import gather
from reproduce.studies import STUDIES
from reproduce.studies.scales import SCALES
from simper_tf.evaluation import markdown_tables, rows

ROOT = pathlib.Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
SCALE = SCALES["small"].located("data", "raw")


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    return Grid(tmp_path_factory.mktemp("runs"), kept=RESULTS / "rows.jsonl")


def test_every_table_has_a_page_and_nothing_else_is_there():
    assert {path.name for path in RESULTS.iterdir()} == {"rows.jsonl", *(f"{name}.md" for name in STUDIES)}


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_a_page_is_what_its_rows_make(name, grid):
    results = gather(STUDIES[name][0](SCALE), SCALE, SCALE.seeds_of(name), grid)
    assert (RESULTS / f"{name}.md").read_text() == page.markdown(results)
    assert results.is_whole()
    assert not results.lacking()
    assert results.commits()
    assert not [commit for commit in results.commits() if commit.endswith("-dirty")]


@pytest.mark.slow
def test_rows_of_no_page_are_not_kept(tmp_path):
    class Noting(Grid):
        used = set()

        def rows_of(self, run):
            self.used.add(run.name())
            return super().rows_of(run)

        def kept_rows(self, name):
            self.used.add(name)
            return super().kept_rows(name)

    kept = RESULTS / "rows.jsonl"
    grid = Noting(tmp_path, kept=kept)
    for name, (study, *_) in STUDIES.items():
        gather(study(SCALE), SCALE, SCALE.seeds_of(name), grid)
    assert set(rows.read_runs(kept)) <= grid.used


def test_the_table_of_the_readme_is_that_of_its_rows(grid):
    results = gather(STUDIES["phone_ppg"][0](SCALE), SCALE, SCALE.seeds_of("phone_ppg"), grid)
    readme = (ROOT / "README.md").read_text()
    command = "python -m reproduce --table=phone_ppg"
    for text in (readme, (ROOT / "docs" / "paper.md").read_text()):
        assert markdown_tables.put_table(text, command, page.first_table(results)) == text
    asked = re.findall(r"trainers\.reproduce[^`]*?--table=([\w,]+)", readme)
    assert {name for names in asked for name in names.split(",")} <= set(STUDIES)
