"""What holds for every method: evaluation on held-out clips, wrong company of clips, half precision."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.encoders.norms import normalization
from simper_tf.methods import BYOL, CVRL, SLFRPM, FrequencyContrast, MoCo, SimCLR, SimPer, Supervised

RNG = np.random.default_rng(29)
METHODS = {
    SimPer: {"prior_weight": 1.0, "prior_band": (0.02, 0.2)},
    SimCLR: {"outputs": 16},
    MoCo: {"queue_size": 6, "outputs": 16},
    BYOL: {"hidden": 16, "outputs": 8, "num_steps": 10},
    CVRL: {"hidden": 16, "outputs": 8},
    FrequencyContrast: {"band": (0.05, 0.45)},
    SLFRPM: {"outputs": 16},
    Supervised: {},
}
SELF_SUPERVISED = [kind for kind in METHODS if not kind.needs_labels]
LABELS = np.float32([0.6, 1.0, 1.5, 2.1, 2.8, 3.5])


def compiled(kind, encoder=None, **arguments):
    keras.utils.set_random_seed(3)
    views = kind.views_for(40 if kind.needs_labels else 16, 2, (0.5, 2.0))
    model = kind(encoder or small(widths=(8,), outputs=2), views, **{**METHODS[kind], **arguments})
    model.compile(keras.optimizers.Adam(1e-3))
    return model


def normed_encoder():
    """Returns an encoder whose features differ between training and inference."""
    clips = keras.Input((None, 12, 12, 1))
    x = normalization("batch")(keras.layers.Conv3D(4, (1, 3, 3), strides=(1, 4, 4))(clips))
    return keras.Model(clips, keras.layers.Dense(2)(keras.layers.Dropout(0.5)(keras.ops.mean(x, axis=(2, 3)))))


def batch(kind, clips):
    """Returns what a method takes, as arguments of `fit` and `evaluate`."""
    return (clips, LABELS) if kind.needs_labels else (clips,)


@pytest.mark.parametrize("kind", METHODS)
def test_evaluation_returns_the_logs_of_training_and_changes_no_weight(kind, swinging_bars):
    model, data = compiled(kind, normed_encoder()), batch(kind, swinging_bars[0])
    model.fit(*data, batch_size=3, verbose=0)
    before = [w.numpy() for w in [*model.weights, *model.optimizer.variables]]
    logs = model.evaluate(*data, batch_size=3, verbose=0)
    assert set(logs) == set(model.log_names())
    assert all(np.isfinite(value) for value in logs.values())
    for weight, value in zip([*model.weights, *model.optimizer.variables], before, strict=True):
        np.testing.assert_array_equal(weight, value)


@pytest.mark.parametrize("kind", METHODS)
def test_evaluation_repeats_itself_and_another_seed_draws_other_views(kind, swinging_bars):
    data = batch(kind, swinging_bars[0])
    model, again, other = compiled(kind), compiled(kind), compiled(kind)
    other.seed = 1
    first = model.evaluate(*data, batch_size=3, verbose=0)
    assert model.evaluate(*data, batch_size=3, verbose=0) == first
    assert again.evaluate(*data, batch_size=3, verbose=0) == first
    assert other.evaluate(*data, batch_size=3, verbose=0)["loss"] != first["loss"]


@pytest.mark.parametrize("kind", METHODS)
def test_evaluation_of_ready_views_is_the_loss_in_inference_mode(kind, swinging_bars):
    model = compiled(kind, normed_encoder())
    made = model.views(tf.constant(swinging_bars[0]), tf.constant([5, 6]))
    made = (*made, tf.constant(LABELS)) if kind.needs_labels else made
    logs = model.evaluate(tf.data.Dataset.from_tensors(made), verbose=0)
    views, *facts = model.with_targets(made, training=False)
    features = model.encode_views(views, training=False)
    expected = model.compute_logs(features, *facts, training=False)
    assert logs == pytest.approx({name: float(value) for name, value in expected.items()}, rel=1e-4, abs=1e-6)
    np.testing.assert_allclose(features[0, 0], model.encoder(views[0, :1])[0], atol=1e-5)  # Inference, indeed.


def test_evaluation_is_the_mean_over_clips_however_they_are_batched(swinging_bars):
    model = compiled(SimPer)
    views, speeds = model.views(tf.constant(swinging_bars[0]), tf.constant([5, 6]))
    ready = tf.data.Dataset.from_tensor_slices((views, speeds))
    whole = model.evaluate(ready.batch(6), verbose=0)
    assert model.evaluate(ready.batch(4), verbose=0) == pytest.approx(whole, rel=1e-4)  # 4 and 2.


def test_batches_of_an_evaluation_see_different_views_and_none_that_a_step_of_training_sees(swinging_bars):
    model, seen = compiled(SimPer), []

    def speeds(data, step=None):
        seen.append(drawn(data, step)[1]["speeds"].numpy())
        return drawn(data, step)

    drawn, model.draw = model.draw, speeds
    model.run_eagerly = True
    clips = tf.data.Dataset.from_tensor_slices(np.repeat(swinging_bars[0][:1], 6, axis=0)).batch(2)
    model.fit(clips, validation_data=clips, verbose=0)
    assert len(seen) == 6
    assert min(np.abs(a - b).max() for k, a in enumerate(seen) for b in seen[:k]) > 1e-3


def test_validation_data_add_their_logs_to_the_history(swinging_bars):
    history = compiled(SimPer).fit(swinging_bars[0], validation_data=swinging_bars[0], verbose=0, epochs=2).history
    assert {
        "loss",
        "val_loss",
        "val_speed_correlation",
        "val_speed_slope",
        "val_feature_deviation",
        "val_label_entropy",
        "val_kl_divergence",
    } <= set(history)
    assert len(history["val_loss"]) == 2


def test_evaluation_tells_features_that_follow_the_speeds_from_constant_ones(swinging_bars):
    clips = keras.Input((None, 12, 12, 1))
    columns = keras.ops.reshape(keras.ops.linspace(0.0, 1.0, 12), (1, 1, 1, 12, 1))
    place, still = [keras.Model(clips, keras.ops.mean(clips * x, axis=(2, 3, 4))) for x in (columns, 0.0 * columns)]
    views = SimPer.views_for(20, 5, (0.5, 2.0), flip_probability=0.0, blur_probability=0.0, crop_area=(0.9, 1.0))
    found = []
    for encoder in (place, still):
        model = SimPer(encoder, views)
        model.compile(keras.optimizers.SGD())
        found.append(model.evaluate(swinging_bars[0][3:], verbose=0))
    assert found[0]["speed_correlation"] > 0.9
    assert found[0]["speed_slope"] == pytest.approx(1, abs=0.15)
    assert found[0]["kl_divergence"] < 0.8 * found[1]["kl_divergence"]
    assert (found[1]["speed_correlation"], found[1]["speed_slope"], found[1]["feature_deviation"]) == pytest.approx(
        (0, 0, 0), abs=1e-6
    )


@pytest.mark.parametrize("kind", SELF_SUPERVISED)
def test_labels_beside_clips_are_refused_where_nothing_is_learned_from_them(kind, swinging_bars):
    for call in (compiled(kind).fit, compiled(kind).evaluate):
        with pytest.raises(ValueError, match=f"{kind.__name__} learns from clips alone.*with 1 more.*Leave them out"):
            call(swinging_bars[0], LABELS, verbose=0)


@pytest.mark.parametrize("kind", METHODS)
def test_ready_views_without_speeds_and_of_bytes_are_refused(kind, swinging_bars):
    model = compiled(kind)
    views = model.views(tf.constant(swinging_bars[0]), tf.constant([5, 6]))[0]
    with pytest.raises(ValueError, match=r"come with their speeds. Received: views of shape \(.*\) alone. Give a"):
        model.fit(views, verbose=0)
    with pytest.raises(ValueError, match=r"Ready views must be floats.* Received: uint8"):
        model.train_step((tf.cast(255 * views, tf.uint8), tf.ones(views.shape[:2])))


@pytest.mark.parametrize("kind", [SimPer, FrequencyContrast])
def test_clips_for_a_method_without_views_are_refused(kind, swinging_bars):
    model = kind(small(widths=(4,)))
    model.compile(keras.optimizers.SGD())
    with pytest.raises(ValueError, match=f"{kind.__name__} has no `views` to make of clips. Give it some, or batches"):
        model.fit(swinging_bars[0], verbose=0)


def test_predictions_are_the_features_of_clips_batch_by_batch(swinging_bars):
    model = compiled(SimPer)
    features = model.predict(swinging_bars[0], batch_size=4, verbose=0)
    np.testing.assert_allclose(features, model.encode(swinging_bars[0]), atol=1e-5)


@pytest.mark.parametrize("kind", METHODS)
def test_a_step_in_mixed_bfloat16_is_that_of_float32_but_for_rounding(kind, swinging_bars):
    data = tuple(map(tf.constant, batch(kind, swinging_bars[0])))
    expected = compiled(kind)
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        model = compiled(kind)
    finally:
        keras.mixed_precision.set_dtype_policy(before)
    assert {weight.dtype for weight in model.trainable_weights} == {"float32"}
    gradients, logs = model.compute_gradients(model.draw(data))
    expected_gradients, expected_logs = expected.compute_gradients(expected.draw(data))
    assert all(value.dtype == tf.float32 for value in logs.values())
    # Three digits are kept of a feature, and temperatures divide by a tenth. Least alike are the gradients of frequency
    # contrast (0.77), a small difference of distances.
    assert float(logs["loss"]) == pytest.approx(float(expected_logs["loss"]), rel=0.05, abs=0.02)
    pairs = [tf.concat([tf.reshape(g, [-1]) for g in grads], 0) for grads in (gradients, expected_gradients)]
    assert pairs[0].dtype == tf.float32
    cosine = np.dot(*pairs) / np.linalg.norm(pairs[0]) / np.linalg.norm(pairs[1])
    assert cosine > 0.6
