"""EfficientPhys: TS-CAN's motion branch that finds the skin in the motion itself."""

import keras

from simper_tf.encoders.difference import FrameDifference
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.norms import NormOptions, normalization
from simper_tf.encoders.ts_can import SMALLEST_FRAME, motion_branch
from simper_tf.utils.options import takes


@takes(NormOptions)
def efficientphys(frame_shape: tuple[int, int, int], options) -> keras.Model:
    """Returns the convolutional EfficientPhys with one value a frame.

    467,337 trainable parameters at 36 x 36 x 3, and the 6 statistics of `batch`. The published code takes differences
    over the frames of a whole batch laid end to end, so that they cross from one clip into the next; here each clip
    has its own, brought to unit deviation over the clip, and temporal shifts run through the whole clip. The head and
    the 128 features before it are those of `ts_can`.

    Args:
        frame_shape: `(H, W, C)` of the clips, on which the size of a dense layer depends.
        options: See `NormOptions`, of the differences: `batch`, as published; `group`, each channel of each clip by
            itself; or `affine`.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)`.

    Raises:
        ValueError: `frame_shape` or `norm` is none, or the frames are smaller than 10 x 10.

    Source: Liu et al., WACV 2023, https://arxiv.org/abs/2110.04447, `EfficientPhys_Conv` of the authors' code.

    Example:
        >>> simper_tf.encoders.efficientphys((36, 36, 3)).output_shape
        (None, None)
    """
    clips = clip_input(frame_shape, SMALLEST_FRAME, known=True)
    difference = FrameDifference(relative=False)(clips)
    scaled = normalization(options.norm, groups=frame_shape[-1], momentum=0.9, epsilon=1e-5)(difference)
    return keras.Model(clips, motion_branch(scaled, self_attention=True), name="efficientphys")
