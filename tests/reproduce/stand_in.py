"""A stand-in for trainers.pretrain, and what it leaves."""

import dataclasses
import json
import os
import pathlib
import signal
import sys
import time

from made_up import row

# The variable that names the file of what the stand-in does.
LINES = "PRETRAIN_STAND_IN"

# A process that trains one run of a grid in a folder.
CALLER = """
import sys
import stand_in
from reproduce import grid
grid.pretrain.start = stand_in.start
grid.Grid(sys.argv[1]).train([grid.Run(sys.argv[2]).but(method="moco", seed=0)])
"""


def start(words, is_read=True):
    """Says what it was called with, and runs the lines of a file, which may use these modules and `folder`.

    What is trained for its weights alone says so, and leaves no rows.
    """
    (folder,) = [pathlib.Path(word.removeprefix("--run_dir=")) for word in words if word.startswith("--run_dir=")]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "calls").open("a") as file:
        file.write(" ".join(words) + " (unread)" * (not is_read) + "\n")
    if not is_read:
        return

    def stop(number, _):
        time.sleep(0.6)  # Saving takes longer than Python would wait for a child after a Ctrl-C.
        (folder / "saved").write_text(str(number))
        sys.exit(130)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    (folder / "ready").touch()
    lines = pathlib.Path(os.environ[LINES]).read_text()
    exec(lines, {"folder": folder, "words": words, "signal": signal, "sys": sys, "time": time})


def written(value=0.5, **others):
    """Returns Python that writes a result row."""
    fields = dataclasses.asdict(row(value=value, **others))
    return f"(folder / 'results.jsonl').write_text({json.dumps(fields)!r})\n"


def calls(runs, run):
    """Returns the flags of every call of the stand-in for a run of a grid, a line each."""
    path = runs.folder_of(run) / "calls"
    return path.read_text().splitlines() if path.exists() else []
