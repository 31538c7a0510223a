"""Encoder with its readout, as it is exported: frames and their rate -> hertz."""

import math
import numbers

import tensorflow as tf

from simper_tf.export import noise_lines
from simper_tf.export.served_hertz import HertzModel
from simper_tf.signals import octave, readout, spectrum
from simper_tf.signals.recurrence import recurrence

# Hundreds of operations that are the same for every model and type of frames, traced once for all.
_resolve_octave = tf.function(octave.resolve_octave, autograph=False)
_denials = tf.function(octave.denials, autograph=False)


class FrequencyModel(HertzModel):
    """An encoder whose features, or the pixels beside them, are read by their spectrum.

    Confidence is the share of the change within a period that is undone at its end, see `recurrence`: of features
    with a common harmonic, of pixels where each clip is read by its own. It is 0 where the peak lies outside the
    band or at its end, and where features with a common harmonic are no surer than those of noise; of series, than
    those that this encoder makes of noise, unless the series has the same line, see `noise_lines`. The harmonic is
    that of clips like those of training: where pixels clearly show another one, they are believed, or confidence
    is 0, see `is_overruled`.

    Args:
        encoder, frame_shape, band, value_range, unit, max_frames: As in `HertzModel`.
        harmonic: The one at which the features run: that of `votes.Octave`, or of `readout.calibrate_harmonic`;
            `readout.FUNDAMENTAL` to read features in the band, where a prior kept them, by
            `readout.fundamental_frequency`; None to read each clip by its own pixels, see `octave.resolve_octave`, and
            by its features in the band where its pixels show no line.
        is_overruled: Whether a clip whose pixels clearly show another multiple than a common one is read by them, see
            `votes.Octave.is_overruled`; else it has no confidence.

    Raises:
        ValueError: as `HertzModel`, or the harmonic is another.
    """

    def __init__(
        self, encoder, frame_shape, band, harmonic=None, value_range=(0.0, 1.0), unit="Hz", max_frames=None,
        is_overruled=False,
    ):  # fmt: skip
        is_number = isinstance(harmonic, numbers.Real)
        if not (0 < harmonic < math.inf if is_number else harmonic in (None, readout.FUNDAMENTAL)):
            raise ValueError(
                f"`harmonic` must be a positive number, {readout.FUNDAMENTAL!r} or None. Received: {harmonic!r}."
            )
        multiple = float(harmonic) if is_number else 1.0
        super().__init__(encoder, frame_shape, band, value_range, unit, max_frames, multiple)
        self.harmonic, self.is_overruled = multiple if is_number else harmonic, is_overruled
        is_common = self.is_series and self.harmonic is not None
        self.noise_width = noise_lines.noise_width(self.encoded, self.frame_shape[2]) if is_common else None

    def facts(self):
        """Returns what a client must know of requests and answers, for JSON."""
        return {**super().facts(), "harmonic": self.harmonic, "is_overruled": self.is_overruled}

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
