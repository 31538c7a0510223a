"""All that a run works with, put together from its flags and its data, before anything is trained."""

import dataclasses

import keras
import numpy as np
import tensorflow as tf
from absl import flags

from simper_tf.methods import METHODS, Method, TrainingFacts
from simper_tf.views import Views
from trainers import data, options


@dataclasses.dataclass(frozen=True)
class Assembly:
    """A run, ready to be trained or restored.

    Attributes:
        model: The compiled method.
        views: As it draws them, on the device or on the host.
        examples, num_examples: Of the training split.
        num_steps: Of the whole run.
    """

    model: Method
    views: Views
    examples: tf.data.Dataset
    num_examples: int
    num_steps: int


def assemble(builder, strategy=None):
    """Returns the `Assembly` the flags describe.

    Args:
        builder: A built TFDS builder.
        strategy: To train on; None for the one device that evaluation needs.

    Raises:
        ValueError: clips, views, encoder, batch, replicas and method do not fit one another; says which flag to change.
    """
    config = flags.FLAGS
    examples, num_examples = data.split(builder, "train", config.train_clips)
    clip_shape, rates = data.first_example(examples)["clip"].shape, _column(examples, "rate")
    views = options.views(clip_shape)
    views.times.check_sampling(options.pair("band")[1], float(rates.min()))
    views.check_length(clip_shape[0])
    strategy = strategy or tf.distribute.get_strategy()
    steps_per_epoch = max(num_examples // config.batch_size, 1)
    labels = _column(examples, "label") if METHODS[config.method].needs_labels else None
    num_steps = config.epochs * steps_per_epoch
    facts = TrainingFacts(views, rates, num_examples, config.batch_size, num_steps, options.pair("band"), labels)
    keras.mixed_precision.set_dtype_policy(config.precision)
    with strategy.scope():
        keras.utils.set_random_seed(config.seed)  # Only here: building the data has drawn from the same generators.
        model = options.method(options.encoder(clip_shape[1:]), facts)
        model.compile(options.optimizer(steps_per_epoch))
    model.check_batch(config.batch_size)
    return Assembly(model, views, examples, num_examples, num_steps)


def _column(examples, name):
    """Returns one feature of all examples: of rates the first one does not tell the others."""
    return np.stack(list(examples.map(lambda example: example[name]).as_numpy_iterator()))


def replicas():
    """Returns the `tf.distribute.Strategy` that `--replicas` asks for, made before TensorFlow computes anything.

    Raises:
        ValueError: there are not so many GPUs, or they do not divide the batch.
    """
    config = flags.FLAGS
    gpus = tf.config.list_physical_devices("GPU")
    number = config.replicas or max(len(gpus), 1)
    if config.batch_size % number:
        raise ValueError(f"--batch_size={config.batch_size} clips cannot be shared evenly among {number} replicas.")
    if gpus and number > len(gpus):
        raise ValueError(f"--replicas={number}, but there are {len(gpus)} GPUs.")
    if number == 1:
        return tf.distribute.get_strategy()
    if gpus:
        return tf.distribute.MirroredStrategy([f"GPU:{k}" for k in range(number)])
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * number)
    return tf.distribute.MirroredStrategy([f"CPU:{k}" for k in range(number)])
