"""Clips -> frame-wise features: `(B, T, H, W, C)` float32 in [0, 1] -> `(B, T)` or `(B, T, D)`, one file each.

Every encoder is a function of the `(H, W, C)` of the clips, H and W None for frames of any size where the architecture
allows it, and, by keyword, of the options of its dataclass `Options`.
"""

from collections.abc import Callable

import simper_tf.utils.backend
from simper_tf.encoders.cells import cells
from simper_tf.encoders.cnn3d import cnn3d, cnn3d_domainbed
from simper_tf.encoders.efficientphys import efficientphys
from simper_tf.encoders.frame_mean import frame_mean
from simper_tf.encoders.glance import glance
from simper_tf.encoders.linear import linear
from simper_tf.encoders.norms import mixes_clips
from simper_tf.encoders.overlaps import OVERLAPS
from simper_tf.encoders.physnet import physnet, physnet_sinc
from simper_tf.encoders.repnet import repnet
from simper_tf.encoders.resnet3d import resnet3d18
from simper_tf.encoders.saliency import with_saliency_sampler
from simper_tf.encoders.small import small
from simper_tf.encoders.small1d import small1d
from simper_tf.encoders.ts_can import ts_can

ENCODERS: dict[str, Callable] = {
    "cells": cells,
    "cnn3d": cnn3d,
    "cnn3d_domainbed": cnn3d_domainbed,
    "efficientphys": efficientphys,
    "frame_mean": frame_mean,
    "linear": linear,
    "physnet": physnet,
    "physnet_sinc": physnet_sinc,
    "repnet": repnet,
    "resnet3d18": resnet3d18,
    "small": small,
    "small1d": small1d,
    "ts_can": ts_can,
}

# `glance` is of one size of windows alone, those of the rhythm network: it is none to choose.
__all__ = ["ENCODERS", "OVERLAPS", "glance", "mixes_clips", "with_saliency_sampler", *ENCODERS]
