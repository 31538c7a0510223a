import dataclasses

import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from simper_tf import diagnostics, pipeline, similarity
from simper_tf.encoders import cnn3d, small
from simper_tf.methods import SimPer
from simper_tf.views import Views

RNG = np.random.default_rng(37)
VIEWS = Views(num_frames=16, num_views=4, blur_probability=0.0, flip_probability=0.0, crop_area=(0.8, 1.0))


def compiled(views=VIEWS, learning_rate=3e-3, **arguments):
    """Returns a small method whose first weights are always the same."""
    keras.utils.set_random_seed(3)
    model = SimPer(small((None, None, 1), widths=(8, 8), outputs=1), views=views, **arguments)
    model.compile(optimizer=keras.optimizers.Adam(learning_rate))
    return model


def made_views(model, clips):
    return model.make_views(model.draw(clips))


def sinusoids(frequencies, num_frames):
    """Returns `frequencies.shape + (num_frames,)` sinusoids of random phases, in cycles per frame."""
    phases = RNG.uniform(0, 2 * np.pi, np.shape(frequencies))
    angles = 2 * np.pi * np.asarray(frequencies)[..., None] * np.arange(num_frames) + phases[..., None]
    return tf.constant(np.sin(angles), tf.float32)


def ideal(speeds, num_frames=60):
    """Returns the features of a perfect encoder for clips of 0.08 cycles per frame."""
    return sinusoids(0.08 * np.asarray(speeds), num_frames)


def rising_speeds(batch_size, num_views):
    speeds = np.sort(RNG.uniform(0.5, 2, size=(batch_size, num_views)), axis=1)
    return tf.constant(np.concatenate([speeds, speeds], axis=1), tf.float32)


def test_training_brings_the_loss_on_fresh_views_nearer_to_its_floor(swinging_bars):
    clips = tf.constant(swinging_bars[0][3:])  # Those with a whole period in the slowest view.
    model = compiled(temperature=0.1, learning_rate=1e-2)
    views, speeds = VIEWS(tf.repeat(clips, 8, axis=0), tf.constant([999, 0]))

    def on_fresh_views():
        return model.compute_logs(model.encode_views(views, training=False), speeds)

    before, step = on_fresh_views(), tf.function(model.train_step)
    for _ in range(40):
        step(clips)
    after = on_fresh_views()
    assert float(after["kl_divergence"]) < 0.5 * float(before["kl_divergence"])
    assert float(after["speed_correlation"]) > 0.9 > float(before["speed_correlation"])
    assert float(after["label_entropy"]) == float(before["label_entropy"])


def test_fit_logs_what_is_promised(swinging_bars):
    model = compiled(prior_weight=1.0, prior_band=(0.02, 0.2))
    history = model.fit(tf.data.Dataset.from_tensors(tf.constant(swinging_bars[0])), verbose=0).history
    assert set(history) == {
        "loss",
        "label_entropy",
        "kl_divergence",
        "feature_deviation",
        "speed_correlation",
        "speed_slope",
        "prior",
    }
    assert all(np.isfinite(values).all() for values in history.values())


def test_one_seed_gives_the_same_views_and_loss_on_the_host_and_on_the_device(swinging_bars):
    clips, _ = swinging_bars
    ids = [f"clip {k}" for k in range(6)]
    examples = tf.data.Dataset.from_tensor_slices({"clip": clips, "id": ids})
    on_device, on_host = compiled(seed=5), compiled(views=None, seed=5)
    of_clips = iter(pipeline.training_batches(examples, 6, 3, seed=5))
    of_views = iter(pipeline.training_batches(examples, 6, 3, seed=5, views=VIEWS))
    device_step, host_step = tf.function(on_device.train_step), tf.function(on_host.train_step)
    for _ in range(3):
        batch, (views, speeds) = next(of_clips), next(of_views)
        drawn, drawn_speeds = made_views(on_device, batch)
        np.testing.assert_array_equal(drawn_speeds, speeds)
        # Times in float32 shares of 42 frames, once compiled by one graph and once by another.
        np.testing.assert_allclose(drawn, views, atol=1e-5)
        device_logs, host_logs = device_step(batch), host_step((views, speeds))
        assert float(device_logs["loss"]) == pytest.approx(float(host_logs["loss"]), rel=1e-4)


def test_a_step_draws_other_views_than_the_one_before_and_another_seed_too(swinging_bars):
    clips, model = tf.constant(swinging_bars[0][:2]), compiled()
    _, first = made_views(model, clips)
    np.testing.assert_array_equal(made_views(model, clips)[1], first)
    assert np.abs(made_views(compiled(seed=1), clips)[1] - first).max() > 0.01
    model.train_step(clips)
    assert np.abs(made_views(model, clips)[1] - first).max() > 0.01


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
    logs = model.compute_logs(features, speeds)
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


def test_the_prior_is_added_with_its_weight():
    features, speeds = tf.constant(RNG.normal(size=(2, 8, 20)), tf.float32), rising_speeds(2, 4)
    plain = compiled(views=None).compute_logs(features, speeds)
    logs = compiled(views=None, prior_weight=3.0, prior_band=(0.05, 0.2)).compute_logs(features, speeds)
    shares = [oracles.out_of_band_power(features[k], float(speeds[k]), (0.05, 0.2)) for k in np.ndindex(2, 8)]
    share = np.mean(shares)
    assert float(logs["prior"]) == pytest.approx(share, rel=1e-4)
    assert float(logs["loss"]) == pytest.approx(float(plain["loss"]) + 3 * share, rel=1e-5)
    assert float(logs["kl_divergence"]) == pytest.approx(float(plain["kl_divergence"]), abs=1e-6)


def test_collapsed_features_have_no_spread_no_rank_no_slope_and_lose_the_logarithm_of_views():
    for constant in (0.0, 0.7):
        logs = compiled(views=None).compute_logs(tf.fill([3, 20, 30], constant), rising_speeds(3, 10))
        assert float(logs["feature_deviation"]) == pytest.approx(0, abs=1e-6)
        assert float(logs["speed_correlation"]) == pytest.approx(0, abs=1e-6)
        assert float(logs["speed_slope"]) == pytest.approx(0, abs=1e-6)
        assert float(logs["loss"]) == pytest.approx(np.log(10), rel=1e-4)


def test_spread_is_the_deviation_over_time():
    speeds = rising_speeds(2, 4)
    features = 3 * ideal(np.full((2, 8), 1.25))  # 60 frames are 6 whole periods, of deviation 3 / sqrt 2.
    logs = compiled(views=None).compute_logs(features, speeds)
    assert float(logs["feature_deviation"]) == pytest.approx(3 / np.sqrt(2), rel=1e-4)


def test_ideal_features_follow_the_speeds_with_rank_and_slope_one():
    speeds = tf.constant(np.tile(np.linspace(0.6, 2, 8), (3, 1)), tf.float32)
    rank, slope = diagnostics.speed_correlation_and_slope(ideal(speeds), speeds)
    assert float(rank) == pytest.approx(1, abs=1e-6)
    # A peak of 3 to 10 periods is read to a hundredth of itself, over a range of speeds of log(2/0.6) = 1.2.
    assert float(slope) == pytest.approx(1, abs=0.02)
    doubled, doubled_slope = diagnostics.speed_correlation_and_slope(sinusoids(0.16 * speeds, 60), speeds)
    assert float(doubled) == pytest.approx(1, abs=1e-6)
    assert float(doubled_slope) == pytest.approx(1, abs=0.02)


def test_features_that_ignore_the_speed_or_run_against_it_are_told():
    speeds = tf.constant(np.tile(np.linspace(0.6, 2, 8), (40, 1)), tf.float32)
    rank, slope = diagnostics.speed_correlation_and_slope(tf.constant(RNG.normal(size=(40, 8, 60)), tf.float32), speeds)
    # A rank correlation of 8 has the deviation 1 / sqrt 7; the mean of 40 a sixth of it.
    assert abs(float(rank)) < 5 / np.sqrt(7 * 40)
    assert abs(float(slope)) < 0.5
    rank, slope = diagnostics.speed_correlation_and_slope(sinusoids(0.08 / speeds.numpy(), 60), speeds)
    assert float(rank) < -0.9
    assert float(slope) == pytest.approx(-1, abs=0.1)


def test_speed_following_of_channels_reads_the_sum_of_their_spectra():
    speeds = tf.constant(np.tile(np.linspace(0.6, 2, 6), (2, 1)), tf.float32)
    features = tf.stack([ideal(speeds), 0.01 * tf.constant(RNG.normal(size=(2, 6, 60)), tf.float32)], axis=-1)
    assert float(diagnostics.speed_correlation_and_slope(features, speeds)[0]) == pytest.approx(1, abs=1e-6)


def test_no_clip_is_compared_with_another(swinging_bars):
    model = compiled(temperature=0.1, prior_weight=1.0, prior_band=(0.02, 0.2))
    views, speeds = made_views(model, tf.constant(swinging_bars[0][:2]))

    def gradient_of_first(views):
        with tf.GradientTape() as tape:
            tape.watch(views)
            loss = model.compute_logs(model.encode_views(views, training=True), speeds)["loss"]
        return tape.gradient(loss, views)[0]

    gradient = gradient_of_first(views)
    assert np.abs(gradient).max() > 0
    others = tf.concat([views[:1], tf.random.stateless_uniform(views[1:].shape, [1, 2])], axis=0)
    np.testing.assert_allclose(gradient_of_first(others), gradient, atol=1e-6 * np.abs(gradient).max() + 1e-9)


def test_the_gradient_of_a_batch_is_the_mean_over_its_clips(swinging_bars):
    model = compiled(temperature=0.1)
    views, speeds = made_views(model, tf.constant(swinging_bars[0][:3]))

    def gradient(clips):
        with tf.GradientTape() as tape:
            features = model.encode_views(tf.gather(views, clips), training=True)
            loss = model.compute_logs(features, tf.gather(speeds, clips))["loss"]
        return tf.concat([tf.reshape(g, [-1]) for g in tape.gradient(loss, model.encoder.trainable_variables)], 0)

    batch, singles = gradient([0, 1, 2]), [gradient([k]) for k in range(3)]
    np.testing.assert_allclose(batch, np.mean(singles, axis=0), atol=1e-5 * np.abs(batch).max())


def test_a_saved_method_comes_back_with_all_its_settings(swinging_bars, tmp_path):
    clips = tf.constant(swinging_bars[0])
    model = compiled(
        similarity=similarity.npsd_cosine,
        temperature=0.3,
        label_temperature=0.2,
        label_similarity="sqrt",
        prior_weight=2.0,
        prior_band=(0.02, 0.2),
        seed=9,
    )
    model.fit(tf.data.Dataset.from_tensors(clips), verbose=0)
    model.save(tmp_path / "method.keras")
    loaded = keras.models.load_model(tmp_path / "method.keras")
    np.testing.assert_allclose(loaded.encode(clips), model.encode(clips), atol=1e-6)
    for name in ("temperature", "label_temperature", "label_similarity", "prior_weight", "seed", "similarity"):
        assert getattr(loaded, name) == getattr(model, name)
    assert tuple(loaded.prior_band) == model.prior_band
    as_lists = [list(v) if isinstance(v, tuple) else v for v in dataclasses.astuple(model.views)]
    assert [list(v) if isinstance(v, list | tuple) else v for v in dataclasses.astuple(loaded.views)] == as_lists
    # The optimizer came with it: the next step is the same.
    assert int(loaded.optimizer.iterations) == 1
    model.reset_metrics()
    expected, loss = [float(tf.function(method.train_step)(clips)["loss"]) for method in (model, loaded)]
    assert loss == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(loaded.encode(clips), model.encode(clips), atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"temperature": 0.0}, "`temperature` must be positive.*Received: 0.0, 0.1, 0.0"),
        ({"temperature": -1.0}, "`temperature` must be positive"),
        ({"label_temperature": -0.1}, "`label_temperature` and `prior_weight` at least 0.*-0.1"),
        ({"prior_weight": -2.0, "prior_band": (0.1, 0.2)}, "at least 0.*-2.0"),
        ({"prior_weight": 1.0}, r"prior needs `prior_band`, \(low, high\) in cycles per frame"),
        ({"prior_weight": 1.0, "prior_band": (0.2, 0.1)}, r"`prior_band` must .*low <= high. Received: \(0.2, 0.1\)"),
        ({"prior_weight": 1.0, "prior_band": (-0.1, 0.1)}, r"0 <= low .*Received: \(-0.1, 0.1\)"),
        ({"prior_weight": 1.0, "prior_band": (0.4, 4.0)}, r"cycles per frame.*\(0.4, 4\). If that is in Hz, divide it"),
    ],
)
def test_settings_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        SimPer(small((None, None, 1), widths=(8,)), **arguments)


@pytest.mark.parametrize("micro_batch", [1, 2])
def test_micro_batches_give_the_gradient_and_the_logs_of_the_batch(swinging_bars, micro_batch):
    clips = tf.constant(swinging_bars[0][:4])
    settings = {"temperature": 0.1, "prior_weight": 1.0, "prior_band": (0.02, 0.2)}
    whole, parts = compiled(**settings), compiled(**settings, micro_batch=micro_batch)
    expected, logs = whole.compute_gradients(whole.draw(clips))
    found, same_logs = tf.function(parts.compute_gradients)(parts.draw(clips))
    largest = max(np.abs(gradient).max() for gradient in expected)
    for gradient, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, gradient, atol=1e-5 * largest)
    assert {name: float(value) for name, value in same_logs.items()} == pytest.approx(
        {name: float(value) for name, value in logs.items()}, rel=1e-4
    )


def test_micro_batches_are_refused_where_they_would_change_the_gradient():
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
        compiled(views=None).compute_logs(tf.zeros([2, 2, 20]), tf.ones([2, 2]))


def test_hard_labels_make_the_loss_plain_info_nce():
    features, speeds = tf.constant(RNG.normal(size=(1, 8, 20)), tf.float32), rising_speeds(1, 4)
    logs = compiled(views=None, label_temperature=0.0).compute_logs(features, speeds)
    assert float(logs["label_entropy"]) == 0
    scores = [[oracles.largest_correlation(features[0, i], features[0, 4 + j]) for j in range(4)] for i in range(4)]
    chances = [oracles.softmax(np.array(row))[k] for k, row in enumerate(scores)]
    assert float(logs["loss"]) == pytest.approx(-np.mean(np.log(chances)), rel=1e-4)


def test_a_label_similarity_that_is_unknown_is_refused_by_name():
    with pytest.raises(ValueError, match=r"`label_similarity` must be one of \['inverse', 'l1', .*Received: 'foo'"):
        SimPer(small((None, None, 1)), label_similarity="foo")
