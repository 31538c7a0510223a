import json

import numpy as np
import pytest

from datasets.countix import reader, standin


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_equal_seeds_write_equal_bytes_and_others_differ(tmp_path):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        truth = standin.write(tmp_path / name, subjects=1, seconds=2, seed=seed)
        assert json.loads((tmp_path / name / "truth.json").read_text()) == truth
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert contents(tmp_path / "a").keys() != contents(tmp_path / "c").keys()


@pytest.mark.slow
def test_every_trap_of_the_real_set_is_there(tmp_path):
    truth = standin.write(tmp_path, subjects=3, seconds=2, seed=0)
    rows = {split: reader.read_annotations(reader.find_annotations(tmp_path, split)) for split in reader.TFDS_SPLITS}
    videos = reader.index_videos(tmp_path)
    located = [reader.locate(segment, videos) for segment in rows["train"]]
    assert [row["usable"] for row in truth["train"]] == [True] * 3 + ["few frames", True, True, "missing"]
    assert [bool(item.path) for item in located] == [row["usable"] != "missing" for row in truth["train"]]
    assert rows["train"][4].stem == rows["train"][5].stem
    assert rows["train"][1].video_id.startswith("-")
    assert rows["val"][0]._replace(row=4, count=rows["val"][4].count) == rows["val"][4]
    assert {segment.action for segment in rows["test"]} == {""}
    assert any("(" in segment.action for segment in rows["train"])


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [2, 10, 30])
def test_the_skips_of_the_truth_hold_at_any_length(tmp_path, seconds):
    truth = standin.write(tmp_path, subjects=1, seconds=seconds, seed=0)
    videos = reader.index_videos(tmp_path)
    for split in ("train", "val"):
        segments = reader.read_annotations(reader.find_annotations(tmp_path, split))
        for row, segment in zip(truth[split], segments, strict=True):
            located = reader.locate(segment, videos)
            _, example, _ = reader.read_or_skip(located, num_frames=min(200, 20 * seconds), size=8)
            assert (example is not None) == (row["usable"] is True)


def test_a_varying_clip_really_varies():
    times = standin._frame_times(10, None, varying=True, index=1)
    assert set(np.round(np.diff(times), 6)) == {0.05, 0.025}
    assert times[-1] < 10
