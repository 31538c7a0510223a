"""Validation of built sets, of configs of one's own and of manifests."""

import re
import shutil
import types

import pytest
import tensorflow_datasets as tfds
from smallest_builds import SMALL_FACES, build, diagnose, make

from datasets.ubfc import standin
from trainers import validate

pytestmark = pytest.mark.slow


def test_a_built_set_is_examined_without_raw_files(sound, tmp_path, capsys):
    builder = build("ubfc", sound / "ubfc", tmp_path)
    capsys.readouterr()
    assert diagnose(builder, None, None) == []
    assert "test: 2 examples, subjects: 1 (subject4)" in capsys.readouterr().out
    (shard,) = builder.data_path.glob("*train.tfrecord*")
    content = bytearray(shard.read_bytes())
    content[-100] ^= 1
    shard.write_bytes(content)
    damaged, *rest = diagnose(builder, None, None)
    assert damaged.startswith("train: a file cannot be read: corrupted record")
    assert rest == ["train: 1 examples where 2 are stated"]


def test_a_built_set_of_other_raw_files_is_recognized(sound, tmp_path):
    builder = build("ubfc", sound / "ubfc", tmp_path / "data")
    standin.write(tmp_path / "raw", subjects=3, seconds=3, **SMALL_FACES)
    problems = diagnose(builder, tmp_path / "raw", None)
    assert [re.search(r"has \d examples in \w+, the raw files give \d", problem)[0] for problem in problems] == [
        "has 2 examples in train, the raw files give 1",
        "has 2 examples in validation, the raw files give 1",
        "has 2 examples in test, the raw files give 1",
    ]


def test_an_own_config_is_examined_before_and_after_a_build(sound, tmp_path, capsys):
    own = '{"name": "own", "size": 8, "window": 75, "stride": 75}'
    builder = validate.find("ubfc", tmp_path, own)
    assert diagnose(builder, sound / "ubfc", None) == []
    assert "train: 1 examples" in capsys.readouterr().out
    builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=sound / "ubfc"))
    built = validate.find("ubfc/own", tmp_path)
    assert diagnose(built, None, None) == []
    with pytest.raises(
        ValueError, match=r"ubfc/own/2\.0\.0 was built with a config of its own: repeat that by `config`"
    ):
        diagnose(built, sound / "ubfc", None)


@pytest.mark.parametrize("config", ["{", "7", '{"name": "own", "windw": 3}'])
def test_a_config_that_is_none_is_refused_with_the_fields(tmp_path, config):
    with pytest.raises(
        ValueError, match=r"^--config=.*It is JSON with a name and any of .*window.*validation_fraction"
    ):
        validate.find("ubfc", tmp_path, config)


def test_neither_raw_files_nor_a_built_set_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"ubfc/small/2\.0\.0 is not built in .*`manual_dir`"):
        diagnose(make("ubfc", tmp_path), None, None)


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Returns a function that validates countix with flags and returns its exit code or text, 0 for none."""
    monkeypatch.setattr(validate, "find", lambda *_: make("countix", tmp_path / "data"))
    given = dict.fromkeys(("config", "data_dir", "manual_dir", "compare")) | {"dataset": "countix", "quick": False}
    path = tmp_path / "manifest.jsonl"

    def run(**flags):
        config = types.SimpleNamespace(**{**given, "manifest": str(path), **flags})
        monkeypatch.setattr(validate, "flags", types.SimpleNamespace(FLAGS=config))
        try:
            validate.main()
        except SystemExit as error:
            return error.code
        return 0

    return run


def test_a_manifest_of_another_folder_is_not_taken_for_this_one(command, sound, tmp_path, capsys):
    theirs = shutil.copytree(sound / "countix", tmp_path / "theirs")
    video = next((theirs / "videos" / "test").rglob("*.mp4"))
    video.write_bytes(video.read_bytes() + b"\0")
    assert command(manual_dir=str(sound / "countix")) == 0
    earlier = tmp_path / "earlier.jsonl"
    shutil.copy(tmp_path / "manifest.jsonl", earlier)
    capsys.readouterr()
    with pytest.raises(ValueError, match=r"^--quick writes no manifest of --manual_dir that --compare could take\."):
        command(manual_dir=str(theirs), compare=str(earlier), quick=True)
    assert command(manual_dir=str(tmp_path / "none"), compare=str(earlier)) == "validate: 1 problem, see above."
    assert "units differ" not in capsys.readouterr().out
    assert command(manual_dir=str(theirs), compare=str(earlier)) == "validate: 1 problem, see above."
    assert "manifest.jsonl and " in (said := capsys.readouterr().out)
    assert "earlier.jsonl: 1 units differ." in said
    assert "sha256" in said
