"""Tables at the scale of a smoke test, by the command: training fills every cell, and a second call trains nothing."""

import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.slow
def test_the_command_fills_every_cell_and_trains_nothing_a_second_time(data_dir, tmp_path):
    words = ["--table=table2,table13_digits", "--scale=smoke", f"--runs={tmp_path}", f"--data_dir={data_dir}"]

    def called():
        done = subprocess.run(
            [sys.executable, "-m", "trainers.reproduce", *words, f"--out={tmp_path / 'out'}"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "Run 1/" in called()
    before = {}
    for name in ("table2", "table13_digits"):
        before[name] = json.loads((tmp_path / "out" / f"{name}.json").read_text())
        lines = [line for block in before[name]["blocks"] for line in block["lines"]]
        # A readout without a number in a column, such as that of what has learned nothing, has no cell there.
        assert all(len(cell["values"]) == 1 for line in lines for cell in line["cells"] if cell)
        assert {line["title"] for line in lines} >= {"SimPer", "SimCLR" if name == "table2" else "supervised"}
    assert "Run 1/" not in called()
    for name, found in before.items():
        assert json.loads((tmp_path / "out" / f"{name}.json").read_text()) == found
