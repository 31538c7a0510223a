"""The control that has learned nothing and never will: the mean of each frame."""

import keras


def frame_mean(channels=1):
    """Returns the mean over space and channels of every frame, `(B, T, H, W, C)` -> `(B, T)`; it has no parameters.

    What a readout finds in it is in the pixels themselves.

    Args:
        channels: C of the clips.
    """
    clips = keras.Input((None, None, None, channels))
    return keras.Model(clips, keras.ops.mean(clips, axis=(2, 3, 4)), name="frame_mean")
