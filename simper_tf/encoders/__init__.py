"""Clips -> frame-wise features: `(B, T, H, W, C)` float32 in [0, 1] -> `(B, T)` or `(B, T, D)`, one file each."""

from simper_tf.encoders.cnn3d import cnn3d
from simper_tf.encoders.resnet3d import resnet3d18
from simper_tf.encoders.small import small
from simper_tf.encoders.ts_can import ts_can

# Name -> function of the `(H, W, C)` of the clips and of a name in `norms.NORMS`, which `small` and TS-CAN have no
# use for. Everything else is as in the paper, and choosable in the functions themselves.
ENCODERS = {
    "cnn3d": lambda frame_shape, norm: cnn3d(frame_shape[-1], norm),
    "resnet3d18": lambda frame_shape, norm: resnet3d18(frame_shape[-1], norm),
    "small": lambda frame_shape, norm: small(frame_shape[-1]),
    "ts_can": lambda frame_shape, norm: ts_can(frame_shape),
    "ts_can_attention": lambda frame_shape, norm: ts_can(frame_shape, attention=True),
}

__all__ = ["ENCODERS", "cnn3d", "resnet3d18", "small", "ts_can"]
