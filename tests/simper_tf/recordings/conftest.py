"""Videos that several files of tests read."""

import pytest
from ramps import VARYING, noise, ramp, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder for the videos of a module."""
    return tmp_path_factory.mktemp("video")


@pytest.fixture(scope="session")
def varying(tmp_path_factory):
    """Returns a video of 1.5 s whose rate varies."""
    return write(tmp_path_factory.mktemp("varying") / "varying é.mp4", ramp(40), VARYING)


@pytest.fixture(scope="session")
def first(tmp_path_factory):
    """Returns a video of 4 s of noise whose tables come before its frames."""
    return write(tmp_path_factory.mktemp("first") / "first.mp4", noise(100), movflags="faststart")
