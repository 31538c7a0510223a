"""Compares steps on one and on two logical CPU devices; run by `test_replicas.py` in a process of its own."""

import keras
import numpy as np
import tensorflow as tf

from simper_tf import methods, training
from simper_tf.encoders.norms import normalization

RNG = np.random.default_rng(5)
STEPS = 2


def encoder():
    """Returns a tiny encoder whose batch norm mixes clips: the hardest case for replicas."""
    clips = x = keras.Input((None, 8, 8, 1))
    x = keras.layers.Conv3D(4, (3, 3, 3), padding="same")(x)
    x = keras.ops.mean(keras.ops.tanh(normalization("batch")(x)), axis=(2, 3))
    return keras.Model(clips, keras.layers.Dense(2)(x))


def trained(name, strategy, batches):
    """Returns all weights of a method after a few steps, and its first gradients (those of all replicas added)."""
    with strategy.scope():
        keras.utils.set_random_seed(1)
        kind = getattr(methods, name)
        model = kind(encoder(), kind.views_for(10, 3, (0.5, 2.0)), seed=4)
        # Not Adam, whose first step is the sign of the gradient: rounding would decide it where that is near 0.
        model.compile(keras.optimizers.SGD(1.0))
    before = [v.numpy() for v in model.trainable_variables]
    step = training.step_function(model)
    for batch in strategy.experimental_distribute_dataset(batches):
        step(batch)
        if int(model.optimizer.iterations.numpy()) == 1:
            steps = [v.numpy() - b for v, b in zip(model.trainable_variables, before, strict=True)]
    logs = {key: float(tracker.result()) for key, tracker in model.trackers.items()}
    return steps, [v.numpy() for v in model.weights], logs


def main():
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    clips = tf.constant(RNG.integers(0, 256, size=(4 * STEPS, 20, 8, 8, 1)), tf.uint8)
    labels = tf.constant(RNG.uniform(1, 2, size=4 * STEPS), tf.float32)
    # Two strategies over the same devices would mistake each other's messages: one serves all methods.
    single, pair = tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    for name in sorted(set(methods.__all__) - {"Method"}):
        data = (clips, labels) if getattr(methods, name).needs_labels else clips
        batches = tf.data.Dataset.from_tensor_slices(data).batch(4, drop_remainder=True)
        (step, weights, logs), (other_step, other_weights, other_logs) = [
            trained(name, strategy, batches) for strategy in (single, pair)
        ]
        largest = max(np.abs(change).max() for change in step)
        assert largest > 1e-5, f"{name} learned nothing"
        for change, other in zip(step, other_step, strict=True):
            np.testing.assert_allclose(other, change, rtol=0, atol=1e-5 * largest, err_msg=name)
        for value, other in zip(weights, other_weights, strict=True):
            np.testing.assert_allclose(other, value, rtol=1e-3, atol=1e-5, err_msg=name)
        for key, value in logs.items():
            np.testing.assert_allclose(other_logs[key], value, rtol=1e-3, atol=1e-4, err_msg=f"{name} {key}")


if __name__ == "__main__":
    main()
