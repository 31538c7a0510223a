"""The network of rhythms, as it is exported: frames and their rate -> hertz, by the chances of all periods."""

from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.methods import rhythm_scales


class RhythmModel(FrequencyModel):
    """A `FrequencyModel` of `rhythm_scales.over_scales`: the likeliest period, refined by pixels.

    Features are the chances of the periods at every frame. A harmonic other than 1 is what labels have told.
    """

    def _frequency_and_confidence(self, features, frames, rate):
        low, high = (edge / self.multiple for edge in self.band)
        frequency, confidence = rhythm_scales.read(features, frames, rate, (low, high))
        return self.multiple * frequency, confidence
