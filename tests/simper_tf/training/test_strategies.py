"""One device where one is asked for."""

import tensorflow as tf

from simper_tf.training import strategies
from simper_tf.training.settings import Settings


def test_one_device_takes_batches_of_any_number():
    assert strategies.make(Settings(strategy="one", batch_size=3)) is tf.distribute.get_strategy()
