"""The network of rhythms, as it is exported: frames and their rate -> hertz, by the chances of all periods."""

from simper_tf.export.requests import least_rate_checks
from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.methods import rhythm_scales
from simper_tf.utils.units import PERIODS


class RhythmModel(FrequencyModel):
    """A `FrequencyModel` of `rhythm_scales.over_scales`: the likeliest period, refined by pixels.

    Features are the chances of the periods at every frame. A harmonic other than 1 is what labels have told.
    """

    def facts(self):
        limits = {"least_seconds": PERIODS / self.highest, "least_confidence": rhythm_scales.SURE}
        return {**super().facts(), **limits}

    def _rate_checks(self, rate, batch, num_frames):
        """Of a clip that is too short for slow repetitions the faster ones are told."""
        why = f"twice the upper end of the band of {self.band[0]:g} to {self.band[1]:g} Hz"
        yield from least_rate_checks(rate, batch, 2 * self.highest, why)

    def _frequency_and_confidence(self, features, frames, rate):
        low, high = (edge / self.multiple for edge in self.band)
        frequency, confidence = rhythm_scales.read(features, frames, rate, (low, high))
        return self.multiple * frequency, confidence
