"""Recordings as a data set: which are held out, and what is noticed when files change."""

import types

import numpy as np
import pytest

from simper_tf.evaluation.tasks import Unlabeled
from simper_tf.training import own_videos
from simper_tf.training.settings import Settings


def test_whole_recordings_are_held_out_spread_over_their_order():
    assert own_videos.held_out([60.0] * 2) == [1]
    assert own_videos.held_out([60.0] * 5) == [2]
    assert own_videos.held_out([60.0] * 20) == [2, 7, 12, 17]
    assert own_videos.held_out([60.0]) == []


def test_of_a_single_recording_a_fifth_or_a_window_is_held_out():
    assert own_videos.last_part(100.0, 6.0) == 80.0
    assert own_videos.last_part(18.0, 6.0) == 12.0
    with pytest.raises(ValueError, match="A single recording of 9 s holds no two windows of 6 s"):
        own_videos.last_part(9.0, 6.0)


def test_files_that_are_new_gone_or_changed_are_told():
    before = [["a", 1, 1], ["b", 1, 1], ["c", 1, 1]]
    assert own_videos.changes(before, [("a", 1, 1), ("b", 1, 1), ("c", 1, 1)]) == ""
    now = [("a", 1, 2), ("b", 2, 1), ("d", 1, 1)]
    assert own_videos.changes(before, now) == "1 new (d), 1 gone (c), 2 changed (a, ...)"


def test_a_data_set_of_other_files_has_another_name(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((60, 4, 4), np.uint8))
    name = "own_videos/00000000_00000000"
    asked = Settings(videos=str(tmp_path / "a.npy"), dataset=name, data_dir=str(tmp_path / "data"), run_dir="mine")
    with pytest.raises(ValueError, match="the run in mine began with: they are other files"):
        own_videos.load(asked)
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
def test_a_single_gray_recording_is_scored_on_its_last_part(tmp_path):
    times = np.arange(300) / 10
    columns = np.arange(32)
    frames = 40 + 180 * np.exp(-(((columns - 16 - 9 * np.sin(2 * np.pi * 0.8 * times)[:, None]) / 4) ** 2))
    np.save(tmp_path / "a.npy", np.repeat(frames[:, None], 24, axis=1).astype(np.uint8))
    asked = Settings(videos=str(tmp_path / "a.npy"), rate=10.0, window=6.0, data_dir=str(tmp_path / "data"))
    said = []
    clips = own_videos.load(asked, said.append)
    assert any(line.startswith("Building own_videos/") for line in said)
    assert (clips.task, clips.frame_shape, clips.num_frames) == (Unlabeled(band=None), (18, 24, 1), 60)
    starts = {
        split: [float(example["id"].split()[-2]) for example in clips.split(split)[0].as_numpy_iterator()]
        for split in ("train", "test")
    }
    assert max(starts["train"]) + 6 <= min(starts["test"])
    assert min(starts["test"]) >= 24 - 0.2
    assert len(starts["train"]) > 10
    assert np.isnan(clips.column("label", "train")).all()
    assert clips.column("rate", "test").tolist() == [10.0] * len(starts["test"])
    again = own_videos.load(asked, said.append)
    assert again.config == clips.config
    assert sum(line.startswith("Building") for line in said) == 1
    (tmp_path / "a.npy").touch()
    own_videos.check_unchanged(asked, clips)  # A time is no change.
    np.save(tmp_path / "a.npy", np.repeat(frames[:, None] + 1, 24, axis=1).astype(np.uint8))
    with pytest.raises(ValueError, match=r"the run in  began with: 1 changed .*a.npy\). Put them back as they were"):
        own_videos.check_unchanged(asked, clips)


@pytest.mark.parametrize("size", [0, 1, 2**20, 3 * 2**20 + 5, 2**24, 2**24 + 1, 2**25 + 77])
def test_a_file_is_known_by_its_content_from_first_byte_to_last(tmp_path, monkeypatch, size):
    path = tmp_path / "a.mp4"
    source = types.SimpleNamespace(name=str(path), is_live=False)
    monkeypatch.setattr(own_videos, "find", lambda names, rate: ([source], []))
    content = np.random.default_rng(0).integers(0, 256, size, np.uint8).tobytes()

    def listed(content):
        path.write_bytes(content)
        return own_videos.list_files([str(path)])

    first = listed(content)
    assert first == listed(content)
    if size:
        assert first != listed(bytes([content[0] ^ 1]) + content[1:])
        assert first != listed(content[:-1] + bytes([content[-1] ^ 1]))
    assert first != listed(content + b"x")
