"""Processes for runs, each forked from one that has imported TensorFlow: seconds that no run spends again."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

from trainers import cli

# The command that the processes are, a module with a `start(words)`, which looks for devices first.
PROGRAM = "trainers.pretrain"


class Workers(cli.ToldToStop):
    """Processes at work. What tells this process to stop is passed on to them, and they are left to save and to end.

    They have a group of their own, as a terminal would tell both; and they are told when this process is killed.

    Attributes:
        at_work: What a process is for -> its number.
        told: Signals that told this process to stop.
    """

    def __init__(self):
        self.at_work, self.told = {}, []
        self._server = None

    def __exit__(self, *error):
        if self._server:  # With it end those at work, of which there are some only after an error of this process.
            self._server.close()
        super().__exit__(*error)

    def start(self, key, words: list[str], log: pathlib.Path | None, environment: dict[str, str]):
        """Starts a process.

        Args:
            key: What it is for, in `at_work`.
            words: Arguments of the command.
            log: Takes what it prints; None for where this process prints.
            environment: Variables that differ from those of this process.
        """
        self._server = self._server or _Server()
        request = {"words": words, "log": log and str(log), "environment": environment}
        self.at_work[key] = self._server.ask(request)
        for number in self.told[-1:]:  # It came while the process was made.
            os.kill(self.at_work[key], number)

    def wait(self):
        """Returns the key of a process that has ended, and its exit code, negative for a signal.

        Raises:
            KeyboardInterrupt: this process was told to stop, or a run was, and all processes have ended.
        """
        while True:
            for key, process in list(self.at_work.items()):
                code = self._server.ask({"ended": process})
                if code is None:
                    continue
                del self.at_work[key]
                if code != cli.INTERRUPTED and not self.told:
                    return key, code
                if not self.told:
                    self._told(signal.SIGINT)
            if self.told and not self.at_work:
                raise KeyboardInterrupt
            time.sleep(0.05)

    def _told(self, number, frame=None):
        self.told.append(number)
        for process in self.at_work.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)


class _Server:
    """`simper_tf.training.forked` at work."""

    def __init__(self):
        self._connection, theirs = socket.socketpair()
        with theirs:
            words = [sys.executable, "-m", "simper_tf.training.forked", str(theirs.fileno()), PROGRAM]
            self._process = subprocess.Popen(words, pass_fds=[theirs.fileno()], process_group=0)
        self._lines = self._connection.makefile("rw")

    def ask(self, request):
        """Returns its answer.

        Raises:
            ChildProcessError: it has ended; those that it made are told, and save.
        """
        try:
            self._lines.write(f"{json.dumps(request)}\n")
            self._lines.flush()
            answer = self._lines.readline()
        except OSError:
            answer = ""
        if not answer:
            raise ChildProcessError(
                f"The process that begins the runs has ended with code {self._process.wait()}. Its runs save; the same "
                "command goes on with them."
            )
        return json.loads(answer)

    def close(self):
        with contextlib.suppress(OSError):
            self._lines.close()
        self._connection.close()
        self._process.wait()
