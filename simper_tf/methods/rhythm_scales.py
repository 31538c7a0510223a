"""Chances of every period in clips of any length, by a network that has learned from windows of 64 frames.

It looks at the whole clip and at parts of it, each half an octave shorter than those before. A period that two lengths
of window see is believed most. All is relative to the clip, so that the graph is the same at any length.
"""

import functools
import math

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from simper_tf.signals import spectrum
from simper_tf.signals.log_lags import SHORTEST, STEPS_PER_OCTAVE, periods_of
from simper_tf.signals.rhythm_form import ALONE, NUM_FRAMES, SIDE

# Lengths of window, and instants of a clip at which they are compared.
SCALES, INSTANTS = 6, 64
_STEPS_PER_SCALE = STEPS_PER_OCTAVE // 2
_KNOWN = len(periods_of(NUM_FRAMES))  # Periods of a window.
# Chance of a period, as a mean over a clip, at which half of what is read is right, and how steeply that rises with its
# logarithm, as `python -m benchmarks.fit_served` fits them.
EVEN, STEEP = 0.282, 3.15
LEAST = 1e-6  # Of a chance, in its logarithm.
STILL = 0.15 / 255  # Root mean square of what changes, as a share of the brightest pixel, up to which nothing moves.
# Harmonics that refine a frequency, and the share of the rate below which they are shown.
HARMONICS, HIGHEST = 4, 0.45
_STEPS = np.linspace(0.94, 1.06, 49)  # Periods that are told apart lie 6 % apart.
NUM_PERIODS = _KNOWN + _STEPS_PER_SCALE * (SCALES - 1)


def over_scales(encoder: keras.Model, head: keras.Model, frame_shape: tuple[int, int, int]) -> keras.Model:
    """Returns the model of clips of any length, with the weights of a network of windows.

    Args:
        encoder: `(B, 64, 32, 32, 1)` in [0, 1] -> `(B, 64, D)`.
        head: `(B, 64, D)` -> `(B, 64, K + 1)` logits, see `rhythm_head`.
        frame_shape: `(H, W, C)` of the clips.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` in [0, 1] -> `(B, T, 63)` chances of the `period_shares` at every frame.
    """
    clips = keras.Input((None, *frame_shape))
    frames = SmallGray(dtype="float32")(clips)
    told = [head(encoder(Windows(scale, dtype="float32")(frames))) for scale in range(SCALES)]
    return keras.Model(clips, Blend(dtype="float32")([frames, *told]), name="rhythm")


def period_shares() -> np.ndarray:
    """Returns the periods that are told apart, as shares of the time from the first frame of a clip to the last."""
    shortest = SHORTEST / NUM_FRAMES * _length(SCALES - 1)
    return shortest * 2.0 ** (np.arange(NUM_PERIODS) / STEPS_PER_OCTAVE)


def longest(highest: float) -> float:
    """Returns the seconds of a clip of which the shortest windows still tell a highest frequency in Hz."""
    return NUM_FRAMES / SHORTEST / highest / _length(SCALES - 1)


def read(
    chances: tf.Tensor, clips: tf.Tensor, rate: tf.Tensor, band: tuple[float, float]
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns `(B,)` frequencies in Hz, within a band, and `(B,)` confidences in [0, 1]; from 0.5 on something repeats.

    Args:
        chances: `(B, T, 63)`, of `over_scales`.
        clips: `(B, T, H, W, C)` of any scale, whose pixels refine the frequency.
        rate: `(B,)` frames per second.
        band: `(low, high)` in Hz.
    """
    frequency, chance = likeliest(chances, rate, band)
    frequency = refined(frequency, spectrum.pixel_series(clips), rate)
    gray = tf.reduce_mean(tf.cast(clips, tf.float32), axis=-1)
    changes = tf.sqrt(tf.reduce_mean(tf.math.reduce_variance(gray, axis=1), axis=[1, 2]))
    moves = changes > STILL * tf.reduce_max(gray, axis=[1, 2, 3])
    return tf.clip_by_value(frequency, *band), tf.where(moves, confidence(chance), 0.0)


def confidence(chance: tf.Tensor) -> tf.Tensor:
    """Returns the probability that the frequency is right of a chance in [0, 1]."""
    return tf.sigmoid(STEEP * tf.math.log(tf.maximum(chance, LEAST) / EVEN))


def refined(frequency: tf.Tensor, series: tf.Tensor, rate: tf.Tensor) -> tf.Tensor:
    """Returns `(B,)` frequencies within a period's step of others, where all series have most power at four harmonics.

    Where the most lies at an edge, they stay as they are. `series` are `(B, P, T)`.
    """
    grid = frequency[:, None] * tf.constant(_STEPS, tf.float32)
    harmonics = tf.range(1.0, HARMONICS + 1.0)[:, None]
    number = tf.shape(series)[2]
    turns = (harmonics * grid[:, None] / rate[:, None, None])[..., None] * tf.range(tf.cast(number, tf.float32))
    windowed = spectrum.centered(series) * tf.signal.hann_window(number)
    waves = tf.cos(2 * np.pi * turns), tf.sin(2 * np.pi * turns)
    power = sum(tf.reduce_sum(tf.square(tf.einsum("bhgt,bpt->bhgp", wave, windowed)), axis=-1) for wave in waves)
    is_shown = harmonics * grid[:, None] < HIGHEST * rate[:, None, None]
    power = tf.reduce_sum(tf.where(is_shown, power, 0.0), axis=1)
    top = tf.argmax(power, axis=1, output_type=tf.int32)
    is_inside = (top > 0) & (top < len(_STEPS) - 1)
    return tf.where(is_inside, tf.gather(grid, top, axis=1, batch_dims=1), frequency)


def likeliest(chances: tf.Tensor, rate: tf.Tensor, band: tuple[float, float]) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns `(B,)` likeliest frequencies in Hz, within a band, and `(B,)` their chance, a mean over the clip.

    The chance is 0 where a faster period outside is likelier: frames far apart show it as a slow one. Twice the
    frequency may be: a cycle has halves.

    Args:
        chances: `(B, T, 63)`, of `over_scales`.
        rate: `(B,)` frames per second.
        band: `(low, high)` in Hz. A cycle has four frames at least: halves between two of fewer look like cycles.
    """
    low, high = band
    seconds = tf.cast(tf.shape(chances)[1] - 1, tf.float32) / tf.reshape(rate, [-1, 1])
    hertz = 1.0 / (seconds * tf.constant(period_shares(), tf.float32))
    whole = tf.pad(tf.reduce_mean(chances, axis=1), [[0, 0], [1, 1]])
    near = whole[:, :-2] + whole[:, 1:-1] + whole[:, 2:]
    step = 2 ** (0.5 / STEPS_PER_OCTAVE)
    is_known = (hertz > low / step) & (hertz < high * step) & (hertz <= tf.reshape(rate, [-1, 1]) / SHORTEST)
    top = tf.argmax(tf.where(is_known, near, -1.0), axis=1, output_type=tf.int32)
    at = tf.clip_by_value(top, 1, NUM_PERIODS - 2)
    before, here, after = (tf.gather(near, at + off, axis=1, batch_dims=1) for off in (-1, 0, 1))
    offset = tf.math.divide_no_nan(0.5 * (before - after), before - 2.0 * here + after)
    offset = tf.where(at == top, tf.clip_by_value(offset, -0.5, 0.5), 0.0)
    frequency = tf.gather(hertz, top, axis=1, batch_dims=1) * 2.0 ** (-offset / STEPS_PER_OCTAVE)
    chance = tf.gather(near, top, axis=1, batch_dims=1) * tf.cast(tf.reduce_any(is_known, axis=1), tf.float32)
    from_double = tf.abs(tf.range(NUM_PERIODS) - (top[:, None] - STEPS_PER_OCTAVE))
    is_faster = ~is_known & (hertz > frequency[:, None]) & (from_double > 1)
    chance *= tf.cast(tf.reduce_max(tf.where(is_faster, near, 0.0), axis=1) <= chance, tf.float32)
    return tf.clip_by_value(frequency, low, high), tf.clip_by_value(chance, 0.0, 1.0)


@keras.saving.register_keras_serializable("simper_tf")
class SmallGray(layers.Layer):
    """Gray pictures of 32 x 32 pixels, means over areas: `(B, T, H, W, C)` -> `(B, T, 32, 32)`."""

    def call(self, clips):
        rows, columns = (tf.constant(_areas(side), clips.dtype) for side in clips.shape[2:4])
        return tf.einsum("ph,bthw,qw->btpq", rows, tf.reduce_mean(clips, axis=-1), columns)

    def compute_output_shape(self, input_shape):
        return *input_shape[:2], SIDE, SIDE


@keras.saving.register_keras_serializable("simper_tf")
class Windows(layers.Layer):
    """Windows of 64 frames of a scale, `(B, T, 32, 32)` -> `(B * N, 64, 32, 32, 1)`.

    Each is a mean of what lies straight between frames, by weights that fall straight to 0 at the one before and the
    next: a plain mean lets fast movement pass as slow.
    """

    def __init__(self, scale: int, **given):
        super().__init__(**given)
        self.scale = scale

    def call(self, frames):
        number = tf.shape(frames)[1]
        last = tf.cast(number - 1, frames.dtype)
        steps = np.arange(NUM_FRAMES) / (NUM_FRAMES - 1)
        shares = _starts(self.scale)[:, None] + _length(self.scale) * steps
        places = last * tf.constant(shares, frames.dtype)
        step = last * (_length(self.scale) / (NUM_FRAMES - 1))
        apart = places[..., None] - tf.range(tf.cast(number, frames.dtype))
        # The integral of the weights times that of a frame, which falls straight to the frames beside it.
        weights = tf.nn.relu(step - tf.abs(apart)) + _near(apart + step) - 2 * _near(apart) + _near(apart - step)
        weights /= tf.reduce_sum(weights, axis=-1, keepdims=True)
        pixels = tf.reshape(frames, [-1, number, SIDE * SIDE])
        return tf.reshape(tf.einsum("nst,btp->bnsp", weights, pixels), [-1, NUM_FRAMES, SIDE, SIDE, 1])

    def compute_output_shape(self, input_shape):
        return None, NUM_FRAMES, SIDE, SIDE, 1

    def get_config(self):
        return {**super().get_config(), "scale": self.scale}


@keras.saving.register_keras_serializable("simper_tf")
class Blend(layers.Layer):
    """Chances of all scales together: frames `(B, T, 32, 32)` and logits of each scale -> `(B, T, 63)`."""

    def call(self, inputs):
        frames, *told = inputs
        seen = []
        for scale, logits in enumerate(told):
            chances = tf.nn.softmax(logits)[..., :-1]
            chances = tf.reshape(chances, [-1, NUM_FRAMES * len(_starts(scale)), _KNOWN])
            chances = tf.einsum("gi,bik->bgk", tf.constant(_trust(scale), chances.dtype), chances)
            before = _STEPS_PER_SCALE * (SCALES - 1 - scale)
            seen.append(tf.pad(chances, [[0, 0], [0, 0], [before, NUM_PERIODS - _KNOWN - before]]))
        best, second = tf.unstack(tf.math.top_k(tf.stack(seen, axis=-1), 2).values, axis=-1)
        chances = tf.where(_lengths_that_tell() > 1, (best + second) / 2, ALONE * best)
        return tf.einsum("tg,bgk->btk", _between(tf.shape(frames)[1]), chances)

    def compute_output_shape(self, input_shape):
        return *input_shape[0][:2], NUM_PERIODS


def _near(apart):
    """What twice integrating a frame adds, less than a frame from an edge, to that of a frame without width."""
    return tf.nn.relu(1.0 - tf.abs(apart)) ** 3 / 6


def _length(scale):
    """Share of the clip that a window has."""
    return 2.0 ** (-scale / 2)


@functools.cache
def _starts(scale):
    """Starts of the windows of a scale, as shares of the clip: each half a window on."""
    left = 1.0 - _length(scale)
    return np.linspace(0.0, left, math.ceil(2 * left / _length(scale) - 1e-6) + 1 if left else 1)


@functools.cache
def _trust(scale):
    """Weights `(instants, windows * 64)` of what windows say: near its ends a window sees one side alone."""
    instants = (np.arange(INSTANTS) + 0.5) / INSTANTS
    places = (instants[:, None] - _starts(scale)) / _length(scale)
    trust = np.where((places >= 0) & (places <= 1), 0.1 + np.sin(np.pi * places) ** 2, 0.0)
    weights = np.zeros((INSTANTS, len(_starts(scale)), NUM_FRAMES))
    near = np.clip((places * NUM_FRAMES).astype(int), 0, NUM_FRAMES - 1)
    np.put_along_axis(weights, near[..., None], (trust / trust.sum(1, keepdims=True))[..., None], axis=2)
    return weights.reshape(INSTANTS, -1)


@functools.cache
def _lengths_that_tell():
    """How many lengths of window tell each period."""
    number = np.zeros(NUM_PERIODS, int)
    for scale in range(SCALES):
        number[_STEPS_PER_SCALE * scale : _STEPS_PER_SCALE * scale + _KNOWN] += 1
    return number


def _between(number):
    """Weights `(T, instants)` by which frames take what is said at the instants around them."""
    shares = (tf.cast(tf.range(number), tf.float32) + 0.5) / tf.cast(number, tf.float32)
    places = tf.clip_by_value(shares * INSTANTS - 0.5, 0.0, INSTANTS - 1.0)
    return tf.nn.relu(1.0 - tf.abs(places[:, None] - tf.range(INSTANTS, dtype=tf.float32)))


@functools.cache
def _areas(side):
    """Weights `(32, side)` of the means over areas of a row or column of pixels."""
    edges = np.arange(SIDE + 1) * (side / SIDE)
    pixels = np.arange(side)
    shared = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    return np.maximum(shared, 0.0) / (side / SIDE)
