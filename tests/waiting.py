"""Waiting for what a process does."""

import time


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
