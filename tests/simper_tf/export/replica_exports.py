"""Training with batch norm on two logical CPU devices, and export.

Run by `test_serving.py` in a process of its own.

`python replica_exports.py FOLDER` leaves FOLDER/1 and beside it `features.npy`, what the trained encoder itself
answers to `clips()`.
"""

import pathlib
import sys

import keras
import numpy as np
import tensorflow as tf

from simper_tf import SimPer, SpeedSets, Views
from simper_tf.encoders import cnn3d
from simper_tf.export import saved_model
from simper_tf.export.served_features import FeaturesModel
from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.training import loop

BAND, FRAME = (1.0, 5.0), (8, 8, 1)


def clips():
    """Returns `(4, 40, 8, 8, 1)` uint8 noise."""
    return np.random.default_rng(3).integers(0, 256, (4, 40, *FRAME), np.uint8)


def main(folder):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    keras.utils.set_random_seed(0)  # Of other weights the last ReLU may let nothing through.
    FrequencyModel.signatures = FeaturesModel.signatures  # That of frequencies takes seconds to trace.
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        encoder = cnn3d((None, None, 1))
        model = SimPer(encoder, Views(16, SpeedSets(2)))
        model.compile(keras.optimizers.SGD(1e-2))
    batches = tf.data.Dataset.from_tensors(clips()).repeat(2)
    step = loop.step_function(model)
    for batch in strategy.experimental_distribute_dataset(batches):
        step(batch)
    saved_model.export_model(encoder, folder, FRAME, BAND)
    np.save(pathlib.Path(folder, "features.npy"), tf.function(encoder)(clips() / np.float32(255), training=False))


if __name__ == "__main__":
    main(sys.argv[1])
