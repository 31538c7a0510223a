"""Checks and conversions of physical numbers: bands of frequencies, values of clips."""

import numpy as np
import tensorflow as tf

# Frames that encoders need, whatever the rate.
FEWEST_FRAMES = 8
# Periods in a clip; a spectrum cannot tell fewer from a drift.
PERIODS = 2


def check_band(name, band):
    """Refuses a band `(low, high)` outside of 0 to 0.5 cycles per frame, such as one in Hz, with a ValueError."""
    if np.shape(band) != (2,) or not 0 <= band[0] <= band[1]:
        raise ValueError(f"`{name}` must be (low, high) with 0 <= low <= high. Received: {band}.")
    low, high = band
    if high > 0.5:
        raise ValueError(
            f"`{name}` is in cycles per frame, of which there are at most 0.5. Received: ({low:g}, {high:g}). "
            "If that is in Hz, divide it by the frames per second."
        )


def rescale(values, value_range):
    """Maps physical values of a range to float32 in [0, 1]; what lies beyond is cut, and NaN stays."""
    low, high = value_range
    return tf.clip_by_value((tf.cast(values, tf.float32) - low) / (high - low), 0.0, 1.0)
