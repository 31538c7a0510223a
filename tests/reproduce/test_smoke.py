"""A table at the scale of a smoke test: its command is killed and called again, and fills every cell."""

import types

import pytest
from absl import flags
from processes import ROOT, Command, wait_for

from reproduce import __main__ as reproduce


@pytest.mark.slow
def test_a_killed_command_goes_on_and_repeats_no_run(data_dir, tmp_path, monkeypatch, capfd):
    given = {"table": "table2", "scale": "smoke", "runs": str(tmp_path), "data_dir": str(data_dir)}
    words = ["reproduce", *(f"--{name}={value}" for name, value in given.items())]
    others = {"table": ["table2"], "list": False, "out": None, "documents": [], "seeds": [], "jobs": 1, "rows": None}
    config = types.SimpleNamespace(**{**given, **others, "manual_dir": str(tmp_path / "raw")})
    monkeypatch.setattr(flags, "FLAGS", config)
    monkeypatch.chdir(ROOT)

    def finished():
        return {path.parent.name: path.stat().st_mtime_ns for path in tmp_path.glob("*/results.jsonl")}

    with Command(words) as killed:
        wait_for(finished, killed)
        with pytest.raises(ValueError, match=f"--runs={tmp_path} is in use by process {killed.pid}"):
            reproduce.main()
    before = finished()
    reproduce.main()
    after = finished()
    assert {name: after[name] for name in before} == before
    # SimCLR in two looks, SimPer, an encoder that learns nothing, one with nothing to learn, and what the clips tell.
    assert len(after) == 6
    text = (tmp_path / "results" / "smoke" / "table2.md").read_text()
    lines = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]
    assert [line[0].strip("| ") for line in lines[:2]] == ["SimCLR", "SimPer"]
    assert all(cell.strip() for line in lines[:2] for cell in line)
    assert "6 of 6 runs are finished" in text
    capfd.readouterr()
    reproduce.main()
    assert "Run 1/" not in capfd.readouterr().out
    assert finished() == after
