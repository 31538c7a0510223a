"""What an exported model computes, all of it inside the graph: it refuses a bad request, or answers within its band.

A client in C or behind a server sees nothing but the graph's own messages, so each says in a sentence which input is
wrong, what was found and what is expected.
"""

import functools
import itertools
import math
import numbers

import tensorflow as tf

from simper_tf import octave, readout, spectrum, units
from simper_tf.clips import unit_range
from simper_tf.recurrence import recurrence

# What encoders need, whatever the rate.
_FEWEST_FRAMES = 8
# A spectrum cannot tell fewer periods in a clip from a drift; a hundredth less does not matter.
_PERIODS, _PERIODS_TOLERANCE = 2, 0.01
# Resizing and compression overshoot the range of floats a little.
_VALUE_TOLERANCE = 0.01
# Of a rate that is meant to be twice the band's upper end.
_ROUNDING = 1e-6


class FeaturesModel(tf.Module):
    """An encoder alone: frames in, features out.

    Args:
        encoder: `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.
        frame_shape: `(H, W, C)`.
        value_range: `(low, high)` of float frames, in their physical unit, that the encoder was trained to see as 0
            and 1.
        num_frames: T, the only length that is taken; None for any from 8 on.

    Raises:
        ValueError: the value range is not two finite, rising numbers, or the frame shape is not three whole numbers.
    """

    def __init__(self, encoder, frame_shape, value_range=(0.0, 1.0), num_frames=None):
        super().__init__()
        # TensorFlow's own variables and not the Keras model: that would put each weight into the file twice, and what
        # is restored where no Python runs is the copy that no signature reads.
        self.weights = [weight.value for weight in encoder.weights]
        self.frame_shape = tuple(frame_shape)
        if len(self.frame_shape) != 3 or not all(isinstance(size, numbers.Integral) for size in self.frame_shape):
            raise ValueError(f"`frame_shape` must be (H, W, C), three whole numbers. Received: {self.frame_shape}.")
        self.num_frames = num_frames
        # One function, traced once, that all signatures call.
        clips = tf.TensorSpec([None, num_frames, *self.frame_shape], tf.float32)
        self._encode = tf.function(functools.partial(encoder, training=False), input_signature=[clips], autograph=False)
        self.value_range = _rising("value_range", value_range)

    def features(self, frames):
        """Returns `{"features": (B, T) or (B, T, D)}`, float32, of frames.

        Args:
            frames: `(B, T, H, W, C)` uint8, or float32 in the value range, such as [0, 1].

        Raises:
            tf.errors.InvalidArgumentError: the frames are not so.
        """
        return {"features": self._features(_refuse(self._frames_checks(frames), frames))}

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        return {"features": (self.features, ())}

    def _features(self, frames):
        clips = units.rescale(frames, self.value_range) if frames.dtype.is_floating else unit_range(frames)
        return tf.cast(self._encode(clips), tf.float32)

    def _frames_checks(self, frames):
        """Yields `(condition, message)` for frames alone."""
        shape, sizes = _shape(frames, 6), ", ".join(map(str, self.frame_shape))
        fits = tf.reduce_all((shape == [-1, -1, *self.frame_shape, -1]) | ([True] * 2 + [False] * 4))
        fewest = self.num_frames or _FEWEST_FRAMES
        time = f"time = {fewest}" if self.num_frames else f"time >= {fewest}"
        yield (
            fits & (shape[0] >= 1) & (shape[1] == fewest if self.num_frames else shape[1] >= fewest),
            tf.strings.format(
                f"`frames` must have the shape (batch >= 1, {time}, {sizes}). Received: {{}}.",
                tf.shape(frames),
                summarize=8,
            ),
        )
        if frames.dtype.is_floating:
            yield from self._value_checks(frames)

    def _value_checks(self, frames):
        """Yields `(condition, message)` for the values of float frames."""
        wrong, (low, high) = tf.math.count_nonzero(~tf.math.is_finite(frames)), self.value_range
        yield (
            wrong == 0,
            tf.strings.format(
                "`frames` must be finite. Received: {} NaN or infinite of {} values.", [wrong, tf.size(frames)]
            ),
        )
        slack, least, most = _VALUE_TOLERANCE * (high - low), tf.reduce_min(frames), tf.reduce_max(frames)
        yield (
            (least >= low - slack) & (most <= high + slack),
            tf.strings.format(
                f"`frames` of floats must lie in [{low:g}, {high:g}]. Received: values from {{}} to {{}}. Send levels "
                "from 0 to 255 as uint8, to the signature without float32 in its name.",
                [least, most],
            ),
        )


class FrequencyModel(FeaturesModel):
    """An encoder with its readout: frames and their rate in, Hz out.

    Args:
        encoder, frame_shape, value_range: As in `FeaturesModel`.
        band: `(low, high)` in Hz, in which the frequency lies.
        harmonic: The one at which the features run: 1 over `octave.common_divisor`, or that of
            `readout.calibrate_harmonic`; None to read each clip by its own pixels, see `octave.resolve_octave`,
            and by its features in the band where its pixels show no line.

    Raises:
        ValueError: as `FeaturesModel`, the band is not two finite, rising numbers above 0, or the harmonic is not
            positive.
    """

    def __init__(self, encoder, frame_shape, band, harmonic=None, value_range=(0.0, 1.0)):
        super().__init__(encoder, frame_shape, value_range)
        self.band = _rising("band", band, above=0.0)
        if harmonic is not None and not 0 < harmonic < math.inf:
            raise ValueError(f"`harmonic` must be a positive number, or None. Received: {harmonic}.")
        self.harmonic = harmonic if harmonic is None else float(harmonic)

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        return {"serving_default": (self.frequency, ("rate",)), **super().signatures()}

    def frequency(self, frames, rate):
        """Returns frequencies in Hz, inside the band, confidences in [0, 1] and features.

        Confidence is the share of the change within a period that is undone at its end, see `recurrence`: of features
        with a common harmonic, of pixels where each clip is read by its own. It is 0 where the peak lies outside the
        band or at its end, and where features with a common harmonic are no surer than those of noise.

        Args:
            frames: As in `features`; T at least two periods of the band's lower end.
            rate: `(B,)` float32, frames per second, at least twice the band's upper end, and twice the frequency at
                which features run for it.

        Raises:
            tf.errors.InvalidArgumentError: one of the two is not so.
        """
        frames = _refuse(itertools.chain(self._frames_checks(frames), self._rate_checks(frames, rate)), frames)
        features = self._features(frames)
        frequency, confidence = self._read(features, frames, rate)
        return {"frequency": frequency, "confidence": confidence, "features": features}

    def _read(self, features, frames, rate):
        low, high = self.band
        multiple = self.harmonic or 1.0
        frequency, share = readout.fft_frequency(features, rate, (low / multiple, high / multiple))
        frequency *= multiple
        if self.harmonic is not None:
            # They were found to run at this multiple, whatever pixels show; below what noise reaches they say nothing.
            courses, found = tf.linalg.matrix_transpose(_channels(features)), share > 0
        else:
            pixels = spectrum.pixel_power(frames)
            shown = tf.reduce_any(spectrum.lines(pixels) > 0, axis=1)
            frequency = tf.where(shown, octave.resolve_octave(features, pixels, rate), frequency)
            courses, found = spectrum.pixel_series(frames), (frequency >= low) & (frequency <= high)
        frequency = tf.clip_by_value(frequency, low, high)
        confidence = recurrence(courses, rate * multiple / frequency)
        return frequency, tf.where(found, confidence, 0.0)

    def _rate_checks(self, frames, rate):
        """Yields `(condition, message)` for a rate, and for frames at this rate."""
        (batch, num_frames), (low, high) = tf.unstack(_shape(frames, 2)), self.band
        yield (
            tf.reduce_all(_shape(rate, 2) == tf.stack([batch, -1])),
            tf.strings.format(
                "`rate` must have one number for each clip, the shape [{}]. Received: {}.", [batch, tf.shape(rate)]
            ),
        )
        slowest, fastest = tf.reduce_min(rate), tf.reduce_max(rate)
        # Features that run at a multiple of the frequency reach further than the band.
        highest = high / min(self.harmonic or 1.0, 1.0)
        yield (
            tf.reduce_all(tf.math.is_finite(rate)) & (slowest >= 2 * highest * (1 - _ROUNDING)),
            tf.strings.format(
                f"`rate` must be finite and at least {2 * highest:g} frames per second, twice the frequency up "
                f"to which features run for the band of {low:g} to {high:g} Hz. Received: {{}}.",
                rate,
            ),
        )
        seconds = _PERIODS / low
        yield (
            tf.cast(num_frames, tf.float32) >= seconds * fastest * (1 - _PERIODS_TOLERANCE),
            tf.strings.format(
                f"`frames` must last {seconds:g} s, {_PERIODS} periods of the lower end of the band of {low:g} to "
                f"{high:g} Hz. Received: {{}} frames at a `rate` of {{}} per second.",
                [num_frames, fastest],
            ),
        )


class HeadModel(FeaturesModel):
    """An encoder with the head that was trained with it: frames in, labels out.

    Args:
        method: A method with `labels_of`, `encoder`, `regressor` and `views` of whole clips.
        frame_shape, value_range: As in `FeaturesModel`.
        answer: Name of the output, with its unit.
    """

    def __init__(self, method, frame_shape, answer, value_range=(0.0, 1.0)):
        super().__init__(method.encoder, frame_shape, value_range, method.views.num_frames)
        self.weights += [weight.value for weight in method.regressor.weights]
        self.answer = answer
        self._labels = method.labels_of

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        return {"serving_default": (self.labels, ()), **super().signatures()}

    def labels(self, frames):
        """Returns the labels of frames under the name of the answer, `(B,)` or `(B, H)`, and the features.

        Args:
            frames: As in `features`, of the one length that the head was trained on.

        Raises:
            tf.errors.InvalidArgumentError: the frames are not so.
        """
        features = self._features(_refuse(self._frames_checks(frames), frames))
        return {self.answer: self._labels(features), "features": features}


def _refuse(checks, frames):
    """Returns the frames once all checks hold; of several that do not, the first is reported.

    Args:
        checks: Iterator of `(condition, message)`. What it computes for one check waits until those before it hold: a
            mean over time of something without a time would fail in words of its own.
        frames: As in `FrequencyModel.frequency`.
    """
    done = []
    while True:
        with tf.control_dependencies(done):
            holds, message = next(checks, (None, None))
            if holds is None:
                return tf.identity(frames)
            done = [tf.debugging.Assert(holds, [message])]


def _shape(tensor, size):
    """Returns the first `size` lengths that a tensor really has; -1 beyond its last axis.

    Servers do not compare a request with the shape that the signature promises, and optimizers of graphs take that
    promise for a fact wherever a length is looked up alone. Of the whole vector they know too little to do so.
    """
    return tf.concat([tf.shape(tensor), [-1] * size], axis=0)[:size]


def _channels(features):
    return features[..., None] if features.shape.rank == 2 else features


def _rising(name, pair, above=-math.inf):
    edges = tuple(map(float, pair))
    if len(edges) != 2 or not above < edges[0] < edges[1] < math.inf:
        limits = "" if above == -math.inf else f" above {above:g}"
        raise ValueError(f"`{name}` must be two finite, rising numbers{limits}. Received: {pair}.")
    return edges
