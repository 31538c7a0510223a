"""Checks of requests inside the graph of an exported model, each refusal a sentence.

A client in C or behind a server sees nothing but the graph's own messages, so each says which input is wrong, what was
found and what is expected. Checks are pairs of a condition and a message, both tensors.
"""

import tensorflow as tf

from simper_tf.utils.units import FEWEST_FRAMES, PERIODS

# A hundredth of a period less does not matter.
_PERIODS_TOLERANCE = 0.01
# Resizing and compression overshoot the range of floats a little.
_VALUE_TOLERANCE = 0.01
# Of a rate that is meant to be twice the band's upper end.
_ROUNDING = 1e-6
# Times that windows may encode each frame of a long recording: so a request takes no longer than its size warrants.
_OVERLAP = 4


def refuse(checks, frames):
    """Returns the frames once all checks hold; of several that do not, the first is reported.

    What is computed for one check waits until those before it hold: a mean over time of something without a time would
    fail in words of its own.
    """
    done = []
    while True:
        with tf.control_dependencies(done):
            holds, message = next(checks, (None, None))
            if holds is None:
                return tf.identity(frames)
            done = [tf.debugging.Assert(holds, [message])]


def frames_checks(frames, frame_shape, num_frames, value_range):
    """Yields checks of the shape of frames, and of the values of floats; None for any length, or any range."""
    shape, sizes = _shape(frames, 6), ", ".join(map(str, frame_shape))
    fits = tf.reduce_all((shape == [-1, -1, *frame_shape, -1]) | ([True] * 2 + [False] * 4))
    fewest = num_frames or FEWEST_FRAMES
    time = f"time = {fewest}" if num_frames else f"time >= {fewest}"
    yield (
        fits & (shape[0] >= 1) & (shape[1] == fewest if num_frames else shape[1] >= fewest),
        tf.strings.format(
            f"`frames` must have the shape (batch >= 1, {time}, {sizes}). Received: {{}}.",
            tf.shape(frames),
            summarize=8,
        ),
    )
    if frames.dtype.is_floating:
        yield from _value_checks(frames, value_range)


def size_check(batch, num_frames, most):
    """Yields the check of how many frames are encoded at once, which decides how much memory it takes."""
    yield (
        tf.cast(batch, tf.int64) * tf.cast(num_frames, tf.int64) <= most,
        tf.strings.format(
            f"`frames` may hold at most {most} frames that are encoded at once. Received: {{}} clips of {{}} frames. "
            "Send fewer clips at a time, or shorter ones.",
            [batch, num_frames],
        ),
    )


def rate_checks(rate, batch, num_frames, band, lowest, highest):
    """Yields checks of `(B,)` rates, and of the length of clips at these rates.

    Features run between `lowest` and `highest` Hz for the band.
    """
    low, high = band
    why = f"twice the frequency up to which features run for the band of {low:g} to {high:g} Hz"
    yield from least_rate_checks(rate, batch, 2 * highest, why)
    fastest = tf.reduce_max(rate)
    seconds = PERIODS / lowest
    slower = f", at {lowest / low:.2g} of which features run" if lowest < low else ""
    yield (
        tf.cast(num_frames, tf.float32) >= seconds * fastest * (1 - _PERIODS_TOLERANCE),
        tf.strings.format(
            f"`frames` must last {seconds:g} s, {PERIODS} periods of the lower end of the band of {low:g} to "
            f"{high:g} Hz{slower}. Received: {{}} frames at a `rate` of {{}} per second.",
            [num_frames, fastest],
        ),
    )


def least_rate_checks(rate, batch, least, why):
    """Yields checks of rates alone, by the lowest that is taken and what that is, in print."""
    yield _one_for_each("rate", rate, batch)
    yield (
        tf.reduce_all(tf.math.is_finite(rate)) & (tf.reduce_min(rate) >= least * (1 - _ROUNDING)),
        tf.strings.format(
            f"`rate` must be finite and at least {least:g} frames per second, {why}. Received: {{}}.",
            rate,
        ),
    )


def window_checks(window_frames, hop_frames, batch, num_frames):
    """Yields checks of how recordings are cut into windows, by `(B,)` whole numbers that are the same for all."""
    for name, values, least in (("window_frames", window_frames, FEWEST_FRAMES), ("hop_frames", hop_frames, 1)):
        yield _one_for_each(name, values, batch)
        lowest, highest = tf.reduce_min(values), tf.reduce_max(values)
        yield (
            (lowest == highest) & (lowest >= least) & (lowest <= num_frames),
            tf.strings.format(
                f"`{name}` must be the same for all clips, from {least} to their frames, {{}}. Received: {{}}.",
                [num_frames, values],
            ),
        )


def overlap_check(window, hop, batch, num_frames, most):
    """Yields the check of how many frames all windows of a request hold together, which decides how long it takes.

    So many are taken, or `_OVERLAP` times those of the recordings if that is more.
    """
    batch, num_frames, window, hop = (tf.cast(count, tf.int64) for count in (batch, num_frames, window, hop))
    windows = (num_frames - window) // hop + 1
    most = tf.maximum(tf.constant(most, tf.int64), _OVERLAP * batch * num_frames)
    yield (
        batch * windows * window <= most,
        tf.strings.format(
            "`hop_frames` must be so large that windows hold at most {} frames in all. Received: {}, which makes {} "
            "windows of {} frames in each of {} clips. Enlarge the hop, or send a shorter recording.",
            [most, hop, windows, window, batch],
        ),
    )


def batch_and_time(frames):
    """Returns how many clips and how many frames there really are."""
    return tf.unstack(_shape(frames, 2))


def _one_for_each(name, values, batch):
    return (
        tf.reduce_all(_shape(values, 2) == tf.stack([batch, -1])),
        tf.strings.format(
            f"`{name}` must have one number for each clip, the shape [{{}}]. Received: {{}}.", [batch, tf.shape(values)]
        ),
    )


def _value_checks(frames, value_range):
    wrong = tf.math.count_nonzero(~tf.math.is_finite(frames))
    yield (
        wrong == 0,
        tf.strings.format(
            "`frames` must be finite. Received: {} NaN or infinite of {} values.", [wrong, tf.size(frames)]
        ),
    )
    if value_range is None:
        return
    low, high = value_range
    slack, least, most = _VALUE_TOLERANCE * (high - low), tf.reduce_min(frames), tf.reduce_max(frames)
    yield (
        (least >= low - slack) & (most <= high + slack),
        tf.strings.format(
            f"`frames` of floats must lie in [{low:g}, {high:g}]. Received: values from {{}} to {{}}. Send levels "
            "from 0 to 255 as uint8, to the signature without float32 in its name.",
            [least, most],
        ),
    )


def _shape(tensor, size):
    """Returns the first `size` lengths that a tensor really has; -1 beyond its last axis.

    Servers do not compare a request with the shape that the signature promises, and optimizers of graphs take that
    promise for a fact wherever a length is looked up alone. Of the whole vector they know too little to do so.
    """
    return tf.concat([tf.shape(tensor), [-1] * size], axis=0)[:size]
