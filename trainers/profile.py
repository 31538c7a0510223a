"""`--profile`: what TensorFlow spends a few steps on, for Perfetto and TensorBoard."""

import gzip
import json
import pathlib

import tensorflow as tf

from simper_tf.utils import files
from trainers import cli

# Steps of a process that are passed over: the first is traced, the second still looks for memory.
SKIPPED = 2
STEPS = 5


class Profile:
    """Profiles a few early steps of a training loop.

    Args:
        folder: Where the profile goes, a subfolder for each time one is taken.
        wanted: Whether to take one at all.
    """

    def __init__(self, folder: pathlib.Path, wanted: bool):
        self._folder, self._wanted, self._begun, self._first = folder, wanted, 0, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._first is not None:
            self._finish()
        elif self._wanted:
            cli.say(f"No profile: it begins after {SKIPPED} steps of a process, and training ended before.")

    def before_step(self, step: int):
        """Is called before every step with the number of those that are done."""
        self._begun += 1
        if self._wanted and self._begun == SKIPPED + 1:
            self._first = step
            self._folder.mkdir(parents=True, exist_ok=True)
            tf.profiler.experimental.start(str(self._folder))
        elif self._first is not None and step == self._first + STEPS:
            self._finish()

    def _finish(self):
        tf.profiler.experimental.stop()
        self._first, self._wanted = None, False
        path = newest(self._folder)
        trace = path.with_suffix("").with_suffix(".trace.json.gz")
        with files.replacing(trace, "wb") as file:
            file.write(gzip.compress(json.dumps({"traceEvents": events(path)}).encode()))
        cli.say(f"Profile: {trace}. Open it at ui.perfetto.dev; {path.name} beside it is for TensorBoard.")


def newest(folder: pathlib.Path) -> pathlib.Path:
    """Returns the last file, `*.xplane.pb`, that TensorFlow's profiler has written in a folder."""
    return max(folder.glob("plugins/profile/*/*.xplane.pb"))  # The names of its folders are times.


def events(path: pathlib.Path) -> list[dict]:
    """Returns what a `*.xplane.pb` holds in the Trace Event Format, which Perfetto reads; times are microseconds."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2  # In the wheel, but under no public name.

    told = []
    for device, plane in enumerate(xplane_pb2.XSpace.FromString(path.read_bytes()).planes, 1):
        told.append({"ph": "M", "name": "process_name", "pid": device, "args": {"name": plane.name}})
        for thread, line in enumerate(plane.lines, 1):
            place = {"pid": device, "tid": thread}
            told.append({"ph": "M", "name": "thread_name", **place, "args": {"name": line.name}})
            told += [
                {
                    "ph": "X", "name": plane.event_metadata[event.metadata_id].name, **place,
                    "ts": line.timestamp_ns / 1e3 + event.offset_ps / 1e6, "dur": event.duration_ps / 1e6,
                }
                for event in line.events
            ]  # fmt: skip
    return told
