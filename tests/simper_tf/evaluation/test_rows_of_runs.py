import concurrent.futures
import json
import re

import pytest
from made_up import row

from simper_tf.evaluation.rows import add_runs, read_runs


def test_rows_come_back_and_what_they_share_is_written_once(tmp_path):
    rows = [row("fft", "mae", 0.5), row("1nn", "mae", 0.25), row("1nn", "mape", 3.0)]
    add_runs(tmp_path / "new" / "rows.jsonl", {"one": rows, "other": rows[:1]})
    assert read_runs(tmp_path / "new" / "rows.jsonl").get("one") == rows
    one, other = map(json.loads, (tmp_path / "new" / "rows.jsonl").read_text().splitlines())
    assert (one["run"], other["run"]) == ("one", "other")
    assert "dataset" in one["all"]
    assert [set(fields) for fields in one["rows"]] == [{"protocol", "metric", "value"}] * 3


def test_new_rows_replace_those_of_the_same_split_alone(tmp_path):
    path = tmp_path / "rows.jsonl"
    add_runs(path, {"one": [row("fft", "mae", 0.5), row("fft", "mae", 0.75, split="validation")]})
    assert add_runs(path, {"one": [row("fft", "mae", 0.25)]}) == read_runs(path)
    assert sorted((kept.split, kept.value) for kept in read_runs(path)["one"]) == [("test", 0.25), ("validation", 0.75)]


@pytest.mark.parametrize("line", ["{", "[]", '{"run": "one"}', '{"run": "one", "all": {}, "rows": [{"value": 1}]}'])
def test_a_damaged_line_is_named_and_nothing_is_lost(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    add_runs(path, {"one": [row()]})
    before = path.read_text() + f"{line}\n"
    path.write_text(before)
    with pytest.raises(ValueError, match=re.escape(f"{path}, line 2, does not hold the rows of a run")):
        read_runs(path)
    with pytest.raises(ValueError, match="line 2"):
        add_runs(path, {"other": [row()]})
    assert path.read_text() == before


def test_rows_that_another_process_has_added_are_kept(tmp_path):
    for name in ("one", "other"):
        with concurrent.futures.ThreadPoolExecutor(1) as other:
            other.submit(add_runs, tmp_path / "rows.jsonl", {name: [row()]}).result()
    assert read_runs(tmp_path / "rows.jsonl").get("one") == [row()]
    assert read_runs(tmp_path / "rows.jsonl").get("other") == [row()]


def test_two_lines_of_a_run_are_one_of_which_the_later_counts(tmp_path):
    path, tested, chosen = tmp_path / "rows.jsonl", row("fft", "mae", 0.5), row("fft", "mae", 0.75, split="validation")
    for name, rows in (("a", [tested, chosen]), ("b", [row("fft", "mae", 0.25)])):
        add_runs(tmp_path / name, {"one": rows})
    path.write_text((tmp_path / "a").read_text() + (tmp_path / "b").read_text())
    expected = [chosen, row("fft", "mae", 0.25)]
    assert read_runs(path).get("one") == expected
    add_runs(path, {"other": [tested]})
    assert len(path.read_text().splitlines()) == 2
    assert read_runs(path).get("one") == expected
