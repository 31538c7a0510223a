"""Processes of the standard library, a new one for each run, forked from a server that has imported TensorFlow once."""

import multiprocessing
import multiprocessing.connection
import os
import pathlib
import signal
import sys
import threading
from collections.abc import Callable

from trainers import cli

# What the server imports before it forks: seconds that no run spends again.
PRELOADED = ("trainers.pretrain",)


class Pool(cli.ToldToStop):
    """Processes at work. What tells this process to stop is passed on to them, and they are left to save and to end.

    Each is told as well when this process is killed.

    Args:
        start: Does in a process what the words of a command say; a function of a module.

    Attributes:
        at_work: What a process is for -> the process.
        told: Signals that told this process to stop.
    """

    def __init__(self, start: Callable[[list[str]], None]):
        self._start, self.at_work, self.told = start, {}, []
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(PRELOADED))

    def __exit__(self, *error):
        for process in self.at_work.values():  # Some only after an error of this process.
            process.terminate()
            process.join()
        super().__exit__(*error)

    def start(self, key, words: list[str], log: pathlib.Path | None, environment: dict[str, str]):
        """Starts a process.

        Args:
            key: What it is for, in `at_work`.
            words: Arguments of the command.
            log: Takes what it prints; None for where this process prints.
            environment: Variables that differ from those of this process.
        """
        output = log and str(log)
        process = self._context.Process(
            target=_become, args=(self._start, words, output, dict(os.environ) | environment)
        )
        process.start()
        self.at_work[key] = process
        if self.told:  # It has nothing to save yet, and first ignores SIGINT, as its server does.
            self._tell(process, signal.SIGTERM)

    def wait(self):
        """Returns the key of a process that has ended, and its exit code, negative for a signal.

        Raises:
            KeyboardInterrupt: this process was told to stop, or a run was, and all processes have ended.
        """
        while True:
            multiprocessing.connection.wait([process.sentinel for process in self.at_work.values()], timeout=0.5)
            for key, process in list(self.at_work.items()):
                if process.exitcode is None:
                    continue
                del self.at_work[key]
                if process.exitcode != cli.INTERRUPTED and not self.told:
                    return key, process.exitcode
                if not self.told:
                    self._told(signal.SIGINT)
            if self.told and not self.at_work:
                raise KeyboardInterrupt

    def _told(self, number, frame=None):
        self.told.append(number)
        for process in self.at_work.values():
            self._tell(process, number)

    def _tell(self, process, number):
        if process.exitcode is None:
            os.kill(process.pid, number)


def _become(start, words, output, environment):
    """Does in a new process what a command does with these words."""
    os.setpgrp()  # A terminal tells the grid alone, which passes it on.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    if output:
        with pathlib.Path(output).open("w") as file:
            os.dup2(file.fileno(), sys.stdout.fileno())
            os.dup2(file.fileno(), sys.stderr.fileno())
    start(words)


def _end_with_parent():
    multiprocessing.parent_process().join()
    os.kill(os.getpid(), signal.SIGTERM)
