"""Full precision of the mean over space and of all that follows it, under every policy.

A pulse changes a feature by a hundredth or less; bfloat16, with 8 bits of a number, leaves five steps of that.
"""

import keras

# The dtype of a layer behind the mean over space.
FULL = "float32"
# TensorFlow 2.21 on CPUs (oneDNN) returns memory nobody wrote as the gradient of a 3-D kernel in bfloat16, where the
# features have fewer frames than the kernel and more than half as many. PhysNet, which looks at three frames after
# halving time twice, has that up to 8 frames; the other encoders up to 4.
SHORTEST_HALF = 9


def check_length(policy: str, num_frames: int):
    """Refuses views of fewer frames than `SHORTEST_HALF` where a policy of half precision has wrong gradients."""
    if policy != FULL and num_frames < SHORTEST_HALF:
        raise ValueError(
            f"`precision={policy}` has wrong gradients in TensorFlow where views are as short as {num_frames} frames: "
            f"it needs at least {SHORTEST_HALF}. Train with `precision={FULL}`, or from longer clips."
        )


def space_mean(x, keepdims=False):
    """Returns the mean over space, `(B, T, H, W, C)` -> `(B, T, C)`, or `(B, T, 1, 1, C)` with `keepdims`, float32.

    Example:
        >>> tuple(space_mean(np.ones((2, 5, 8, 8, 3))).shape)
        (2, 5, 3)
    """
    return keras.ops.mean(keras.ops.cast(x, FULL), axis=(2, 3), keepdims=keepdims)
