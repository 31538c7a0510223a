import numpy as np
import oracles
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.encoders import small
from simper_tf.methods import SLFRPM
from simper_tf.methods.slf_rpm import REGIONS
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import Strides
from simper_tf.views.views import Views

RNG = np.random.default_rng(43)
VIEWS = Views(13, SLFRPM.times_for(10, (0.5, 3.0)), SLFRPM.appearance)


def compiled(views=VIEWS, projection=16, channels=1, frames=1, **arguments):
    encoder = {"widths": (8, 8), "outputs": channels, "kernel_frames": frames}
    return built(SLFRPM, views, 3e-3, encoder=encoder, projection=projection, **arguments)


def test_the_largest_stride_is_the_fastest_speed_rounded_down():
    assert SLFRPM.times_for(3, (0.5, 2.9), 0.1) == Strides(2, 0.1)
    with pytest.raises(ValueError, match=r"at least 2\. Received: `speed_range` 0.5 to 1.9"):
        SLFRPM.times_for(3, (0.5, 1.9))


def test_an_appearance_without_regions_is_refused_and_gets_them():
    look = Appearance(flip_probability=0.3)
    with pytest.raises(ValueError, match=r"has no `regions`. Make it by SLFRPM.appearance_from"):
        compiled(views=Views(13, VIEWS.times, look))
    assert SLFRPM.appearance_from(look).regions == REGIONS
    assert SLFRPM.appearance_from(look).flip_probability == 0.3
    assert SLFRPM.appearance_from(None) == SLFRPM.appearance
    kept = SLFRPM.appearance_from(look)
    assert (kept.crop_area, kept.crop_aspect) == ((1.0, 1.0), (1.0, 1.0))


def test_the_parts_cover_the_frame_once():
    areas = [(bottom - top) * (right - left) for top, left, bottom, right in REGIONS]
    np.testing.assert_allclose(areas, [1, *[1 / 6] * 6])
    centres = {((top + bottom) / 2, (left + right) / 2) for top, left, bottom, right in REGIONS[1:]}
    assert len(centres) == 6


def test_the_loss_is_the_sum_of_its_three_parts():
    features = tf.constant(RNG.normal(size=(5, 2, 13, 2)), tf.float32)
    strides, regions = RNG.integers(1, 4, size=(5, 2)), RNG.integers(0, 7, size=(5, 2))
    model = compiled(channels=2, temperature=0.5)
    logs = model.logs_of(
        features, {"speeds": tf.constant(strides, tf.float32), "regions": tf.constant(regions, tf.int32)}
    )
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


def test_collapsed_features_cost_the_same_with_finite_gradient():
    features, ones = tf.zeros([4, 2, 13]), tf.ones([4, 2])
    model = compiled()
    with tf.GradientTape() as tape:
        tape.watch(features)
        logs = model.logs_of(features, {"speeds": ones, "regions": tf.cast(ones, tf.int32)})
    assert float(logs["loss"]) == pytest.approx(np.log(7) + np.log(7) + np.log(3), rel=1e-5)
    assert np.all(np.isfinite(tape.gradient(logs["loss"], features)))


def trained(model, clips, steps):
    """Returns the mean logs on fresh views before and after training."""
    fresh = [VIEWS(clips, tf.constant([999, k])) for k in range(12)]

    def on_fresh_views():
        logs = [model.logs_of(model.encode_views(batch["views"], training=False), batch) for batch in fresh]
        return {name: np.mean([float(one[name]) for one in logs]) for name in logs[0]}

    before, step = on_fresh_views(), tf.function(model.train_step, autograph=False)
    for _ in range(steps):
        step(clips)
    return before, on_fresh_views()


@pytest.mark.slow
def test_training_learns_to_match_fresh_views_of_each_clip(swinging_bars):
    shades = np.float32([1, 0.75, 0.5, 0.25])
    clips = tf.constant(np.round(shades[:, None, None, None, None] * swinging_bars[0][1]).astype(np.uint8))
    before, after = trained(compiled(channels=4, frames=9, temperature=0.5), clips, 60)
    assert after["loss"] < before["loss"] - 0.5
    assert after["accuracy"] > 0.6 > 2 * before["accuracy"]


@pytest.mark.slow
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
