"""Encoder with its readout, as it is exported: frames and their rate -> hertz."""

import itertools
import math
import numbers

import tensorflow as tf

from simper_tf.evaluation.tasks import FREQUENCY_UNITS
from simper_tf.export import noise_lines
from simper_tf.export.requests import (
    batch_and_time,
    frames_checks,
    overlap_check,
    rate_checks,
    refuse,
    size_check,
    window_checks,
)
from simper_tf.export.served_features import FeaturesModel, rising, traced_once
from simper_tf.signals import octave, readout, spectrum
from simper_tf.signals.recurrence import recurrence
from simper_tf.utils.units import PERIODS

# Hundreds of operations that are the same for every model and type of frames, traced once for all.
_resolve_octave = tf.function(octave.resolve_octave, autograph=False)
_denials = tf.function(octave.denials, autograph=False)


class FrequencyModel(FeaturesModel):
    """An encoder with its readout: frames and their rate in, Hz out.

    Args:
        encoder, frame_shape, value_range, max_frames: As in `FeaturesModel`.
        band: `(low, high)` in Hz, in which the frequency lies.
        harmonic: The one at which the features run: that of `votes.Octave`, or of `readout.calibrate_harmonic`;
            `readout.FUNDAMENTAL` to read features in the band, where a prior kept them, by
            `readout.fundamental_frequency`; None to read each clip by its own pixels, see `octave.resolve_octave`, and
            by its features in the band where its pixels show no line.
        is_overruled: Whether a clip whose pixels clearly show another multiple than a common one is read by them, see
            `votes.Octave.is_overruled`; else it has no confidence.
        unit: A key of `tasks.FREQUENCY_UNITS`, in which frequencies are answered too.

    Raises:
        ValueError: as `FeaturesModel`, the band is not two finite, rising numbers above 0, or the harmonic is
            another.
    """

    def __init__(
        self, encoder, frame_shape, band, harmonic=None, value_range=(0.0, 1.0), unit="Hz", max_frames=None,
        is_overruled=False,
    ):  # fmt: skip
        super().__init__(encoder, frame_shape, value_range, max_frames=max_frames)
        self.band = rising("band", band, above=0.0)
        is_number = isinstance(harmonic, numbers.Real)
        if not (0 < harmonic < math.inf if is_number else harmonic in (None, readout.FUNDAMENTAL)):
            raise ValueError(
                f"`harmonic` must be a positive number, {readout.FUNDAMENTAL!r} or None. Received: {harmonic!r}."
            )
        self.harmonic = float(harmonic) if is_number else harmonic
        self.multiple, self.is_overruled = self.harmonic if is_number else 1.0, is_overruled
        # Features that run at a multiple of the frequency reach further than the band.
        self.lowest = self.band[0] / max(self.multiple, 1.0)
        self.highest = self.band[1] / min(self.multiple, 1.0)
        self.unit = FREQUENCY_UNITS[unit]
        is_common = self.is_series and self.harmonic is not None
        self.noise_width = noise_lines.noise_width(self.encoded, self.frame_shape[2]) if is_common else None
        # Traced once for each type of frames, for all signatures.
        self._read = traced_once(self._frequency_and_confidence)
        self._answered = traced_once(self._answer_and_features)

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
        facts = {"band_hz": list(self.band), **limits, "harmonic": self.harmonic, "is_overruled": self.is_overruled}
        return {**super().facts(), **facts, "answer": self.unit.answer}

    def frequency(self, frames, rate):
        """Returns what `answer` does, and the features."""
        return self._answered(frames, rate)

    def answer(self, frames, rate):
        """Returns frequencies in Hz, inside the band, the same in the unit of the task, and confidences in [0, 1].

        Confidence is the share of the change within a period that is undone at its end, see `recurrence`: of features
        with a common harmonic, of pixels where each clip is read by its own. It is 0 where the peak lies outside the
        band or at its end, and where features with a common harmonic are no surer than those of noise; of series, than
        those that this encoder makes of noise, unless the series has the same line, see `noise_lines`. The harmonic is
        that of clips like those of training: where pixels clearly show another one, they are believed, or confidence
        is 0, see `is_overruled`.

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
        Their frames and hops are `(B,)` int32, the same for all. They are refused where they are too short for the
        band, or overlap so much that they hold more frames than `max_frames` and than four times those of the request.
        """
        frames = refuse(self._recording_checks(frames, rate, window_frames, hop_frames), frames)
        with tf.control_dependencies([frames]):  # The same for all, once checked.
            window, hop, rates = tf.reduce_max(window_frames), tf.reduce_max(hop_frames), tf.reshape(rate, [-1, 1])
        starts = tf.range(0, tf.shape(frames)[1] - window + 1, hop)

        def read(start):
            piece = frames[:, start : start + window]
            return self._read(self.encoded(piece), piece, rate)

        both = tf.float32, tf.float32
        answers = tf.map_fn(read, starts, parallel_iterations=1, fn_output_signature=both)
        frequency, confidence = map(tf.transpose, answers)
        middle = (tf.cast(starts, tf.float32) + 0.5 * tf.cast(window, tf.float32)) / rates
        return {**self._in_units(frequency, window, rates), "confidence": confidence, "middle_s": middle}

    def _answer_and_features(self, frames, rate):
        frames = refuse(
            itertools.chain(self.frames_checks(frames), self._rate_checks(rate, *batch_and_time(frames))), frames
        )
        features = self.encoded(frames)
        frequency, confidence = self._read(features, frames, rate)
        answer = self._in_units(frequency, tf.shape(frames)[1], rate)
        return {**answer, "confidence": confidence, "features": features}

    def _in_units(self, frequency, num_frames, rate):
        return self.unit.answers(frequency, tf.cast(num_frames, tf.float32), rate)

    def _frequency_and_confidence(self, features, frames, rate):
        low, pixels = self.band[0], spectrum.pixel_power(frames)
        frequency, confidence = self._by_features(features, frames, rate)
        if self.harmonic is None:
            shown = tf.reduce_any(spectrum.lines(pixels) > 0, axis=1)
            return self._by_pixels(
                tf.where(shown, _resolve_octave(features, pixels, rate, low), frequency), frames, rate
            )
        if self.multiple > 1:  # Of features at a part of the frequency pixels tell nothing: none steps up.
            return frequency, confidence
        are_denied, seen = _denials(features, pixels, frequency, rate, low)
        others = self._by_pixels(seen, frames, rate) if self.is_overruled else (frequency, tf.zeros_like(confidence))
        return tf.where(are_denied, others[0], frequency), tf.where(are_denied, others[1], confidence)

    def _by_features(self, features, frames, rate):
        """Returns frequencies at the common multiple, and how sure features are: 0 below what noise reaches."""
        low, high = self.band
        frequency, share = readout.fft_frequency(features, rate, (low / self.multiple, high / self.multiple))
        frequency *= self.multiple
        if self.harmonic == readout.FUNDAMENTAL:
            frequency = readout.fundamental_frequency(features, rate, self.band)
        frequency = tf.clip_by_value(frequency, low, high)
        channels = features[..., None] if features.shape.rank == 2 else features
        confidence = recurrence(tf.linalg.matrix_transpose(channels), rate * self.multiple / frequency)
        is_told = share > 0
        if self.noise_width is not None:
            series = spectrum.pixel_series(frames)
            is_told &= noise_lines.is_line(series, share, frequency, rate, self.band, self.noise_width)
        return frequency, tf.where(is_told, confidence, 0.0)

    def _by_pixels(self, frequency, frames, rate):
        """Returns frequencies, in the band, and how sure pixels are of them: not at all outside the band."""
        low, high = self.band
        is_within = (frequency >= low) & (frequency <= high)
        frequency = tf.clip_by_value(frequency, low, high)
        return frequency, tf.where(is_within, recurrence(spectrum.pixel_series(frames), rate / frequency), 0.0)

    def _rate_checks(self, rate, batch, num_frames):
        yield from rate_checks(rate, batch, num_frames, self.band, self.lowest, self.highest)

    def _recording_checks(self, frames, rate, window_frames, hop_frames):
        yield from frames_checks(frames, self.frame_shape, None, self.value_range)
        batch, num_frames = batch_and_time(frames)
        yield from window_checks(window_frames, hop_frames, batch, num_frames)
        window, hop = tf.reduce_max(window_frames), tf.reduce_max(hop_frames)
        yield from size_check(batch, window, self.max_frames)
        yield from overlap_check(window, hop, batch, num_frames, self.max_frames)
        yield from self._rate_checks(rate, batch, window)
