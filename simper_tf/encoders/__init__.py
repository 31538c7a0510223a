"""Clips -> frame-wise features: `(B, T, H, W, C)` float32 in [0, 1] -> `(B, T)` or `(B, T, D)`, one file each."""

from simper_tf.encoders.cnn3d import cnn3d, cnn3d_domainbed
from simper_tf.encoders.efficientphys import efficientphys
from simper_tf.encoders.frame_mean import frame_mean
from simper_tf.encoders.norms import mixes_clips
from simper_tf.encoders.repnet import repnet
from simper_tf.encoders.repnet_heads import count_periods, repnet_counter
from simper_tf.encoders.resnet3d import resnet3d18
from simper_tf.encoders.saliency import saliency_terms, with_saliency_maps, with_saliency_sampler
from simper_tf.encoders.small import small
from simper_tf.encoders.ts_can import ts_can

# Name -> function of the `(H, W, C)` of the clips and of a name in `norms.NORMS`, which `small` and TS-CAN have no
# use for. Everything else is as in the paper; the functions themselves have more to choose.
ENCODERS = {
    "cnn3d": lambda frame_shape, norm: cnn3d(frame_shape[-1], norm),
    "cnn3d_domainbed": lambda frame_shape, norm: cnn3d_domainbed(frame_shape[-1], norm),
    "efficientphys": efficientphys,
    "repnet": lambda frame_shape, norm: repnet(frame_shape[-1], norm),
    "resnet3d18": lambda frame_shape, norm: resnet3d18(frame_shape[-1], norm),
    "small": lambda frame_shape, norm: small(frame_shape[-1]),
    "ts_can": lambda frame_shape, norm: ts_can(frame_shape),
    "ts_can_attention": lambda frame_shape, norm: ts_can(frame_shape, attention=True),
}

__all__ = [
    "ENCODERS",
    "cnn3d",
    "cnn3d_domainbed",
    "count_periods",
    "efficientphys",
    "frame_mean",
    "mixes_clips",
    "repnet",
    "repnet_counter",
    "resnet3d18",
    "saliency_terms",
    "small",
    "ts_can",
    "with_saliency_maps",
    "with_saliency_sampler",
]
