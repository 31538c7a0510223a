"""Folders of many recordings through `simper predict`: files a second and memory, by one process and by all cores.

python -m benchmarks.folder [--series=200] [--films=4] [--jobs=2] [--document=docs/your_own_data.md]

For a night's worth: --series=10000 --films=200. Series last 20 s, films 10 s of 160 x 120 pixels; of each it is known
what repeats, and the share that is read right is told beside the speed.
"""

import csv
import functools
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from benchmarks import document
from simper_tf.commands.mp4 import Writer
from simper_tf.evaluation import markdown_tables

COMMAND = "python -m benchmarks.folder"
HEADER = ("processes", "seconds", "files a second", "MB", "right")
ROOT = pathlib.Path(__file__).parents[1]
# Hz between which the tempos of recordings lie, and by how much a right one is off.
LOW, HIGH, NEAR = 0.6, 2.0, 0.03
_PAGE = resource.getpagesize()


def make(folder: pathlib.Path, series: int, films: int, seed: int = 0) -> dict[str, float]:
    """Writes recordings into a folder; returns the tempo in Hz of each by its name."""
    random, truth = np.random.default_rng(seed), {}
    for number in range(series + films):
        hertz = float(random.uniform(LOW, HIGH))
        name = f"{number:05}.{'csv' if number < series else 'mp4'}"
        (_series if number < series else _film)(folder / name, hertz, random)
        truth[name] = hertz
    return truth


def _series(path, hertz, random):
    times = np.arange(0, 20, 0.02)
    values = np.sin(2 * np.pi * hertz * times) + random.normal(0, 0.1, len(times))
    np.savetxt(path, np.stack([times, values], 1), "%.4f", ",", header="time,chest", comments="")


def _film(path, hertz, random):
    with Writer(path, 120, 160) as out:
        for moment in np.arange(0, 10, 0.04):
            picture = random.normal(70, 4, (120, 160, 3)).clip(0, 255).astype(np.uint8)
            across = 80 + round(50 * np.sin(2 * np.pi * hertz * moment))
            cv2.circle(picture, (across, 60), 18, (220, 200, 60), -1)
            out.add(moment, picture)


class Took(NamedTuple):
    """What a command took: seconds, CPU seconds, and the most MB, of all its processes together."""

    seconds: float
    computing: float
    megabytes: float


@functools.cache
def _compiled():
    """Returns a folder of compiled modules, which an installation has from the first call on."""
    return tempfile.TemporaryDirectory()


def watched(words: Sequence) -> Took:
    """Runs a command and returns what it took.

    Raises:
        RuntimeError: it fails.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": _compiled().name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began, most = time.monotonic(), [0]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL) as command:
        ended = threading.Event()

        def watch():
            while not ended.wait(0.1):
                most[0] = max(most[0], _held(command.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        code = command.wait()
        ended.set()
        watcher.join()
    if code:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {code}.")
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, most[0] / 1e6)


def measured(folder: pathlib.Path, out: pathlib.Path, jobs: int) -> Took:
    """Reads a folder by so many processes; returns what that took."""
    return watched(
        [sys.executable, "-m", "simper_tf", "predict", folder, f"--jobs={jobs}", f"--out={out}", "--pictures=none"]
    )


def _held(number):
    """Returns the bytes of memory that a process and all that it has started hold."""
    try:
        parts = pathlib.Path(f"/proc/{number}/statm").read_text().split()
        children = [
            child for task in pathlib.Path(f"/proc/{number}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]  # fmt: skip
    except OSError:  # It has ended meanwhile.
        return 0
    return _PAGE * (int(parts[1]) - int(parts[2])) + sum(map(_held, children))  # Without what they share.


def right(out: pathlib.Path, truth: dict[str, float]) -> float:
    """Returns the share of recordings of which the first answer is right."""
    with (out / "predictions.csv").open() as file:
        rows = {row["recording"].rpartition("/")[2]: row for row in reversed([*csv.DictReader(file)])}
    off = [abs(float(rows[name]["hertz"] or "nan") - hertz) for name, hertz in truth.items()]
    return sum(error <= NEAR for error in off) / len(off)


def main():
    parser = document.flags(__doc__)
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--films", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        (folder := pathlib.Path(name, "in")).mkdir()
        truth = make(folder, asked.series, asked.films)
        rows = []
        for jobs in dict.fromkeys((1, asked.jobs)):
            out = pathlib.Path(name, str(jobs))
            took = measured(folder, out, jobs)
            cells = jobs, f"{took.seconds:.0f}", f"{len(truth) / took.seconds:.1f}", f"{took.megabytes:.0f}"
            rows.append([*map(str, cells), f"{right(out, truth):.0%}"])
            print(rows[-1], flush=True)
    text = f"{asked.series:,} series of 20 s and {asked.films:,} films of 10 s, on {os.cpu_count()} cores:\n\n"
    text += markdown_tables.markdown_table(HEADER, rows)
    document.say(asked.document, COMMAND, text)


if __name__ == "__main__":
    main()
