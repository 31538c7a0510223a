"""Frame differences as a first layer without parameters: what changes, whatever the picture."""

import keras
import tensorflow as tf
from keras import layers

# One gray level, added to the sum of two pixels: noise in black corners then does not drown the pulse in the skin.
GRAY_LEVEL = 1 / 255
# Smallest variance divided by: the differences of a still clip are 0, not NaN.
EPSILON = 1e-8


@keras.saving.register_keras_serializable("simper_tf")
class FrameDifference(layers.Layer):
    """Returns `x[t + 1] - x[t]` with unit standard deviation over each clip; the last frame is 0.

    Clips are `(B, T, H, W, C)` in [0, 1]; a `relative` difference is divided by `x[t + 1] + x[t]`, so that light and
    skin color cancel. It computes in float32 under every policy: in half precision a pulse, a thousandth of a pixel's
    value, is lost. From the next layer on it has the policy's dtype.

    Source: the normalized difference of TS-CAN, `inference_preprocess.py` of xliucs/MTTS-CAN, which takes the deviation
    over a whole video and adds no gray level.
    """

    def __init__(self, relative: bool = True, **kwargs):
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.relative = relative

    def call(self, clips):
        earlier, later = clips[:, :-1], clips[:, 1:]
        difference = later - earlier
        if self.relative:
            difference /= later + earlier + GRAY_LEVEL
        variance = tf.math.reduce_variance(difference, axis=(1, 2, 3, 4), keepdims=True)
        difference *= tf.math.rsqrt(tf.maximum(variance, EPSILON))
        return tf.pad(difference, [[0, 0], [0, 1], [0, 0], [0, 0], [0, 0]])
