"""Views of series: amplitude, offset, noise and drift, drawn once a view; pictures and series are not mixed up."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from gpu_kernels import nodes_of, unfit

from simper_tf.methods import SimPer
from simper_tf.utils.standardize import standardize
from simper_tf.views.appearance import UNCHANGED, Appearance
from simper_tf.views.series_appearance import SeriesAppearance
from simper_tf.views.times import SameSpeed, SpeedSets
from simper_tf.views.views import Views

SEED = tf.constant([3, 4])
STILL = {"amplitude": (1.0, 1.0), "offset": 0.0, "noise": 0.0, "drift": 0.0}
WAVE = np.sin(0.7 * np.arange(80))[None, :, None, None, None].astype(np.float32) * np.float32([1, -2])


def seen(clips=WAVE, num_views=200, **changes):
    """Returns the views of whole clips, `(V, L, C)` in deviations, and those without a change."""
    times = SpeedSets(num_views, (1.0, 1.0), 0.0)
    views = Views(clips.shape[1], times, SeriesAppearance(**{**STILL, **changes}))(clips, SEED)["views"]
    plain = 10 * (standardize(clips).numpy()[0, :, 0, 0] - 0.5)
    return 10 * (views.numpy()[0, :, :, 0, 0] - 0.5), plain


def test_without_changes_views_are_the_series():
    found, plain = seen(num_views=2)
    np.testing.assert_allclose(found, np.broadcast_to(plain, found.shape), atol=1e-4)


def test_amplitude_is_one_factor_a_view_within_its_range():
    found, plain = seen(amplitude=(0.5, 1.5))
    factors = (found * plain).sum(axis=(1, 2)) / np.square(plain).sum()
    np.testing.assert_allclose(found, factors[:, None, None] * plain, atol=3e-4)
    assert factors.min() == pytest.approx(0.5, abs=0.05)
    assert factors.max() == pytest.approx(1.5, abs=0.05)


def test_offset_shifts_a_view_as_a_whole():
    found, plain = seen(offset=0.5)
    shifts = (found - plain).mean(axis=(1, 2))
    np.testing.assert_allclose(found - plain, np.broadcast_to(shifts[:, None, None], found.shape), atol=1e-4)
    assert np.abs(shifts).max() == pytest.approx(0.5, abs=0.03)


def test_noise_is_white_and_other_for_each_sample_and_channel():
    found, plain = seen(noise=0.4)
    noise = found - plain
    assert noise.std(axis=(1, 2)).max() == pytest.approx(0.4, abs=0.08)
    loud = noise[noise.std(axis=(1, 2)) > 0.2]
    loud = loud / loud.std(axis=(1, 2), keepdims=True)
    assert abs(np.mean(loud[..., 0] * loud[..., 1])) < 0.02
    assert abs(np.mean(loud[:, 1:] * loud[:, :-1])) < 0.02
    assert abs(np.mean(loud[1:] * loud[:-1])) < 0.02


def test_drift_turns_at_most_once():
    found, plain = seen(drift=1.0)
    drift = (found - plain)[..., 0]
    assert 0.8 < np.abs(drift).max() < 1.001
    assert np.ptp(drift, axis=1).max() > 0.8
    slopes = np.diff(drift, axis=1)
    changes = np.sum(slopes[:, 1:] * slopes[:, :-1] < -1e-7, axis=1)
    assert changes.max() == 1


def test_parts_of_a_batch_have_their_part_of_the_draws():
    views = Views(40, SpeedSets(3), SeriesAppearance())
    clips = standardize(np.random.default_rng(2).normal(size=(4, 80, 1, 1, 2)))
    draws = views.draw(4, 80, SEED)
    whole = views.apply(clips, draws)["views"]
    half = views.apply(clips[2:], tf.nest.map_structure(lambda draw: draw[2:], draws))["views"]
    np.testing.assert_allclose(half, whole[2:], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [tf.uint8, tf.float32, tf.int16])
def test_every_op_of_views_has_a_gpu_kernel_and_no_python_call(dtype):
    views = Views(40, SpeedSets(3))
    clips = tf.TensorSpec((None, 80, 1, 1, 2), dtype)
    made = tf.function(views.__call__, autograph=False, input_signature=[clips, tf.TensorSpec((2,), tf.int32)])
    concrete = made.get_concrete_function()
    assert concrete.inputs[0].dtype == dtype
    assert not unfit(concrete)
    assert not [node.op for node in nodes_of(concrete) if "Py" in node.op]
    assert made(tf.cast(tf.reshape(tf.range(160), (1, 80, 1, 1, 2)), dtype), SEED)["views"].shape == (1, 6, 40, 1, 1, 2)


def test_the_default_of_pictures_gives_way_to_that_of_series():
    assert Views(40).of_frames((1, 1, 1)).appearance == SeriesAppearance((0.7, 1.3), offset=0.5, noise=0.2, drift=1.0)
    assert Views(40, appearance=UNCHANGED).of_frames((1, 1, 1)).appearance is None
    assert Views(40, appearance=None).of_frames((1, 1, 1)).appearance is None
    assert Views(40).of_frames((8, 8, 1)) == Views(40)
    np.testing.assert_array_equal(
        Views(40)(WAVE, SEED)["views"], Views(40, appearance=SeriesAppearance())(WAVE, SEED)["views"]
    )


@pytest.mark.parametrize(
    ("look", "frame", "message"),
    [
        (
            Appearance(flip_probability=1.0),
            1,
            r"changes pictures, but the clips are series, frames of \(1, 1, 1\)\.",
        ),
        (
            SeriesAppearance(),
            4,
            r"changes series, but the clips are pictures, frames of \(4, 4, 1\)\. Give",
        ),
    ],
)
def test_changes_of_pictures_and_of_series_do_not_mix(look, frame, message):
    clips = np.random.default_rng(1).random((2, 80, frame, frame, 1), np.float32)
    with pytest.raises(ValueError, match=message):
        Views(40, SameSpeed(), look)(clips, SEED)
    inputs = keras.Input((None, frame, frame, 1))
    model = SimPer(keras.Model(inputs, keras.layers.Dense(1)(inputs[:, :, 0, 0])), Views(40, SpeedSets(2), look))
    model.compile("adam")
    with pytest.raises(ValueError, match=message):
        model.fit(clips, batch_size=2, verbose=0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"amplitude": (0.0, 1.0)}, r"`amplitude` must be \(low, high\)"),
        ({"noise": -0.1}, "`noise` must be at least 0"),
        ({"drift": np.nan}, "`drift` must be at least 0"),
    ],
)
def test_numbers_out_of_range_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        SeriesAppearance(**changes)


def test_a_method_with_views_of_series_is_saved_and_loaded():
    views = Views(40, SpeedSets(2), SeriesAppearance(noise=0.1))
    assert Views.from_config(views.get_config()) == views
