"""The tables in `docs/results` are what their studies make of the rows beside them, and their pages what they say."""

import json
import pathlib

import pytest

from trainers.grid import Grid
from trainers.kept_rows import KeptRows
from trainers.studies import STUDIES, gathering, page
from trainers.studies.scales import SCALES

RESULTS = pathlib.Path(__file__).parents[2] / "docs" / "results"
SCALE = SCALES["small"].located("data", "raw")
PUBLISHED = [name for name in STUDIES if (RESULTS / f"{name}.json").exists()]


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    return Grid(tmp_path_factory.mktemp("runs"), kept=KeptRows(RESULTS / "rows.jsonl"))


def test_there_are_pages_of_tables_alone():
    pages = {path.stem for path in RESULTS.glob("*.json")}
    assert pages == set(PUBLISHED)
    assert len(pages) > 20


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_page_says_what_its_table_holds(name):
    found = json.loads((RESULTS / f"{name}.json").read_text())
    assert (RESULTS / f"{name}.md").read_text() == page.markdown(found)
    assert found["done"] == found["total"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_table_is_what_its_study_makes_of_the_rows_with_the_seeds_of_the_scale(name, grid):
    study = STUDIES[name][0](SCALE)
    made = gathering.gather(study, SCALE, SCALE.seeds_of(name), grid.rows_of, lambda run: grid.folder_of(run).name)
    found, made = json.loads((RESULTS / f"{name}.json").read_text()), json.loads(json.dumps(made))
    assert found == made
