"""What an exported model computes, all of it inside the graph: it refuses a bad request, or answers within its band."""

import functools
import itertools
import math
import numbers

import tensorflow as tf

from simper_tf import octave, readout, spectrum, units
from simper_tf.clips import unit_range
from simper_tf.recurrence import recurrence
from simper_tf.refusals import PERIODS, batch_and_time, frames_checks, rate_checks, refuse, size_check, window_checks
from simper_tf.standardize import is_series
from simper_tf.tasks import FREQUENCY_UNITS

# Values of the frames that are encoded at once, unless told otherwise: 128 MB of floats, and several times as much
# inside an encoder.
_MOST_VALUES = 32_000_000
# Encoders make at least so many values of a sample of a series, however few channels it has.
_VALUES_OF_A_SAMPLE = 32


class FeaturesModel(tf.Module):
    """An encoder alone: frames in, features out.

    Args:
        encoder: `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.
        frame_shape: `(H, W, C)`.
        value_range: `(low, high)` of float frames, in their physical unit, that the encoder was trained to see as 0
            and 1; no matter for series, frames of one pixel, which are taken in any unit and standardized.
        num_frames: T, the only length that is taken; None for any from 8 on.
        max_frames: Frames of all clips of a request together, at most; None for as many as hold 32 million values.

    Raises:
        ValueError: the value range is not two finite, rising numbers, the frame shape is not three whole numbers, or
            the most frames are not positive.
    """

    def __init__(self, encoder, frame_shape, value_range=(0.0, 1.0), num_frames=None, max_frames=None):
        super().__init__()
        # TensorFlow's own variables and not the Keras model: that would put each weight into the file twice, and what
        # is restored where no Python runs is the copy that no signature reads.
        self.weights = [weight.value for weight in encoder.weights]
        self.frame_shape = tuple(frame_shape)
        if len(self.frame_shape) != 3 or not all(isinstance(size, numbers.Integral) for size in self.frame_shape):
            raise ValueError(f"`frame_shape` must be (H, W, C), three whole numbers. Received: {self.frame_shape}.")
        self.num_frames = num_frames
        self.is_series, values = is_series(self.frame_shape), math.prod(self.frame_shape)
        values = max(values, _VALUES_OF_A_SAMPLE) if self.is_series else values
        self.max_frames = _MOST_VALUES // values if max_frames is None else max_frames
        if self.max_frames < 1:
            raise ValueError(f"`max_frames` must be at least 1. Received: {self.max_frames}.")
        # One function, traced once, that all signatures call.
        clips = tf.TensorSpec([None, num_frames, *self.frame_shape], tf.float32)
        self._encode = tf.function(functools.partial(encoder, training=False), input_signature=[clips], autograph=False)
        self.value_range = None if self.is_series else _rising("value_range", value_range)

    def features(self, frames):
        """Returns `{"features": (B, T) or (B, T, D)}`, float32, of frames.

        Args:
            frames: `(B, T, H, W, C)` uint8, or float32 in the value range, such as [0, 1]; series in any unit.

        Raises:
            tf.errors.InvalidArgumentError: the frames are not so, or too many.
        """
        return {"features": self.encoded(refuse(self._frames_checks(frames), frames))}

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        return {"features": (self.features, ())}

    def facts(self):
        """Returns what a client must know of requests and answers, for JSON."""
        return {
            "frame_shape": list(self.frame_shape),
            "value_range": self.value_range and list(self.value_range),
            "num_frames": self.num_frames,
            "max_frames": self.max_frames,
        }

    def encoded(self, frames):
        """Returns the features alone of frames that nothing has checked; arguments as in `features`."""
        is_scaled = frames.dtype.is_floating and not self.is_series
        clips = units.rescale(frames, self.value_range) if is_scaled else unit_range(frames)
        return tf.cast(self._encode(clips), tf.float32)

    def _frames_checks(self, frames):
        yield from frames_checks(frames, self.frame_shape, self.num_frames, self.value_range)
        yield from size_check(*batch_and_time(frames), self.max_frames)


class FrequencyModel(FeaturesModel):
    """An encoder with its readout: frames and their rate in, Hz out.

    Args:
        encoder, frame_shape, value_range, max_frames: As in `FeaturesModel`.
        band: `(low, high)` in Hz, in which the frequency lies.
        harmonic: The one at which the features run: that of `votes.Octave`, or of `readout.calibrate_harmonic`;
            `readout.FUNDAMENTAL` to read features in the band, where a prior kept them, by
            `readout.fundamental_frequency`; None to read each clip by its own pixels, see `octave.resolve_octave`, and
            by its features in the band where its pixels show no line.
        unit: A key of `tasks.FREQUENCY_UNITS`, in which frequencies are answered too.

    Raises:
        ValueError: as `FeaturesModel`, the band is not two finite, rising numbers above 0, or the harmonic is
            another.
    """

    def __init__(self, encoder, frame_shape, band, harmonic=None, value_range=(0.0, 1.0), unit="Hz", max_frames=None):
        super().__init__(encoder, frame_shape, value_range, max_frames=max_frames)
        self.band = _rising("band", band, above=0.0)
        is_number = isinstance(harmonic, numbers.Real)
        if not (0 < harmonic < math.inf if is_number else harmonic in (None, readout.FUNDAMENTAL)):
            raise ValueError(
                f"`harmonic` must be a positive number, {readout.FUNDAMENTAL!r} or None. Received: {harmonic!r}."
            )
        self.harmonic = float(harmonic) if is_number else harmonic
        self.multiple = self.harmonic if is_number else 1.0
        # Features that run at a multiple of the frequency reach further than the band.
        self.lowest = self.band[0] / max(self.multiple, 1.0)
        self.highest = self.band[1] / min(self.multiple, 1.0)
        self.unit = FREQUENCY_UNITS[unit]
        # Traced once for each type of frames, for all signatures.
        self._read = _traced_once(self._frequency_and_confidence)
        self._answered = _traced_once(self._answer_and_features)

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        return {
            "serving_default": (self.frequency, ("rate",)),
            "answer": (self.answer, ("rate",)),
            "frequency_over_time": (self.frequency_over_time, ("rate", "window_frames", "hop_frames")),
            **super().signatures(),
        }

    def facts(self):
        """Returns what a client must know of requests and answers, for JSON."""
        limits = {"least_rate": 2 * self.highest, "least_seconds": PERIODS / self.lowest}
        facts = {"band_hz": list(self.band), **limits, "harmonic": self.harmonic}
        return {**super().facts(), **facts, "answer": self.unit.answer}

    def frequency(self, frames, rate):
        """Returns what `answer` does, and the features.

        Args:
            frames, rate: As in `answer`.
        """
        return self._answered(frames, rate)

    def answer(self, frames, rate):
        """Returns frequencies in Hz, inside the band, the same in the unit of the task, and confidences in [0, 1].

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
        answer = self._answered(frames, rate)
        return {name: values for name, values in answer.items() if name != "features"}

    def frequency_over_time(self, frames, rate, window_frames, hop_frames):
        """Returns what `answer` does of windows of recordings, `(B, N)` each, and when, in seconds, their middles lie.

        Windows are encoded one after the other, so that memory does not grow with the recording but by its frames.

        Args:
            frames: As in `features`, of any length.
            rate: As in `answer`.
            window_frames, hop_frames: `(B,)` int32, frames of a window and from the start of one to that of the next;
                the same for all recordings of a request.

        Raises:
            tf.errors.InvalidArgumentError: one of them is not so, or windows are too short for the band.
        """
        frames = refuse(self._recording_checks(frames, rate, window_frames, hop_frames), frames)
        with tf.control_dependencies([frames]):  # The same for all, once checked.
            window, hop, each_rate = tf.reduce_max(window_frames), tf.reduce_max(hop_frames), tf.reshape(rate, [-1, 1])
        starts = tf.range(0, tf.shape(frames)[1] - window + 1, hop)

        def read(start):
            piece = frames[:, start : start + window]
            return self._read(self.encoded(piece), piece, rate)

        both = tf.float32, tf.float32
        found = tf.map_fn(read, starts, parallel_iterations=1, fn_output_signature=both)
        frequency, confidence = map(tf.transpose, found)
        middle = (tf.cast(starts, tf.float32) + 0.5 * tf.cast(window, tf.float32)) / each_rate
        return {**self._in_units(frequency, window, each_rate), "confidence": confidence, "middle_s": middle}

    def _answer_and_features(self, frames, rate):
        frames = refuse(itertools.chain(self._frames_checks(frames), self._rate_checks(frames, rate)), frames)
        features = self.encoded(frames)
        frequency, confidence = self._read(features, frames, rate)
        answer = self._in_units(frequency, tf.shape(frames)[1], rate)
        return {**answer, "confidence": confidence, "features": features}

    def _in_units(self, frequency, num_frames, rate):
        seconds = tf.cast(num_frames, tf.float32) / rate
        return {"frequency_hz": frequency, self.unit.answer: frequency * self.unit.per_hertz(seconds)}

    def _frequency_and_confidence(self, features, frames, rate):
        low, high = self.band
        frequency, share = readout.fft_frequency(features, rate, (low / self.multiple, high / self.multiple))
        frequency *= self.multiple
        if self.harmonic == readout.FUNDAMENTAL:
            frequency = readout.fundamental_frequency(features, rate, self.band)
        if self.harmonic is not None:
            # They were found to run at this multiple, whatever pixels show; below what noise reaches they say nothing.
            channels = features[..., None] if features.shape.rank == 2 else features
            courses, found = tf.linalg.matrix_transpose(channels), share > 0
        else:
            pixels = spectrum.pixel_power(frames)
            shown = tf.reduce_any(spectrum.lines(pixels) > 0, axis=1)
            frequency = tf.where(shown, octave.resolve_octave(features, pixels, rate), frequency)
            courses, found = spectrum.pixel_series(frames), (frequency >= low) & (frequency <= high)
        frequency = tf.clip_by_value(frequency, low, high)
        confidence = recurrence(courses, rate * self.multiple / frequency)
        return frequency, tf.where(found, confidence, 0.0)

    def _rate_checks(self, frames, rate):
        yield from rate_checks(rate, *batch_and_time(frames), self.band, self.lowest, self.highest)

    def _recording_checks(self, frames, rate, window_frames, hop_frames):
        yield from frames_checks(frames, self.frame_shape, None, self.value_range)
        batch, num_frames = batch_and_time(frames)
        yield from window_checks(window_frames, hop_frames, batch, num_frames)
        window = tf.reduce_max(window_frames)
        yield from size_check(batch, window, self.max_frames)
        yield from rate_checks(rate, batch, window, self.band, self.lowest, self.highest)


class HeadModel(FeaturesModel):
    """An encoder with the head that was trained with it: frames in, labels out.

    Args:
        method: A method with `labels_of`, `encoder`, `regressor` and `views` of whole clips.
        frame_shape, value_range, max_frames: As in `FeaturesModel`.
        name: Name of the output, with its unit.
    """

    def __init__(self, method, frame_shape, name, value_range=(0.0, 1.0), max_frames=None):
        super().__init__(method.encoder, frame_shape, value_range, method.views.num_frames, max_frames)
        self.weights += [weight.value for weight in method.head_weights]
        self.answer_name = name
        self._labels = method.labels_of

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        return {"serving_default": (self.labels, ()), "answer": (self.answer, ()), **super().signatures()}

    def facts(self):
        """Returns what a client must know of requests and answers, for JSON."""
        return {**super().facts(), "answer": self.answer_name}

    def labels(self, frames):
        """Returns the labels of frames under the name of the answer, `(B,)` or `(B, H)`, and the features.

        Args:
            frames: As in `features`, of the one length that the head was trained on.

        Raises:
            tf.errors.InvalidArgumentError: the frames are not so.
        """
        features = self.encoded(refuse(self._frames_checks(frames), frames))
        return {self.answer_name: self._labels(features), "features": features}

    def answer(self, frames):
        """Returns the labels alone; arguments and errors are those of `labels`."""
        return {self.answer_name: self.labels(frames)[self.answer_name]}


def _traced_once(function):
    """Returns a `tf.function` that saving does not find: those that a module holds are traced again to be saved."""
    traced = tf.function(function, autograph=False)
    return lambda *given: traced(*given)


def _rising(name, pair, above=-math.inf):
    edges = tuple(map(float, pair))
    if len(edges) != 2 or not above < edges[0] < edges[1] < math.inf:
        limits = "" if above == -math.inf else f" above {above:g}"
        raise ValueError(f"`{name}` must be two finite, rising numbers{limits}. Received: {pair}.")
    return edges
