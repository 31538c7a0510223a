"""Encoder whose features are read by harmonic patterns, as it is exported: frames and their rate -> hertz."""

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from simper_tf.export.served_hertz import HertzModel
from simper_tf.signals import pattern_reader, samples


class PatternModel(HertzModel):
    """An encoder whose features are read by the patterns that harmonics have in those of training clips.

    Confidence is how likely frames are in their order, and not shuffled, see `pattern_reader.answers_of`.

    Args:
        known: What `patterns.learn` returns, of features, with a confidence.
        encoder, frame_shape, value_range, unit, max_frames: As in `HertzModel`; the band is that of the patterns.
    """

    def __init__(
        self, encoder, frame_shape, known: Mapping[str, np.ndarray], value_range=(0.0, 1.0), unit="Hz", max_frames=None
    ):
        super().__init__(encoder, frame_shape, known["band"].tolist(), value_range, unit, max_frames)
        self.known = {name: tf.Variable(values, False, name=name) for name, values in known.items()}
        self.weights += list(self.known.values())

    def facts(self):
        """Returns what a client must know of requests and answers, for JSON."""
        return {**super().facts(), "least_confidence": samples.SURE}

    def _frequency_and_confidence(self, features, frames, rate):
        series = features[..., None] if features.shape.rank == 2 else features
        cycles, confidence = pattern_reader.answers_of(self.known, series, rate)
        frequency = tf.cast(cycles * tf.cast(rate, tf.float64), tf.float32)
        return tf.clip_by_value(frequency, *self.band), confidence
