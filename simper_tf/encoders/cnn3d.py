"""The 3D CNN of the paper's RotatingDigits and SCAMPS experiments."""

import keras
from keras import layers

from simper_tf.encoders.norms import normalization


def cnn3d(channels=1, norm="batch"):
    """Returns the authors' 3D variant of the MNIST CNN: two blocks of convolution, norm, ReLU and pooling.

    372,227 trainable parameters at 1 channel, 377,987 at 3 (`norm="batch"`). Nothing strides over time, so any
    length works, and a feature sees 9 frames.

    Args:
        channels: C of the clips.
        norm: `batch`; `group` (8 groups), which does not mix clips; or `affine`, scale and shift only, which is what
            the authors' pre-training amounts to, as it never switches batch norm to training.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)`.

    Source: `src/networks.py` of the authors' repository; the order there is convolution, norm, ReLU, pooling.
    """
    clips = x = keras.Input((None, None, None, channels))
    for filters in (64, 128):
        x = layers.Conv3D(filters, (5, 3, 3), padding="same")(x)
        x = layers.ReLU()(normalization(norm)(x))
        x = layers.MaxPooling3D((1, 2, 2))(x)
    x = layers.ReLU()(normalization(norm, groups=1)(layers.Conv3D(1, 1)(x)))
    return keras.Model(clips, keras.ops.mean(x, axis=(2, 3, 4)), name="cnn3d")
