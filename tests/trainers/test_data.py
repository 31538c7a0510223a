"""Data sets are built once, whatever happens meanwhile, and come as encoders take them."""

import fcntl
import json
import re
import shutil
import threading

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_datasets as tfds
from few_digits import HALF_A_BUILD, Digits, build_own, load
from finished import results
from processes import Command, lines_until

import datasets
from datasets.lst import goes, lst_dataset_builder
from datasets.rotating_digits import digits, handwriting
from simper_tf.data import building, pipeline, tfds_builders
from simper_tf.data import built as library
from simper_tf.evaluation.tasks import Frequency, Series
from simper_tf.training.experiment import first_example
from simper_tf.utils import files
from trainers import evaluate, export, pretrain

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def _ten(tmp_path_factory):
    return tmp_path_factory.mktemp("ten")


@pytest.fixture
def ten(few, _ten):
    """Returns a folder in which `rotating_digits/few` is built, once for this module."""
    load("rotating_digits/few", _ten)
    return _ten


def test_a_killed_build_leaves_nothing_to_load_and_is_repeated(call, few, tmp_path):
    with Command(["-c", HALF_A_BUILD, tmp_path]) as process:
        lines_until(process, ".*half")
    (left_over,) = (tmp_path / "rotating_digits" / "few").glob("incomplete.*")
    with pytest.raises(AssertionError, match="download_and_prepare"):
        Digits(data_dir=tmp_path, config="few").as_dataset(split="train")
    with pytest.raises(tfds.core.DatasetNotFoundError):
        tfds.core.read_only_builder.builder_from_files("rotating_digits/few", data_dir=tmp_path)
    clips = load("rotating_digits/few", tmp_path)
    sizes = {name: split.num_examples for name, split in clips.builder.info.splits.items()}
    assert sizes == dict.fromkeys(("train", "validation", "test"), 10)
    assert not left_over.exists()


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ("nothing", "there is no data set 'nothing'. There are: " + ", ".join(datasets.names()) + "."),
        ("", "there is no data set ''. There are: countix,"),
        ("countix/x", "countix has no config 'x'. It has: resample, crop, resample_32."),
    ],
)
def test_an_unknown_dataset_or_config_is_refused_with_known_ones(tmp_path, dataset, message):
    with pytest.raises(ValueError, match=rf"^(--|`)dataset={dataset}`?: {re.escape(message)}"):
        load(dataset, tmp_path)


def test_a_build_removes_what_dead_builds_have_left_and_no_other(few, tmp_path):
    folder = tmp_path / "rotating_digits" / "few"
    for name in ("dead", "alive", "unknown"):
        (folder / f"incomplete.{name}_{Digits.VERSION}").mkdir(parents=True)
    (folder / f"incomplete.dead_{Digits.VERSION}" / tfds_builders.LOCK).touch()
    (tmp_path / "rotating_digits" / "other" / ".building").mkdir(parents=True)
    with files.alone(folder / f"incomplete.alive_{Digits.VERSION}" / tfds_builders.LOCK):
        load("rotating_digits/few", tmp_path)
        names = {path.name for path in folder.iterdir()}
    assert names == {str(Digits.VERSION), *(f"incomplete.{name}_{Digits.VERSION}" for name in ("alive", "unknown"))}
    assert not list((tmp_path / "rotating_digits" / "other").iterdir())
    assert not (folder / str(Digits.VERSION) / tfds_builders.LOCK).exists()


def test_of_two_processes_that_need_a_data_set_one_builds_it(call, few, monkeypatch, tmp_path):
    folder = tmp_path / "rotating_digits" / "few"
    folder.mkdir(parents=True)
    monkeypatch.setattr(building, "_build", lambda *_: pytest.fail("The second built it too."))
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = []
        second = threading.Thread(target=lambda: found.append(load("rotating_digits/few", tmp_path)))
        second.start()
        Digits(data_dir=tmp_path, config="few").download_and_prepare()
    second.join()
    assert found[0].builder.info.splits["train"].num_examples == 10


def test_clips_of_bytes_come_as_they_are(ten):
    clips = load("rotating_digits/few", ten)
    assert clips.task == Frequency("Hz")
    assert clips.value_range is None
    assert clips.courses == ["angle"]
    labels = np.stack([each["label"] for each in clips.split("test", 4)[0].as_numpy_iterator()])
    np.testing.assert_array_equal(clips.column("label", "test", 4), labels)
    example = first_example(clips.split("test")[0])
    images = handwriting.by_digit(*handwriting.embedded_digits("test"), "test")
    np.testing.assert_array_equal(example["clip"], digits.clip_record(images, "test", 0, False)["clip"])


def test_a_split_not_built_is_refused_with_those_built(ten):
    clips = load("rotating_digits/few", ten)
    assert (clips.size("test"), clips.size("test", 4)) == (10, 4)
    for asked in (clips.size, clips.split):
        with pytest.raises(
            ValueError, match=r"few/2.1.0 has no split 'holdout', only train, validation, test: .* build it again"
        ):
            asked("holdout")


def test_a_refused_build_leaves_nothing(tmp_path):
    folder, raw = tmp_path / "made" / "data", tmp_path / "raw"
    raw.mkdir()
    (raw / "stranger.txt").touch()
    for name in ("ubfc", "countix"):
        with pytest.raises(ValueError, match="its raw files are missing"):
            datasets.module(name).Builder(data_dir=folder).download_and_prepare()  # As `tfds build` does.
        with pytest.raises(ValueError, match=f"{raw}"):
            building.load(datasets.module(name).Builder, "", folder, str(raw), lambda line: None)
    assert [*tmp_path.iterdir()] == [raw]


def test_a_refused_build_leaves_what_others_have_built(ten, monkeypatch):
    before = sorted(ten.rglob("*"))
    monkeypatch.setattr(Digits, "_generate_examples", lambda *_: iter(()))
    for build in (
        Digits(data_dir=ten, config="digits").download_and_prepare,
        lambda: load("rotating_digits/digits", ten),
    ):
        with pytest.raises((AssertionError, ValueError)):
            build()
    assert sorted(ten.rglob("*")) == before


@pytest.mark.parametrize("main", [evaluate.main, export.main])
def test_nothing_is_built_for_a_run_that_has_learned_nothing(plain, tmp_path, main):
    (tmp_path / "flags.cfg").write_text("--dataset=rotating_digits/digits\n")
    with pytest.raises(ValueError, match=r"holds no checkpoint\. Train to the end: python -m trainers.pretrain"):
        plain(main, f"--run_dir={tmp_path}", f"--data_dir={tmp_path / 'data'}")
    assert [path.name for path in tmp_path.iterdir()] == ["flags.cfg"]


def test_a_build_without_one_usable_clip_says_so(call, few, monkeypatch, tmp_path):
    monkeypatch.setattr(Digits, "_generate_examples", lambda *_: iter(()))
    with pytest.raises(ValueError, match=r"few/2.1.0 could not be built: not one clip of a split can be used"):
        load("rotating_digits/few", tmp_path)
    assert not [*tmp_path.iterdir()]


def test_temperatures_come_in_0_to_1_and_not_a_number_is_refused(tmp_path):
    celsius = np.linspace(-70, 80, 12 * 4).reshape(12, 2, 2, 1).astype(np.float32)
    broken = celsius.copy()
    broken[3, 1, 1] = np.nan
    config = lst_dataset_builder.LstConfig(name="two", window=12, horizon=3, size=2)
    builder = lst_dataset_builder.Builder(data_dir=tmp_path, config=config)
    fields = {"mask": np.ones_like(celsius, bool), "rate": 1 / 3600, "quarter": "south_east", "subject": "one"}
    fields |= {"label": np.ones(3, np.float32), "observed": np.ones(3, np.float32)}
    examples = {"train": [("whole", celsius)], "test": [("broken", broken)]}

    def generate(split):
        return ((key, {**fields, "clip": clip, "id": key}) for key, clip in examples[split])

    builder._split_generators = lambda _: {split: generate(split) for split in examples}
    builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=tmp_path))
    clips = library.ClipData(builder)
    assert (clips.task, clips.courses) == (Series("°C", *goes.PLAUSIBLE), [])
    whole, _ = clips.split("train")
    expected = np.clip((celsius + 60) / 130, 0, 1)
    np.testing.assert_allclose(first_example(whole)["clip"], expected, atol=1e-6)
    with pytest.raises(Exception, match=r"broken.*holds NaN"):
        next(iter(pipeline.Batches(*clips.reader("test"), 1, seed=0).start()))


def test_a_config_of_tfds_build_is_found_where_it_was_built(call, tmp_path):
    build_own(tmp_path / "data")
    clips = load("rotating_digits/own", tmp_path / "data")
    assert (clips.name, clips.config, clips.task.unit) == ("rotating_digits", "own", "Hz")
    assert clips.frame_shape == (28, 28, 1)
    assert first_example(clips.split("train", 3)[0])["clip"].shape == (150, 28, 28, 1)
    call(
        pretrain.main, f"--run_dir={tmp_path / 'run'}", f"--data_dir={tmp_path / 'data'}",
        "--dataset=rotating_digits/own", "--train_clips=8", "--epochs=1",
    )  # fmt: skip
    assert {row["config"] for row in results(tmp_path / "run")} == {"own"}
    with pytest.raises(ValueError, match=f"no config 'other'.* are looked for in {tmp_path / 'data'}"):
        load("rotating_digits/other", tmp_path / "data")


def test_what_tfds_has_built_in_its_own_folder_is_taken(few, ten, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tfds.core.constants, "DATA_DIR", str(tmp_path / "tfds"))
    shutil.copytree(ten, tmp_path / "tfds")
    monkeypatch.setattr(building, "_build", lambda *_: pytest.fail("It is built again."))
    clips, place = load("rotating_digits/few", tmp_path / "data"), tmp_path / "tfds/rotating_digits/few/2.1.0"
    assert str(clips.builder.data_path) == str(place)
    told = f"rotating_digits/few/2.1.0 is not in {tmp_path / 'data'}: taken from {place}.\n"
    assert capsys.readouterr().out == told
    assert not (tmp_path / "data").exists()
    shutil.copytree(ten, tmp_path / "data")
    assert str(load("rotating_digits/few", tmp_path / "data").builder.data_path).startswith(str(tmp_path / "data"))
    assert capsys.readouterr().out == ""


def test_real_files_are_not_read_from_what_a_stand_in_built(few, ten, tmp_path, monkeypatch):
    monkeypatch.setattr(tfds.core.constants, "DATA_DIR", str(tmp_path / "tfds"))
    place = shutil.copytree(ten, tmp_path / "tfds") / "rotating_digits/few/2.1.0/metadata.json"
    for name in ("real", "imitation"):
        (tmp_path / name).mkdir()
    (tmp_path / "imitation" / tfds_builders.STANDIN).write_text('{"seed": 1}')

    def found(raw):
        return building.find(Digits, "few", tmp_path / "data", raw and str(tmp_path / raw)).data_path.exists()

    assert [found(raw) for raw in (None, "nowhere", "real", "imitation")] == [True, True, True, False]
    place.write_text(json.dumps(json.loads(place.read_text()) | {tfds_builders.STANDIN: {"seed": 1}}))
    assert [found(raw) for raw in (None, "nowhere", "real", "imitation")] == [True, True, False, True]
    assert building.is_standin(building.find(Digits, "few", tmp_path / "data"))


def test_examples_read_by_number_are_those_read_in_order(ten):
    whole = load("rotating_digits/few", ten)
    shares = whole.take({"train": np.array([1, 4, 5, 9])}, np.array([True, False, True, False]))
    for clips in (whole, whole.cut(30), shares, shares.hiding_labels()):
        expected = list(clips.split("train")[0].as_numpy_iterator())
        read, number = clips.reader("train")
        assert number == len(expected)
        places = [3, 0, 2, 3]
        for place, example in zip(places, read(tf.data.Dataset.from_tensor_slices(places)), strict=True):
            assert example.keys() == expected[place].keys()
            for name, value in expected[place].items():
                np.testing.assert_array_equal(example[name], value)


def test_two_splits_are_read_as_one_with_what_is_left_of_each(ten):
    clips = load("rotating_digits/few", ten).take({"train": np.array([1, 4]), "validation": np.array([0, 9])})
    read, number = clips.reader("train+validation")
    expected = [*clips.split("train")[0].as_numpy_iterator(), *clips.split("validation")[0].as_numpy_iterator()]
    assert number == len(expected) == 4
    for example, one in zip(read(tf.data.Dataset.range(4)), expected, strict=True):
        assert example["id"] == one["id"]
        np.testing.assert_array_equal(example["clip"], one["clip"])
    labels = [one["label"] for one in expected]
    np.testing.assert_array_equal(clips.column("label", "train+validation"), labels)
    np.testing.assert_array_equal(clips.column("label", "train+validation", 3), labels[:3])
    with pytest.raises(ValueError, match=r"has no split 'extra', only "):
        clips.reader("train+extra")


def test_clips_that_validate_train_too_where_asked(ten, call, tmp_path, capsys):
    few_clips = [f"--data_dir={ten}", "--dataset=rotating_digits/few", "--train_clips=0", "--epochs=1"]
    call(pretrain.main, f"--run_dir={tmp_path}", *few_clips, "--train_on=train+validation")
    assert " 20 clips, 5 steps of 4 x" in capsys.readouterr().out
    assert {row["n"] for row in results(tmp_path)} == {6}


def test_places_are_made_once_where_labels_hide(ten, monkeypatch):
    monkeypatch.setattr(pipeline, "CACHE_BYTES", 0)
    whole = load("rotating_digits/few", ten)
    known = np.array([True, False, True, False])
    clips = whole.take({"train": np.array([1, 4, 5, 9])}, known).hiding_labels()
    read, number = clips.reader("train")
    made = tf.Variable(tf.zeros(number, tf.int32))

    def counted(place):
        made.scatter_nd_add([[place]], [1])
        return place

    list(read(tf.data.Dataset.range(number).map(counted)))
    np.testing.assert_array_equal(made, [1, 1, 1, 1])
    _, labels = next(iter(pipeline.Batches(read, number, 4, 1, labeled=True).start()))
    expected = np.where(known, whole.column("label", "train")[[1, 4, 5, 9]], np.nan)
    np.testing.assert_array_equal(np.sort(labels), np.sort(expected))


def test_a_column_is_read_once_and_no_record_for_it_again(ten, tmp_path, monkeypatch):
    clips = load("rotating_digits/few", shutil.copytree(ten, tmp_path / "data"))
    shutil.rmtree(clips.builder.data_path / ".columns", ignore_errors=True)
    first = clips.column("label", "train", 4)  # Of some clips alone nothing is kept.
    assert not (clips.builder.data_path / ".columns").exists()
    whole = clips.column("label", "train")
    names = clips.column("id", "train")
    monkeypatch.setattr(clips.builder, "as_dataset", lambda **_: pytest.fail("Records are read again."))
    np.testing.assert_array_equal(clips.column("label", "train"), whole)
    np.testing.assert_array_equal(clips.column("id", "train"), names)
    assert len(set(names)) == 10
    known = np.array([True, False, True, False])
    part = clips.take({"train": np.array([1, 4, 5, 9])}, known)
    np.testing.assert_array_equal(part.column("label", "train", 3), whole[[1, 4, 5]])
    np.testing.assert_array_equal(
        part.hiding_labels().column("label", "train"), np.where(known, whole[[1, 4, 5, 9]], np.nan)
    )
    np.testing.assert_array_equal(first, whole[:4])
