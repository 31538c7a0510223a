"""Encoder whose features are read for frequencies, as it is exported: frames and their rate -> hertz."""

import itertools

import tensorflow as tf

from simper_tf.evaluation.tasks import FREQUENCY_UNITS
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
from simper_tf.utils.units import PERIODS


class HertzModel(FeaturesModel):
    """An encoder with a readout of frequencies: frames and their rate in, Hz out.

    Args:
        encoder, frame_shape, value_range, max_frames: As in `FeaturesModel`.
        band: `(low, high)` in Hz, in which the frequency lies.
        unit: A key of `tasks.FREQUENCY_UNITS`, in which frequencies are answered too.
        multiple: Of the frequency, at which features run: at another one they reach further than the band.

    Raises:
        ValueError: as `FeaturesModel`, or the band is not two finite, rising numbers above 0.
    """

    def __init__(self, encoder, frame_shape, band, value_range=(0.0, 1.0), unit="Hz", max_frames=None, multiple=1.0):
        super().__init__(encoder, frame_shape, value_range, max_frames=max_frames)
        self.band, self.multiple = rising("band", band, above=0.0), multiple
        self.lowest = self.band[0] / max(multiple, 1.0)
        self.highest = self.band[1] / min(multiple, 1.0)
        self.unit = FREQUENCY_UNITS[unit]
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
        return {**super().facts(), "band_hz": list(self.band), **limits, "answer": self.unit.answer}

    def frequency(self, frames, rate):
        """Returns what `answer` does, and the features."""
        return self._answered(frames, rate)

    def answer(self, frames, rate):
        """Returns frequencies in Hz, inside the band, the same in the unit of the task, and confidences in [0, 1].

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
        """Returns frequencies in Hz, inside the band, and confidences of clips that were checked, `(B,)` each."""
        raise NotImplementedError

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
