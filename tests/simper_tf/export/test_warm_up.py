"""Requests that a server answers before the first client comes."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.export import warm_up
from simper_tf.export.served_frequency import FrequencyModel

INPUTS = ("frames", "rate", "window_frames", "hop_frames")


def test_a_request_is_one_black_clip_of_the_shortest_length():
    facts = {"least_rate": 10.0, "least_seconds": 5.01, "num_frames": None, "frame_shape": [6, 5, 1]}
    asked = warm_up.request(facts, INPUTS)
    np.testing.assert_array_equal(asked["frames"], np.zeros((1, 51, 6, 5, 1), np.uint8))
    assert {name: values.tolist() for name, values in asked.items() if name != "frames"} == {
        "rate": [10.0], "window_frames": [51], "hop_frames": [51],
    }  # fmt: skip
    assert set(warm_up.request(facts, ("frames",))) == {"frames"}


@pytest.mark.parametrize(("num_frames", "expected"), [(None, 8), (40, 40)])
def test_a_model_without_a_band_is_asked_for_its_length(num_frames, expected):
    asked = warm_up.request({"num_frames": num_frames, "frame_shape": [2, 3, 1]}, ("frames",))
    assert asked["frames"].shape == (1, expected, 2, 3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("harmonic", [None, 0.5, 2.0, 1 / 3, "fundamental"])
def test_a_model_of_any_harmonic_answers_its_request(eagerly, harmonic):
    pixel = keras.layers.Lambda(lambda clips: clips[:, :, 0, 0, 0])
    model = FrequencyModel(keras.Sequential([keras.Input((None, 2, 3, 1)), pixel]), (2, 3, 1), (0.7, 4.1), harmonic)
    for function, others in model.signatures().values():
        asked = warm_up.request(model.facts(), ("frames", *others))
        answer = function(*(tf.constant(asked[name]) for name in ("frames", *others)))
        assert all(np.isfinite(values).all() for values in answer.values())
