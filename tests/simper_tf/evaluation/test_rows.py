import dataclasses
import json
import math
import os
import pathlib
import subprocess

import pytest
from processes import Command

from simper_tf.evaluation import rows
from simper_tf.evaluation.rows import Row


def row(**changes):
    fields = {
        "dataset": "rotating_digits",
        "config": "default",
        "method": "simper",
        "encoder": "small",
        "protocol": "fft",
        "metric": "mae",
        "value": 0.125,
        "unit": "Hz",
        "low": 0.1,
        "high": 0.15,
        "n": 100,
        "seed": 0,
        "commit": "abc1234",
        "seconds": 61.5,
        "settings": "a0",
    }
    return Row(**{**fields, **changes})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def test_rows_come_back_as_they_were_written(path):
    written = [row(), row(metric="mape", value=1 / 3, unit="%"), row(protocol="1nn", unit="°C")]
    rows.write_rows(path, written)
    assert rows.read_rows(path) == written
    assert [json.loads(line) for line in path.read_text().splitlines()] == list(map(dataclasses.asdict, written))


def test_a_value_that_is_no_number_comes_back_too(path):
    rows.write_rows(path, [row(value=math.nan)])
    assert math.isnan(rows.read_rows(path)[0].value)


def test_no_file_has_no_rows(path):
    assert rows.read_rows(path) == []


def test_a_row_replaces_the_older_one_of_its_key(path):
    rows.write_rows(path, [row(), row(metric="mape")])
    rows.write_rows(path, [row(value=0.5, commit="other", seconds=1.0, n=7)])
    assert rows.read_rows(path) == [row(metric="mape"), row(value=0.5, commit="other", seconds=1.0, n=7)]


@pytest.mark.parametrize("field", ["dataset", "config", "method", "encoder", "protocol", "metric", "seed", "settings"])
def test_rows_of_different_measures_stand_side_by_side(path, field):
    other = row(**{field: 1 if field == "seed" else "another"})
    rows.write_rows(path, [row()])
    rows.write_rows(path, [other])
    assert rows.read_rows(path) == [row(), other]


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_write_that_fails_midway_leaves_the_old_rows(path, monkeypatch, broken):
    rows.write_rows(path, [row()])
    before = path.read_bytes()

    def fail(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(os if broken == "fsync" else type(path), broken, fail)
    with pytest.raises(OSError, match="No space left"):
        rows.write_rows(path, [row(value=9.0)])
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "line",
    ['{"dataset": "cut', '{"dataset": "rotating_digits"}', "[]", "7", '{"no": "such field"}', "", 100_000 * "["],
    ids=range(7),
)
def test_a_line_that_is_no_row_is_refused_with_file_and_number(path, line):
    good = json.dumps(dataclasses.asdict(row()))
    path.write_text(f"{good}\n{line}\n{good}\n")
    with pytest.raises(ValueError, match=r"results\.jsonl, line 2, is not a result row"):
        rows.read_rows(path)


def test_a_file_with_a_line_that_is_no_row_is_not_written_over(path):
    path.write_text("garbage\n")
    with pytest.raises(ValueError, match="line 1"):
        rows.write_rows(path, [row()])
    assert path.read_text() == "garbage\n"


def test_a_row_without_settings_gives_way_to_one_with_some(path):
    old = dataclasses.asdict(row())
    del old["settings"]
    path.write_text(json.dumps(old) + "\n")
    assert rows.read_rows(path) == [row(settings="")]
    rows.write_rows(path, [row(settings="a1", value=0.5)])
    assert rows.read_rows(path) == [row(settings="a1", value=0.5)]


@pytest.mark.parametrize(("field", "value"), [("value", "0.1"), ("n", 2.5), ("seed", None), ("unit", 3), ("low", True)])
def test_a_value_of_another_type_is_refused_with_its_field(path, field, value):
    path.write_text(json.dumps({**dataclasses.asdict(row()), field: value}))
    with pytest.raises(ValueError, match=rf"line 1, is not a result row \({field} is {value!r}\).*Delete that line"):
        rows.read_rows(path)


def test_bytes_that_are_no_text_are_refused_with_file_and_number(path):
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"results\.jsonl, line 1, is not a result row"):
        rows.read_rows(path)


WRITING = """
import json, sys
from simper_tf.evaluation import rows
for n in range(25):
    rows.write_rows(sys.argv[1], [rows.Row(**{**json.loads(sys.argv[2]), "metric": str(n)})])
"""


@pytest.mark.slow
def test_four_writers_at_once_lose_no_row(path):
    writers = [Command(["-c", WRITING, path, json.dumps(dataclasses.asdict(row(seed=seed)))]) for seed in range(4)]
    for writer in writers:
        _, err = writer.communicate()
        assert writer.returncode == 0, err
    found = {(row.seed, row.metric) for row in rows.read_rows(path)}
    assert found == {(seed, str(n)) for seed in range(4) for n in range(25)}
    assert list(path.parent.iterdir()) == [path]


def test_the_commit_is_a_short_hash_and_empty_without_git(monkeypatch):
    commit = rows.code_commit().removesuffix("-dirty")
    root = pathlib.Path(__file__).parents[3]
    if (root / ".git").exists():
        whole = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        assert len(commit) >= 4
        assert whole.stdout.startswith(commit)
    else:
        assert commit == ""
    monkeypatch.setenv("PATH", "")
    assert rows.code_commit() == ""


def test_a_checkout_around_an_installation_is_not_its_commit(tmp_path, monkeypatch):
    def git(*words):
        who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
        done = subprocess.run(["git", "-C", tmp_path, *who, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    installed = tmp_path / "venv" / "simper_tf" / "evaluation" / "rows.py"
    installed.parent.mkdir(parents=True)
    installed.touch()
    (tmp_path / "theirs.py").touch()
    git("init")
    git("add", "theirs.py")
    git("commit", "-m", "theirs")
    monkeypatch.setattr(rows, "__file__", str(installed))
    assert rows.code_commit() == ""
    git("add", str(installed))
    git("commit", "-m", "ours")
    assert rows.code_commit() == git("rev-parse", "--short", "HEAD")
