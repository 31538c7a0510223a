"""Heads, and what holds for all methods that have one over the vectors of clips."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import cnn3d, small
from simper_tf.methods import BYOL, CVRL, MoCo, SimCLR, heads
from simper_tf.methods.byol import perceptron

RNG = np.random.default_rng(41)
METHODS = {
    SimCLR: {"temperature": 0.2, "outputs": 16},
    MoCo: {"queue_size": 24, "momentum": 0.9, "temperature": 0.3, "outputs": 16},
    BYOL: {"momentum": 0.9, "num_steps": 100, "hidden": 32, "outputs": 16},
    CVRL: {"temperature": 0.2, "hidden": 32, "outputs": 16},
}
PLAIN = {"crop_area": (0.8, 1.0), "blur_probability": (0.0, 0.0), "solarize_probability": (0.0, 0.0)}


def compiled(kind, learning_rate=3e-3, seed=4, changes=PLAIN, channels=2, **arguments):
    keras.utils.set_random_seed(3)
    views = kind.views_for(16, 10, (0.5, 2.0), **changes, reverse_probability=0.0, flip_probability=0.0)
    model = kind(
        small((None, None, 1), widths=(8, 8), outputs=channels), views, seed=seed, **{**METHODS[kind], **arguments}
    )
    model.compile(keras.optimizers.Adam(learning_rate))
    return model


def bars(number):
    """Returns `(number, 24, 12, 12, 1)` uint8 clips of bars at rest, of different place, width and light."""
    rng = np.random.default_rng(41)
    places, widths = rng.uniform(2, 9, size=(number, 1)), rng.uniform(0.5, 3, size=(number, 1))
    rows = np.exp(-0.5 * np.square((np.arange(12) - places) / widths)) * rng.uniform(0.3, 1, size=(number, 1))
    return tf.constant(255 * np.broadcast_to(rows[:, None, None, :, None], (number, 24, 12, 12, 1)), tf.uint8)


# Trainable parameters, as counted from the sources for vectors of 512 numbers (weights, biases, norms).
@pytest.mark.parametrize(
    ("kind", "expected"), [(SimCLR, 592_000), (MoCo, 328_320), (BYOL, 3_158_016), (CVRL, 9_717_888)]
)
def test_heads_are_those_of_the_sources(kind, expected):
    clips = keras.Input((None, 2, 2, 1))
    encoder = keras.Model(clips, keras.ops.mean(clips, axis=(2, 3, 4)))
    model = kind(encoder, kind.views_for(512, 10, (0.5, 2.0)))
    assert sum(np.prod(v.shape) for v in model.head.trainable_variables) == expected
    if kind is BYOL:
        assert sum(np.prod(v.shape) for v in model.predictor.trainable_variables) == 2_109_440


# Changes mild enough to learn to see through in a few seconds.
MILD = {**PLAIN, "crop_area": (0.9, 1.0), "jitter_probability": 0.3}
# A copy that is too quick lets MoCo tell keys by their age, and its features forget the clips: 0.1 at momentum 0.5.
SLOW = {"momentum": 0.97, "temperature": 0.1}


def on_views(model, fresh):
    """Returns the mean logs of batches of views from which nothing is learned; norms take the statistics of each."""
    found = []
    for made in fresh:
        views, *facts = model.with_targets(made, training=True)
        found.append(model.compute_logs(model.encode_views(views, training=False), *facts))
    return {name: float(np.mean([logs[name] for logs in found])) for name in found[0]}


# Bounds between what four seeds of weights and views have on fresh views before training and after so many steps.
@pytest.mark.parametrize(
    ("kind", "settings", "steps", "most", "least"),
    [
        # Loss 2.42 to 2.90, then 1.25 to 1.42; accuracy 0.43 to 0.51, then 0.70 to 0.75.
        (SimCLR, {}, 160, 1.9, 0.6),
        # Loss 3.55 to 4.25, then 2.28 to 3.01; accuracy overlaps.
        (MoCo, {**SLOW, "queue_size": 72}, 240, 3.3, None),
        # Loss 3.34 to 4.84, then 0.26 to 0.33.
        (BYOL, {}, 160, 1.5, None),
        # Loss 2.86 to 3.12, then 1.80 to 2.16; accuracy 0.31 to 0.33, then 0.44 to 0.54.
        (CVRL, {}, 160, 2.5, 0.385),
    ],
)
def test_training_tells_clips_apart_in_fresh_views(kind, settings, steps, most, least):
    model, clips = compiled(kind, changes=MILD, channels=4, **settings), bars(24)
    fresh = [model.views(clips, tf.constant([999, k])) for k in range(8)]
    rate, step = float(model.optimizer.learning_rate), tf.function(model.train_step)
    model.optimizer.learning_rate.assign(0.0)
    for _ in range(3):  # Fills the queue and teaches nothing.
        step(clips)
    before = on_views(model, fresh)
    model.optimizer.learning_rate.assign(rate)
    for _ in range(steps):
        step(clips)
    after = on_views(model, fresh)
    assert after["loss"] < most < before["loss"]
    if least:
        assert after["accuracy"] > least > before["accuracy"]
    if (
        kind is BYOL
    ):  # The loss alone would also fall if all clips became one direction, of variety 0; 0.59 to 0.74 were found.
        assert after["variety"] > 0.4


@pytest.mark.parametrize("kind", METHODS)
def test_fit_logs_what_is_promised(kind):
    model, clips = compiled(kind), bars(6)
    history = model.fit(clips, batch_size=3, epochs=2, verbose=0).history
    assert set(history) == set(model.log_names())
    assert all(np.isfinite(values).all() for values in history.values())


@pytest.mark.parametrize("kind", METHODS)
def test_a_saved_method_comes_back_and_goes_on_alike(kind, tmp_path):
    model, clips = compiled(kind), bars(4)
    step = tf.function(model.train_step)
    for _ in range(2):
        step(clips)
    model.save(tmp_path / "method.keras")
    loaded = keras.models.load_model(tmp_path / "method.keras")
    assert {name: getattr(loaded, name) for name in METHODS[kind]} == METHODS[kind]
    assert (loaded.views, loaded.seed) == (model.views, 4)
    for variable, other in zip(model.weights, loaded.weights, strict=True):
        np.testing.assert_array_equal(other, variable)
    assert len(loaded.trainable_variables) == len(model.trainable_variables)
    np.testing.assert_array_equal(loaded.encode(clips), model.encode(clips))
    model.reset_metrics()
    loaded.reset_metrics()
    assert float(tf.function(loaded.train_step)(clips)["loss"]) == pytest.approx(float(step(clips)["loss"]), rel=1e-4)


@pytest.mark.parametrize("kind", METHODS)
def test_a_checkpoint_holds_all_that_a_step_changes(kind, tmp_path):
    model, clips = compiled(kind), bars(4)
    model.optimizer.build(model.trainable_variables)
    model.train_step(clips)
    path = tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(tmp_path / "step")
    other = compiled(kind)
    other.optimizer.build(other.trainable_variables)
    tf.train.Checkpoint(model=other, optimizer=other.optimizer).restore(path).assert_existing_objects_matched()
    for variable, restored in zip(model.weights, other.weights, strict=True):
        np.testing.assert_array_equal(restored, variable)


@pytest.mark.parametrize("kind", METHODS)
def test_evaluation_reads_the_encoder_alone(kind):
    model, clips = compiled(kind), bars(2)
    np.testing.assert_allclose(model.encode(clips), model.encoder(tf.cast(clips, tf.float32) / 255), atol=1e-6)


@pytest.mark.parametrize("kind", METHODS)
def test_views_are_two_of_each_clip_at_its_own_speed_and_changes_win(kind):
    views = kind.views_for(10, 7, (0.5, 3.0), hue=0.03, gray_probability=0.0)
    assert (views.num_frames, views.num_views, views.speed_range) == (10, 1, (1.0, 1.0))
    assert (views.hue, views.gray_probability, views.jitter_probability) == (0.03, 0.0, 0.8)
    made, speeds = views(bars(3), tf.constant([1, 2]))
    assert made.shape == (3, 2, 10, 12, 12, 1)
    np.testing.assert_array_equal(speeds, 1)


@pytest.mark.parametrize("kind", METHODS)
def test_views_made_on_the_host_train_like_those_made_on_the_device(kind):
    clips = bars(4)
    on_device, on_host = compiled(kind), compiled(kind)
    ready = on_host.views(clips, tf.constant([4, 0]))
    assert float(on_host.train_step(ready)["loss"]) == pytest.approx(
        float(on_device.train_step(clips)["loss"]), rel=1e-3
    )


@pytest.mark.parametrize("kind", METHODS)
def test_a_head_without_views_or_for_others_is_refused(kind):
    with pytest.raises(ValueError, match=f"{kind.__name__} has a head for views of one length: give `views`"):
        kind(small((None, None, 1)))
    other = kind.views_for(20, 10, (0.5, 2.0))(bars(2), tf.constant([0, 0]))
    with pytest.raises(ValueError, match=r"built for views of 32 numbers, frames times features. Received: 40"):
        compiled(kind).train_step(other)


@pytest.mark.parametrize("kind", [SimCLR, BYOL, CVRL])
def test_one_clip_is_nothing_to_learn_from(kind):
    with pytest.raises(
        ValueError, match=f"{kind.__name__} learns .*at least 2 in a batch. Received: 1. Raise `batch_size`"
    ):
        compiled(kind).check_batch(1)
    compiled(kind).check_batch(2)


@pytest.mark.parametrize("kind", METHODS)
def test_the_loss_reaches_every_kernel_of_an_encoder_with_batch_norm(kind):
    model = kind(cnn3d((None, None, 1), norm="batch"), kind.views_for(8, 10, (0.5, 2.0), **PLAIN), **METHODS[kind])
    model.compile(keras.optimizers.Adam(1e-3))
    gradients, _ = model.compute_gradients(model.draw(bars(2)[:, :10]))
    largest = {
        variable.path: np.abs(gradient).max()
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True)
        if variable.path.endswith("kernel")
    }
    assert len(largest) > len(model.encoder.layers) // 4
    assert min(largest.values()) > 0, largest


def test_the_vector_of_a_clip_is_its_frames_one_after_another():
    features = tf.constant(RNG.normal(size=(3, 2, 5, 4)), tf.float32)
    head = heads.head(20, keras.layers.Dense(20, use_bias=False, kernel_initializer="identity"))
    np.testing.assert_allclose(heads.project(head, features), np.reshape(features, (3, 2, 20)), rtol=1e-6)
    series = features[..., 0]
    head = heads.head(5, keras.layers.Dense(5, use_bias=False, kernel_initializer="identity"))
    np.testing.assert_allclose(heads.project(head, series), series, rtol=1e-6)


def test_batch_norm_of_a_head_sees_all_views_together():
    features = tf.constant(RNG.normal(size=(6, 2, 5)), tf.float32)
    head = heads.head(5, heads.hidden(64))
    vectors = heads.project(head, features).numpy()
    raw = np.reshape(features, (12, 5)) @ head.layers[0].kernel.numpy()
    expected = np.maximum((raw - raw.mean(axis=0)) / np.sqrt(raw.var(axis=0) + 1e-5), 0)
    np.testing.assert_allclose(vectors, expected.reshape(6, 2, 64), atol=1e-4)


def test_variety_is_zero_for_one_direction_and_one_for_directions_that_cancel():
    assert float(heads.variety(tf.constant([[1.0, 1.0], [3.0, 3.0]]))) == pytest.approx(0, abs=1e-6)
    assert float(heads.variety(tf.constant([[1.0, 0.0], [-4.0, 0.0]]))) == pytest.approx(1)
    vectors = RNG.normal(size=(20, 5))
    mean = np.mean(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), axis=0)
    assert float(heads.variety(tf.constant(vectors, tf.float32))) == pytest.approx(1 - mean @ mean, rel=1e-4)


def test_the_last_layer_of_a_perceptron_has_no_bias():
    assert [v.name for v in perceptron(4, 8, 3).layers[-1].weights] == ["kernel"]
