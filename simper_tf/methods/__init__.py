"""One file per method, each a `keras.Model` with its own `train_step`."""

from simper_tf.methods.simper import SimPer

__all__ = ["SimPer"]
