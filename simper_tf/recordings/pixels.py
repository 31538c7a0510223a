"""Frames of any numbers and channels -> uint8 levels in the channels that a model takes."""

import numpy as np

# What of red, green and blue makes up gray, as ITU-R BT.601 has it.
_GRAY = np.float32([[0.299], [0.587], [0.114]])


def levels(frames: np.ndarray, channels: int) -> np.ndarray:
    """Returns uint8 frames of so many channels: gray ones of colors, or the same gray three times.

    Args:
        frames: `(T, H, W, C)` levels from 0 to 255, uint8 or floats.
        channels: 1 or 3.
    """
    if frames.shape[-1] == channels:
        shades = frames
    elif channels == 1:
        shades = frames @ _GRAY if frames.shape[-1] == 3 else frames[..., :1]
    else:
        shades = np.repeat(frames[..., :1], channels, axis=-1)
    return np.clip(np.round(shades), 0, 255).astype(np.uint8)
