"""Clips -> frame-wise features: `(B, T, H, W, C)` float32 in [0, 1] -> `(B, T)` or `(B, T, D)`, one file each."""

from simper_tf.encoders.cnn3d import cnn3d
from simper_tf.encoders.small import small

__all__ = ["cnn3d", "small"]
