"""Helpers that the tests of several builders share."""

import json
import pathlib
import tempfile

import numpy as np
import tensorflow_datasets as tfds

from simper_tf.data import standin_faces
from simper_tf.signals import pulse


class StandInTest:
    """A data set builds from raw files in the true format, written by its stand-in.

    To be named before `tfds.testing.DatasetBuilderTestCase` as a base.

    Attributes:
        STANDIN: The module that writes them, and `SIZES`, what it is told.
    """

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.EXAMPLE_DIR = folder.name
        cls.STANDIN.write(pathlib.Path(folder.name), **cls.SIZES)
        super().setUpClass()

    def examples_and_truth(self):
        """Yields each example of the built data set, and what the stand-in says of its recording."""
        truth = json.loads(pathlib.Path(self.EXAMPLE_DIR, "truth.json").read_text(encoding="utf-8"))
        self._download_and_prepare_as_dataset(self.builder)
        for split in self.SPLITS:
            for example in tfds.as_numpy(self.builder.as_dataset(split=split)):
                name = example["id"].decode()
                yield example, truth[name if name in truth else name.split("/")[0]]


class FacesTest(StandInTest):
    """A data set of faces builds with the true labels.

    Attributes:
        SKIN: Where in a clip there is nothing but skin.
    """

    BUILDER_CONFIG_NAMES_TO_TEST = ["paper"]
    SKIN = np.s_[:, 10:26, 10:26]

    @classmethod
    def setUpClass(cls):
        cls.SIZES = {"look": standin_faces.CLEAN, **cls.SIZES}
        super().setUpClass()

    def test_heart_rates_are_the_true_ones_in_label_and_in_pixels(self):
        for example, truth in self.examples_and_truth():
            assert abs(example["label"] - truth["heart_rate"]) < 0.5
            green = example["clip"][self.SKIN][..., 1].mean(axis=(1, 2))
            assert abs(pulse.heart_rate(-green, example["rate"]) - truth["heart_rate"]) < 0.5
            assert example.get("face_found", b"haar") == b"haar"


def build_both_ways(make, manual_dir, folder):
    """Builds a data set in order and on Beam with two workers, asserts that both hold the same, and returns them."""
    flags = ["--runner=DirectRunner", "--direct_num_workers=2", "--direct_running_mode=multi_threading"]
    beam = tfds.core.lazy_imports.apache_beam.options.pipeline_options.PipelineOptions(flags)
    builders = [make(folder / "in_order"), make(folder / "on_beam")]
    for builder, options in zip(builders, (None, beam), strict=True):
        download_config = tfds.download.DownloadConfig(manual_dir=manual_dir, beam_options=options)
        builder.download_and_prepare(download_config=download_config)
    assert [builder.on_beam for builder in builders] == [False, True]
    for split in builders[0].info.splits:
        first, second = (
            {record["id"]: record for record in tfds.as_numpy(builder.as_dataset(split=split))} for builder in builders
        )
        assert first.keys() == second.keys()
        for key in first:
            for name, value in first[key].items():
                np.testing.assert_array_equal(second[key][name], value)
    return builders
