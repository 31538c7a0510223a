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


def normalization(norm, groups=8, momentum=0.99, epsilon=1e-3):
    """Returns a fresh layer of the kind named.

    Args:
        norm: `batch`, whose statistics are those of all replicas together; `group`; or `affine`.
        groups: Of `group`; each clip and group of channels has its own statistics, over time and space.
        momentum, epsilon: Of `batch`; 0.9 and 1e-5 are what PyTorch has by default.

    Raises:
        ValueError: `norm` is none of these.
    """
    if norm not in NORMS:
        raise ValueError(f"`norm` must be one of {NORMS}. Received: {norm!r}.")
    if norm == "batch":
        return layers.BatchNormalization(momentum=momentum, epsilon=epsilon, synchronized=True)
    # Epsilon of the PyTorch layer that the published encoders use.
    return layers.GroupNormalization(groups, epsilon=1e-5) if norm == "group" else Affine()


def mixes_clips(model):
    """Returns whether the clips of a batch influence one another while a model or layer trains.

    If they do, a batch cannot be split into micro-batches without changing what is learned.

    Args:
        model: A `keras.Model` or layer, searched through all layers inside it. A batch norm that is not trainable
            does not count: Keras runs it in inference mode.
    """
    inside = model._flatten_layers()  # Keras has no public name for this; `layers` stops at the first level.
    return any(isinstance(layer, layers.BatchNormalization) and layer.trainable for layer in inside)
