import keras
import numpy as np
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.encoders import small
from simper_tf.methods import Supervised
from simper_tf.views.views import Views

RNG = np.random.default_rng(47)
VIEWS = Views(40, Supervised.times_for(10, (0.5, 2.0)), Supervised.appearance)
SEED = tf.constant([7, 1])
LABELS = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def compiled(channels=4, **arguments):
    encoder = {"widths": (8, 8), "outputs": channels, "kernel_frames": 9}
    return built(Supervised, VIEWS, 3e-3, encoder=encoder, **arguments)


@pytest.mark.parametrize(("mean", "settings"), [(0, {}), (3, {"label_mean": 3.0, "label_deviation": 2.0})])
def test_the_loss_is_the_absolute_error_of_a_layer_on_all_frames(mean, settings):
    model = compiled(**settings)
    features = RNG.normal(size=(6, 1, 40, 4)).astype(np.float32)
    kernel, bias = model.regressor.layers[-1].get_weights()
    assert kernel.shape == (160, 1)
    predicted = mean + (2 if settings else 1) * (np.reshape(features, (6, 160)) @ kernel + bias)[:, 0]
    loss = model.loss_and_logs(tf.constant(features), {"labels": LABELS})[0]
    assert float(loss) == pytest.approx(np.mean(np.abs(predicted - LABELS)), rel=1e-5)
    of_zeros = model.loss_and_logs(tf.zeros([6, 1, 40, 4]), {"labels": LABELS})[0]
    assert float(of_zeros) == pytest.approx(np.mean(np.abs(mean - LABELS)), rel=1e-6)


@pytest.mark.slow
def test_training_lowers_the_error_in_the_unit_of_the_labels(swinging_bars):
    clips, labels = tf.constant(swinging_bars[0]), tf.constant(60 * swinging_bars[1])  # A minute.
    model = compiled(label_mean=float(np.mean(labels)), label_deviation=float(np.std(labels)), channels=8)
    views = VIEWS(tf.repeat(clips, 8, axis=0), tf.constant([999, 0]))["views"]

    def on_fresh_views():
        features = model.encode_views(views, training=False)
        return float(model.loss_and_logs(features, {"labels": tf.repeat(labels, 8)})[0])

    before, step = on_fresh_views(), tf.function(model.train_step, autograph=False)
    for _ in range(160):
        step((clips, labels))
    assert on_fresh_views() < 0.5 * before
    assert np.mean(np.abs(model.predict_labels(clips) - labels)) < 0.3 * np.std(labels)


@pytest.mark.slow
def test_series_are_predicted_number_by_number(swinging_bars):
    clips, labels = tf.constant(swinging_bars[0]), tf.constant(RNG.normal(size=(6, 5)), tf.float32)
    model = compiled(outputs=5)
    assert model.predict_labels(clips).shape == (6, 5)
    assert compiled().predict_labels(clips).shape == (6,)
    features = model.encode_views(VIEWS(clips, SEED)["views"], training=False)
    predicted = model.regressor(np.reshape(features, (6, 160))).numpy()
    loss = model.loss_and_logs(features, {"labels": labels})[0]
    assert float(loss) == pytest.approx(np.mean(np.abs(predicted - labels)), rel=1e-4)
    for wrong in (labels[:, :1], labels[:, 0]):
        with pytest.raises(ValueError, match=r"labels of 5 number\(s\) a clip.*Received labels of shape \(6,"):
            model.train_step((clips, wrong))
    with pytest.raises(ValueError, match=r"labels of 1 number\(s\).*shape \(6, 5\)"):
        compiled().train_step((clips, labels))


def test_labels_are_predicted_in_float32_under_any_policy(swinging_bars):
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        model = compiled(label_mean=80.0, label_deviation=20.0)
    finally:
        keras.mixed_precision.set_dtype_policy(before)
    features = tf.constant(RNG.normal(size=(6, 1, 40, 4)), tf.float32)
    kernel, bias = model.regressor.layers[-1].get_weights()
    expected = 80 + 20 * (np.reshape(features, (6, 160)) @ kernel + bias)[:, 0]
    loss = model.loss_and_logs(features, {"labels": tf.constant(expected)})[0]
    assert float(loss) < 1e-3


@pytest.mark.slow
def test_the_spectral_head_meets_labels_like_the_linear_one():
    model = compiled(head="spectrum", label_mean=3.0, label_deviation=2.0)
    features = tf.constant(RNG.normal(size=(6, 1, 40, 4)), tf.float32)
    predicted = 3 + 2 * model.regressor(np.reshape(features, (6, 160))).numpy()[:, 0]
    loss = model.loss_and_logs(features, {"labels": LABELS})[0]
    assert float(loss) == pytest.approx(np.mean(np.abs(predicted - LABELS)), rel=1e-5)
    np.testing.assert_allclose(model.labels_of(features[:, 0]), predicted, rtol=1e-5)
    assert compiled(head="spectrum", channels=1).labels_of(features[:, 0, :, 0]).shape == (6,)


@pytest.mark.slow
@pytest.mark.parametrize("head", ["linear", "spectrum"])
def test_of_a_frozen_encoder_nothing_changes_and_the_head_learns(swinging_bars, head):
    encoder = keras.Sequential([small((None, None, 1), widths=(8,)), keras.layers.BatchNormalization()])
    model = Supervised(encoder, VIEWS, head=head, freeze=True)
    model.compile(keras.optimizers.Adam(3e-3))
    before = [network.get_weights() for network in (encoder, model.regressor)]
    # Of five clips, as the signs of their errors never add up to 0, which is the gradient of the last bias.
    model.fit(swinging_bars[0][:5], LABELS[:5], verbose=0)
    for value, now in zip(before[0], encoder.get_weights(), strict=True):
        np.testing.assert_array_equal(value, now)
    assert all(np.any(value != now) for value, now in zip(before[1], model.regressor.get_weights(), strict=True))
    made = VIEWS(tf.constant(swinging_bars[0]), SEED)["views"]
    np.testing.assert_array_equal(model.encode_views(made, training=True), model.encode_views(made, training=False))
    # The encoder itself is as free as it was.
    learning = Supervised(encoder, VIEWS, head=head)
    assert not np.allclose(learning.encode_views(made, training=True), learning.encode_views(made, training=False))
    learning.compile(keras.optimizers.Adam(3e-3))
    learning.fit(swinging_bars[0], LABELS, verbose=0)
    assert np.any(before[0][0] != encoder.get_weights()[0])


def test_a_batch_without_labels_is_refused(swinging_bars):
    assert Supervised.needs_labels
    with pytest.raises(ValueError, match=r"learns from labels, but the batch has none. Give batches \(clips, labels\)"):
        compiled().train_step(tf.constant(swinging_bars[0]))


def test_clips_of_another_length_are_refused_with_both():
    with pytest.raises(ValueError, match=r"clips of 40 frames and takes no others\. Received: 30 frames"):
        compiled().predict_labels(tf.zeros([2, 30, 12, 12, 1], tf.uint8))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"head": "spectrum"}, {"freeze": True}])
def test_a_saved_method_predicts_the_same(swinging_bars, tmp_path, options):
    clips = tf.constant(swinging_bars[0])
    model = compiled(label_mean=80.0, label_deviation=20.0, seed=9, **options)
    model.fit(clips, LABELS, verbose=0)
    model.save(tmp_path / "method.keras")
    loaded = keras.models.load_model(tmp_path / "method.keras")
    assert (loaded.options, loaded.seed) == (model.options, 9)
    assert loaded.views == model.views
    assert {name: getattr(loaded.options, name) for name in options} == options
    np.testing.assert_allclose(loaded.predict_labels(clips), model.predict_labels(clips), rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"head": "cubic"}, "`head` must be one of linear, spectrum, frequency, repnet. Received: 'cubic'"),
        ({"head": "spectrum", "outputs": 5}, "'spectrum' predicts one number a clip, but labels have 5. Use"),
        ({"outputs": 0}, "`outputs` must be at least 1 and finite"),
        ({"label_deviation": 0.0}, "`label_deviation` is 0: all training clips have one label, .*nothing to learn"),
        ({"label_deviation": -1.0}, "`label_deviation` must be at least 0"),
    ],
)
def test_settings_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        compiled(**arguments)
