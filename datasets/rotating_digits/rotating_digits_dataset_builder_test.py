"""Tests of the rotating-digits builder, on 10 or 20 clips a split."""

import dataclasses
import gzip
import pathlib
import struct
import tempfile
from unittest import mock

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets.rotating_digits import digits, handwriting, rotating_digits_dataset_builder

Config = rotating_digits_dataset_builder.RotatingDigitsConfig
FEW = {"train_clips": 10, "validation_clips": 10, "test_clips": 20}


def write_mnist(folder, seed=0):
    """Writes MNIST's four files with two random images of each digit."""
    rng = np.random.default_rng(seed)
    for images_name, labels_name in handwriting.MNIST_FILES.values():
        images, labels = rng.integers(0, 256, (20, 28, 28), np.uint8), np.arange(20, dtype=np.uint8) % 10
        header = struct.pack(">4I", 2051, *images.shape)
        (folder / images_name).write_bytes(header + images.tobytes())
        (folder / f"{labels_name}.gz").write_bytes(gzip.compress(struct.pack(">2I", 2049, 20) + labels.tobytes()))


@pytest.mark.slow
class RotatingDigitsTest(tfds.testing.DatasetBuilderTestCase):
    """Every config builds, MNIST from the manual folder."""

    DATASET_CLASS = rotating_digits_dataset_builder.Builder
    SPLITS = {"train": 10, "validation": 10, "test": 20}
    BUILDER_CONFIG_NAMES_TO_TEST = [
        dataclasses.replace(config, name=f"{config.name}_few", **FEW) for config in DATASET_CLASS.BUILDER_CONFIGS
    ]

    @classmethod
    def setUpClass(cls):
        cls.EXAMPLE_DIR = tempfile.mkdtemp()
        write_mnist(pathlib.Path(cls.EXAMPLE_DIR))
        super().setUpClass()


@pytest.mark.slow
class RotatingDigitsDownloadTest(tfds.testing.DatasetBuilderTestCase):
    """Without MNIST in the manual folder its compressed files are downloaded and read."""

    DATASET_CLASS = rotating_digits_dataset_builder.Builder
    SPLITS = {"train": 10, "validation": 10, "test": 20}
    BUILDER_CONFIG_NAMES_TO_TEST = [Config(name="mnist_few", mnist=True, **FEW)]
    DL_DOWNLOAD_RESULT = {
        split: [f"downloaded/{images}", f"downloaded/{labels}.gz"]
        for split, (images, labels) in handwriting.MNIST_FILES.items()
    }

    @classmethod
    def setUpClass(cls):
        cls.EXAMPLE_DIR = tempfile.mkdtemp()
        downloaded = pathlib.Path(cls.EXAMPLE_DIR) / "downloaded"
        downloaded.mkdir()
        write_mnist(downloaded)
        super().setUpClass()


def builder(data_dir, **config):
    return rotating_digits_dataset_builder.Builder(data_dir=data_dir, config=Config(name="few", **FEW, **config))


def prepare(few, manual_dir=None, **settings):
    config = tfds.download.DownloadConfig(manual_dir=manual_dir, **settings)
    few.download_and_prepare(download_config=config)
    return few


@pytest.mark.slow
@pytest.mark.parametrize("look", [{}, {"spurious": True}, {"spin": True, "disturbance": "low"}], ids=str)
def test_a_clip_made_alone_equals_its_place_in_the_built_set(tmp_path, look):
    few = prepare(builder(tmp_path, **look), num_shards=3)
    for split in ("train", "validation", "test"):
        built = list(tfds.as_numpy(few.as_dataset(split=split)))
        assert [record["id"].decode() for record in built] == [f"{split}-{k:05d}" for k in range(len(built))]
        images = handwriting.by_digit(*handwriting.embedded_digits(split), split)
        for index in (7, 3):
            alone = digits.clip_record(images, split, index, **look)
            assert built[index].keys() == alone.keys()
            assert built[index]["subject"].decode() == alone["subject"]
            for name in alone.keys() - {"id", "subject"}:
                np.testing.assert_array_equal(built[index][name], alone[name], strict=name in ("clip", "angle"))


def test_the_default_config_is_the_full_one_without_download():
    default = rotating_digits_dataset_builder.Builder.BUILDER_CONFIGS[0]
    assert (default.name, default.mnist) == ("digits", False)
    assert (default.train_clips, default.validation_clips, default.test_clips) == (1000, 500, 2000)


@pytest.mark.slow
def test_embedded_digits_are_built_without_network(tmp_path):
    with mock.patch("socket.socket", side_effect=AssertionError("The network was touched.")):
        assert prepare(builder(tmp_path)).info.splits["test"].num_examples == 20


@pytest.mark.slow
def test_without_manual_folder_mnist_comes_from_registered_urls(tmp_path):
    few = builder(tmp_path, mnist=True)
    with (
        mock.patch.object(tfds.download.DownloadManager, "download", side_effect=ConnectionError) as download,
        pytest.raises(ConnectionError),
    ):
        prepare(few, manual_dir=tmp_path / "missing")
    (urls,) = download.call_args.args
    assert {url for pair in urls.values() for url in pair} == set(few.url_infos)
    assert len(few.url_infos) == 4


@pytest.mark.slow
def test_noisy_mnist_brings_the_image_that_its_ideal_knows(tmp_path):
    (tmp_path / "manual").mkdir()
    write_mnist(tmp_path / "manual")
    few = prepare(builder(tmp_path, mnist=True, disturbance="low"), manual_dir=tmp_path / "manual")
    images = handwriting.by_digit(*handwriting.read_mnist(tmp_path / "manual", "test"), "test")
    for example in tfds.as_numpy(few.as_dataset(split="test")):
        _, digit, number = example["subject"].decode().split("-")
        np.testing.assert_array_equal(example["image"][0, ..., 0], images[int(digit)][int(number)])
        assert few.ideal(example) == pytest.approx(example["label"], abs=2e-3)


@pytest.mark.slow
def test_an_incomplete_manual_folder_names_the_missing_file(tmp_path):
    manual_dir = tmp_path / "manual"
    manual_dir.mkdir()
    write_mnist(manual_dir)
    (manual_dir / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"has neither t10k-labels-idx1-ubyte nor t10k-labels-idx1-ubyte\.gz"):
        prepare(builder(tmp_path, mnist=True), manual_dir=manual_dir)
