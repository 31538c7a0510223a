"""Excerpts of tables in documents: of the numbers of the tables, and refused where these have no such line."""

import json
import pathlib

import pytest

from trainers.studies import excerpts
from trainers.studies.excerpts import Excerpt, crossed, markdown, put
from trainers.studies.shown import EXCERPTS

DOCS = pathlib.Path(__file__).parents[2] / "docs"
DOCUMENTS = {name: (DOCS / name).read_text() for name in ("findings.md", "evidence.md")}


def cell(*values, protocol="fft"):
    return {"protocol": protocol, "values": [{"value": value} for value in values]}


PAGES = {
    "mine": {
        "blocks": [
            {
                "title": "Digits", "columns": ["MAE", "MAPE"],
                "lines": [
                    {"title": "SimPer, 300 steps", "cells": [cell(1.0, 2.0), None]},
                    {"title": "SimCLR", "cells": [cell(4.0), cell(0.00012345)]},
                    {"title": "control: pixels", "cells": [cell(0.5, protocol="pixels"), cell()]},
                ],
            }
        ]
    }
}  # fmt: skip
WHERE = {"table": "mine", "block": "Digits"}
MINE = Excerpt(
    crossed({"ours": "SimPer", "theirs": {"line": "SimCLR"}}, {"Hz": "MAE", "%": {"column": "MAPE"}}, **WHERE)
)
OF_MINE = "|  | Hz | % |\n| --- | --- | --- |\n| ours | 1.5 |  |\n| theirs | 4 | 0.0001234 |"


def test_a_cell_is_the_mean_over_seeds_and_a_line_need_not_say_its_steps():
    assert markdown(MINE, PAGES) == OF_MINE


def test_what_a_line_says_counts_more_than_its_column():
    cells = crossed({"a": {"line": "SimCLR", "column": "MAE"}}, {"x": "MAPE"}, **WHERE)
    assert cells["a"]["x"] == {**WHERE, "line": "SimCLR", "column": "MAE"}


def test_the_first_of_a_column_is_of_what_has_learned():
    first = Excerpt({"in Hz": {"digits": {**WHERE, "column": "MAE"}}}, "first")
    assert markdown(first, PAGES).splitlines() == [
        "| first | digits |", "| --- | --- |", "| in Hz | SimPer: 1.5 |",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"block": "digits"}, r"shows what no table has: .*Expected a block of \['Digits'\]"),
        ({"column": "MAE (Hz)"}, "shows what no table has: .*MAE"),
        ({"line": "simper"}, "has nothing for its line 'ours': found no .*simper"),
    ],
)
def test_a_place_that_is_not_there_is_refused(changed, said):
    place = {**WHERE, "column": "MAE", "line": "SimPer", **changed}
    with pytest.raises(ValueError, match=said):
        markdown(Excerpt({"ours": {"Hz": place}}), PAGES)


def test_a_document_gets_what_it_has_marks_for_if_all_its_tables_are_there():
    begin = f"Before.\n<!-- results: {excerpts.mark('mine')} -->\n"
    document = f"{begin}old\n<!-- end of results -->\nAfter.\n"
    made = document.replace("old", OF_MINE)
    assert put(document, {"mine": MINE, "other": Excerpt({})}, PAGES, "a.md") == made
    both = Excerpt({**MINE.cells, "third": {"Hz": {"table": "other"}}})
    assert put(document, {"mine": both}, PAGES, "a.md") == document
    with pytest.raises(ValueError, match=r"a\.md lacks the lines"):
        put(begin, {"mine": MINE}, PAGES, "a.md")


def test_every_excerpt_of_the_documents_is_that_of_its_numbers():
    pages = {path.stem: json.loads(path.read_text()) for path in (DOCS / "results").glob("*.json")}
    for name, text in DOCUMENTS.items():
        assert put(text, EXCERPTS, pages, name) == text


@pytest.mark.parametrize("name", EXCERPTS)
def test_every_excerpt_stands_in_one_document(name):
    assert sum(text.count(f"<!-- results: {excerpts.mark(name)} -->") for text in DOCUMENTS.values()) == 1


def test_documents_have_no_other_tables_of_numbers():
    for text in DOCUMENTS.values():
        outside = [each.partition("<!-- end of results -->")[2] for each in text.split("<!-- results: ")[1:]]
        lines = "\n".join([text.partition("<!-- results: ")[0], *outside]).splitlines()
        tables = [line for line in lines if line.startswith("| ") and not line.startswith("| ---")]
        assert all(line.count("|") == 4 for line in tables)  # That of the paper's claims, which are words.
        assert len(tables) <= 16
