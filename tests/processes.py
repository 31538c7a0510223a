"""Processes of commands, and waiting for what they do."""

import concurrent.futures
import functools
import multiprocessing
import multiprocessing.forkserver
import os
import pathlib
import re
import runpy
import signal
import sys
import threading
import time

ROOT = pathlib.Path(__file__).parents[1]
# The module of which `saved_model_cli` runs the `main`.
SAVED_MODEL_CLI = "tensorflow.python.tools.saved_model_cli"
# Enough for a process on a busy machine; a test that reaches it has failed.
LIMIT = 400


class Command:
    """A process that does what `python -m WORDS` or `python -c WORDS` does, as `subprocess.Popen` would start it.

    It is forked from a process that has imported TensorFlow, which takes 6 s anew. Where the import is what a test is
    about, use `subprocess`.

    Args:
        words: Name of a module, "-c" and code, or path of a script; and arguments.
        folder: Where it runs.
        environment: Variables that differ from those of this process.
        before: Is called first in the process; a function of a module.
    """

    def __init__(self, words, folder=ROOT, environment=None, before=None):
        pipes = [_context().Pipe(duplex=False) for _ in range(2)]
        given = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
        words, ends = [os.fspath(word) for word in words], [end for _, end in pipes]
        # A daemon ends with this process, however a test ends.
        self._process = _context().Process(
            target=_become, args=(words, os.fspath(folder), given, ends, before), daemon=True
        )
        self._process.start()
        for end in ends:
            end.close()
        self.stdout, self.stderr = (os.fdopen(os.dup(end.fileno()), encoding="utf-8") for end, _ in pipes)
        self.pid = self._process.pid

    @property
    def returncode(self):
        return self._process.exitcode

    def poll(self):
        return self._process.exitcode

    def send_signal(self, number):
        if self._process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def wait(self):
        self._process.join()
        return self.returncode

    def communicate(self, timeout=LIMIT):
        """Returns what it prints as output and as errors until it ends, or is killed after some seconds."""
        killing = threading.Timer(timeout, self.kill)
        killing.start()
        try:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                said = tuple(pool.map(lambda file: file.read(), (self.stdout, self.stderr)))
            self.wait()
        finally:
            killing.cancel()
        return said

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.kill()
        self.wait()
        self.stdout.close()
        self.stderr.close()


def done(words, **settings):
    """Returns exit code, output and errors of a `Command` that has ended."""
    with Command(words, **settings) as command:
        out, err = command.communicate()
        return command.returncode, out, err


@functools.cache
def _context():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["trainers.quiet", "trainers.pretrain", "trainers.evaluate", "trainers.export"])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT)
    multiprocessing.forkserver.ensure_running()
    os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)
    return context


def _become(words, folder, environment, ends, before):
    """Does in a new process what `python -m` does with these words."""
    multiprocessing.current_process().daemon = False  # It may start processes of its own.
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, end in enumerate(ends, 1):
        os.dup2(end.fileno(), number)
        end.close()
    if before:
        before()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # Under `nohup` it is ignored, also by what is started.
    name, sys.argv = words[0], words
    if name == "-c":
        code, sys.argv = words[1], ["-c", *words[2:]]
        exec(compile(code, "-c", "exec"), {"__name__": "__main__"})
        return
    if name.endswith(".py"):
        sys.path.insert(0, str(pathlib.Path(name).parent))
        runpy.run_path(name, run_name="__main__")
        return
    sys.path.insert(0, str(pathlib.Path.cwd()))
    sys.modules.pop(name, None)  # Or runpy warns that it was imported.
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def lines_until(process, pattern):
    """Returns the lines that a process prints up to one that begins with a pattern; fails where it ends before."""
    lines = []
    while not (lines and re.match(pattern, lines[-1])):
        lines.append(process.stdout.readline())
        assert lines[-1], ("The process ended before this line.", process.communicate())
    return lines


def wait_for(happens, process, seconds=LIMIT):
    """Returns when something has happened; fails where it does not, or where the process has ended before.

    It sleeps between two looks: a process on a machine of two cores has need of both.

    Args:
        happens: A function without arguments.
        process: A `Command` or `subprocess.Popen`.
        seconds: To wait at most. Enough for a process on a busy machine to start.
    """
    end = time.monotonic() + seconds
    while not happens():
        assert process.poll() is None, ("The process ended before this happened.", process.communicate())
        assert time.monotonic() < end, f"This has not happened in {seconds} s."
        time.sleep(0.02)
