"""Raw data looked over before a build: each reader module has a `checkup(root, config)` that returns a `Checkup`.

Whatever it says was decided by the functions that the builders call, so what passes here builds.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simper_tf.data import face_recordings
from simper_tf.utils.errors import RawDataError

# Beats per minute by which a label may differ from the recording device's own heart rate without being named.
DEVICE_TOLERANCE = 10.0


class Report(NamedTuple):
    """Report on a unit of raw data."""

    problem: str = ""  # What would stop a build; empty if nothing would.
    subject: str = ""
    frames: int = 0
    rate: float = 0.0  # Frames per second.
    seconds: float = 0.0
    labels: tuple = ()  # Of the examples it gives, in the data set's unit.
    skipped: tuple = ()  # Sentences: what gives no example, and why.
    notes: tuple = ()  # Sentences: what was repaired, and what looks odd but stops nothing.


class Unit(NamedTuple):
    """Raw data examined at a time: a recording, a file, an annotated segment or an hour."""

    id: str
    files: tuple  # Paths of all that it is made from.
    examine: Callable  # Whether to decode every frame, else headers and labels alone -> Report.


class Outcome(NamedTuple):
    """Outcome of a build from units without a problem."""

    units: dict  # Split -> ids of its units.
    examples: dict  # Split -> number of examples.
    skipped: tuple = ()  # Sentences, beyond those of the units.


class Checkup(NamedTuple):
    """A folder of raw data, its units not yet examined."""

    units: list  # In an order that does not depend on the machine.
    missing: list  # What the published data set has and the folder lacks.
    decide: Callable  # {id: Report} -> Outcome; raises the ValueError that would stop a build.


def by_subject(folders, expected, subjects, read, files, device_rates, config):
    """Returns the `Checkup` of recordings of faces that are split by subject.

    Args:
        folders: Folders of the recordings, in order.
        expected: Names of the folders that the published data set has.
        subjects: The subjects it has.
        read: folder -> `FaceRecording`.
        files: folder -> paths of what it is made from.
        device_rates: folder -> `(N,)` int64 nanoseconds and `(N,)` beats per minute, as the device showed them.
        config: That of the builder, a `tfds_builders.SubjectsConfig`.
    """

    def examine(folder, decode):
        report = of_recording(read, folder, config.window, config.stride)
        if report.problem:
            return report
        recording = read(folder)
        report = _noted(report, _device_differences(recording, *device_rates(folder), config))
        clips = functools.partial(face_recordings.face_clips, recording, config.size, config.window, config.stride)
        return decoded(report, clips) if decode else report

    def decide(reports):
        splits = face_recordings.by_subject([read(folder) for folder in folders], config, subjects)
        return outcome({split: [unit.id for unit in ones] for split, ones in splits.items()}, reports)

    units = [Unit(folder.name, files(folder), functools.partial(examine, folder)) for folder in folders]
    there = {unit.id for unit in units}
    return Checkup(units, [name for name in expected if name not in there], decide)


def of_series(files, read, report, clips, splits, missing):
    """Returns the `Checkup` of recordings that are series, each small enough to be read whole.

    Args:
        files: Name of a recording -> paths of what it is made from, the one that is read first.
        read: path -> recording, with an `id`.
        report: recording -> `Report` without a problem.
        clips: recording -> iterator of `(id, example)`, the one a build stores.
        splits: recordings -> `{split: recordings}`.
        missing: Names that the published data set has and the folder lacks.
    """

    def examine(path, decode):
        try:
            recording = read(path)
        except RawDataError as error:
            return Report(problem=str(error))
        known = report(recording)
        return decoded(known, lambda: clips(recording)) if decode else known

    def decide(reports):
        parts = splits([read(path) for path, *_ in files.values()])
        return outcome({part: [recording.id for recording in members] for part, members in parts.items()}, reports)

    units = [Unit(name, paths, functools.partial(examine, paths[0])) for name, paths in files.items()]
    return Checkup(units, missing, decide)


def of_recording(read, path, window, stride):
    """Returns the `Report` of a `FaceRecording` that `read(path)` returns, none of its frames decoded."""
    try:
        recording = read(path)
    except RawDataError as error:
        return Report(problem=str(error))
    windows = face_recordings.plan(recording, window, stride)
    frames, seconds = len(recording.times), float(recording.times[-1] - recording.times[0]) * 1e-9
    labels = tuple(w.label for w in windows if not w.problem)
    skipped = tuple(face_recordings.skips(recording, windows, window))
    return Report("", recording.subject, frames, (frames - 1) / seconds, seconds, labels, skipped, recording.notes)


def decoded(report, clips):
    """Returns a report without a problem after every clip was read: its problem is the error they raise, if any.

    `clips()` iterates over the `(id, example)` that a build stores.
    """
    odd = []
    try:
        for key, example in clips():
            odd += [f"{key}: {reason}" for reason in unmoving(example["clip"])]
            if example.get("face_found") == "centre":
                odd.append(f"{key}: no face was found, it shows the centre of the frame")
    except RawDataError as error:
        return report._replace(problem=str(error), labels=())
    return _noted(report, odd)


def unmoving(clip):
    """Returns a sentence in a list if all frames of a `(T, ...)` clip are the same, else an empty list."""
    return [] if np.any(clip[1:] != clip[:1]) else ["nothing moves in its clip"]


def outcome(units, reports):
    """Returns the `Outcome` of units that are split and give as many examples as their reports have labels.

    A split without examples, which TFDS refuses to write, is a ValueError.
    """
    examples = {split: sum(len(reports[unit].labels) for unit in ids) for split, ids in units.items()}
    for split, count in examples.items():
        if not count:
            reasons = [reason for unit in units[split] for reason in reports[unit].skipped]
            raise ValueError(f"The {split} split would be empty. {'; '.join(reasons[:3])}")
    return Outcome(units, examples)


def _noted(report, sentences):
    return report._replace(notes=(*report.notes, *sentences))


def _device_differences(recording, times, rates, config):
    """Yields a sentence for each clip whose label is far from what the device showed in that time, on the median."""
    for window in face_recordings.plan(recording, config.window, config.stride):
        first, last = recording.times[window.start], recording.times[window.start + config.window - 1]
        shown = rates[(times >= first) & (times <= last) & (rates > 0)]  # It shows 0 where it lost the pulse.
        if window.label and len(shown) and abs(window.label - np.median(shown)) > DEVICE_TOLERANCE:
            yield (
                f"{face_recordings.clip_id(recording, window)}: {window.label:.0f} beats per minute by the PPG, "
                f"{np.median(shown):.0f} by the device"
            )
