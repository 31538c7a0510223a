"""A recording of a face with its pulse, cut into labeled clips.

The readers of faces each return a `FaceRecording`: the times and the pulse at once, the frames only when they are asked
for, one by one. So the labels, and what has to be skipped, are known before anything is decoded.
"""

import collections
import itertools
import logging
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simper_tf.recordings import face
from simper_tf.signals import pulse

# A clip is taken to be uniformly sampled. With a longer pause between two frames it is not.
MAX_GAP_NS = 500_000_000

_log = logging.getLogger(__name__)


class FaceRecording(NamedTuple):
    """One recording, with N frames."""

    id: str
    subject: str  # Empty where nobody says who is seen.
    times: np.ndarray  # (N,) int64 nanoseconds, strictly increasing.
    series: dict  # Name -> (N,) float64, a value for each frame; "ppg" is always there.
    frames: Callable  # () -> iterator of the N frames, each (H, W, 3).
    notes: tuple = ()  # What was repaired or left out, in words.


class FaceWindow(NamedTuple):
    """A clip to be: `label` in beats per minute is None, and `problem` says why, if it cannot be used."""

    start: int
    rate: float
    label: float | None
    problem: str


def plan(recording, window, stride):
    """Returns the `FaceWindow`s of a recording, usable or not, without touching a frame; lengths are in frames."""
    starts = range(0, len(recording.times) - window + 1, stride)
    return [_window(recording, start, slice(start, start + window)) for start in starts]


def face_clips(recording, size, window, stride):
    """Yields `(id, example)` of each usable clip, cut to the face; memory is bounded by one clip and 30 frames.

    An id such as "subject1/00180", and a dict of `clip` (window, size, size, 3) uint8, `rate`, `label`, `id`,
    `subject`, `ppg` (window,) float32, `face` (4,) int32 and `face_found`.
    """
    frames = recording.frames()
    first = list(itertools.islice(frames, face.NUM_FIRST_FRAMES))
    box = face.find_face(first)
    crops = (face.crop(frame, box, size) for frame in itertools.chain(first, frames))
    for key, example in clips(recording, crops, window, stride):
        yield key, example | {"subject": recording.subject, "face": np.int32(box[:4]), "face_found": box.found}


def clips(recording, frames, window, stride):
    """Yields `(id, example)` of each usable clip, from frames that are ready to be stored; see `face_clips`."""
    windows = plan(recording, window, stride)
    for skipped in skips(recording, windows, window):
        _log.warning("Skipped %s", skipped)
    usable = collections.deque(w for w in windows if not w.problem)
    latest = collections.deque(maxlen=window)
    for index, frame in enumerate(frames):
        latest.append(frame)
        # To the end, though the last frames may belong to no clip: only there a reader knows whether one was lost.
        if usable and index == usable[0].start + window - 1:
            yield _example(recording, usable.popleft(), np.stack(latest))


def skips(recording, windows, window):
    """Returns a sentence for each clip that cannot be used, and for a recording too short for any."""
    sentences = [f"{clip_id(recording, w)}: {w.problem}" for w in windows if w.problem]
    if not windows:
        sentences.append(f"{recording.id}: {len(recording.times)} frames are shorter than one clip of {window}")
    return sentences


def clip_id(recording, window):
    """Returns the id of the example of a planned window, of its recording and first frame."""
    return f"{recording.id}/{window.start:05d}"


def split_by_subject(recordings, train_fraction, validation_fraction, published=(), seed=None):
    """Splits recordings so that no subject is in two splits, and none changes its split where another is missing.

    Of the subjects, in the order of the recordings or shuffled by an integer `seed`, the first `train_fraction` are not
    tested, rounded, at least two, and at least one is tested. The last `validation_fraction` of all subjects among
    these validate, at least one, and at least one trains.

    The `published` subjects of the whole data set are divided if they are named; of those at hand each keeps its split,
    and one that is not among them trains. Where that leaves a split empty, those at hand are divided.

    Returns `{"train": recordings, "validation": recordings, "test": recordings}`. Fewer than three subjects, or
    fractions that do not leave a part to each split, are a ValueError.
    """
    if not 0 < validation_fraction < train_fraction < 1:
        raise ValueError(
            "The fractions of a split must be 0 < validation_fraction < train_fraction < 1. "
            f"Received: {validation_fraction} and {train_fraction}."
        )
    subjects = list(dict.fromkeys(recording.subject for recording in recordings))
    if len(subjects) < 3:
        raise ValueError(f"A split by subject needs three subjects or more, found {subjects}. Copy more of them.")
    test = _held_out(subjects, published, train_fraction, 2, seed)
    tested = _last(published, train_fraction, 2, seed)
    others = [name for name in subjects if name not in test]
    kept = 1 - validation_fraction / train_fraction
    validation = _held_out(others, [name for name in published if name not in tested], kept, 1, seed)
    splits = dict.fromkeys(test, "test") | dict.fromkeys(validation, "validation")
    return {
        split: [recording for recording in recordings if splits.get(recording.subject, "train") == split]
        for split in ("train", "validation", "test")
    }


def _held_out(subjects, published, kept, least, seed):
    """Returns those subjects at hand that are held out of the published ones, or of those at hand if that fails."""
    held_out = _last(published, kept, least, seed) & {*subjects}
    if held_out and len(subjects) - len(held_out) >= least:
        return held_out
    return _last(subjects, kept, least, seed)


def _last(subjects, kept, least, seed):
    """Returns the last subjects beyond a fraction that is kept, and beyond at least so many."""
    subjects = list(subjects)
    if seed is not None:
        np.random.default_rng(seed).shuffle(subjects)
    return {*subjects[min(max(round(kept * len(subjects)), least), len(subjects) - 1) :]}


def by_subject(recordings, config, published):
    """Returns the splits that a build makes of recordings, by a `SubjectsConfig`, and of which each gives a clip.

    Arguments and errors are those of `split_by_subject` and of `require_clips`.
    """
    splits = split_by_subject(recordings, config.train_fraction, config.validation_fraction, published, config.seed)
    require_clips(splits, config.window, config.stride)
    return splits


def require_clips(splits, window, stride):
    """Refuses splits, `{name: FaceRecording}s`, if one has no usable clip: a ValueError with the first reasons."""
    for split, recordings in splits.items():
        reasons = []
        for recording in recordings:
            windows = plan(recording, window, stride)
            if any(not w.problem for w in windows):
                break
            reasons += skips(recording, windows, window)
        else:
            raise ValueError(
                f"The {split} split would be empty: not one clip of {window} frames can be used of its "
                f"{len(recordings)} recordings. Copy more of them, or lower the window in the builder's config. "
                f"{'; '.join(reasons[:5])}"
            )


def _window(recording, start, span):
    times = recording.times[span]
    ppg, rate = pulse.uniform(recording.series["ppg"][span], times)
    gap = np.diff(times).max()
    if gap > MAX_GAP_NS:
        return FaceWindow(start, rate, None, f"{gap * 1e-9:.2f} s between two frames")
    try:
        return FaceWindow(start, rate, pulse.heart_rate(ppg, rate), "")
    except ValueError as error:
        return FaceWindow(start, rate, None, str(error))


def _example(recording, window, clip):
    span = slice(window.start, window.start + len(clip))
    key = clip_id(recording, window)
    series = {name: np.float32(values[span]) for name, values in recording.series.items()}
    return key, {"clip": clip, "rate": window.rate, "label": window.label, "id": key} | series
