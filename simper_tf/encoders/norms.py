"""Normalization, a choice of every encoder: only `batch` lets the clips of a batch influence one another."""

import keras
import tensorflow as tf
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


@keras.saving.register_keras_serializable("simper_tf")
class BatchNorm(layers.BatchNormalization):
    """Batch norm over all replicas whose variance is that of the centered values.

    Keras's own takes the mean of squares less the square of the mean, which loses a thousandth of the gradient of a
    head whose inputs are alike.
    """

    def _moments(self, inputs, mask):
        # Keras has no public name for this. Masks are for layers that bring any; none here does.
        context, axes = tf.distribute.get_replica_context(), list(self._reduction_axes)
        if context is None or context.num_replicas_in_sync == 1:
            return tf.nn.moments(inputs, axes)
        # Replicas hold equally many clips, so the mean of their means is that of all.
        mean = context.all_reduce("MEAN", tf.reduce_mean(inputs, axes))
        return mean, context.all_reduce("MEAN", tf.reduce_mean(tf.square(inputs - mean), axes))


def normalization(
    norm: str, groups: int = 8, momentum: float = 0.99, epsilon: float = 1e-3, dtype: str | None = None
) -> layers.Layer:
    """Returns a fresh layer of the kind named.

    Args:
        norm: `batch`, whose statistics are those of all replicas together; `group`; or `affine`.
        groups: Number of groups of channels for `group`; each clip and group has its own statistics, over time and
            space.
        momentum, epsilon: Settings of `batch`; 0.9 and 1e-5 are what PyTorch has by default.
        dtype: Type in which it computes; None for what the policy says.

    Raises:
        ValueError: `norm` is none of these.
    """
    if norm not in NORMS:
        raise ValueError(f"`norm` must be one of {NORMS}. Received: {norm!r}.")
    if norm == "batch":
        return BatchNorm(momentum=momentum, epsilon=epsilon, dtype=dtype)
    # Epsilon of the PyTorch layer that the published encoders use.
    return layers.GroupNormalization(groups, epsilon=1e-5, dtype=dtype) if norm == "group" else Affine(dtype=dtype)


def mixes_clips(model: layers.Layer) -> bool:
    """Returns whether the clips of a batch influence one another while a model or layer trains.

    If they do, a batch cannot be split into micro-batches without changing what is learned.

    Args:
        model: A `keras.Model` or layer, searched through all layers inside it. A batch norm that is not trainable
            does not count: Keras runs it in inference mode.
    """
    inside = model._flatten_layers()  # Keras has no public name for this; `layers` stops at the first level.
    return any(isinstance(layer, layers.BatchNormalization) and layer.trainable for layer in inside)
