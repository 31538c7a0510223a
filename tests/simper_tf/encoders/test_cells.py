import numpy as np
import pytest

from simper_tf.encoders import cells
from simper_tf.evaluation import features
from simper_tf.evaluation.tasks import Frequency
from simper_tf.utils.standardize import standardize


@pytest.mark.parametrize("shape", [(28, 28, 1), (20, 33, 3), (1, 1, 3)])
def test_cells_are_those_that_controls_read(shape):
    clips = np.random.default_rng(0).normal(size=(2, 5, *shape)).astype(np.float32)
    if shape == (1, 1, 3):
        clips = standardize(clips)  # Encoders get series so.
    found = np.asarray(cells(shape)(clips))
    of_controls = features.extras(Frequency("Hz", band=(1.0, 2.0)), frame_shape=shape)["cells"](clips)
    centered = found - found.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(centered, of_controls, atol=1e-5)


def test_light_that_changes_everywhere_is_taken_out():
    picture = np.random.default_rng(1).random((1, 1, 6, 6, 1), np.float32)
    light = np.float32([0.0, 3.0, -2.0]).reshape(1, 3, 1, 1, 1)
    found = np.asarray(cells((6, 6, 1))(picture + light))
    np.testing.assert_allclose(found, np.broadcast_to(found[:, :1], found.shape), atol=1e-6)


def test_frames_of_unknown_size_are_refused():
    with pytest.raises(ValueError, match="depend on the size of the frames"):
        cells((None, None, 1))
