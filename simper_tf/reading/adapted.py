"""The readout of SimPer trained on the recording that is read."""

import dataclasses
import time
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from simper_tf.encoders import ENCODERS
from simper_tf.methods import SimPer
from simper_tf.reading import gram, limits, multiples, read, scores
from simper_tf.recordings import windows
from simper_tf.recordings.errors import RawDataError
from simper_tf.recordings.frames import resized
from simper_tf.signals import octave
from simper_tf.utils.standardize import changes, is_series
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

# Pixels of the longer side, clips in all and a step, views a set: what two cores learn from in a minute.
_SIDE, _CLIPS, _BATCH, _VIEWS = 24, 64, 2, 4
# Standard deviations of all that changes in a window from black to white.
_DEVIATIONS = 8.0
_LEARNING_RATE = 3e-3
# Score from which the frames of one window overrule what all windows of a recording say of the octave.
_OVERRULES = 0.9


def adapt(
    opened: read.Opened, seconds: float, seed: int = 0, report: Callable[[float], None] = lambda left: None
) -> Callable:
    """Trains SimPer on a recording, without labels, and returns the readout `adapt` for its windows.

    At which multiple of the frequency features run is told by all windows together, see `multiples.periods_of`: in
    noise single ones are often wrong.

    Args:
        opened: The recording.
        seconds: How long, from the first step on; starting takes some more.
        seed: Of weights, order and views.
        report: Called with the seconds left after each step.

    Raises:
        RawDataError: the recording holds no window, or one too short for the views.
    """
    clips = _training_clips(opened, seed)
    keras.utils.set_random_seed(seed)
    times = SpeedSets(num_views=_VIEWS)
    encoder = ENCODERS["small1d" if is_series(clips.shape[2:]) else "small"](clips.shape[2:])
    model = SimPer(encoder, Views(times.longest_view(clips.shape[1]), times), seed=seed)
    model.compile(keras.optimizers.Adam(_LEARNING_RATE))
    random, step = np.random.default_rng(seed), tf.function(model.train_step, autograph=False)
    step(tf.constant(clips[random.integers(0, len(clips), _BATCH)]))
    began = time.monotonic()
    while (left := seconds - (time.monotonic() - began)) > 0:
        model.optimizer.learning_rate = _LEARNING_RATE * left / seconds
        step(tf.constant(clips[random.integers(0, len(clips), _BATCH)]))
        report(left)

    features = np.asarray(model.encode(clips))
    periods = multiples.periods_of(
        features, [gram.of_frames(clip) for clip in clips], opened.plan.rate, opened.plan.band
    )

    def readout(window, products, band):
        features = np.asarray(model.encode(_changes(window.frames)[None]))
        found = float(octave.wide_peak(features)[0]) * window.rate / periods
        found = multiples.arbitrated(found, products, window.rate, band, least=_OVERRULES)
        reading = scores.reading("adapt", gram.products(features[0]), found, window.rate, band)
        return limits.within(reading, window.seconds, band)

    return readout


def _training_clips(opened, seed):
    """Returns up to `_CLIPS` windows, drawn evenly from all that there are every eighth of a window.

    Of a series none in which the sensor was off.
    """
    random, kept = np.random.default_rng(seed), []
    denser = dataclasses.replace(opened.plan, hop=max(opened.plan.length // 8, 1))
    frames = opened.source.frames(opened.wishes.start, opened.wishes.end, opened.shape, opened.box)
    found = (window.frames for window in windows.cut(frames, denser, opened.info.longest_gap))
    if not opened.source.has_pictures:
        found = filter(changes, found)
    for number, window in enumerate(found):
        place = number if number < _CLIPS else int(random.integers(0, number + 1))
        if place < _CLIPS:
            kept[place : place + 1] = [_changes(window)]
    if not kept:
        found = "no window without a hole" + " in which it changes" * (not opened.source.has_pictures)
        raise RawDataError(opened.source.name, found, "one to learn from", "Shorten --window.")
    return np.stack(kept)


def _changes(frames):
    """Returns what changes in the frames of a window: float32 in [0, 1], 0.5 where nothing does; series as they are.

    A movement of little contrast is as visible to the encoder as any other, and what stands still is not there.
    """
    if is_series(frames.shape[1:]):
        return frames
    small = resized(frames.astype(np.float32), _SIDE)
    small -= small.mean(axis=0)
    deviation = small.std()
    return np.clip(0.5 + small / (_DEVIATIONS * deviation), 0, 1) if deviation > 0 else np.full_like(small, 0.5)
