"""Checks and conversions of physical numbers: bands of frequencies, values of clips."""

import tensorflow as tf

# Frames that encoders need, whatever the rate.
FEWEST_FRAMES = 8
# Periods in a clip; a spectrum cannot tell fewer from a drift.
PERIODS = 2


def check_band(name, band):
    """Refuses a band of frequencies that is not one in cycles per frame, such as one in Hz.

    Args:
        name: Name of the argument, for the message.
        band: `(low, high)`.

    Raises:
        ValueError: it is reversed, or reaches below 0 or above 0.5, where frames are too far apart.
    """
    low, high = band
    if not 0 <= low <= high:
        raise ValueError(f"`{name}` must be (low, high) with 0 <= low <= high. Received: ({low:g}, {high:g}).")
    if high > 0.5:
        raise ValueError(
            f"`{name}` is in cycles per frame, of which there are at most 0.5. Received: ({low:g}, {high:g}). "
            "If that is in Hz, divide it by the frames per second."
        )


def rescale(values, value_range):
    """Maps physical values to [0, 1], as encoders take them; what lies beyond the range is cut, NaN stays.

    Args:
        values: Floats of any shape.
        value_range: `(low, high)`, the values that become 0 and 1.

    Returns:
        float32 of the same shape.
    """
    low, high = value_range
    return tf.clip_by_value((tf.cast(values, tf.float32) - low) / (high - low), 0.0, 1.0)
