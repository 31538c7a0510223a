import functools

import made_up_features
import numpy as np
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.methods import ContrastPhys, ContrastPhysPlus
from simper_tf.methods.contrast_phys import shares_in_windows
from simper_tf.methods.contrast_phys_plus import sinusoids, true_distances
from simper_tf.signals.readout import fft_frequency
from simper_tf.views.views import Views

RNG = np.random.default_rng(67)
BAND = (0.04, 0.31)
VIEWS = Views(40, ContrastPhysPlus.times_for(10, (0.5, 2.0)), None)
RATE = 20
waves = functools.partial(made_up_features.sinusoids, RNG, num_frames=120)


def model_of(kind=ContrastPhysPlus, **arguments):
    encoder = {"widths": (8, 8), "outputs": 1}
    return built(kind, VIEWS, 3e-3, encoder=encoder, **{"band": BAND, **arguments})


def batch_of(labels, num_windows=4):
    windows = tf.constant(RNG.uniform(size=(len(labels), 1, num_windows)), tf.float32)
    return {"windows": windows, "speeds": tf.ones([len(labels), 1]), "labels": tf.constant(labels, tf.float32)}


def logs_of(features, batch, kind=ContrastPhysPlus, **arguments):
    logs = model_of(kind, **arguments).logs_of(tf.constant(features[:, None], tf.float32), batch)
    return {name: float(value) for name, value in logs.items()}


def test_distances_are_means_over_all_pairs_with_true_windows():
    found, true = RNG.dirichlet(np.ones(7), size=(3, 5)), RNG.dirichlet(np.ones(7), size=(3, 2))
    known = np.array([True, False, True])
    apart = np.mean((found[:, :, None, None] - true) ** 2, axis=-1).mean(axis=(1, 3))  # By clip and true signal.
    positive = (apart[0, 0] + apart[2, 2]) / 2
    negative = (apart[1, 0] + apart[2, 0] + apart[0, 2] + apart[1, 2]) / 4
    distances = true_distances(tf.constant(found), tf.constant(true), tf.constant(known))
    assert [float(value) for value in distances] == pytest.approx([positive, negative], rel=1e-9)


def test_a_batch_without_any_label_is_one_of_contrast_phys():
    features, batch = RNG.normal(size=(3, 60, 2)), batch_of([np.nan] * 3)
    logs = logs_of(features, batch)
    expected = logs_of(features, batch, ContrastPhys)
    assert (logs.pop("true_positive"), logs.pop("true_negative")) == (0, 0)
    assert logs == pytest.approx(expected, rel=1e-6)


def test_the_loss_is_the_formula_with_sinusoids_as_true_signals():
    features, batch = RNG.normal(size=(2, 40, 2)).astype(np.float32), batch_of([2.0, 3.0], 3)
    found = shares_in_windows(tf.constant(features[:, None]), batch["windows"], BAND).numpy()
    waves = np.sin(2 * np.pi * np.float32([[0.1], [0.15]]) * np.arange(40)).astype(np.float32)
    true = shares_in_windows(tf.constant(waves[:, None]), batch["windows"], BAND).numpy()
    assert (found.shape[1], true.shape[1]) == (6, 3)
    pairs = [[np.mean((x - y) ** 2) for x in found[k] for y in true[j]] for k, j in ((0, 0), (1, 1), (0, 1), (1, 0))]
    positive, negative = np.mean(pairs[:2]), np.mean(pairs[2:])
    logs = logs_of(features, batch, cycles_per_label=1 / RATE)
    assert logs["true_positive"] == pytest.approx(positive, rel=1e-4)
    assert logs["true_negative"] == pytest.approx(negative, rel=1e-4)
    assert logs["loss"] == pytest.approx(logs["positive"] - logs["negative"] + positive - negative, abs=1e-6)


def test_a_true_signal_is_a_sinusoid_and_constant_at_zero():
    found = sinusoids(tf.constant([0.25, 0.0]), 8).numpy()
    np.testing.assert_allclose(found, [[[0, 1, 0, -1] * 2], [[0] * 8]], atol=1e-5)


@pytest.mark.slow
def test_collapsed_features_have_finite_gradients_for_any_labels():
    features = tf.fill([3, 1, 40, 2], 0.7)
    for labels in ([np.nan] * 3, [0.1, np.nan, 0.2]):
        with tf.GradientTape() as tape:
            tape.watch(features)
            loss, _ = model_of().loss_and_logs(features, batch_of(labels))
        assert np.isfinite(float(loss))
        assert np.all(np.isfinite(tape.gradient(loss, features)))


@pytest.mark.slow
def test_labels_missing_or_not_of_frequency_are_refused(swinging_bars):
    with pytest.raises(ValueError, match=r"labeled frequencies, which these labels do not tell.*`contrast_phys`"):
        model_of(cycles_per_label=None)
    with pytest.raises(ValueError, match="`cycles_per_label` must be above 0"):
        model_of(cycles_per_label=-1.0)
    with pytest.raises(ValueError, match=r"`ContrastPhysPlus` learns from labels, but the batch has none"):
        model_of().train_step(tf.constant(swinging_bars[0]))
    with pytest.raises(ValueError, match=r"one label a clip. Received labels of shape \(6, 5\)"):
        model_of().train_step((tf.constant(swinging_bars[0]), tf.zeros([6, 5])))


@pytest.mark.slow
def test_half_of_the_labels_set_the_frequency_of_all_clips(swinging_bars):
    clips, frequencies = tf.constant(swinging_bars[0]), swinging_bars[1]
    labels = np.where(np.arange(6) % 2, np.nan, frequencies).astype(np.float32)
    model = model_of(cycles_per_label=1 / RATE, band=(0.02, 0.4))
    step = tf.function(model.train_step, autograph=False)
    for _ in range(100):
        step((clips, tf.constant(labels)))
    found, _ = fft_frequency(model.encode(clips), RATE, (0.4, 8.0))
    np.testing.assert_allclose(found, frequencies, atol=0.1)
