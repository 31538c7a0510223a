"""`--profile`: what TensorFlow spends a few steps on, for Perfetto and TensorBoard."""

import dataclasses
import gzip
import json
import pathlib
from collections.abc import Iterator

import tensorflow as tf

from simper_tf.utils import files
from trainers import cli

# Steps of a process that are passed over: the first is traced, the second still looks for memory.
SKIPPED = 2
STEPS = 5


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that took time: an op, as `name:Type`, or a function around it.

    Attributes:
        device, thread: Where.
        name: What.
        start, duration: Seconds; starts count from some moment before all.
    """

    device: str
    thread: str
    name: str
    start: float
    duration: float


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
            start(self._folder)
        elif self._first is not None and step == self._first + STEPS:
            self._finish()

    def _finish(self):
        path = stop(self._folder)
        trace = path.with_suffix("").with_suffix(".trace.json.gz")
        write_trace(events(path), trace)
        self._first, self._wanted = None, False
        cli.say(f"Profile: {trace}. Open it at ui.perfetto.dev; {path.name} beside it is for TensorBoard.")


def start(folder: pathlib.Path):
    """Lets TensorFlow note what it does, until `stop`."""
    folder.mkdir(parents=True, exist_ok=True)
    tf.profiler.experimental.start(str(folder))


def stop(folder: pathlib.Path) -> pathlib.Path:
    """Ends what `start` began in that folder and returns the file that TensorFlow has written, `*.xplane.pb`."""
    tf.profiler.experimental.stop()
    # The names of the folders are times.
    return max(folder.glob("plugins/profile/*/*.xplane.pb"))


def events(path: pathlib.Path) -> Iterator[Event]:
    """Yields all that a `*.xplane.pb` has noted."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2  # In the wheel, but under no public name.

    space = xplane_pb2.XSpace.FromString(path.read_bytes())
    for plane in space.planes:
        names = {number: metadata.name for number, metadata in plane.event_metadata.items()}
        for line in plane.lines:
            for event in line.events:
                begun = line.timestamp_ns * 1e-9 + event.offset_ps * 1e-12
                yield Event(plane.name, line.name, names[event.metadata_id], begun, event.duration_ps * 1e-12)


def write_trace(noted, path: pathlib.Path):
    """Writes `Event`s in the Trace Event Format, which Perfetto reads, packed by gzip."""
    noted = list(noted)
    began = min((event.start for event in noted), default=0.0)
    devices = {name: number for number, name in enumerate(dict.fromkeys(event.device for event in noted), 1)}
    threads = dict.fromkeys((event.device, event.thread) for event in noted)
    threads = {key: number for number, key in enumerate(threads, 1)}
    told = [
        {"ph": "M", "name": "process_name", "pid": number, "args": {"name": name}} for name, number in devices.items()
    ]
    told += [
        {"ph": "M", "name": "thread_name", "pid": devices[device], "tid": number, "args": {"name": name}}
        for (device, name), number in threads.items()
    ]
    told += [
        {
            "ph": "X", "name": event.name, "pid": devices[event.device], "tid": threads[event.device, event.thread],
            "ts": (event.start - began) * 1e6, "dur": event.duration * 1e6,
        }
        for event in noted
    ]  # fmt: skip
    with files.replacing(path, "wb") as file:
        file.write(gzip.compress(json.dumps({"traceEvents": told}).encode()))
