"""Readouts that have learned: an exported model, and SimPer trained on the recording that is read."""

import dataclasses
import json
import math
import pathlib
import time
from collections.abc import Callable, Sequence

import cv2
import keras
import numpy as np
import tensorflow as tf

from simper_tf import export, octave, spectrum
from simper_tf.encoders import ENCODERS
from simper_tf.methods import SimPer
from simper_tf.readings import answers, gram, read, readouts, windows
from simper_tf.readings.frames import levels
from simper_tf.readings.sources import Source
from simper_tf.recordings.errors import RawDataError
from simper_tf.standardize import changes, is_series
from simper_tf.times import SpeedSets
from simper_tf.views import Views

# Pixels of the longer side, clips in all and a step, views a set: what two cores learn from in a minute.
_SIDE, _CLIPS, _BATCH, _VIEWS = 24, 64, 2, 4
# Standard deviations of all that changes in a window from black to white.
_DEVIATIONS = 8.0
_LEARNING_RATE = 3e-3
# Rates that differ by less than this share are the same.
_ALIKE = 0.01
# A frequency and its multiples, at which features may run.
_MULTIPLES = (1.0, 0.5, 2.0, 1 / 3, 3.0)
# Periods of features that may be one repetition; the share of the best likeness from which they are; and the best below
# which frames do not tell.
_PERIODS, _LIKE, _TELLING = (1, 2, 3), 0.5, 0.05
# Score from which the frames of one window overrule what all windows of a recording say of the octave.
_OVERRULES = 0.9


class Exported:
    """The readout `model`: an exported model that answers in Hz.

    Series are brought to the rates that it was trained on, as those were; frames of pictures have the rate they have.

    Args:
        path: Folder of a run, of its `saved_model`, or of one version in it.

    Raises:
        ValueError: there is none, or it does not answer in Hz to frames and a rate.
    """

    def __init__(self, path):
        path = pathlib.Path(path)
        folder = path / "saved_model" if (path / "saved_model").is_dir() else path
        version = folder if (folder / "saved_model.pb").exists() else export.newest_version(folder)
        if version is None:
            raise ValueError(
                f"--model={path} holds no exported model. Make one: python -m trainers.export --run_dir=..."
            )
        try:
            self._loaded = tf.saved_model.load(str(version))
            self._answer = self._loaded.signatures["serving_default"]
            inputs = self._answer.structured_input_signature[1]
            self._shape = tuple(inputs["frames"].shape[2:])
            if is_series(self._shape):
                self._answer = self._loaded.signatures[f"serving_default{export.FLOAT_SUFFIX}"]
        except (OSError, KeyError, ValueError, tf.errors.OpError) as error:
            raise ValueError(f"--model={path} cannot be loaded: {str(error).splitlines()[0]}") from error
        self._rates = _rates_trained_on(version) if is_series(self._shape) else None
        if "rate" not in inputs or None in self._shape:
            raise ValueError(f"--model={path} does not answer in Hz to frames of one size and a rate: name another.")
        lacking = {"frequency_hz", "features"} - set(self._answer.structured_outputs)
        if lacking:
            raise ValueError(
                f"--model={path} answers with {', '.join(sorted(self._answer.structured_outputs))}, without "
                f"{' and '.join(sorted(lacking))}. Export it again: python -m trainers.export --run_dir=..."
            )

    @property
    def shape(self) -> tuple[int, int]:
        """`(height, width)` of the frames that it was trained on."""
        return self._shape[:2]

    def check(self, source: Source):
        """Refuses a recording that is no series where the model was trained on series, or the other way round.

        Raises:
            RawDataError: it is so, or has another number of channels.
        """
        if not is_series(self._shape):
            source.require_pictures("--model")
        elif source.has_pictures:
            raise RawDataError(source.name, "pictures", "a series, as --model reads", "Name another --model.")
        elif source.channels() != self._shape[2]:
            expected = f"{self._shape[2]}, as --model reads"
            raise RawDataError(source.name, f"{source.channels()} channels", expected, "Name another --model.")

    def __call__(self, window: windows.Window, products: np.ndarray, band: tuple[float, float]) -> readouts.Reading:
        seen = self._at_rate_trained_on(window)
        frames = seen.frames if is_series(self._shape) else levels(seen.frames, self._shape[2])
        try:
            said = self._answer(frames=tf.constant(frames[None]), rate=tf.constant([seen.rate], tf.float32))
        except tf.errors.InvalidArgumentError as error:
            text = str(error)
            found = (text.partition("assertion failed: ")[2] or text).splitlines()[0]
            found = found.replace("[", "").replace("]", "")  # TensorFlow puts each part of a message in brackets.
            expected = "windows that the model can read"
            raise RawDataError("--model", f"a refusal ({found})", expected, "Change --window or --band.") from error
        found = arbitrated(float(said["frequency_hz"][0]), products, window.rate, band)
        return readouts.reading("model", gram.products(said["features"][0].numpy()), found, seen.rate, band)

    def _at_rate_trained_on(self, window):
        rate = float(np.clip(window.rate, *self._rates)) if self._rates else window.rate
        return window if abs(rate / window.rate - 1) < _ALIKE else windows.at_rate(window, rate)


def adapt(
    opened: read.Opened, seconds: float, seed: int = 0, report: Callable[[float], None] = lambda left: None
) -> Callable:
    """Trains SimPer on a recording, without labels, and returns the readout `adapt` for its windows.

    At which multiple of the frequency features run is told by all windows together, see `periods_of`: in noise single
    ones are often wrong.

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
    periods = periods_of(features, [gram.of_frames(clip) for clip in clips], opened.plan.rate, opened.plan.band)

    def readout(window, products, band):
        features = np.asarray(model.encode(_changes(window.frames)[None]))
        found = float(octave.wide_peak(features)[0]) * window.rate / periods
        found = arbitrated(found, products, window.rate, band, least=_OVERRULES)
        return readouts.reading("adapt", gram.products(features[0]), found, window.rate, band)

    return readout


def periods_of(features: np.ndarray, products: Sequence[np.ndarray], rate: float, band: tuple[float, float]) -> int:
    """Returns how many periods of features are one repetition, 1 to 3, by how alike frames are that far apart.

    The first number of periods after which frames are at least half as alike as after the best of them, in the mean
    over all windows: a mean over many tells in noise what one of them does not. 1 where they hardly are at all.

    Args:
        features: `(N, T)` or `(N, T, D)` of N windows of a recording.
        products: Of each, `(T, T)` of `gram.products` of its frames.
        rate: Frames per second.
        band: `(low, high)` in Hz.
    """
    likeness = np.full((len(products), len(_PERIODS)), np.nan)
    for row, peak, each in zip(likeness, octave.wide_peak(features).numpy(), products, strict=True):
        distances = readouts.Distances(each, rate, band)
        for column, periods in enumerate(_PERIODS):
            if periods == 1 or 2 * periods <= peak * len(each):  # Later lags are seen by few pairs of frames.
                row[column] = 1 - distances.after(periods / (peak * rate))
    seen = np.isfinite(likeness)
    means = np.where(seen.any(axis=0), np.nansum(likeness, axis=0) / np.maximum(seen.sum(axis=0), 1), 0.0)
    if means.max() < _TELLING:
        return 1
    return _PERIODS[int(np.argmax(means >= _LIKE * means.max()))]


def of_encoder(name: str, encode: Callable, side: int = _SIDE) -> Callable:
    """Returns a readout of windows by the features of an encoder, each by its own pixels.

    Args:
        name: Of the readout.
        encode: `(1, T, H, W, C)` uint8, float32 of series, -> `(1, T)` or `(1, T, D)` features.
        side: Pixels of the longer side of what it is given.
    """

    def readout(window, products, band):
        clip = _small(window.frames, side)
        features = np.asarray(encode(clip[None]))
        pixels = spectrum.pixel_power(clip[None])
        found = float(octave.resolve_octave(features, pixels, window.rate)[0])
        found = arbitrated(found, products, window.rate, band)
        return readouts.reading(name, gram.products(features[0]), found, window.rate, band)

    return readout


def arbitrated(
    frequency: float,
    products: np.ndarray,
    rate: float,
    band: tuple[float, float],
    least: float = answers.THRESHOLD,
) -> float:
    """Returns a frequency at the multiple that the frames themselves repeat at, where they clearly show one.

    Args:
        frequency: Hz.
        products: `(T, T)` of `gram.products` of the frames.
        rate: Frames per second.
        band: `(low, high)` in Hz.
        least: Score from which they do.
    """
    arbiter = readouts.selfdistance(products, rate, band)
    if arbiter.score < least:
        return frequency
    near = min((frequency * each for each in _MULTIPLES), key=lambda each: abs(math.log(each / arbiter.frequency)))
    return near if abs(near / arbiter.frequency - 1) < 0.1 else frequency


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


def _rates_trained_on(version):
    """Returns the lowest and highest rate that an exported model was trained on; None if it does not say."""
    try:
        low, high = json.loads((version / export.METADATA).read_text())["rates_trained_on"]
        return (low, high) if 0 < low <= high else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _changes(frames):
    """Returns what changes in the frames of a window: float32 in [0, 1], 0.5 where nothing does; series as they are.

    A movement of little contrast is as visible to the encoder as any other, and what stands still is not there.
    """
    if is_series(frames.shape[1:]):
        return frames
    small = _resized(frames.astype(np.float32), _SIDE)
    small -= small.mean(axis=0)
    deviation = small.std()
    return np.clip(0.5 + small / (_DEVIATIONS * deviation), 0, 1) if deviation > 0 else np.full_like(small, 0.5)


def _small(frames, side):
    """Returns `(T, H, W, C)` uint8 frames of at most so many pixels a side; series as they are."""
    if is_series(frames.shape[1:]):
        return frames
    return np.clip(_resized(frames, side), 0, 255).astype(np.uint8)


def _resized(frames, side):
    height, width = frames.shape[1:3]
    scale = min(1.0, side / max(height, width))
    size = max(round(scale * width), 1), max(round(scale * height), 1)
    small = [cv2.resize(frame, size, interpolation=cv2.INTER_AREA) for frame in frames]
    return np.reshape(small, (len(frames), size[1], size[0], -1))
