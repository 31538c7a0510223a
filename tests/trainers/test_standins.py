"""Each data set that has a stand-in, from its raw files to views, and each kind of label to a trained run."""

import csv
import inspect
import json
import pathlib
import shutil

import h5py
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_datasets as tfds

import datasets
from simper_tf import SpeedSets, Views
from simper_tf.export import saved_model
from simper_tf.utils import units
from trainers import data, options, pretrain, validate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """Returns a function from name to the folder of a stand-in, written when first asked for."""
    root = tmp_path_factory.mktemp("raw")

    def write(name):
        if not (root / name).exists():
            standin = datasets.module(name, "standin")
            standin.write(root / name, **standin.SMALLEST[0])
        return root / name

    return write


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return tmp_path_factory.mktemp("built")


@pytest.fixture
def small(monkeypatch):
    """Adds the config `small` to a data set for the time of a test; returns its builder class."""

    def add(name):
        builder = datasets.module(name).Builder
        config = builder.builder_config_cls(name="small", **datasets.module(name, "standin").SMALLEST[1])
        monkeypatch.setitem(builder.builder_configs, "small", config)
        return builder

    return add


def load():
    """Loads what the flags name."""
    return data.load(options.settings())


@pytest.mark.parametrize("name", datasets.names("standin"))
def test_raw_files_become_a_data_set_that_gives_views(name, raw, built, small):
    builder = small(name)(data_dir=built, config="small")
    builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=raw(name)))
    examples, info = tfds.load(f"{name}/small", split="train", data_dir=built, with_info=True)
    batch = next(iter(examples.batch(2)))
    value_range = info.metadata.get("clip_range")
    clips = units.rescale(batch["clip"], value_range) if value_range else batch["clip"]
    batch = Views(12, SpeedSets(2))(clips, tf.constant([0, 1]))
    views, speeds = batch["views"], batch["speeds"]
    assert views.shape == (2, 4, 12, *clips.shape[2:])
    assert speeds.shape == (2, 4)
    assert np.isfinite(views).all()
    assert 0 <= np.min(views) < np.max(views) <= 1


@pytest.mark.parametrize("name", datasets.names("standin"))
def test_the_default_stand_in_builds_by_every_config(name, tmp_path, monkeypatch):
    standin, builder = datasets.module(name, "standin"), datasets.module(name).Builder
    # Sizes that decide nothing of a build are small; of the 800 maps of LST none is drawn.
    sizes = {"height": 24, "width": 32} if "height" in inspect.signature(standin.write).parameters else {}
    if name == "lst":
        monkeypatch.setattr(
            standin, "write_map", lambda path, *_, **__: (path.parent.mkdir(parents=True), path.touch())
        )
        monkeypatch.setattr(standin, "_celsius", lambda *_: np.zeros((30, 50)))
        monkeypatch.setattr(standin, "_land", lambda: np.ones((30, 50), bool))
        monkeypatch.setattr(standin, "_smooth_noise", lambda *_: np.ones((30, 50)))
        maps = np.random.default_rng(0).normal(size=(200, 200))
        monkeypatch.setattr(datasets.module(name, "goes"), "read_map", lambda _: maps)
    standin.write(tmp_path / "raw", **sizes)
    for config in builder.builder_configs:
        validation = validate.validating(builder(data_dir=tmp_path / "data", config=config))
        problems, examples = validation.raw(tmp_path / "raw")
        assert problems == []
        assert min(examples.values()) > 0


@pytest.mark.parametrize("name", ["ubfc", "countix", "lst"])
def test_the_flagfile_trains_and_exports_on_the_stand_in(name, raw, built, small, call, tmp_path):
    small(name)
    run = tmp_path / "run"
    folders = [f"--run_dir={run}", f"--data_dir={built}", f"--manual_dir={raw(name)}"]
    # Of its few clips a batch takes all.
    sizes = [*call.tiny, f"--dataset={name}/small", "--encoder=small", "--train_clips=4"]
    sizes += [] if name == "lst" else ["--readout=probe"]
    call(pretrain.main, f"--flagfile=flags/{name}.cfg", *sizes, "--epochs=1", "--artifacts", *folders)
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    expected = {"linear_probe", "persistence", "training_mean"} if name == "lst" else {"fft", "fft_calibrated", "1nn"}
    assert expected <= {row["protocol"] for row in rows}
    unit = {"ubfc": "bpm", "countix": "count", "lst": "°C"}[name]
    assert {row["unit"] for row in rows if row["metric"] == "mae"} == {unit}
    assert all(np.isfinite(row["value"]) and row["low"] <= row["value"] <= row["high"] for row in rows)
    pictures = {path.stem for path in (run / "plots").glob("*.png")}
    assert pictures >= {"predicted_over_true", "forecasts" if name == "lst" else "spectra"}
    assert ("features_over_ppg" in pictures) == (name == "ubfc")
    check_the_export(name, built, small, run)


def test_damage_midway_in_a_build_is_named_and_leaves_nothing(raw, small, call, tmp_path):
    small("scamps")
    shutil.copytree(raw("scamps"), tmp_path / "raw")
    with h5py.File(tmp_path / "raw" / "scamps_videos" / "P000002.mat", "r+") as file:
        file["Xsub"][0, 0, 0, 50] = 7.0
    folders = [f"--run_dir={tmp_path}/run", f"--data_dir={tmp_path}/data", f"--manual_dir={tmp_path}/raw"]
    with pytest.raises(ValueError, match=r"^\S+P000002.mat: found Xsub between"):
        call(load, "--dataset=scamps/small", *folders)
    assert not list((tmp_path / "data" / "scamps").rglob("*.tfrecord*"))


@pytest.mark.parametrize(
    ("name", "sizes", "message"),
    [
        ("ubfc", {"subjects": 2, "seconds": 3}, r"needs three subjects or more, found \['subject1', 'subject3'\]"),
        ("ubfc", {"subjects": 3, "seconds": 1}, "The train split would be empty: not one clip of 60 frames .*subject1"),
        ("scamps", {"subjects": 3, "seconds": 1}, r"The train split would be empty.*P00000\d: 30 frames are shorter"),
        ("countix", {"subjects": 1, "seconds": 2}, r"A split would be empty: not one of its 5 .*at least 80"),
        ("lst", {"subjects": 1, "seconds": 1}, "found 10 hours: windows 0 for train.*at least 40 hours"),
    ],
)
def test_raw_data_too_few_for_a_split_are_refused_with_numbers(name, sizes, message, small, call, tmp_path):
    small(name)
    datasets.module(name, "standin").write(tmp_path / "raw", **sizes)
    folders = [f"--run_dir={tmp_path}/run", f"--data_dir={tmp_path}/data", f"--manual_dir={tmp_path}/raw"]
    with pytest.raises(ValueError, match=message):
        call(load, f"--dataset={name}/small", *folders)
    assert not list((tmp_path / "data" / name).rglob("*.tfrecord*"))


@pytest.mark.parametrize("name", datasets.names("reader"))
def test_a_builder_says_in_one_line_that_raw_files_are_missing(name, tmp_path):
    builder = datasets.module(name).Builder(data_dir=tmp_path / "data")
    config = tfds.download.DownloadConfig(manual_dir=tmp_path / "raw")
    with pytest.raises(
        ValueError, match=rf"^{name}/.*/raw does not exist or is empty\. Put them .*{name}/README\.md.*$"
    ):
        builder.download_and_prepare(download_config=config)


@pytest.mark.parametrize("make", [lambda folder: None, pathlib.Path.mkdir])
def test_a_missing_folder_of_raw_files_is_named_with_a_remedy(make, small, call, tmp_path):
    small("pure")
    make(tmp_path / "raw")
    folders = [f"--run_dir={tmp_path}/run", f"--data_dir={tmp_path}/data", f"--manual_dir={tmp_path}/raw"]
    with pytest.raises(
        ValueError,
        match=r"/raw does not exist or is empty\. .*README\.md.* trainers\.standin --dataset=pure .*`manual_dir`\.$",
    ):
        call(load, "--dataset=pure/small", *folders)


def check_the_export(name, built, small, run):
    """Asserts that the exported model takes clips as they are stored and says what evaluation wrote of each."""
    version, suffix = run / "saved_model" / "1", saved_model.FLOAT_SUFFIX if name == "lst" else ""
    answer = tf.saved_model.load(version).signatures["answer" + suffix]
    facts = json.loads((version / saved_model.METADATA).read_text())
    expected = {"ubfc": "heart_rate_bpm", "countix": "count", "lst": "temperature_celsius"}[name]
    assert (facts["answer"], facts["readout"]) == (expected, "linear_probe" if name == "lst" else "probe")
    lines = {line["id"]: line for line in csv.DictReader((run / "clips.csv").open())}
    examples = small(name)(data_dir=built, config="small").as_dataset(split="test").as_numpy_iterator()
    known = [example for example in examples if example["id"].decode() in lines]
    assert len(known) == len(lines)
    for example in known:
        given = {"frames": example["clip"][None]} | ({} if name == "lst" else {"rate": example["rate"][None]})
        said = answer(**{key: tf.constant(value) for key, value in given.items()})
        assert ("frequency_hz" in said) == (name != "lst")
        line = lines[example["id"].decode()]
        written = [float(value) for title, value in line.items() if title.startswith(facts["readout"])]
        np.testing.assert_allclose(said[expected].numpy().ravel(), written, rtol=1e-5, atol=1e-5)
