"""Folders of many recordings through `simper predict`: files a second and memory, by one process and by all cores.

python -m benchmarks.folder [--series=200] [--films=4] [--jobs=2]

For a night's worth: --series=10000 --films=200. Series last 20 s, films 10 s of 160 x 120 pixels; of each it is known
what repeats, and the share that is read right is told beside the speed.
"""

import argparse
import csv
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

import cv2
import numpy as np

from simper_tf.commands.mp4 import Writer

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


def measured(folder: pathlib.Path, out: pathlib.Path, jobs: int) -> tuple[float, float]:
    """Reads a folder; returns the seconds that takes, and the MB that its processes hold together at most."""
    words = [sys.executable, "-m", "simper_tf", "predict", folder, f"--jobs={jobs}", f"--out={out}", "--pictures=none"]
    environment, began, most = {**os.environ, "PYTHONPATH": str(ROOT)}, time.monotonic(), [0]
    with subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL) as command:
        ended = threading.Event()

        def watch():
            while not ended.wait(0.5):
                most[0] = max(most[0], _held(command.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        code = command.wait()
        ended.set()
        watcher.join()
    if code:
        raise RuntimeError(f"simper predict ended with {code}.")
    return time.monotonic() - began, most[0] / 1e6


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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--films", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        (folder := pathlib.Path(name, "in")).mkdir()
        truth = make(folder, asked.series, asked.films)
        print("| processes | files | seconds | files a second | MB | right |\n| --- | --- | --- | --- | --- | --- |")
        for jobs in dict.fromkeys((1, asked.jobs)):
            out = pathlib.Path(name, str(jobs))
            seconds, memory = measured(folder, out, jobs)
            cells = jobs, len(truth), f"{seconds:.0f}", f"{len(truth) / seconds:.1f}", f"{memory:.0f}"
            print(f"| {' | '.join(map(str, cells))} | {right(out, truth):.0%} |", flush=True)


if __name__ == "__main__":
    main()
