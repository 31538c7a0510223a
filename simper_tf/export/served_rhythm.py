"""The network of rhythms, as it is exported: frames and their rate -> hertz, by the chances of all periods."""

import tensorflow as tf

from simper_tf.export.requests import least_rate_checks
from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.methods import rhythm_scales
from simper_tf.signals import samples
from simper_tf.utils.units import PERIODS

_FEATURES = (
    "(batch, time, periods): the chance of each period at every frame. A period lasts its share of period_shares of "
    "the seconds from the first frame of the clip to the last"
)
_TOLERANCE = 0.02  # Share by which clips may be longer: rates of files are not exact.


class RhythmModel(FrequencyModel):
    """A `FrequencyModel` of `rhythm_scales.over_scales`: the likeliest period, refined by pixels.

    Features are the chances of the periods at every frame. A harmonic other than 1 is what labels have told.
    """

    def facts(self):
        limits = {"least_seconds": PERIODS / self.highest, "least_confidence": samples.SURE}
        shares = [float(f"{share:.5g}") for share in rhythm_scales.period_shares()]
        return {**super().facts(), **limits, "features_are": _FEATURES, "period_shares": shares}

    def _rate_checks(self, rate, batch, num_frames):
        """Of a clip that is too short for slow repetitions the faster ones are told."""
        why = f"twice the upper end of the band of {self.band[0]:g} to {self.band[1]:g} Hz"
        yield from least_rate_checks(rate, batch, 2 * self.highest, why)
        longest, slowest = rhythm_scales.longest(self.band[1] / self.multiple), tf.reduce_min(rate)
        yield (
            tf.cast(num_frames, tf.float32) <= (1 + _TOLERANCE) * longest * slowest + 1,
            tf.strings.format(
                f"`frames` must last {longest:.4g} s at most: in longer ones {self.band[1]:g} Hz, the upper end of the "
                "band, look slower. Cut them, or call `frequency_over_time`. Received: {} frames at a `rate` of {} per "
                "second.",
                [num_frames, slowest],
            ),
        )

    def _frequency_and_confidence(self, features, frames, rate):
        low, high = (edge / self.multiple for edge in self.band)
        frequency, confidence = rhythm_scales.read(features, frames, rate, (low, high))
        return self.multiple * frequency, confidence
