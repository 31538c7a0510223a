"""Frequencies of clips by their features, at the multiple that their pixels show, without a label."""

from collections.abc import Callable

import numpy as np

from simper_tf.signals import spectrum, votes
from simper_tf.signals.readout import check_rate

# Clips that are encoded at once.
CLIPS_AT_ONCE = 32


def frequency(encode: Callable, clips, rate):
    """Returns frequencies in Hz; see `Method.frequency`."""
    if np.ndim(clips) == 4:
        return float(frequency(encode, np.asarray(clips)[None], rate)[0])
    check_rate(rate, len(clips))
    features, pixels = _read(encode, clips)
    hertz = votes.find_octave(features, pixels).frequency(features, pixels, np.float32(rate))
    still = np.array([(clip == clip[:1]).all() for clip in map(np.asarray, clips)])
    return np.where(still, np.float32(np.nan), hertz)


def find_octave(encode: Callable, clips, lowest: float = 0.0) -> votes.Octave:
    """Returns the multiple of the frequency at which features run; see `Method.octave`."""
    return votes.find_octave(*_read(encode, clips), lowest)


def _read(encode, clips):
    """Returns the features and the pixels' power of clips, a few at a time."""
    parts = [clips[k : k + CLIPS_AT_ONCE] for k in range(0, len(clips), CLIPS_AT_ONCE)]
    readings = [(encode(few), spectrum.pixel_power(few)) for few in parts]
    return tuple(np.concatenate(values) for values in zip(*readings, strict=True))
