"""Data sets are built once, whatever happens meanwhile, and come as encoders take them."""

import fcntl
import importlib
import pathlib
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets.lst import lst_dataset_builder
from datasets.rotating_digits import rotating_digits_dataset_builder
from simper_tf import pipeline
from simper_tf.readers import rotating_digits
from trainers import data, options

ROOT = pathlib.Path(__file__).parents[2]
Digits = rotating_digits_dataset_builder.Builder
FEW = {"name": "few", "train_clips": 10, "test_clips": 10}

# A build that stops in the middle of a split until it is killed.
HALF_A_BUILD = """
import itertools, sys, time
from datasets.rotating_digits import rotating_digits_dataset_builder as module
from simper_tf.readers import rotating_digits

record = rotating_digits.clip_record

def stop_at_five(images, split, index, spurious):
    if (split, index) == ("test", 5):
        print("half", flush=True)
        time.sleep(600)
    return record(images, split, index, spurious)

rotating_digits.clip_record = stop_at_five
config = module.RotatingDigitsConfig(name="few", train_clips=10, test_clips=10)
module.Builder(data_dir=sys.argv[1], config=config).download_and_prepare()
"""


@pytest.fixture
def few(monkeypatch):
    """Adds a config of ten clips a split, `rotating_digits/few`."""
    config = rotating_digits_dataset_builder.RotatingDigitsConfig(**FEW)
    monkeypatch.setitem(Digits.builder_configs, "few", config)


def load(call, *arguments):
    """Returns what `data.load` returns with these flags."""
    loaded = []
    call(lambda: loaded.append(data.load()), "--run_dir=unused", *arguments)
    return loaded[0]


def test_a_build_that_is_killed_leaves_nothing_to_load_and_is_repeated_from_the_start(call, few, tmp_path, capsys):
    process = subprocess.Popen([sys.executable, "-c", HALF_A_BUILD, tmp_path], cwd=ROOT, stdout=subprocess.PIPE)
    while b"half" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (left_over,) = (tmp_path / "rotating_digits" / "few").glob("incomplete.*")
    with pytest.raises(AssertionError, match="download_and_prepare"):
        Digits(data_dir=tmp_path, config="few").as_dataset(split="train")
    with pytest.raises(tfds.core.DatasetNotFoundError):
        tfds.core.read_only_builder.builder_from_files("rotating_digits/few", data_dir=tmp_path)
    builder = load(call, "--dataset=rotating_digits/few", f"--data_dir={tmp_path}")
    assert {name: split.num_examples for name, split in builder.info.splits.items()} == {"train": 10, "test": 10}
    assert f"{left_over} is what a killed build has left: delete it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ("nothing", "there is no data set 'nothing'. There are: countix, lst, pure, rotating_digits, scamps, ubfc."),
        ("", "there is no data set ''. There are: countix,"),
        ("countix/x", "countix has no config 'x'. It has: resample, crop."),
    ],
)
def test_an_unknown_data_set_or_config_is_refused_with_those_that_are(tmp_path, dataset, message):
    with pytest.raises(ValueError, match=re.escape(f"--dataset={dataset}: {message}")):
        data.find(dataset, tmp_path)


def test_of_two_processes_that_need_a_data_set_one_builds_it(call, few, monkeypatch, tmp_path):
    folder = tmp_path / "rotating_digits" / "few"
    folder.mkdir(parents=True)
    monkeypatch.setattr(data, "_build", lambda builder: pytest.fail("The second built it too."))
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        arguments = (call, "--dataset=rotating_digits/few", f"--data_dir={tmp_path}")
        found = []
        second = threading.Thread(target=lambda: found.append(load(*arguments)))
        second.start()
        Digits(data_dir=tmp_path, config="few").download_and_prepare()
    second.join()
    assert found[0].info.splits["train"].num_examples == 10


def test_clips_in_physical_units_come_as_encoders_take_them_and_bytes_as_they_are(call, few, tmp_path):
    builder = load(call, "--dataset=rotating_digits/few", f"--data_dir={tmp_path}")
    assert data.label_unit(builder) == "Hz"
    assert data.clip_range(builder) is None
    example = data.first_example(data.split(builder, "test")[0])
    images = rotating_digits.by_digit(*rotating_digits.embedded_digits("test"), "test")
    np.testing.assert_array_equal(example["clip"], rotating_digits.clip_record(images, "test", 0, False)["clip"])


def test_a_split_that_was_not_built_is_refused_with_those_that_were(call, few, tmp_path):
    builder = load(call, "--dataset=rotating_digits/few", f"--data_dir={tmp_path}")
    with pytest.raises(ValueError, match=r"few/1.0.0 has no split 'validation', only train, test: .* build it again"):
        data.split(builder, "validation")


def test_a_build_without_one_usable_clip_says_so(call, few, monkeypatch, tmp_path):
    monkeypatch.setattr(Digits, "_generate_examples", lambda *_: iter(()))
    with pytest.raises(ValueError, match=r"few/1.0.0 could not be built: not one clip of a split can be used"):
        load(call, "--dataset=rotating_digits/few", f"--data_dir={tmp_path}")
    assert not list(tmp_path.rglob("*.tfrecord*"))


def test_temperatures_come_between_zero_and_one_and_not_a_number_is_refused(tmp_path):
    celsius = np.linspace(-70, 80, 12 * 4).reshape(12, 2, 2, 1).astype(np.float32)
    broken = celsius.copy()
    broken[3, 1, 1] = np.nan
    config = lst_dataset_builder.LstConfig(name="two", window=12, horizon=3, size=2)
    builder = lst_dataset_builder.Builder(data_dir=tmp_path, config=config)
    fields = {"mask": np.ones_like(celsius, bool), "rate": 1 / 3600, "quarter": "south_east"}
    fields |= {"label": np.ones(3, np.float32), "observed": np.ones(3, np.float32)}
    examples = {"train": [("whole", celsius)], "test": [("broken", broken)]}

    def generate(split):
        return ((key, {**fields, "clip": clip, "id": key}) for key, clip in examples[split])

    builder._split_generators = lambda _: {split: generate(split) for split in examples}
    builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=tmp_path))
    assert data.label_unit(builder) == "°C"
    whole, _ = data.split(builder, "train")
    expected = np.clip((celsius + 60) / 130, 0, 1)
    np.testing.assert_allclose(data.first_example(whole)["clip"], expected, atol=1e-6)
    with pytest.raises(Exception, match=r"broken.*holds NaN"):
        next(iter(pipeline.training_batches(data.split(builder, "test")[0], 1, 1, seed=0)))


def test_flagfiles_of_the_papers_runs_are_whole(call):
    for name in ("scamps", "ubfc", "pure", "countix", "lst", "rotating_digits"):
        call(options.check, f"--flagfile=flags/{name}.cfg")
        assert options.flags.FLAGS.dataset.split("/")[0] == name
        module = importlib.import_module(f"datasets.{name}.{name}_dataset_builder")
        assert options.flags.FLAGS.dataset.split("/")[1] in module.Builder.builder_configs
