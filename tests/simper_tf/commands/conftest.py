"""What tests of commands share."""

import photographs
import pytest


@pytest.fixture(scope="module")
def swing(tmp_path_factory):
    """Returns a video that swings at 1.2 Hz for 9 s."""
    path = tmp_path_factory.mktemp("clips") / "swing é.mp4"
    photographs.swinging(path, 1.2, 1, 25, seconds=9, size=(80, 60))
    return path
