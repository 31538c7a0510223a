"""Rotating digits of a few clips a split, and a process that has built half of it."""

import pytest

from datasets.rotating_digits import rotating_digits_dataset_builder
from datasets.rotating_digits.rotating_digits_dataset_builder import RotatingDigitsConfig
from simper_tf.data import building
from simper_tf.training.settings import Settings
from trainers import data

Digits = rotating_digits_dataset_builder.Builder

FEW = {"name": "few", "train_clips": 10, "validation_clips": 10, "test_clips": 10}

# A build that stops in the middle of a split until it is killed.
HALF_A_BUILD = """
import itertools, sys, time
from datasets.rotating_digits import rotating_digits_dataset_builder as module
from datasets.rotating_digits import digits

record = digits.clip_record

def stop_at_five(images, split, index, **look):
    if (split, index) == ("test", 5):
        print("half", flush=True)
        time.sleep(600)
    return record(images, split, index, **look)

digits.clip_record = stop_at_five
config = module.RotatingDigitsConfig(name="few", train_clips=10, validation_clips=10, test_clips=10)
module.Builder(data_dir=sys.argv[1], config=config).download_and_prepare()
"""


def load(dataset, data_dir):
    """Returns the data set of a name, built in a folder if it is not there."""
    return data.load(Settings(dataset=dataset, data_dir=str(data_dir)))


def build_own(root):
    """Builds `rotating_digits/own` in a folder, a config of no builder."""
    own = rotating_digits_dataset_builder.RotatingDigitsConfig(**{**FEW, "name": "own"})
    Digits(data_dir=root, config=own).download_and_prepare()


@pytest.fixture(scope="session", name="data_dir")
def digits_built(tmp_path_factory):
    """Returns a folder in which rotating digits are built, the first few clips of each split alone."""
    folder = tmp_path_factory.mktemp("data")
    config = RotatingDigitsConfig(name="digits", train_clips=60, validation_clips=20, test_clips=40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(Digits.builder_configs, "digits", config)
        building.build(Digits(data_dir=folder, config="digits"), say=lambda line: None)
    return folder
