"""Physical units: of the labels of a data set, and of the values in its clips."""

import tensorflow as tf

# Unit of a label -> what 1 Hz is in it, for a clip of so many seconds. Any other unit is not that of a frequency.
_PER_HERTZ = {
    "Hz": lambda seconds: 1.0,
    "bpm": lambda seconds: 60.0,  # Beats per minute.
    "count": lambda seconds: seconds,  # Repetitions in the clip.
}


def is_frequency(unit):
    """Returns whether a label in this unit is a frequency, and so can be read off a spectrum."""
    return unit in _PER_HERTZ


def per_hertz(unit, seconds):
    """Returns the factor from Hz to the unit of a label.

    Args:
        unit: `Hz`, `bpm` (beats per minute) or `count` (repetitions in the clip).
        seconds: Duration of the clip, a number or `(N,)`.

    Raises:
        ValueError: `unit` is not that of a frequency.
    """
    if not is_frequency(unit):
        raise ValueError(f"`unit` must be one of {sorted(_PER_HERTZ)}, for a frequency. Received: {unit!r}.")
    return _PER_HERTZ[unit](seconds)


def check_band(name, band):
    """Refuses a band of frequencies that is not one in cycles per frame, such as one in Hz.

    Args:
        name: Of the argument, for the message.
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
