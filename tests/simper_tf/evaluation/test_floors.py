import dataclasses

import numpy as np
import pytest
from made_up_features import perfect

from simper_tf.evaluation.protocols import FLOORS, of_perfect
from simper_tf.evaluation.tasks import Frequency

TASK = Frequency("Hz", band=(0.4, 5.5))


@pytest.fixture(scope="module")
def splits():
    rng = np.random.default_rng(0)
    return [perfect(rng, rng.uniform(0.5, 2.6, number)) for number in (60, 20, 30)]


def mistakes(splits, task=TASK):
    return {name: np.abs(one.values - splits[2].labels) for name, one in of_perfect(*splits, task).items()}


@pytest.mark.slow
def test_spectra_read_perfect_features_to_nothing(splits):
    errors = mistakes(splits)
    assert errors.keys() == FLOORS
    for name in ("fft_floor", "fft_calibrated_floor", "fft_calibrated_floor_2f"):
        assert errors[name].max() < 0.01, name
    np.testing.assert_allclose(errors["fft_floor_2f"], splits[2].labels, atol=0.01)


def test_no_neighbor_is_nearer_than_the_nearest_frequency(splits):
    nearest = np.abs(splits[2].labels[:, None] - splits[0].labels).min(axis=1)
    errors = mistakes(splits)
    for name in ("1nn_floor", "1nn_floor_2f", "1nn_npsd_floor", "1nn_npsd_floor_2f"):
        assert (errors[name] >= nearest - 1e-6).all(), name
        assert errors[name].mean() < 0.1, name


@pytest.mark.slow
def test_floors_do_not_look_at_features(splits):
    blind = [dataclasses.replace(split, series=np.zeros_like(split.series)) for split in splits]
    for name, values in mistakes(blind).items():
        np.testing.assert_array_equal(values, mistakes(splits)[name], err_msg=name)


def test_a_sine_at_twice_stands_where_frames_can_show_it(splits):
    slow = [dataclasses.replace(split, rates=split.rates / 3) for split in splits]
    assert mistakes(slow, Frequency("Hz", band=(0.4, 4.9))).keys() == {
        name for name in FLOORS if name.endswith("_floor")
    }
