"""Builds UBFC-rPPG from raw files in the true format, written by its stand-in."""

import json
import pathlib
import tempfile

import tensorflow_datasets as tfds

from datasets.ubfc import ubfc_dataset_builder
from simper_tf.readers import pulse
from simper_tf.standins import faces
from simper_tf.standins import ubfc as standin


class UbfcTest(tfds.testing.DatasetBuilderTestCase):
    """Three subjects of 12.3 seconds: two whole clips each, and a rest."""

    DATASET_CLASS = ubfc_dataset_builder.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = ["paper"]
    SPLITS = {"train": 4, "test": 2}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.EXAMPLE_DIR = folder.name
        standin.write(pathlib.Path(folder.name), subjects=3, seconds=12.3, look=faces.CLEAN)
        super().setUpClass()

    def test_heart_rates_are_the_true_ones_in_label_and_in_pixels(self):
        truth = json.loads(pathlib.Path(self.EXAMPLE_DIR, "truth.json").read_text(encoding="utf-8"))
        self._download_and_prepare_as_dataset(self.builder)
        for split in self.SPLITS:
            for example in tfds.as_numpy(self.builder.as_dataset(split=split)):
                true = truth[example["id"].decode().split("/")[0]]["heart_rate"]
                assert abs(example["label"] - true) < 0.5
                assert example["face_found"] == b"haar"
                green = example["clip"][:, 10:26, 10:26, 1].mean(axis=(1, 2))
                assert abs(pulse.heart_rate(-green, example["rate"]) - true) < 0.5


if __name__ == "__main__":
    tfds.testing.test_main()
