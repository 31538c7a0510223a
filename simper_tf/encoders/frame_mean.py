"""The control that has learned nothing and never will: the mean of each frame."""

import keras

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.frames import clip_input


def frame_mean(frame_shape: tuple[int | None, int | None, int]) -> keras.Model:
    """Returns the mean over space and channels of every frame, `(B, T, H, W, C)` -> `(B, T)`; it has no parameters.

    What a readout finds in it is in the pixels themselves. It has no head: features are the mean too.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.

    Raises:
        ValueError: `frame_shape` is none.

    Example:
        >>> clip = np.float32(np.arange(3).reshape(1, 3, 1, 1, 1) * np.ones((2, 2, 1)))
        >>> simper_tf.encoders.frame_mean((2, 2, 1))(clip).numpy()
        array([[0., 1., 2.]], dtype=float32)
    """
    clips = clip_input(frame_shape)
    return keras.Model(clips, mark(keras.ops.mean(clips, axis=(2, 3, 4))), name="frame_mean")
