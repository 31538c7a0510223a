"""Ways of training an encoder, one file each: a `keras.Model` with its own `train_step`."""

from simper_tf.methods.base import Method
from simper_tf.methods.simper import SimPer

__all__ = ["Method", "SimPer"]
