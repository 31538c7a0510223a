"""Phone pulses: the mean color of a fingertip on the camera of a phone, and the beats of a chest strap.

`NAME.csv` has the columns `time,R,G,B`: milliseconds, and the mean of each channel in gray levels, about 30 frames a
second and uneven. `NAME.RR` has the intervals between heartbeats in milliseconds, from the start of the recording.

Format: Welltory/welltory-ppg-dataset, 21 people.
"""

import itertools
from typing import NamedTuple

import numpy as np

from simper_tf.data import checks, face_recordings
from simper_tf.signals import pulse
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError

SUBJECTS = tuple(f"{number:02d}" for number in range(1, 22))  # All that are published.
HEADER = "time,R,G,B"
COPY_AGAIN = "The copy is incomplete or damaged: copy the recording again."
# Milliseconds between two beats of the fastest heart that is plausible, and of the slowest with a beat missed.
INTERVALS_MS = (200.0, 4000.0)
# Seconds between two frames over which a wave of 200 beats per minute would be guessed, not interpolated.
MAX_GAP = 0.15


class Recording(NamedTuple):
    """One person's finger, N frames and M beats."""

    id: str
    subject: str
    times: np.ndarray  # (N,) float64 seconds, strictly increasing.
    colors: np.ndarray  # (N, 3) float64 gray levels.
    beats: np.ndarray  # (M,) float64 seconds of the heartbeats, the first at 0.


class Window(NamedTuple):
    """A clip to be: `label` in beats per minute is None, and `problem` says why, if it cannot be used."""

    start: float  # Seconds.
    label: float | None
    problem: str


def find(root):
    """Returns the paths `NAME.csv` that have a `NAME.RR` beside them, in order; a RawDataError if there is none."""
    files = raw_files.entries(root)
    named = {path.name for path in files}
    paths = [path for path in files if path.suffix == ".csv" and f"{path.stem}.RR" in named]
    if not paths:
        expected = "NAME.csv with NAME.RR beside it"
        raise RawDataError(root, "no recording", expected, "Point manual_dir at the folder of these files.")
    return paths


def recording_of(path):
    """Returns the `Recording` of a `NAME.csv`; a RawDataError where a file is missing or of another format."""
    table = _numbers(path, HEADER, lambda text: [line.split(",") for line in text.splitlines()[1:]])
    times, colors = table[:, 0] / 1e3, table[:, 1:]
    if len(times) < 2 or not (np.diff(times) > 0).all():
        raise RawDataError(path, "times that do not increase", "increasing milliseconds", COPY_AGAIN)
    beats = path.with_suffix(".RR")
    intervals = _numbers(beats, "", lambda text: [[word] for word in text.split()])[:, 0]
    low, high = INTERVALS_MS
    if len(wrong := intervals[(intervals < low) | (intervals > high)]):
        raise RawDataError(beats, f"an interval of {wrong[0]:g} ms", f"{low:g} to {high:g} ms", COPY_AGAIN)
    return Recording(
        path.stem, path.stem.lstrip("s"), times - times[0], colors, np.append(0.0, np.cumsum(intervals / 1e3))
    )


def plan(recording, seconds, stride):
    """Returns the `Window`s of a recording, of so many seconds from every `stride` seconds on, usable or not.

    The label is the number of beats in the window, the first and the last in part, over its length.
    """
    last = min(recording.times[-1], recording.beats[-1]) - seconds
    return [
        _window(recording, stride * number, seconds)
        for number in range(int(last / stride + 1e-9) + 1 if last >= 0 else 0)
    ]


def clips(recording, seconds, stride, rate):
    """Yields `(id, example)` of each usable window of `plan`, resampled to `rate` samples per second.

    An id such as "s01/012.0" and a dict of `clip` (T, 1, 1, 3) float32 gray levels, `rate`, `label`, `id` and
    `subject`.
    """
    for window in plan(recording, seconds, stride):
        if not window.problem:
            times = window.start + np.arange(round(seconds * rate)) / rate
            colors = [np.interp(times, recording.times, channel) for channel in recording.colors.T]
            key = _clip_id(recording, window)
            yield key, {
                "clip": np.float32(colors).T[:, None, None], "rate": rate, "label": window.label, "id": key,
                "subject": recording.subject,
            }  # fmt: skip


def splits(recordings, config):
    """Returns `{"train": recordings, "validation": ..., "test": ...}`, no subject in two; refuses an empty split."""
    parts = face_recordings.split_by_subject(
        recordings, config.train_fraction, config.validation_fraction, SUBJECTS, config.seed
    )
    for part, members in parts.items():
        windows = [window for recording in members for window in plan(recording, config.seconds, config.every)]
        if all(window.problem for window in windows):
            reasons = [reason for recording in members for reason in _skips(recording, config)]
            raise ValueError(f"The {part} split would be empty. {'; '.join(reasons[:3])}")
    return parts


def checkup(root, config):
    """Returns the `Checkup` of a folder as `find` takes it, for the config of the builder."""
    paths = find(root)

    def report(recording):
        frames, seconds = len(recording.times), float(recording.times[-1])
        windows = plan(recording, config.seconds, config.every)
        labels = tuple(window.label for window in windows if not window.problem)
        return checks.Report(
            "", recording.subject, frames, (frames - 1) / seconds, seconds, labels, tuple(_skips(recording, config))
        )

    there = {path.stem for path in paths}
    return checks.of_series(
        {path.stem: (path, path.with_suffix(".RR")) for path in paths},
        read=recording_of, report=report,
        clips=lambda recording: clips(recording, config.seconds, config.every, config.rate),
        splits=lambda recordings: splits(recordings, config),
        missing=[f"s{name}" for name in SUBJECTS if f"s{name}" not in there],
    )  # fmt: skip


def _clip_id(recording, window):
    return f"{recording.id}/{window.start:05.1f}"


def _skips(recording, config):
    """Yields a sentence for each window that cannot be used, and for a recording too short for any."""
    windows = plan(recording, config.seconds, config.every)
    yield from (f"{_clip_id(recording, window)}: {window.problem}" for window in windows if window.problem)
    if not windows:
        yield f"{recording.id}: {recording.times[-1]:.1f} s are shorter than one window of {config.seconds:g} s"


def _window(recording, start, seconds):
    times = recording.times[(recording.times >= start - MAX_GAP) & (recording.times <= start + seconds + MAX_GAP)]
    if (gap := np.diff(times).max(initial=0.0)) > MAX_GAP:
        return Window(start, None, f"{gap:.2f} s between two frames")
    counted = np.interp([start, start + seconds], recording.beats, np.arange(len(recording.beats)))
    label = float(60 * np.diff(counted)[0] / seconds)
    low, high = pulse.RANGE_BPM
    if not low <= label <= high:
        return Window(start, None, f"{label:.0f} beats per minute, beyond {low:g} to {high:g}")
    return Window(start, label, "")


def _numbers(path, header, rows):
    """Returns a table of finite numbers in a text file, `(N, C)` float64."""
    raw_files.refuse_unreadable(path, "a file of the recording", COPY_AGAIN)
    columns = header.count(",") + 1
    try:
        text = path.read_text(encoding="ascii")
        table = np.array(rows(text), np.float64).reshape(-1, columns)
    except ValueError as error:  # Of bytes that are no text, cells that are no numbers and rows of other lengths.
        raise RawDataError(path, str(error).partition("\n")[0], "numbers alone", COPY_AGAIN) from error
    first = next(itertools.chain(text.splitlines(), [""]))
    if header and first.strip() != header:
        raise RawDataError(path, f"the header {first[:40]!r}", repr(header), COPY_AGAIN)
    if not np.isfinite(table).all() or not len(table):
        raise RawDataError(
            path, f"{np.isfinite(table).all(1).sum()} rows of finite numbers", f"{max(len(table), 1)}", COPY_AGAIN
        )
    return table
