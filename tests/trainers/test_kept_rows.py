import json
import re

import pytest
from made_up import row

from trainers.kept_rows import KeptRows


def test_rows_come_back_as_they_were_kept_and_what_they_share_is_written_once(tmp_path):
    rows = [row("fft", "mae", 0.5), row("1nn", "mae", 0.25), row("1nn", "mape", 3.0)]
    KeptRows(tmp_path / "new" / "rows.jsonl").add({"one": rows, "other": rows[:1]})
    assert KeptRows(tmp_path / "new" / "rows.jsonl").of("one") == rows
    assert KeptRows(tmp_path / "new" / "rows.jsonl").of("unknown") == []
    one, other = map(json.loads, (tmp_path / "new" / "rows.jsonl").read_text().splitlines())
    assert (one["run"], other["run"]) == ("one", "other")
    assert "dataset" in one["all"]
    assert [set(each) for each in one["rows"]] == [{"protocol", "metric", "value"}] * 3


def test_new_rows_of_a_run_take_the_place_of_old_ones_of_the_same_split_alone(tmp_path):
    kept = KeptRows(tmp_path / "rows.jsonl")
    kept.add({"one": [row("fft", "mae", 0.5), row("fft", "mae", 0.75, split="validation")]})
    kept.add({"one": [row("fft", "mae", 0.25)]})
    found = KeptRows(tmp_path / "rows.jsonl").of("one")
    assert sorted((each.split, each.value) for each in found) == [("test", 0.25), ("validation", 0.75)]


@pytest.mark.parametrize("line", ["{", "[]", '{"run": "one"}', '{"run": "one", "all": {}, "rows": [{"value": 1}]}'])
def test_a_damaged_line_is_named_and_nothing_is_lost(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    KeptRows(path).add({"one": [row()]})
    before = path.read_text() + f"{line}\n"
    path.write_text(before)
    with pytest.raises(ValueError, match=re.escape(f"{path}, line 2, does not hold the rows of a run")):
        KeptRows(path)
    assert path.read_text() == before


def test_two_processes_that_began_with_the_same_file_keep_the_rows_of_both(tmp_path):
    first, second = KeptRows(tmp_path / "rows.jsonl"), KeptRows(tmp_path / "rows.jsonl")
    first.add({"one": [row()]})
    second.add({"other": [row()]})
    assert KeptRows(tmp_path / "rows.jsonl").of("one") == [row()]
    assert KeptRows(tmp_path / "rows.jsonl").of("other") == [row()]


def test_two_lines_of_a_run_are_read_as_one_of_which_the_later_counts_and_none_is_lost_by_the_next_rows(tmp_path):
    path, tested, chosen = tmp_path / "rows.jsonl", row("fft", "mae", 0.5), row("fft", "mae", 0.75, split="validation")
    for name, rows in (("a", [tested, chosen]), ("b", [row("fft", "mae", 0.25)])):
        KeptRows(tmp_path / name).add({"one": rows})
    path.write_text((tmp_path / "a").read_text() + (tmp_path / "b").read_text())
    expected = [chosen, row("fft", "mae", 0.25)]
    assert KeptRows(path).of("one") == expected
    KeptRows(path).add({"other": [tested]})
    assert len(path.read_text().splitlines()) == 2
    assert KeptRows(path).of("one") == expected
