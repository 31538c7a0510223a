"""Training of the learned reader: films to weights, in steps that can be taken up again."""

import math
import pathlib
import time

import keras
import numpy as np
import tensorflow as tf

from simper_tf.data import film_stretches
from simper_tf.methods import Replay
from simper_tf.training.own_replay import layers_of, replay_of_films

FASTEST_STEP, WARM_UP, LAST_SHARE = 2e-3, 100, 0.02  # Half a cosine, down to a fiftieth.
EPOCH = 100  # Steps from one checkpoint to the next.


def untrained(
    seed: int, steps: int, ratio_weight: float = 0.0, made_weight: float = 1.0, nothing_share: float = 0.35
) -> Replay:
    """Returns the method and encoder of the reader before any step.

    Args:
        seed: Of first weights and replays.
        steps: Of the whole training, over which the learning rate falls.
        ratio_weight, made_weight, nothing_share: As of `Replay` and `Replays`.
    """
    model = replay_of_films(seed, nothing_share=nothing_share, ratio_weight=ratio_weight, made_weight=made_weight)
    rate = keras.optimizers.schedules.CosineDecay(
        FASTEST_STEP / WARM_UP, max(steps - WARM_UP, 1), LAST_SHARE, warmup_target=FASTEST_STEP, warmup_steps=WARM_UP
    )
    model.compile(keras.optimizers.Adam(rate, global_clipnorm=1.0))
    return model


def train(model: Replay, films, folder, *, steps: int, minutes: float, batch_size: int, say=print) -> bool:
    """Trains until the last step, or until the time is over; goes on where a run in the folder stopped.

    Args:
        model: As of `untrained`.
        films: Frames and rates, see `film_stretches.dataset`.
        folder: Where checkpoints go.
        steps: Of the whole training.
        minutes: After which this run stops, at the next checkpoint.
        batch_size: Clips a step, of which each gives two replays.
        say: Called with a line a checkpoint.

    Returns:
        Whether the last step was taken.
    """
    model.optimizer.build(model.trainable_variables)
    step = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, step=step)
    manager = tf.train.CheckpointManager(checkpoint, str(pathlib.Path(folder)), max_to_keep=2)
    if manager.latest_checkpoint:
        checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()
    data = film_stretches.dataset(films, batch_size, model.seed, int(step))
    kept = _Kept(manager, step, steps, minutes, say)
    epochs = {"initial_epoch": int(step) // EPOCH, "epochs": math.ceil(steps / EPOCH), "steps_per_epoch": EPOCH}
    model.fit(data, **epochs, shuffle=False, verbose=0, callbacks=[kept])
    return int(step) >= steps


class _Kept(keras.callbacks.Callback):
    """Saves a checkpoint and says the logs of each epoch, and ends where the time is over."""

    def __init__(self, manager, step, steps, minutes, say):
        super().__init__()
        self._manager, self._step, self._steps, self._minutes, self._say = manager, step, steps, minutes, say
        self._began = time.monotonic()

    def on_epoch_end(self, epoch, logs=None):
        self._step.assign((epoch + 1) * EPOCH)
        self._manager.save()
        seconds = time.monotonic() - self._began
        shown = ", ".join(f"{name} {value:.3f}" for name, value in logs.items())
        self._say(f"step {int(self._step)} of {self._steps}, {seconds:.0f} s: {shown}")
        self.model.stop_training = seconds > 60 * self._minutes


def weights_of(model: Replay) -> dict[str, np.ndarray]:
    """Returns the weights by the names of `rhythm_network`, as float16."""
    return {
        f"{name}.{part}": np.asarray(value, np.float16)
        for name, layer in layers_of(model).items()
        for part, value in zip(("kernel", "bias"), layer.get_weights(), strict=True)
    }
