"""Normalization, a choice of encoders: only `batch` lets the clips of a batch influence one another."""

import dataclasses

import keras
import tensorflow as tf
from keras import layers

from simper_tf.utils.options import Options, option
from simper_tf.utils.replicas import replicas

NORMS = ("batch", "group", "affine")


def norm_option(default: str):
    """Returns the option of an encoder that says how it normalizes; see `normalization`."""
    return option(
        default,
        "Normalization: batch; group, which does not mix clips; or affine, scale and shift alone.",
        choices=NORMS,
    )


@dataclasses.dataclass(frozen=True)
class NormOptions(Options):
    """Options of an encoder that normalizes, by batch norm where nobody says otherwise."""

    norm: str = norm_option("batch")


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

    The synchronized form of Keras takes the mean of squares less the square of the mean, which loses a thousandth of
    the gradient of a head whose inputs are alike. Both forms of Keras compute step by step, each of which reads and
    writes the whole batch. Alone, without other replicas, a layer for images or clips trains by TensorFlow's fused
    kernel, which takes a quarter of that time.
    """

    def call(self, inputs, training=None, mask=None):
        known = len(inputs.shape) > 3 and inputs.dtype != tf.float64 and mask is None and replicas()[0] == 1
        if not (training and self.trainable and known):
            return super().call(inputs, training=training, mask=mask)
        shape = tf.shape(inputs)
        # The kernel knows images alone: frames are folded into the batch, over which the statistics are anyway.
        images = tf.reshape(inputs, tf.concat([[-1], shape[-3:]], 0))
        nothing = tf.zeros([0])
        normal, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
            x=images, scale=self.gamma, offset=self.beta, mean=nothing, variance=nothing, epsilon=self.epsilon
        )
        # In floats: in whole numbers of 32 bits the clips of a large batch have more values than there are numbers.
        self._move(mean, variance, tf.reduce_prod(tf.cast(tf.shape(images)[:-1], tf.float32)))
        return tf.reshape(normal, shape)

    def _move(self, mean, variance, count):
        """Moves the averages by statistics of `count` values, whose variance the kernel has divided by one less."""
        variance *= tf.maximum(count - 1, 1) / count
        for average, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
            average.assign(average * self.momentum + value * (1 - self.momentum))

    def _moments(self, inputs, mask):
        # Keras has no public name for this. Masks are for layers that bring any; none here does.
        axes = list(self._reduction_axes)
        if replicas()[0] == 1:
            return tf.nn.moments(inputs, axes)
        # Replicas hold equally many clips, so the mean of their means is that of all.
        context = tf.distribute.get_replica_context()
        mean = context.all_reduce("MEAN", tf.reduce_mean(inputs, axes))
        return mean, context.all_reduce("MEAN", tf.reduce_mean(tf.square(inputs - mean), axes))


def normalization(
    norm: str, groups: int = 8, momentum: float = 0.99, epsilon: float = 1e-3, dtype: str | None = None
) -> layers.Layer:
    """Returns a fresh layer of the kind named, one of `NORMS`; another is a ValueError.

    Statistics of `batch` are those of all replicas together; those of `group` are of each clip and group of channels.
    Momentum and epsilon are of `batch`; 0.9 and 1e-5 are what PyTorch has by default.
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

    Example:
        >>> from simper_tf.encoders import mixes_clips, physnet
        >>> {norm: mixes_clips(physnet((32, 32, 3), norm=norm)) for norm in ("batch", "group")}
        {'batch': True, 'group': False}
    """
    inside = model._flatten_layers()  # Keras has no public name for this; `layers` stops at the first level.
    return any(isinstance(layer, layers.BatchNormalization) and layer.trainable for layer in inside)
