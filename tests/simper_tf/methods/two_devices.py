"""Compares steps on one and on two logical CPU devices; run by `test_contract.py` in a process of its own."""

import keras
import numpy as np
import tensorflow as tf

from simper_tf.encoders import auxiliary_losses
from simper_tf.encoders.dropout import Dropout
from simper_tf.encoders.norms import normalization
from simper_tf.methods import METHODS, SimPer
from simper_tf.methods.self_supervised import SelfSupervised
from simper_tf.training import loop
from simper_tf.views.views import Views

RNG = np.random.default_rng(5)
STEPS = 2
PRIOR = {"prior_weight": 1.0, "prior_band": (0.05, 0.3)}
CASES = [(name, PRIOR if issubclass(kind, SelfSupervised) else {}) for name, kind in METHODS.items()]
FLOAT32 = tf.float32


@keras.saving.register_keras_serializable("two_devices")
class Small(keras.layers.Layer):
    """Would have what it is given small, as the saliency sampler would its maps."""

    def call(self, x):
        auxiliary_losses.add(0.1 * tf.reduce_mean(tf.square(x)))
        return x


def encoder():
    """Returns a tiny encoder with dropout, whose batch norm mixes clips: the hardest case for replicas."""
    clips = x = keras.Input((None, 8, 8, 1))
    x = keras.layers.Conv3D(4, (3, 3, 3), padding="same")(x)
    x = normalization("batch")(Small()(x))
    x = keras.ops.mean(keras.ops.tanh(Small()(x)), axis=(2, 3))
    return keras.Model(clips, keras.layers.Dense(2)(Dropout(0.25)(x)))


def moving_stripes(number):
    """Returns `(N, 40, 8, 8, 1)` clips and their frequencies.

    They differ enough for batch norm over them to be well conditioned: of clips alike it magnifies rounding errors.
    """
    frequencies, widths, shades = RNG.uniform((0.05, 0.3, 0.2), (0.2, 1.5, 1.0), size=(number, 3)).T[..., None, None]
    times, places = np.arange(40)[:, None], np.arange(8)
    stripes = 0.5 + 0.5 * np.sin(2 * np.pi * frequencies * times + widths * places)
    clips = np.repeat((255 * shades * stripes)[:, :, None, :, None], 8, axis=2)
    return clips.astype(np.uint8), frequencies[:, 0, 0].astype(np.float32)


def views_of(kind):
    """Returns the views of a method, of 20 frames."""
    return Views(20, kind.times_for(3, (0.5, 2.0)), kind.appearance)


def ready_views(name):
    """Returns batches of views made beforehand, with speeds and what else the method learns from."""
    clips, labels = moving_stripes(8 * STEPS)
    made = views_of(METHODS[name])(tf.constant(clips), tf.constant([3, 4]))
    made |= {"labels": tf.constant(labels)} if METHODS[name].needs_labels else {}
    made = {name: tf.cast(x, tf.float64 if x.dtype.is_floating else x.dtype) for name, x in made.items()}
    return [{name: x[8 * k : 8 * (k + 1)] for name, x in made.items()} for k in range(STEPS)]


def shared(batch, strategy):
    """Returns a batch as the replicas of a strategy share it: each has its part, in their order."""

    def part(context):
        number = 8 // context.num_replicas_in_sync
        first = number * context.replica_id_in_sync_group
        return {name: x[first : first + number] for name, x in batch.items()}

    return strategy.experimental_distribute_values_from_function(part)


def trained(name, settings, strategy, batches):
    """Returns the first gradients of a method, those of all replicas added, and its weights and logs a step later."""
    with strategy.scope():
        keras.utils.set_random_seed(1)
        model = METHODS[name](encoder(), views_of(METHODS[name]), seed=4, **settings)
        # The first step is the gradient itself. Not Adam's, of which rounding would decide the sign where it is near 0.
        model.compile(keras.optimizers.SGD(keras.optimizers.schedules.PiecewiseConstantDecay([0], [1.0, 1e-2])))
    before = [v.numpy() for v in model.trainable_variables]
    # What the graph of two devices is held against takes less time op by op.
    tf.config.run_functions_eagerly(strategy.num_replicas_in_sync == 1)
    step = loop.step_function(model)
    for batch in batches:
        step(shared(batch, strategy))
        if int(model.optimizer.iterations.numpy()) == 1:
            after = [v.numpy() for v in model.trainable_variables]
    gradient = np.concatenate([np.ravel(a - b) for a, b in zip(after, before, strict=True)])
    logs = {key: float(tracker.result()) for key, tracker in model.trackers.items()}
    return gradient, [v.numpy() for v in model.weights], logs


def check_unequal_parts(strategy):
    """Asserts that `fit` refuses a batch of which one replica would get more clips than the other."""
    with strategy.scope():
        model = SimPer(encoder(), views_of(SimPer))
        model.compile("sgd")
    for number, found in ((7, 3), (5, 1)):
        batches = tf.data.Dataset.from_tensor_slices(moving_stripes(number)[0]).batch(4)
        try:
            model.fit(batches, verbose=0)
        except ValueError as error:
            assert f"Received: a batch of {found} for 2 replicas." in str(error)  # noqa: PT017 (no test of pytest)
        else:
            raise AssertionError(f"A batch of {found} clips was learned from.")


def main():
    # In float32 the gradient of a head behind batch norm is exact to a thousandth only where clips are alike, and one
    # unit that switches by rounding is as much as a wrong sum. In double precision nothing hides.
    keras.config.set_floatx("float64")
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    # Graphs that run twice are not worth a second of optimization each.
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    # Two strategies over the same devices would mistake each other's messages: one serves all methods.
    single, pair = tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    for name, settings in CASES:
        batches = ready_views(name)
        tf.float32 = tf.float64
        (gradient, weights, logs), (summed, both_weights, both_logs) = [
            trained(name, settings, strategy, batches) for strategy in (single, pair)
        ]
        tf.float32 = FLOAT32
        size = np.abs(gradient).max()
        print(f"{name}: gradients differ by {np.abs(summed - gradient).max() / size:.1e} of the largest")
        assert size > 1e-4, f"{name} learned nothing"
        np.testing.assert_allclose(summed, gradient, rtol=0, atol=1e-5 * size, err_msg=name)
        for value, other in zip(weights, both_weights, strict=True):
            np.testing.assert_allclose(other, value, rtol=1e-5, atol=1e-8, err_msg=name)
        for key, value in logs.items():
            np.testing.assert_allclose(both_logs[key], value, rtol=1e-4, atol=1e-6, err_msg=f"{name} {key}")
    tf.config.run_functions_eagerly(False)
    keras.config.set_dtype_policy("float32")
    check_unequal_parts(pair)


if __name__ == "__main__":
    main()
