"""Refusals of samples that tell no rate, with what may be meant."""

import numpy as np

from simper_tf.signals import filters
from simper_tf.tables.series_files import REMEDY
from simper_tf.utils.errors import RawDataError

# Of watches, phones, cameras, and recorders of ECG and EEG.
_USUAL_RATES = (10, 20, 25, 30, 32, 50, 60, 64, 100, 125, 128, 200, 250, 256, 300, 360, 500, 512, 1000, 2000)
_PULSE = 1.2  # Hz of a heart at rest, by which a rate is proposed.
# Samples of a beat, beats, and how alike two are, from which on a heart is plausible: at 25 Hz a beat has 20 samples.
# Beat intervals, steps of a walk and visual brightness of stars are less alike than 0.3; a noisy ECG is 0.36.
_FEWEST, _BEATS, _ALIKE = 20, 3, 0.3
# Seconds from beat to beat, and the root mean square of their steps beside their deviation from which on numbers in
# that range are such: of 23 people it is 0.48 to 1.2, of sampled pulses and ECG below 0.2.
_FROM_BEAT_TO_BEAT, _JUMPS = (0.3, 2.0), 0.3


def refuse(path, values: np.ndarray, clock_words: str = ""):
    """Raises RawDataError; where values repeat as a heart may, it proposes the usual rate at which they would.

    Args:
        path: Of the file.
        values: `(T, C)`.
        clock_words: A sentence on a column beside them that may hold times; "" without one.
    """
    # A heart beats often enough in as many: at 256 a second they are a minute.
    values = values[: 2**14][:, 0]
    values = values[np.isfinite(values)]
    if len(values) < 3:
        raise RawDataError(path, f"{len(values)} samples that are numbers", "three or more", REMEDY)
    for unit, word in ((1.0, "seconds"), (1000.0, "milliseconds")):
        low, high = (unit * edge for edge in _FROM_BEAT_TO_BEAT)
        # One in a hundred may be a beat that was missed.
        is_inside = values.min() > 0 and low <= np.quantile(values, 0.01) and np.quantile(values, 0.99) <= high
        if not clock_words and is_inside and np.mean(np.diff(values) ** 2) > (_JUMPS * values.std()) ** 2 > 0:
            found = f"numbers without times, such as {word} from beat to beat"
            action = "Write beside each the sum of those before it, as a column time in seconds."
            raise RawDataError(path, found, "samples with their rate or times", f"{action} Or name `rate=NUMBER`.")
    # Spans of 1/500 and of 1/100: of 20 to 100 beats, a twenty-fifth of a beat to a whole one.
    smooth = filters.smooth(values, max(len(values) // 500, 1))
    rise = np.maximum(np.diff(smooth), 0)  # Of spikes as of waves, there is one a repetition.
    lag = _beat(filters.smooth(rise, max(len(values) // 100, 1)))
    action = "Name the samples per second: `rate=NUMBER`."
    if lag and not clock_words:
        proposed = min(_USUAL_RATES, key=lambda usual: abs(np.log(usual / (_PULSE * lag))))
        action = (
            f"Name it, such as `rate={proposed}`, at which it would repeat {60 * proposed / lag:.0f} times a minute."
        )
    if clock_words:
        action = f"{clock_words} Or {action[0].lower()}{action[1:]}"
    raise RawDataError(path, "samples without their rate", "a rate, or a column time in seconds", action)


def _beat(values):
    """Returns the lag of the highest peak of the autocorrelation; None where it is that of no heart."""
    curve = filters.autocorrelated(values - values.mean())
    lag = max(filters.tops(curve[: len(values) // 2]), key=curve.__getitem__, default=0)
    return lag if lag >= _FEWEST and _BEATS * lag <= len(values) and curve[lag] > _ALIKE * curve[0] else None
