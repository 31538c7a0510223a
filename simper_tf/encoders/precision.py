"""Where half precision ends: the mean over space and all that follows it compute in float32 under every policy.

A pulse changes a feature by a hundredth or less; bfloat16, with 8 bits of a number, leaves five steps of that.
"""

import keras

# The dtype of a layer behind the mean over space.
FULL = "float32"


def space_mean(x, keepdims=False):
    """Returns the mean over space, `(B, T, H, W, C)` -> `(B, T, C)`, or `(B, T, 1, 1, C)` with `keepdims`, float32."""
    return keras.ops.mean(keras.ops.cast(x, FULL), axis=(2, 3), keepdims=keepdims)
