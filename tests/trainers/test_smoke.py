"""Tables at the scale of a smoke test, by the command: killed and called again, it fills every cell, each run once."""

import json
import pathlib
import re
import subprocess
import sys

import pytest
from processes import wait_for

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.slow
def test_a_killed_command_goes_on_fills_every_cell_and_trains_nothing_a_second_time(data_dir, tmp_path):
    words = ["--table=table2,table13_digits", "--scale=smoke", f"--runs={tmp_path}", f"--data_dir={data_dir}"]
    words = [sys.executable, "-m", "trainers.reproduce", *words, f"--out={tmp_path / 'out'}"]

    def called():
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def finished():
        return {path.parent.name: path.stat().st_mtime_ns for path in tmp_path.glob("*/results.jsonl")}

    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as killed:
        try:
            wait_for(lambda: len(finished()) >= 2, killed)
            second = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        finally:
            killed.kill()
        total = int(re.search(r"Run 1/(\d+)", killed.communicate()[0])[1])
    assert second.returncode
    assert f"--runs={tmp_path} is in use by process {killed.pid}" in second.stderr

    before = finished()
    left = int(re.search(r"Run 1/(\d+)", called())[1])
    assert left <= total - len(before)  # A run that was at work may have ended with its rows.
    after = finished()
    assert {name: after[name] for name in before} == before
    assert len(after) == total
    pages = {}
    for name in ("table2", "table13_digits"):
        pages[name] = json.loads((tmp_path / "out" / f"{name}.json").read_text())
        lines = [line for block in pages[name]["blocks"] for line in block["lines"]]
        # A readout without a number in a column, such as that of what has learned nothing, has no cell there.
        assert all(len(cell["values"]) == 1 for line in lines for cell in line["cells"] if cell)
        assert {line["title"] for line in lines} >= {"SimPer", "SimCLR" if name == "table2" else "supervised"}
    assert "Run 1/" not in called()
    assert finished() == after
    for name, found in pages.items():
        assert json.loads((tmp_path / "out" / f"{name}.json").read_text()) == found
