"""Normalisation, a choice of every encoder: only `batch` lets the clips of a batch influence one another."""

import keras
from keras import layers

NORMS = ("batch", "group", "affine")


@keras.saving.register_keras_serializable("simper_tf")
class Affine(layers.Layer):
    """Scales and shifts each channel: batch norm that keeps its initial statistics (mean 0, variance 1)."""

    def build(self, input_shape):
        self.scale = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="scale")
        self.shift = self.add_weight(shape=(input_shape[-1],), initializer="zeros", name="shift")

    def call(self, inputs):
        return inputs * self.scale + self.shift


def normalization(norm, groups=8):
    """Returns a fresh layer of the kind named.

    Args:
        norm: `batch`, `group` or `affine`.
        groups: Of `group`; each clip and group of channels has its own statistics, over time and space.

    Raises:
        ValueError: `norm` is none of these.
    """
    if norm not in NORMS:
        raise ValueError(f"`norm` must be one of {NORMS}. Received: {norm!r}.")
    if norm == "group":
        # Epsilon of the PyTorch layer that the published encoders use.
        return layers.GroupNormalization(groups, epsilon=1e-5)
    return layers.BatchNormalization() if norm == "batch" else Affine()
