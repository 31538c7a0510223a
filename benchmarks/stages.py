"""Rows of the quickstart: the seconds of each of its stages, in a process of its own that begins with nothing built."""

import contextlib
import functools
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from benchmarks.timing import Row

QUICKSTART = "flags/quickstart.cfg"
# Stage -> the module and name of the function whose time it is; what runs inside another stage is not counted there.
STAGES = {
    "clips": ("trainers.data", "load"),
    "first_step": ("simper_tf.training", "step_function"),
    "training": ("simper_tf.training", "train"),
    "encoding": ("simper_tf.features", "extract"),
    "neighbors": ("simper_tf.neighbors", "nearest_neighbor"),
    "plots": ("trainers.figures", "draw_run"),
    "export": ("trainers.export", "export"),
}
WHOLE = ("import", *STAGES, "rest", "total")


def stage(num_clips, name):
    """Seconds of one stage of the quickstart with so many training clips; nothing to compare with."""
    return quickstart(num_clips)[name], None


@functools.lru_cache(2)
def quickstart(num_clips: int, *flags: str) -> dict[str, float]:
    """Runs the quickstart with so many training clips and returns the seconds of each of `WHOLE`.

    Args:
        num_clips: Training clips.
        *flags: Further flags.

    Raises:
        subprocess.CalledProcessError: the run failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "stages.json")
        command = [
            sys.executable, "-c", "from benchmarks import stages; stages.run_timed()", str(out),
            f"--flagfile={QUICKSTART}", f"--run_dir={folder}/run", f"--data_dir={folder}/data",
            f"--train_clips={num_clips}", *flags,
        ]  # fmt: skip
        root, began = pathlib.Path(__file__).parents[1], time.monotonic()
        subprocess.run(command, check=True, cwd=root, stdout=subprocess.DEVNULL)
        total = time.monotonic() - began
        found = json.loads(out.read_text())
    return {**found, "rest": total - sum(found.values()), "total": total}


def run_timed():
    """Runs `trainers.pretrain` by the flags in `sys.argv[2:]` and writes the seconds of its stages to `sys.argv[1]`."""
    out, began = pathlib.Path(sys.argv.pop(1)), time.monotonic()
    from trainers import cli, options, pretrain

    watch = StopWatch()
    watch.add("import", time.monotonic() - began)
    for name, (module, function) in STAGES.items():
        timed = watch.timed_first_call if name == "first_step" else watch.timed
        found = sys.modules[module]
        setattr(found, function, timed(name, getattr(found, function)))
    options.define()
    try:
        cli.run(pretrain.main)
    finally:
        out.write_text(json.dumps({name: watch.seconds.get(name, 0.0) for name in ("import", *STAGES)}))


class StopWatch:
    """Adds up the seconds of functions, those that others of them take inside left out.

    Attributes:
        seconds: Name -> seconds so far, of the thread in which each ran.
    """

    def __init__(self):
        self.seconds, self._inside = {}, threading.local()

    def add(self, name, seconds):
        """Adds seconds to a name, which are then no others'."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def timed(self, name, function):
        """Returns the function, timed under a name."""

        @functools.wraps(function)
        def call(*args, **kwargs):
            with self._running(name):
                return function(*args, **kwargs)

        return call

    def timed_first_call(self, name, make):
        """Returns a function that makes a function whose first call is timed under a name."""

        @functools.wraps(make)
        def call(*args, **kwargs):
            made = make(*args, **kwargs)
            calls = itertools.chain([self.timed(name, made)], itertools.repeat(made))
            return lambda *values: next(calls)(*values)

        return call

    @contextlib.contextmanager
    def _running(self, name):
        outer, self._inside.seconds = getattr(self._inside, "seconds", 0.0), 0.0
        began = time.monotonic()
        try:
            yield
        finally:
            spent = time.monotonic() - began
            self.add(name, spent - self._inside.seconds)
            self._inside.seconds = outer + spent


ROWS = {f"quickstart_{name}": Row(functools.partial(stage, name=name), (250, 1000), "training clips") for name in WHOLE}
