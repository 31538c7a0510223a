import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.methods import SLFRPM
from simper_tf.methods.slf_rpm import REGIONS, RegionViews
from simper_tf.views import Views

RNG = np.random.default_rng(43)
VIEWS = SLFRPM.views_for(13, 10, (0.5, 3.0))
SEED = tf.constant([7, 1])


def compiled(views=VIEWS, outputs=16, channels=1, frames=1, **arguments):
    keras.utils.set_random_seed(3)
    encoder = small((None, None, 1), widths=(8, 8), outputs=channels, kernel_frames=frames)
    model = SLFRPM(encoder, views, outputs=outputs, **arguments)
    model.compile(keras.optimizers.Adam(3e-3))
    return model


def test_strides_and_regions_are_drawn_alike_often_and_each_view_alone():
    clips = tf.zeros([700, 36, 4, 4, 1], tf.uint8)
    views, strides, regions = RegionViews(8)(clips, SEED)
    assert views.shape == (700, 2, 8, 4, 4, 1)
    for values, expected in ((strides, np.arange(1, 6)), (regions, np.arange(7))):
        values, counts = np.unique(values, return_counts=True)
        np.testing.assert_array_equal(values, expected)
        share = 1 / len(expected)
        assert np.abs(counts / 1400 - share).max() < 5 * np.sqrt(share * (1 - share) / 1400)
    # Of 7 x 5 pairs of draws, one in 35 agrees.
    same = np.mean((strides[:, 0] == strides[:, 1]) & (regions[:, 0] == regions[:, 1]))
    assert same == pytest.approx(1 / 35, abs=5 * np.sqrt(1 / 35 / 700))


def test_a_view_shows_its_region_stretched_to_the_frame_at_its_stride():
    rows, columns = np.mgrid[:9, :13]
    image = np.stack([10 * rows, 10 * columns], axis=-1).astype(np.uint8)
    clip = np.repeat(image[None], 30, axis=0)
    time = np.broadcast_to(5 * np.arange(30)[:, None, None, None], (30, 9, 13, 1))
    clips = tf.constant(np.tile(np.concatenate([clip, time], axis=-1).astype(np.uint8)[None], (30, 1, 1, 1, 1)))
    views, strides, regions = RegionViews(8, speed_range=(1, 3), reverse_probability=0.0)(clips, SEED)
    for b, v in np.ndindex(30, 2):
        view, (top, left, bottom, right) = 255 * views[b, v].numpy(), REGIONS[regions[b, v]]
        np.testing.assert_allclose(view[0, :, 0, 0], np.linspace(80 * top, 80 * bottom, 9), atol=0.01)
        np.testing.assert_allclose(view[0, 0, :, 1], np.linspace(120 * left, 120 * right, 13), atol=0.01)
        np.testing.assert_allclose(np.diff(view[:, 4, 4, 2]), 5 * strides[b, v], atol=0.01)


def test_the_parts_cover_the_frame_once():
    areas = [(bottom - top) * (right - left) for top, left, bottom, right in REGIONS]
    np.testing.assert_allclose(areas, [1, *[1 / 6] * 6])
    centres = {((top + bottom) / 2, (left + right) / 2) for top, left, bottom, right in REGIONS[1:]}
    assert len(centres) == 6


def test_the_largest_stride_is_the_whole_part_of_the_fastest_speed():
    assert SLFRPM.views_for(10, 3, (0.5, 2.9)).speed_range == (1.0, 2.0)
    with pytest.raises(ValueError, match=r"at least 2\. Received: `speed_range` 0.5 to 1.9"):
        SLFRPM.views_for(10, 3, (0.5, 1.9))
    with pytest.raises(ValueError, match=r"`crop_area` means nothing to it\. Leave it out\. Received: \(0.5, 1.0\)"):
        SLFRPM.views_for(10, 3, (0.5, 2.0), crop_area=(0.5, 1.0))
    with pytest.raises(ValueError, match="spans 36 frames, but the clips have 30"):
        RegionViews(8)(tf.zeros([1, 30, 4, 4, 1]), SEED)


def test_the_loss_is_the_sum_of_its_three_parts():
    features = tf.constant(RNG.normal(size=(5, 2, 13, 2)), tf.float32)
    strides, regions = RNG.integers(1, 4, size=(5, 2)), RNG.integers(0, 7, size=(5, 2))
    model = compiled(channels=2, temperature=0.5)
    logs = model.compute_logs(features, tf.constant(strides, tf.float32), tf.constant(regions, tf.int32))
    vectors = np.reshape(features, (5, 2, 26))
    first, second = [model.head(vectors[:, k]) for k in range(2)]
    assert float(logs["contrast"]) == pytest.approx(np.mean(oracles.nt_xent(first, second, 0.5)[0]), rel=1e-4)
    for name, head, classes in (("region", model.region_head, regions), ("stride", model.stride_head, strides - 1)):
        expected = 0
        for b, v in np.ndindex(5, 2):
            logits = head(vectors[b, v][None])[0].numpy()
            expected -= (logits[classes[b, v]] - np.log(np.sum(np.exp(logits)))) / 10
        assert float(logs[name]) == pytest.approx(expected, rel=1e-4)
    parts = sum(float(logs[name]) for name in ("contrast", "region", "stride"))
    assert float(logs["loss"]) == pytest.approx(parts, rel=1e-6)


def test_random_projections_and_logits_cost_the_logarithms_of_the_choices():
    model = compiled(outputs=2048, temperature=1.0)
    # Logits near 0; projections in many dimensions, all about at right angles.
    for head in (model.region_head, model.stride_head):
        head.layers[-1].kernel.assign(0.01 * head.layers[-1].kernel)
    projection = model.head.layers[-1]
    model.head.layers[0].kernel.assign(tf.random.stateless_normal([13, 512], [1, 2]))
    projection.kernel.assign(tf.random.stateless_normal([512, 2048], [3, 4]))
    model.head.layers[0].activation = keras.ops.tanh
    features = tf.constant(RNG.normal(size=(64, 2, 13)), tf.float32)
    strides, regions = RNG.integers(1, 4, size=(64, 2)), RNG.integers(0, 7, size=(64, 2))
    logs = model.compute_logs(features, tf.constant(strides, tf.float32), tf.constant(regions, tf.int32))
    assert float(logs["loss"]) == pytest.approx(np.log(127) + np.log(7) + np.log(3), abs=0.1)


def test_collapsed_features_cost_the_same_and_have_a_finite_gradient():
    features, ones = tf.zeros([4, 2, 13]), tf.ones([4, 2])
    model = compiled()
    with tf.GradientTape() as tape:
        tape.watch(features)
        logs = model.compute_logs(features, ones, tf.cast(ones, tf.int32))
    assert float(logs["loss"]) == pytest.approx(np.log(7) + np.log(7) + np.log(3), rel=1e-5)
    assert float(logs["feature_deviation"]) == 0
    assert np.all(np.isfinite(tape.gradient(logs["loss"], features)))


def trained(model, clips, steps):
    """Returns the mean logs on fresh views before and after training."""
    fresh = [VIEWS(clips, tf.constant([999, k])) for k in range(12)]

    def on_fresh_views():
        logs = [model.compute_logs(model.encode_views(views, training=False), *facts) for views, *facts in fresh]
        return {name: np.mean([float(one[name]) for one in logs]) for name in logs[0]}

    before, step = on_fresh_views(), tf.function(model.train_step)
    for _ in range(steps):
        step(clips)
    return before, on_fresh_views()


def test_training_finds_the_other_view_of_each_clip_on_fresh_views(swinging_bars):
    shades = np.float32([1, 0.75, 0.5, 0.25])
    clips = tf.constant(np.round(shades[:, None, None, None, None] * swinging_bars[0][1]).astype(np.uint8))
    before, after = trained(compiled(channels=4, frames=9, temperature=0.5), clips, 60)
    assert after["loss"] < before["loss"] - 0.5
    assert after["accuracy"] > 0.6 > 2 * before["accuracy"]


def test_training_tells_the_regions_of_fresh_views(swinging_bars):
    before, after = trained(compiled(channels=8, frames=5), tf.constant(swinging_bars[0]), 120)
    assert after["loss"] < before["loss"] - 0.5
    assert after["region"] < before["region"] - 0.3


def test_heads_are_as_wide_as_published():
    model = SLFRPM(small((None, None, 1), widths=(8,), outputs=2), VIEWS)
    shapes = [
        variable.shape for head in (model.head, model.region_head, model.stride_head) for variable in head.weights
    ]
    assert shapes == [(26, 512), (512,), (512, 2048), (2048,), (26, 7), (7,), (26, 3), (3,)]


def test_a_saved_method_comes_back_with_all_its_settings(swinging_bars, tmp_path):
    clips = tf.constant(swinging_bars[0])
    model = compiled(temperature=0.3, outputs=8, seed=9)
    model.fit(tf.data.Dataset.from_tensors(clips), verbose=0)
    model.save(tmp_path / "method.keras")
    loaded = keras.models.load_model(tmp_path / "method.keras")
    assert (loaded.temperature, loaded.outputs, loaded.seed, loaded.views) == (0.3, 8, 9, model.views)
    np.testing.assert_allclose(loaded.encode(clips), model.encode(clips), atol=1e-6)
    model.reset_metrics()
    expected, loss = [float(method.train_step(clips)["loss"]) for method in (model, loaded)]
    assert loss == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_views": 2}, "1 view a set.*num_views=2"),
        ({"speed_range": (1.0, 1.0)}, r"at least 2.*speed_range=\(1.0, 1.0\)"),
        ({"speed_range": (1.0, 2.5)}, r"whole number.*speed_range=\(1.0, 2.5\)"),
        ({"speed_range": (0.5, 2.0)}, r"strides \(1, S\).*speed_range=\(0.5, 2.0\)"),
    ],
)
def test_views_out_of_range_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        RegionViews(16, **changes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"temperature": 0.0}, "`temperature` must be positive. Received: 0.0"),
        ({"views": None}, "SLFRPM has a head for views of one length: give `views`"),
        ({"views": Views(16, 1)}, r"`SLFRPM.views_for` returns. Received: Views\("),
    ],
)
def test_settings_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        compiled(**arguments)


def test_a_batch_of_one_clip_is_refused():
    with pytest.raises(ValueError, match=r"SLFRPM learns .*at least 2 in a batch\. Received: 1. Raise `batch_size`"):
        compiled().check_batch(1)
