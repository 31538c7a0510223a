"""A small encoder that is meant to read any recording, and how SimPer trains it on generated ones."""

import pathlib

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.precision import FULL, space_mean
from simper_tf.methods import SimPer
from simper_tf.synthetic import Synthetic

# Kinds of movement that are learned from; the other ones are what it is measured on.
LEARNED = ("swing", "up-down", "zoom", "blink", "pulse")
SHAPE, FRAMES = (24, 32), 48
_BATCH, _VIEWS, _LEARNING_RATE, _BAND = 4, 4, 2e-3, (1.0, 3.5)
_LEAST_CONTRAST = 1e-3
# Steps from one checkpoint to the next, and what is printed there.
_EVERY, _SHOWN = 50, ("kl_divergence", "speed_correlation")


class Changes(layers.Layer):
    """Returns each pixel less its mean over the clip, in units of the deviation of all, and its gray level beside."""

    def call(self, clips):
        change = clips - ops.mean(clips, axis=1, keepdims=True)
        size = ops.sqrt(ops.mean(ops.square(change), axis=(1, 2, 3, 4), keepdims=True))
        gray = ops.mean(clips, axis=-1, keepdims=True)
        gray = gray - ops.mean(gray, axis=(2, 3), keepdims=True)
        contrast = ops.sqrt(ops.mean(ops.square(gray), axis=(1, 2, 3, 4), keepdims=True))
        parts = [change / (size + _LEAST_CONTRAST), gray / (contrast + _LEAST_CONTRAST)]
        return ops.concatenate(parts, axis=-1)


def build(frame_shape=(None, None, 3), outputs: int = 4) -> keras.Model:
    """Returns an encoder that sees, over three frames at each of two layers, what moves where.

    Args:
        frame_shape: `(H, W, C)`; H and W None for frames of any size.
        outputs: Number of series, D.
    """
    clips = clip_input(frame_shape)
    x = Changes()(clips)
    for filters in (16, 32):
        x = layers.Conv3D(filters, 3, strides=(1, 2, 2), padding="same", activation="relu")(x)
    x = layers.Conv3D(32, (1, 3, 3), strides=(1, 2, 2), padding="same", activation="relu")(x)
    x = space_mean(x)
    x = ops.pad(x, ((0, 0), (2, 2), (0, 0)), mode="symmetric")
    x = layers.Conv1D(64, 5, activation="relu", dtype=FULL)(x)
    x = layers.Dense(outputs, dtype=FULL)(x)
    return keras.Model(clips, x, name="general")


def trained(steps: int, seed: int, folder: pathlib.Path) -> keras.Model:
    """Returns the encoder after some steps of SimPer on generated views; what was interrupted goes on.

    Args:
        steps: Of training. Weights follow from it and from the seed, up to the rounding of the machine.
        seed: Of weights and of all that is generated.
        folder: Of checkpoints; those of another number of steps, or another seed, stay apart in it.
    """
    keras.utils.set_random_seed(seed)
    model = SimPer(build(), seed=seed)
    model.compile(keras.optimizers.Adam(_LEARNING_RATE))
    model.optimizer.build(model.trainable_variables)
    number = tf.Variable(0, dtype=tf.int64)
    kept = tf.train.Checkpoint(weights=model.trainable_variables, optimizer=model.optimizer.variables, number=number)
    manager = tf.train.CheckpointManager(kept, str(folder / f"{steps}_{seed}"), max_to_keep=1)
    kept.restore(manager.latest_checkpoint)
    step, batches, logs = tf.function(model.train_step, autograph=False), None, []
    while int(number) < steps:
        batches = batches or iter(_batches(seed, int(number)))
        model.optimizer.learning_rate = _LEARNING_RATE * min(2 * (1 - int(number) / steps), 1.0)
        logs.append([float(each) for each in map(step(next(batches)).get, _SHOWN)])
        if number.assign_add(1) % _EVERY == 0 or int(number) == steps:
            manager.save()
            told = zip(_SHOWN, np.mean(logs[-_EVERY:], axis=0), strict=True)
            print(f"step {int(number)}: {', '.join(f'{name} {value:.3f}' for name, value in told)}", flush=True)
    return model.encoder


def _batches(seed, done):
    # A view of these holds about one period or more, and two frames or more to each.
    source = Synthetic(num_frames=FRAMES, shape=SHAPE, kinds=LEARNED, band=_BAND)
    views = tf.data.Dataset.counter(done * _BATCH).map(
        lambda number: source.views(tf.stack([tf.cast(seed, tf.int64), number]), _VIEWS), 2
    )
    return views.batch(_BATCH, drop_remainder=True).prefetch(2)
