"""A process that imports a command once, and becomes it again and again; see `trainers.workers`.

It runs no TensorFlow, looks for no GPU and has one thread, without which it could not be forked.
"""

import atexit
import ctypes
import importlib
import json
import os
import signal
import socket
import sys
import threading
import traceback

# The variable that is set while the command is imported: it has to look for devices in `start`, and not before.
IS_IMPORTING = "SIMPER_TF_IS_IMPORTING_TO_FORK"
_TELL_WHEN_PARENT_DIES = 1  # PR_SET_PDEATHSIG of Linux.


def serve(connection: socket.socket) -> dict | None:
    """Answers requests until nobody asks any more; returns in a new process as well, with what that is to do."""
    with connection, connection.makefile("rw") as lines:
        for line in lines:
            request = json.loads(line)
            if "ended" in request:
                process, status = os.waitpid(request["ended"], os.WNOHANG)
                answer = os.waitstatus_to_exitcode(status) if process else None
            elif not (answer := _fork()):
                return request
            lines.write(f"{json.dumps(answer)}\n")
            lines.flush()
    return None


def _fork():
    """Returns as `os.fork` does, in the old process when the new one keeps the signals that it gets.

    Python forgets those that come before.
    """
    ready, begun = os.pipe()
    process = os.fork()
    os.close(begun)
    if process:
        os.read(ready, 1)  # Until both have closed the other end.
    os.close(ready)
    return process


def become(start, parent: int, words: list[str], log: str | None, environment: dict[str, str]):
    """Does in a new process what the command does with these words."""
    ctypes.CDLL(None).prctl(_TELL_WHEN_PARENT_DIES, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit("What began this run has ended.")
    os.environ |= environment
    if log:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(output, sys.stdout.fileno())
        os.dup2(output, sys.stderr.fileno())
        os.close(output)
    start(words)


def end_after(call):
    """Calls something and ends this process with its exit code, as `multiprocessing` ends the ones it has forked.

    What is registered for the end is done. The interpreter is not taken down: with TensorFlow that takes a second or
    more, a sixth of a run of two steps.
    """
    code = 1
    try:
        found = _exit_code_of(call)
        for thread in threading.enumerate():
            if not thread.daemon and thread is not threading.main_thread():
                thread.join()
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        code = found
    finally:
        os._exit(code)


def _exit_code_of(call):
    """Returns with what code Python would end after a call, of which it says what it would say."""
    try:
        call()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main():
    """Makes processes of the command in `sys.argv[2]`, asked through the socket of the number in `sys.argv[1]`."""
    os.environ[IS_IMPORTING] = "1"
    start, number = importlib.import_module(sys.argv[2]).start, os.getpid()
    del os.environ[IS_IMPORTING]
    asked = serve(socket.socket(fileno=int(sys.argv[1])))
    if asked:
        end_after(lambda: become(start, number, **asked))


if __name__ == "__main__":
    main()
