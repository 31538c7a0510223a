"""A disk without room costs no recording: the call ends with one line, and the next one goes on."""

import gzip
import json
import subprocess
import sys
import tempfile

import pytest
from predicted import breath, rows, run
from processes import ROOT

from simper_tf.commands import predict

LINE = "Make room there; what was read is kept, and the same command goes on.\n"


def with_files_of(kilobytes, *words):
    """Returns what a call ends with that may write no larger file, as on a full disk: its code, and its error."""
    code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({1024 * kilobytes}, {1024 * kilobytes}))"
    code = f"{code}; import sys; from simper_tf.commands import main; sys.exit(main.main())"
    called = subprocess.run(
        [sys.executable, "-c", code, "predict", *map(str, words), "--pictures=none"], capture_output=True, text=True,
        cwd=ROOT, check=False,
    )  # fmt: skip
    return called.returncode, called.stderr


@pytest.fixture
def folder(tmp_path):
    """Returns a folder with series of which each but the first must be written anew before it is read."""
    (folder := tmp_path / "in").mkdir()
    (folder / "a.csv").write_text(breath())
    with gzip.open(folder / "b.csv.gz", "wt") as file:
        file.write(breath())
    (folder / "c.csv").write_text("".join(f'"{line}"\n' for line in breath().splitlines()))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_no_room_for_what_is_unpacked_is_no_fault_of_the_file(folder, tmp_path, jobs):
    out = tmp_path / "out"
    code, err = with_files_of(8, folder, f"--out={out}", f"--jobs={jobs}")
    assert (code, err.splitlines()[-1:]) == (
        1,
        [f"simper predict: error: File too large: '{tempfile.gettempdir()}'. {LINE.strip()}"],
    )
    kept = out / predict.LINES
    lines = kept.read_text().splitlines() if kept.exists() else []  # Of two jobs the other one may be in work.
    assert all(json.loads(line)["status"] == "ok" for line in lines)
    assert jobs > 1 or len(lines) == 1
    assert run(folder, f"--out={out}") == []
    assert [row["status"] for row in rows(out)] == ["ok"] * 3


@pytest.mark.slow
def test_no_room_for_answers_names_the_file_that_lacks_it(tmp_path):
    (folder := tmp_path / "in").mkdir()
    for name in "abcdefgh":
        (folder / f"{name}.csv").write_text(breath())
    out = tmp_path / "out"
    code, err = with_files_of(4, folder, f"--out={out}", "--jobs=1")
    assert (code, err) == (1, f"simper predict: error: File too large: '{out / predict.LINES}'. {LINE}")
    assert run(folder, f"--out={out}") == []
    assert len(rows(out)) == 8
