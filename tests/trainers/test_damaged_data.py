"""Data sets that are damaged, and disks that are full, end in one line."""

import re
import shutil

import pytest
import tensorflow as tf
from few_digits import Digits, build_own, load
from processes import done

from simper_tf.data import built as library
from trainers import evaluate, pretrain

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Returns a folder of data sets in which `rotating_digits/own` is built."""
    root = tmp_path_factory.mktemp("whole")
    build_own(root)
    return root


@pytest.fixture
def copy(whole, tmp_path):
    """Returns the folder of a copy of that data set, to be damaged."""
    shutil.copytree(whole, tmp_path / "data", ignore=shutil.ignore_patterns("run"))
    return tmp_path / "data" / "rotating_digits" / "own" / "2.1.0"


@pytest.mark.parametrize("config", ["own", "few"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("dataset_info.json", b""),
        ("dataset_info.json", b'{"name": "rotat'),
        ("dataset_info.json", bytes(range(256))),
        ("dataset_info.json", b"[]"),
        ("dataset_info.json", None),
        ("metadata.json", b""),
        ("metadata.json", bytes(range(256))),
        ("metadata.json", b"[]"),
        ("metadata.json", b'{"task": 7}'),
        ("metadata.json", b'{"task": {"kind": "frequency", "unit": "Hz"}, "clip_range": [3]}'),
    ],
)
def test_a_damaged_description_is_one_line_of_folder_and_remedy(few, copy, config, name, content):
    folder = copy
    if config == "few":
        (copy.parents[1] / "few").mkdir()
        folder = copy.rename(copy.parents[1] / "few" / "2.1.0")
        info = folder / "dataset_info.json"
        info.write_text(info.read_text().replace('"configName": "own"', '"configName": "few"'))
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    with pytest.raises(
        ValueError, match=rf"^The data set in {folder} is damaged: .+\. Delete that folder and build it"
    ):
        load(f"rotating_digits/{config}", folder.parents[2])


def flip(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("damage", [flip, lambda content: content[: len(content) // 2 + 7], lambda content: None])
def test_damaged_records_end_evaluation_in_one_line(call, whole, copy, damage):
    flags = [
        f"--run_dir={whole / 'run'}",
        "--dataset=rotating_digits/own",
        "--train_clips=8",
        "--epochs=1",
        "--noartifacts",
    ]
    if not (whole / "run").exists():
        call(pretrain.main, *flags, f"--data_dir={whole}")
    (records,) = copy.glob("*-test.tfrecord*")
    damaged = damage(records.read_bytes())
    records.unlink() if damaged is None else records.write_bytes(damaged)
    match = rf"^The data set in {copy} is damaged: (?!Graph)[^{{]+\. Delete that folder and build"
    with pytest.raises(ValueError, match=match):
        call(evaluate.main, *flags, f"--data_dir={copy.parents[2]}")


@pytest.mark.parametrize("damage", [flip, lambda content: content[: len(content) // 2 + 7], lambda content: None])
def test_damaged_records_end_training_in_one_line(call, copy, tmp_path, damage):
    (records,) = copy.glob("*-train.tfrecord*")
    damaged = damage(records.read_bytes())
    records.unlink() if damaged is None else records.write_bytes(damaged)
    flags = [f"--run_dir={tmp_path / 'run'}", f"--data_dir={copy.parents[2]}", "--dataset=rotating_digits/own"]
    with pytest.raises(ValueError, match=rf"^The data set in {copy} is damaged: [^{{]+\. Delete that folder and build"):
        call(pretrain.main, *flags, "--train_clips=8", "--epochs=1")


def test_what_a_disk_refuses_is_told_as_it_is_and_not_as_damage(copy):
    clips = load("rotating_digits/own", copy.parents[2])
    (records,) = copy.glob("*-train.tfrecord*")
    records.unlink()
    records.symlink_to(records)  # Nobody may follow it, not even who may read everything.
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        clips.reader("train")
    with (
        pytest.raises(tf.errors.OpError, match=f"{copy}.*; Too many levels"),
        library.reading(clips),
    ):
        clips.column("label", "train")


def test_a_set_of_other_files_than_tfrecord_is_refused(few, tmp_path):
    pytest.importorskip("array_record")
    builder = Digits(data_dir=tmp_path, config="few", file_format="array_record")
    builder.download_and_prepare()
    with pytest.raises(ValueError, match=rf"in {tmp_path}/\S+ is stored as array_record, .*--file_format=tfrecord\.$"):
        library.ClipData(builder).reader("train")


LIMITED = """
import resource, sys
import trainers.quiet
from trainers import cli, data, options
from datasets.rotating_digits import rotating_digits_dataset_builder as module
few = module.RotatingDigitsConfig(name="few", train_clips=10, validation_clips=10, test_clips=10)
module.Builder.builder_configs["few"] = few
options.define()
limit = int(sys.argv.pop())
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
cli.run(lambda: data.load(options.settings()))
"""


@pytest.mark.parametrize("limit", [100, 20_000, 500_000])
def test_a_full_disk_in_a_build_is_one_line_and_leaves_nothing(tmp_path, limit):
    words = ["--run_dir=x", "--dataset=rotating_digits/few", f"--data_dir={tmp_path / 'data'}", str(limit)]
    code, _, err = done(["-c", LIMITED, *words])
    assert code == 1
    assert re.fullmatch(rf"-c: error: .* could not be built in {tmp_path}/data/\S+: .*File too large.*\n", err)
    assert not [path for path in (tmp_path / "data").rglob("*") if re.search("building|incomplete|tfrecord", path.name)]
