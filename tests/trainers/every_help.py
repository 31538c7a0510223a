"""Prints `--helpfull` of commands by name as JSON, each in a fork of one process: TensorFlow is loaded once for all."""

import trainers.quiet  # noqa: F401  isort: skip
import json
import os
import runpy
import sys
import tempfile
import traceback

import keras  # noqa: F401
import tensorflow_datasets  # noqa: F401


def helped(name):
    """Returns the exit code of a command, and what it prints on standard output and error."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            run(name)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), *(file.seek(0) or file.read() for file in (out, err))


def run(name):
    """Ends this process as `python -m trainers.<name> --helpfull` would."""
    sys.argv, code = [name, "--helpfull"], 0
    try:
        runpy.run_module(f"trainers.{name}", run_name="__main__", alter_sys=True)
    except BaseException as end:
        code = end.code or 0 if isinstance(end, SystemExit) else 1
        if code not in (0, 2):
            traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    print(json.dumps({name: helped(name) for name in sys.argv[1:]}))
