import functools

import keras
import made_up_features
import numpy as np
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.methods import ContrastPhys
from simper_tf.methods.contrast_phys import distances, shares_in_windows
from simper_tf.views.times import CutClip
from simper_tf.views.views import Views

RNG = np.random.default_rng(67)
BAND = (0.04, 0.31)
VIEWS = Views(36, ContrastPhys.times_for(10, (0.5, 2.0)), None)


ENCODER = {"widths": (8, 8), "outputs": 4}
model_of = functools.partial(built, ContrastPhys, views=None, encoder=ENCODER, band=BAND)
sinusoids = functools.partial(made_up_features.sinusoids, RNG, num_frames=120)


def windows_of(batch_size, num_windows=4):
    return tf.constant(RNG.uniform(size=(batch_size, 1, num_windows)), tf.float32)


def logs_of(features, windows=None, **arguments):
    """Returns the loss and the further logs of `(B, L)` or `(B, L, D)` features."""
    windows = windows_of(len(features)) if windows is None else windows
    batch = {"windows": windows, "speeds": tf.ones([len(features), 1])}
    loss, logs = model_of(**arguments).loss_and_logs(tf.constant(features[:, None], tf.float32), batch)
    return {name: float(value) for name, value in {"loss": loss, **logs}.items()}


def test_distances_are_the_means_over_all_pairs():
    shares = RNG.dirichlet(np.ones(7), size=(3, 5))
    apart = np.mean((shares[:, :, None, None] - shares[None, None]) ** 2, axis=-1)
    same_clip = np.eye(3)[:, None, :, None]
    same_window = same_clip * np.eye(5)[None, :, None, :]
    for pairs, found in zip((same_clip - same_window, 1 - same_clip), distances(tf.constant(shares)), strict=True):
        pairs = np.broadcast_to(pairs, apart.shape)
        assert float(found) == pytest.approx((apart * pairs).sum() / pairs.sum(), rel=1e-9)


def test_windows_are_half_as_long_and_cut_where_the_draws_say():
    features = RNG.normal(size=(2, 1, 40, 3)).astype(np.float32)
    windows = tf.constant([[[0.0, 0.5]], [[0.25, 1 - 2**-24]]])
    shares = shares_in_windows(tf.constant(features), windows, BAND).numpy()
    assert shares.shape == (2, 6, 11)  # Of 20 frames, padded to 40, the bins 2 to 12.
    starts = [[0, 10], [5, 20]]
    for b, d, v in np.ndindex(2, 3, 2):
        start = starts[b][v]
        window = features[b, 0, start : start + 20, d]
        power = np.abs(np.fft.rfft(window - window.mean(), 40))[2:13] ** 2
        np.testing.assert_allclose(shares[b, 2 * d + v], power / power.sum(), atol=1e-5)


def test_the_loss_is_that_of_the_formula():
    features, windows = RNG.normal(size=(2, 40, 2)).astype(np.float32), windows_of(2, 3)
    shares = shares_in_windows(tf.constant(features[:, None]), windows, BAND).numpy()
    pairs = [(i, j) for i in range(6) for j in range(6) if i != j]
    positive = np.mean([np.mean((own[i] - own[j]) ** 2) for own in shares for i, j in pairs])
    negative = np.mean([np.mean((one - other) ** 2) for one in shares[0] for other in shares[1]])
    logs = logs_of(features, windows)
    assert logs["positive"] == pytest.approx(positive, rel=1e-4)
    assert logs["negative"] == pytest.approx(negative, rel=1e-4)
    assert logs["loss"] == pytest.approx(positive - negative, abs=1e-6)


@pytest.mark.parametrize("constant", [0.0, 0.7])
def test_collapsed_features_score_zero_with_a_finite_gradient(constant):
    features = tf.fill([3, 1, 26, 2], constant)
    with tf.GradientTape() as tape:
        tape.watch(features)
        loss, logs = model_of().loss_and_logs(features, {"windows": windows_of(3), "speeds": tf.ones([3, 1])})
    for value in (loss, *logs.values()):
        assert float(value) == pytest.approx(0, abs=1e-6)
    assert np.all(np.isfinite(tape.gradient(loss, features)))


def test_the_irrelevant_power_is_the_share_outside_the_band():
    assert logs_of(sinusoids(np.full(4, 0.1)))["ipr"] == pytest.approx(0, abs=0.01)
    assert logs_of(sinusoids(np.full(4, 0.42)))["ipr"] == pytest.approx(1, abs=0.01)
    assert "ipr" not in model_of(band=None).log_names()


@pytest.mark.slow
def test_a_last_batch_of_one_clip_is_evaluated(swinging_bars):
    model = model_of(views=VIEWS)
    model.compile(keras.optimizers.Adam(1e-2))
    assert all(np.isfinite(list(model.evaluate(swinging_bars[0][:3], batch_size=2, verbose=0).values())))


def test_a_clip_is_seen_once_at_its_own_speed_in_drawn_windows():
    draws = CutClip().draw(300, 60, 20, tf.constant([7, 1]))
    np.testing.assert_array_equal(draws["speeds"], np.ones((300, 1)))
    windows = draws["windows"].numpy()
    assert windows.shape == (300, 1, 4)
    assert 0 <= windows.min() < 0.01
    assert 0.99 < windows.max() < 1
    assert len(np.unique(windows)) > 0.99 * windows.size
