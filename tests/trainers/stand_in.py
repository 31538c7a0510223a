"""A stand-in for trainers.pretrain, and what it leaves."""

import dataclasses
import json

from made_up import row

# A stand-in for `trainers.pretrain`, which says what it was called with and waits for nothing.
PRETRAIN = """
import pathlib, signal, sys, time
(folder,) = [pathlib.Path(word.removeprefix("--run_dir=")) for word in sys.argv if word.startswith("--run_dir=")]
folder.mkdir(parents=True, exist_ok=True)
with (folder / "calls").open("a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
def stop(number, _):
    time.sleep(0.6)  # Saving takes longer than Python would wait for a child after a Ctrl-C.
    (folder / "saved").write_text(str(number))
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)
(folder / "ready").touch()
"""

# A process that trains one run of a grid in a folder.
CALLER = """
import sys
from trainers import workers
from trainers.grid import Grid, Run
workers.PROGRAM = "pretrain_stand_in"
Grid(sys.argv[1]).train([Run(sys.argv[2]).but(method="moco", seed=0)])
"""


def written(value=0.5, **others):
    """Returns Python that writes a result row."""
    found = dataclasses.asdict(row(value=value, **others))
    return f"(folder / 'results.jsonl').write_text({json.dumps(found)!r})\n"


def calls(runs, run):
    """Returns the flags of every call of the stand-in for a run of a grid, a line each."""
    path = runs.folder_of(run) / "calls"
    return path.read_text().splitlines() if path.exists() else []
