import functools

import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.encoders import cnn3d, small
from simper_tf.losses.similarity import max_cross_correlation
from simper_tf.methods import SimPer
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

RNG = np.random.default_rng(37)
VIEWS = Views(16, SpeedSets(4), Appearance(blur_probability=0.0, flip_probability=0.0, crop_area=(0.8, 1.0)))
ENCODER = {"widths": (8, 8), "outputs": 1}
compiled = functools.partial(built, SimPer, views=VIEWS, learning_rate=3e-3, encoder=ENCODER)


def made_views(model, clips):
    """Returns the views of the next step, and their speeds."""
    batch = model.make_views(model.draw(clips))
    return batch["views"], batch["speeds"]


def loss_of(model, features, speeds):
    """Returns the logs of features, the loss among them."""
    return model.logs_of(features, {"speeds": speeds})


def rising_speeds(batch_size, num_views):
    speeds = np.sort(RNG.uniform(0.5, 2, size=(batch_size, num_views)), axis=1)
    return tf.constant(np.concatenate([speeds, speeds], axis=1), tf.float32)


@pytest.mark.slow
def test_training_moves_the_loss_of_fresh_views_to_its_floor(swinging_bars):
    clips = tf.constant(swinging_bars[0][3:])  # Those with a whole period in the slowest view.
    model = compiled(temperature=0.1, learning_rate=1e-2)
    fresh = VIEWS(tf.repeat(clips, 8, axis=0), tf.constant([999, 0]))

    def on_fresh_views():
        return loss_of(model, model.encode_views(fresh["views"], training=False), fresh["speeds"])

    before, step = on_fresh_views(), tf.function(model.train_step, autograph=False)
    for _ in range(40):
        step(clips)
    after = on_fresh_views()
    assert float(after["kl_divergence"]) < 0.5 * float(before["kl_divergence"])
    assert float(after["speed_correlation"]) > 0.9 > float(before["speed_correlation"])
    assert float(after["label_entropy"]) == float(before["label_entropy"])


@pytest.mark.slow
def test_each_step_and_each_seed_draws_views_of_its_own(swinging_bars):
    clips, model = tf.constant(swinging_bars[0][:2]), compiled()
    _, first = made_views(model, clips)
    np.testing.assert_array_equal(made_views(model, clips)[1], first)
    assert np.abs(made_views(compiled(seed=1), clips)[1] - first).max() > 0.01
    model.train_step(clips)
    assert np.abs(made_views(model, clips)[1] - first).max() > 0.01


@pytest.mark.slow
def test_views_are_encoded_each_alone(swinging_bars):
    model = compiled()
    views, _ = made_views(model, tf.constant(swinging_bars[0][:2]))
    features = model.encode_views(views, training=False)
    assert features.shape == (2, 8, 16)
    np.testing.assert_allclose(features[1, 3], model.encoder(views[1, 3][None])[0], atol=1e-5)
    several = SimPer(small((None, None, 1), widths=(8, 8), outputs=3))
    assert several.encode_views(views, training=False).shape == (2, 8, 16, 3)


def test_encode_takes_bytes_and_their_floats_alike(swinging_bars):
    clips, model = swinging_bars[0], compiled()
    features = model.encode(tf.constant(clips))
    assert features.shape == (6, 40)
    np.testing.assert_allclose(model.encode(tf.constant(clips / np.float32(255))), features, atol=1e-5)


@pytest.mark.parametrize("channels", [None, 3])
def test_loss_and_floor_are_those_of_the_formula(channels):
    shape = (2, 8, 20) if channels is None else (2, 8, 20, channels)
    features, speeds = tf.constant(RNG.normal(size=shape), tf.float32), rising_speeds(2, 4)
    model = compiled(views=None, temperature=0.3, label_temperature=0.2, label_similarity="l2")
    logs = loss_of(model, features, speeds)
    loss, floor = 0, 0
    for b in range(2):
        distance = np.abs(speeds[b, :4, None] - speeds[b, None, 4:])
        labels = np.exp(-(distance**2) / 0.2)
        labels /= labels.sum(axis=1, keepdims=True)
        first, second = np.split(np.reshape(features[b], (8, 20, -1)), 2)
        scores = [
            [np.mean([oracles.largest_correlation(x[:, d], y[:, d]) for d in range(x.shape[1])]) for y in second]
            for x in first
        ]
        weights = np.exp(np.array(scores) / 0.3)
        loss -= np.sum(labels * np.log(weights / weights.sum(axis=1, keepdims=True))) / 8
        floor -= np.sum(labels * np.log(labels)) / 8
    assert float(logs["loss"]) == pytest.approx(loss, rel=1e-4)
    assert float(logs["label_entropy"]) == pytest.approx(floor, rel=1e-4)


@pytest.mark.slow
def test_collapsed_features_lose_the_logarithm_of_views():
    for constant in (0.0, 0.7):
        logs = loss_of(compiled(views=None), tf.fill([3, 20, 30], constant), rising_speeds(3, 10))
        assert float(logs["speed_correlation"]) == pytest.approx(0, abs=1e-6)
        assert float(logs["speed_slope"]) == pytest.approx(0, abs=1e-6)
        assert float(logs["loss"]) == pytest.approx(np.log(10), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "micro_batch"), [(4, 1), (4, 2), (5, 2), (1, 2)])
def test_micro_batches_give_the_gradient_and_logs_of_the_batch(swinging_bars, number, micro_batch):
    clips = tf.constant(swinging_bars[0][:number])
    settings = {"temperature": 0.1, "prior_weight": 1.0, "prior_band": (0.02, 0.2)}
    whole, parts = compiled(**settings), compiled(**settings, micro_batch=micro_batch)
    expected, logs = whole.compute_gradients(whole.draw(clips))
    found, same_logs = tf.function(parts.compute_gradients, autograph=False)(parts.draw(clips))
    largest = max(np.abs(gradient).max() for gradient in expected)
    for gradient, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, gradient, atol=1e-5 * largest)
    assert {name: float(value) for name, value in same_logs.items()} == pytest.approx(
        {name: float(value) for name, value in logs.items()}, rel=1e-4
    )


@pytest.mark.slow
def test_micro_batches_learn_from_all_clips_of_a_last_batch_too(swinging_bars):
    found = []
    for micro_batch in (0, 2):
        model = compiled(micro_batch=micro_batch)
        model.run_eagerly = True
        history = model.fit(swinging_bars[0][:5], batch_size=4, shuffle=False, verbose=0).history
        found.append({name: values[0] for name, values in history.items()})
    assert found[1] == pytest.approx(found[0], rel=1e-3)


@pytest.mark.slow
def test_micro_batches_that_change_the_gradient_are_refused():
    with pytest.raises(ValueError, match=r"`micro_batch` = 2.*batch norm of the encoder 'cnn3d'.*'group' or 'affine'"):
        SimPer(cnn3d((None, None, 1)), micro_batch=2)
    model = SimPer(cnn3d((None, None, 1), norm="group"), micro_batch=2)
    model.check_batch(4)
    with pytest.raises(
        ValueError, match=r"batch of 5 clips \(a replica's share\) cannot be cut into micro-batches of 2"
    ):
        model.check_batch(5)


def test_one_view_a_set_is_refused_as_there_is_no_other_speed():
    with pytest.raises(ValueError, match="at least 2 views a set"):
        loss_of(compiled(views=None), tf.zeros([2, 2, 20]), tf.ones([2, 2]))


def test_hard_labels_make_the_loss_plain_info_nce():
    features, speeds = tf.constant(RNG.normal(size=(1, 8, 20)), tf.float32), rising_speeds(1, 4)
    logs = loss_of(compiled(views=None, label_temperature=0.0), features, speeds)
    assert float(logs["label_entropy"]) == 0
    scores = [[oracles.largest_correlation(features[0, i], features[0, 4 + j]) for j in range(4)] for i in range(4)]
    chances = [oracles.softmax(np.array(row))[k] for k, row in enumerate(scores)]
    assert float(logs["loss"]) == pytest.approx(-np.mean(np.log(chances)), rel=1e-4)


def test_the_joint_loss_is_that_of_correlations_of_all_channels():
    features, speeds = tf.constant(RNG.normal(size=(2, 8, 20, 3)), tf.float32), rising_speeds(2, 4)
    logs = loss_of(compiled(views=None, joint=True, label_temperature=0.0), features, speeds)
    losses = []
    for clip in features.numpy():
        parts = clip - clip.mean(axis=1, keepdims=True)
        parts /= np.linalg.norm(parts, axis=(1, 2), keepdims=True)
        scores = np.array([
            [sum(np.correlate(a[:, d], b[:, d], "full") for d in range(3)).max() for b in parts[4:]] for a in parts[:4]
        ])  # fmt: skip
        losses += [-np.log(oracles.softmax(row)[k]) for k, row in enumerate(scores)]
    assert float(logs["loss"]) == pytest.approx(np.mean(losses), rel=1e-5)
    one = features[..., 0]
    alike = [loss_of(compiled(views=None, joint=joint), one, speeds)["loss"] for joint in (True, False)]
    assert float(alike[0]) == float(alike[1])


def test_a_label_similarity_that_is_unknown_is_refused_by_name():
    with pytest.raises(ValueError, match=r"`label_similarity` must be one of l1, l2, .*Received: 'foo'"):
        SimPer(small((None, None, 1)), label_similarity="foo")


@pytest.mark.slow
@pytest.mark.parametrize("similarity", [max_cross_correlation, "npsd"])
def test_a_similarity_may_be_a_function_and_is_saved(similarity, tmp_path):
    model = compiled(similarity=similarity)
    model.save(tmp_path / "method.keras")
    loaded = keras.models.load_model(tmp_path / "method.keras")
    assert loaded.options == model.options
    features, speeds = tf.constant(RNG.normal(size=(2, 8, 20)), tf.float32), rising_speeds(2, 4)
    assert float(loss_of(loaded, features, speeds)["loss"]) == float(loss_of(model, features, speeds)["loss"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"temperature": 0.0}, "`temperature` must be above 0 and finite. Received: 0.0"),
        ({"label_temperature": -0.1}, "`label_temperature` must be at least 0 .* Received: -0.1"),
        ({"joint": True, "similarity": "npsd"}, "`joint` needs `similarity=mxcorr`. Received: 'npsd'"),
        ({"similarity": "foo"}, r"`similarity` must be one of \['cosine', .*Received: 'foo'"),
    ],
)
def test_settings_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        SimPer(small((None, None, 1), widths=(8,)), **arguments)


@pytest.mark.parametrize("shade", [128, 0])
def test_a_clip_in_which_nothing_changes_has_no_frequency(shade, swinging_bars):
    clips = np.concatenate([swinging_bars[0], np.full_like(swinging_bars[0][:1], shade)])
    hertz = compiled().frequency(clips, 20.0)
    assert np.isfinite(hertz[:-1]).all()
    assert np.isnan(hertz[-1])
