"""EfficientPhys: TS-CAN's motion branch that finds the skin in the motion itself."""

import keras

from simper_tf.encoders.difference import FrameDifference
from simper_tf.encoders.norms import normalization
from simper_tf.encoders.ts_can import motion_branch


def efficientphys(frame_shape=(36, 36, 3), norm="batch"):
    """Returns the convolutional EfficientPhys with one value a frame.

    467,337 trainable parameters at 36 x 36 x 3, and the 6 statistics of `batch`. The published code takes differences
    over the frames of a whole batch laid end to end, so that they cross from one clip into the next; here each clip
    has its own, brought to unit deviation over the clip, and temporal shifts run through the whole clip.

    Args:
        frame_shape: `(H, W, C)` of the clips, of which the size of a dense layer depends.
        norm: Of the differences: `batch`, as published; `group`, each channel of each clip by itself; or `affine`.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)`.

    Raises:
        ValueError: the frames are smaller than 10 x 10.

    Source: Liu et al., WACV 2023, https://arxiv.org/abs/2110.04447, `EfficientPhys_Conv` of the authors' code.
    """
    clips = keras.Input((None, *frame_shape))
    difference = FrameDifference(relative=False)(clips)
    scaled = normalization(norm, groups=frame_shape[-1], momentum=0.9, epsilon=1e-5)(difference)
    return keras.Model(clips, motion_branch(scaled, self_attention=True), name="efficientphys")
