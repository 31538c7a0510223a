"""SimPer trained on the recording that is read."""

import time
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from simper_tf.encoders import ENCODERS
from simper_tf.methods import SimPer
from simper_tf.reading.learned import Learned, Part, median
from simper_tf.recordings.pixels import resized
from simper_tf.signals import spectrum, votes
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.standardize import changes, is_series
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

# Pixels of the longer side, clips in all and a step, views a set: what two cores learn from in a minute.
_SIDE, _CLIPS, _BATCH, _VIEWS = 24, 64, 2, 4
_DENSER = 4  # Times that windows to learn from are denser than those that are read.
# Standard deviations of all that changes in a window from black to white.
_DEVIATIONS = 8.0
_LEARNING_RATE = 3e-3  # Of Adam, as in most of the flagfiles for a small encoder and few steps.
# Of weights, order and views.
_SEED = 0


def adapt(part: Part, seconds: float, report: Callable[[float], None] = lambda left: None) -> Learned:
    """Trains SimPer on a recording, without labels, and reads its windows.

    The pixels of all windows vote at which multiple of the frequency the features run.

    Args:
        part: The recording and its windows.
        seconds: How long, from the first step on; starting takes some more.
        report: Called with the seconds left after each step.

    Raises:
        RawDataError: the recording holds no window, or one too short for the views.
    """
    clips = _training_clips(part)
    keras.utils.set_random_seed(_SEED)
    times = SpeedSets(num_views=_VIEWS)
    encoder = ENCODERS["small1d" if is_series(clips.shape[2:]) else "small"](clips.shape[2:])
    model = SimPer(encoder, Views(times.longest_view(clips.shape[1]), times), seed=_SEED)
    model.compile(keras.optimizers.Adam(_LEARNING_RATE))
    random, step = np.random.default_rng(_SEED), tf.function(model.train_step, autograph=False)
    step(tf.constant(clips[random.integers(0, len(clips), _BATCH)]))
    began = time.monotonic()
    while (left := seconds - (time.monotonic() - began)) > 0:
        model.optimizer.learning_rate = _LEARNING_RATE * left / seconds
        step(tf.constant(clips[random.integers(0, len(clips), _BATCH)]))
        report(left)
    features, pixels = np.asarray(model.encode(clips)), spectrum.pixel_power(clips)
    hertz = votes.find_octave(features, pixels).frequency(features, pixels, part.plan.rate)
    return median("adapt", [float(number) for number in hertz])


def _training_clips(part):
    """Returns up to `_CLIPS` windows, drawn evenly from all; of a series none in which the sensor was off."""
    random, kept = np.random.default_rng(_SEED), []
    shape = small_shape(part)
    clips = (window.frames for window in part.windows(shape, _DENSER))
    if not part.source.has_pictures:
        clips = filter(changes, clips)
    for number, clip in enumerate(clips):
        place = number if number < _CLIPS else int(random.integers(0, number + 1))
        if place < _CLIPS:
            kept[place : place + 1] = [contrast(clip)]
    if not kept:
        found = "no window without a hole" + " in which it changes" * (not part.source.has_pictures)
        raise RawDataError(part.source.name, found, "one to learn from", "Shorten `window`.")
    return np.stack(kept)


def small_shape(part: Part) -> tuple[int, int]:
    """Returns `(height, width)` of the frames that are learned from."""
    width, height = part.box[2:] if part.box else (part.info.width, part.info.height)
    scale = min(1.0, 2 * _SIDE / max(height, width))
    return max(round(scale * height), 1), max(round(scale * width), 1)


def contrast(frames: np.ndarray) -> np.ndarray:
    """Returns what changes in a window: float32 in [0, 1], 0.5 where nothing does; series as they are.

    A movement of little contrast is as visible to the encoder as any other, and what stands still is not there.
    """
    if is_series(frames.shape[1:]):
        return frames
    small = resized(frames.astype(np.float32), _SIDE)
    small -= small.mean(axis=0)
    deviation = small.std()
    return np.clip(0.5 + small / (_DEVIATIONS * deviation), 0, 1) if deviation > 0 else np.full_like(small, 0.5)
