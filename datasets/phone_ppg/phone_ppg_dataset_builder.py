"""TFDS builder of phone pulses; the README beside it says what they are and how to get them."""

import dataclasses

import numpy as np
import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.evaluation import tasks
from simper_tf.signals import pulse

from . import reader

# Splits of the 21 people on which methods are compared.
NUM_SPLITS = 5


@dataclasses.dataclass(eq=False)
class PhonePpgConfig(tfds.core.BuilderConfig):
    """Settings of windows and of the split of people.

    Attributes:
        seconds: Length of a window.
        every: Seconds from the start of a window to the start of the next.
        rate: Samples per second to which the uneven frames are brought: 15 keep four harmonics of 110 beats a minute.
        train_fraction: The fraction of people that are not tested.
        validation_fraction: The fraction of people that validate, cut from those that are not tested.
        seed: Of the order in which people are divided.
    """

    seconds: float = 8.0
    every: float = 2.0
    rate: float = 15.0
    train_fraction: float = 2 / 3
    validation_fraction: float = 0.1
    seed: int = 0


class Builder(tfds_builders.ByRecording, tfds.core.GeneratorBasedBuilder):
    """Windows of the color of a fingertip, labeled with the heart rate of a chest strap."""

    READER = reader
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES = {"1.0.0": "Initial release."}
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "NAME.csv (time in ms, R, G, B) and NAME.RR (ms between beats) of each person in one folder. The README beside "
        "this builder says how to get them; `trainers.standin` writes a stand-in."
    )
    BUILDER_CONFIGS = [
        PhonePpgConfig(
            name=f"split{seed}", description=f"12 people train, 2 validate, 7 test; order {seed}.", seed=seed
        )
        for seed in range(NUM_SPLITS)
    ]

    def _info(self):
        config = self.builder_config
        features = {
            "clip": tfds.features.Tensor(
                shape=(round(config.seconds * config.rate), 1, 1, 3),
                dtype=np.float32,
                encoding="bytes",
                doc=tfds_features.doc("Mean R, G and B of the picture.", "[0, 255] levels"),
            ),
            "rate": tfds_features.scalar("Samples per second, after interpolation.", "15 per second"),
            "label": tfds_features.heart_rate("Heartbeats of the chest strap in the window, over its length."),
            "id": tfds_features.text("Recording and start in seconds.", "sNN/SSS.S"),
            "subject": tfds_features.text("Whose finger it is.", "01 to 21"),
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            metadata=tfds_features.metadata(tasks.Frequency("bpm", *pulse.RANGE_BPM)),
            supervised_keys=None,
            homepage="https://github.com/Welltory/welltory-ppg-dataset",
            license="CC0 1.0",
        )

    def _generate_examples(self, recordings):
        config = self.builder_config
        for recording in recordings:
            yield from reader.clips(recording, config.seconds, config.every, config.rate)
