"""Processes of commands, and waiting for what they do."""

import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parents[1]


def started(folder, words, *more):
    """Returns the process of `python -m` with words and more of them in a folder, as a user of this checkout has it."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-m", *words, *more], cwd=folder, env=environment, **pipes)


def lines_until(process, pattern):
    """Returns the lines that a process prints up to one that begins with a pattern; fails where it ends before."""
    lines = []
    while not (lines and re.match(pattern, lines[-1])):
        lines.append(process.stdout.readline())
        assert lines[-1], ("The process ended before this line.", process.communicate())
    return lines


def wait_for(happens, process, seconds=400):
    """Returns when something has happened; fails where it does not, or where the process has ended before.

    It sleeps between two looks: a process on a machine of two cores has need of both.

    Args:
        happens: A function without arguments.
        process: A `subprocess.Popen`.
        seconds: To wait at most. Enough for a process on a busy machine to start.
    """
    end = time.monotonic() + seconds
    while not happens():
        assert process.poll() is None, ("The process ended before this happened.", process.communicate())
        assert time.monotonic() < end, f"This has not happened in {seconds} s."
        time.sleep(0.02)
