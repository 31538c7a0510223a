"""Dropout over several replicas: each drops of its clips what one device would drop of them in the whole batch."""

import keras
import tensorflow as tf
from keras import layers

from simper_tf.utils.replicas import replicas

# Bits of a count of Philox, the generator behind TensorFlow's stateless numbers on CPUs and GPUs.
COUNT_BITS = 128


class _PartOfBatch:
    """Keras's dropout, which has the same masks on every replica, with those that one device would have.

    Each replica draws on where the one before it ends. So masks are those of one device on the whole batch where
    replicas hold equally many clips and a multiple of four values, two in double precision; else they are others.
    Without other replicas it is Keras's.
    """

    def call(self, inputs, training=False):
        if replicas()[0] == 1 or not training or not 0 < self.rate < 1:
            return super().call(inputs, training=training)
        return tf.nn.experimental.general_dropout(inputs, self.rate, self._draw, self._mask_shape(inputs))

    def _draw(self, shape, dtype):
        """Returns this replica's values in [0, 1)."""
        key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=self.seed_generator.next())
        # Half precision takes 32 bits a value too.
        values_a_count = COUNT_BITS // (8 * max(dtype.size, 4))
        counts = -(-tf.reduce_prod(tf.cast(shape, tf.int64)) // values_a_count)
        skipped = tf.cast(tf.stack([tf.cast(replicas()[1], tf.int64) * counts, 0]), counter.dtype)
        philox = tf.random.Algorithm.PHILOX.value
        return tf.raw_ops.StatelessRandomUniformV2(
            shape=shape, key=key, counter=counter + skipped, alg=philox, dtype=dtype
        )


@keras.saving.register_keras_serializable("simper_tf")
class Dropout(_PartOfBatch, layers.Dropout):
    """`keras.layers.Dropout` whose masks over several replicas differ; arguments are the same."""

    def _mask_shape(self, inputs):
        return tf.shape(inputs) if self.noise_shape is None else self.noise_shape


@keras.saving.register_keras_serializable("simper_tf")
class SpatialDropout3D(_PartOfBatch, layers.SpatialDropout3D):
    """`keras.layers.SpatialDropout3D` whose masks over several replicas differ; arguments are the same."""

    def _mask_shape(self, inputs):
        batch_size, *_, channels = keras.ops.shape(inputs)
        return tf.stack([batch_size, 1, 1, 1, channels])
