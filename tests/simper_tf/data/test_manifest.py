import hashlib
import json
import os

import pytest

from simper_tf.data import manifest
from simper_tf.data.checks import Report, Unit


def write(folder, **contents):
    folder.mkdir(exist_ok=True)
    paths = [folder / name for name in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        path.write_bytes(content)
    return paths


def test_the_digest_of_files_is_that_of_sha256sum(tmp_path):
    first, second = write(tmp_path, first=b"one", second=b"two")
    one, two = (hashlib.sha256(content).hexdigest() for content in (b"one", b"two"))
    assert manifest.digest([first]) == one
    assert manifest.digest([first, second]) == hashlib.sha256(f"{one}  first\n{two}  second\n".encode()).hexdigest()
    assert manifest.digest([]) == ""


def test_a_line_does_not_depend_on_where_the_data_lie(tmp_path):
    lines = []
    for folder in (tmp_path / "here", tmp_path / "there"):
        files = write(folder, video=b"frames")
        sentence = f"{folder}/video: found nothing"
        report = Report(problem=sentence, skipped=(sentence,), rate=29.123456789, labels=(72.00049,))
        lines.append(manifest.entry(Unit("a", (*files, folder / "missing"), None), report, folder))
    assert lines[0] == lines[1]
    assert (lines[0]["problem"], lines[0]["skipped"]) == ("video: found nothing", ["video: found nothing"])
    assert (lines[0]["files"], lines[0]["bytes"], lines[0]["rate"]) == (1, 6, 29.123457)


def test_what_is_written_is_read_and_every_difference_is_named(tmp_path):
    path = tmp_path / "manifest.jsonl"
    path.write_text(
        "".join(
            json.dumps(line) + "\n" for line in ({"id": "a", "sha256": "x" * 64}, {"id": "é", "frames": 3}, {"id": "c"})
        )
    )
    mine = manifest.entries(path)
    assert manifest.differences(mine, mine) == []
    other = {"a": {"id": "a", "sha256": "y"}, "é": mine["é"], "d": {"id": "d"}}
    assert manifest.differences(mine, other) == [
        "c: only here",
        "d: only in the other",
        f"a: sha256 {'x' * 37}... here, y there",
    ]


def test_a_missing_manifest_is_called_missing(tmp_path):
    with pytest.raises(ValueError, match=r"none\.jsonl: found no such file; expected a manifest"):
        manifest.entries(tmp_path / "none.jsonl")


def test_a_pipe_in_place_of_a_manifest_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ValueError, match=r"pipe\.jsonl: found a named pipe"):
        manifest.entries(tmp_path / "pipe.jsonl")


@pytest.mark.parametrize(
    "content", ["no JSON", "[" * 100_000, '{"id": ' * 100_000, "[]", "7", '{"id": []}', "\xff", '{"no": 1}']
)
def test_an_odd_manifest_is_refused_in_one_line_by_name(tmp_path, content):
    (tmp_path / "x.jsonl").write_text(content, encoding="latin-1")
    with pytest.raises(ValueError, match=r"x\.jsonl is no manifest of raw data: \w+Error.* with trainers\.validate\.$"):
        manifest.entries(tmp_path / "x.jsonl")
