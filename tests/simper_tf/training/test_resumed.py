"""What a training leaves in a folder: it goes on with the same recordings and settings alone."""

import os

import numpy as np
import pytest

from simper_tf.training import resumed

ASKED = {"steps": "8", "seed": "0"}


@pytest.fixture
def names(tmp_path):
    """Returns three files."""
    paths = [tmp_path / f"{name}.npy" for name in "abc"]
    for path in paths:
        np.save(path, np.arange(40))
    return [str(path) for path in paths]


@pytest.fixture
def folder(tmp_path, names):
    """Returns the folder of a training of the files that was stopped."""
    with resumed.begun(tmp_path / "training", ASKED, names) as begun:
        assert begun.hertz is None
        begun.hertz = {names[0]: [0.5]}
        begun.keep()
    return tmp_path / "training"


def test_the_same_call_finds_what_was_kept(folder, names):
    os.utime(names[0], (1, 1))  # As in a copy: it is the same recording.
    with resumed.begun(folder, ASKED, names) as begun:
        assert begun.hertz == {names[0]: [0.5]}
        assert not begun.is_finished


def test_other_recordings_or_settings_are_refused_by_name(folder, names):
    np.save(names[1], np.arange(41))
    with (
        pytest.raises(ValueError, match=r"was 8, now 9; 1 gone \(\S*c\.npy\); 1 changed \(\S*b\.npy\)\. Give"),
        resumed.begun(folder, {**ASKED, "steps": "9"}, names[:2]),
    ):
        pass


def test_what_was_finished_makes_room_for_another(folder, names, tmp_path):
    with resumed.begun(folder, ASKED, names) as begun:
        begun.model = str(tmp_path / "model")
        begun.keep()
        begun.checkpoints.mkdir()
    with resumed.begun(folder, ASKED, names) as begun:
        assert not begun.is_finished  # Its model is gone: it is exported again.
    (tmp_path / "model").mkdir()
    with resumed.begun(folder, {**ASKED, "seed": "1"}, names) as begun:
        assert (begun.hertz, begun.model) == (None, "")
        assert not begun.checkpoints.exists()


def test_one_process_at_a_time_trains_in_a_folder(folder, names):
    with (
        resumed.begun(folder, ASKED, names),
        pytest.raises(ValueError, match="is in use by process"),
        resumed.begun(folder, ASKED, names),
    ):
        pass


def test_a_training_that_never_began_leaves_no_folder(tmp_path, names):
    with resumed.begun(tmp_path / "other", ASKED, names):
        pass
    assert not (tmp_path / "other").exists()
