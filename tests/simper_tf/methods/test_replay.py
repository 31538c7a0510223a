import numpy as np
import pytest
import tensorflow as tf
from small_methods import compiled, views_for

from simper_tf.encoders import small
from simper_tf.methods import Replay
from simper_tf.methods.replay import replayed
from simper_tf.methods.rhythm_head import LagMap, ratio_loss, targets
from simper_tf.signals.log_lags import lags_of, periods_of
from simper_tf.views.views import Views

L = 64


def test_a_replay_shows_frames_and_fades_into_partners():
    views = tf.reshape(tf.range(8.0), [1, 1, 8, 1, 1, 1])
    places, partners = tf.constant([[[0.0, 2.5, 7.0, 1.0]]]), tf.constant([[[0.0, 0.0, 3.0, 5.0]]])
    fades = tf.constant([[[0.0, 0.0, 0.5, 1.0]]])
    weights = tf.pad(places, [[0, 0], [0, 0], [0, 4]]), tf.pad(partners, [[0, 0], [0, 0], [0, 4]])
    seen = replayed(views, *weights, tf.pad(fades, [[0, 0], [0, 0], [0, 4]])).numpy().ravel()
    np.testing.assert_allclose(seen[:4], [0.0, 2.5, 5.0, 5.0], atol=1e-6)


def test_the_target_is_highest_at_its_period_or_at_none():
    known = periods_of(L)
    wanted = targets(tf.constant([[known[10], np.sqrt(known[4] * known[5]), 0.0]], tf.float32), L).numpy()[0]
    np.testing.assert_allclose(wanted.sum(-1), 1.0, rtol=1e-6)
    assert wanted[0].argmax() == 10
    assert wanted[1, 4] == pytest.approx(wanted[1, 5], rel=1e-4)
    assert wanted[2, -1] == 1.0


def told_of(*places):
    """Logits `(1, M, L, K + 1)` that are sure of one period in each of M views; None for none."""
    number = len(periods_of(L))
    logits = np.full((1, len(places), L, number + 1), -20.0, np.float32)
    for view, place in enumerate(places):
        logits[0, view, :, number if place is None else place] = 0.0
    return tf.constant(logits)


def test_periods_that_shift_with_the_speed_cost_nothing():
    octave = tf.constant([[1.0, 2.0]])
    assert float(ratio_loss(told_of(20, 8), octave)) == pytest.approx(0.0, abs=0.01)
    assert float(ratio_loss(told_of(20, 20), octave)) > 3.0
    assert float(ratio_loss(told_of(20, 9), octave)) > 3.0


def test_ratios_of_views_that_do_not_repeat_cost_nothing():
    assert float(ratio_loss(told_of(None, None), tf.constant([[1.0, 1.3]]))) == pytest.approx(0.0, abs=1e-4)


def test_a_period_that_leaves_the_range_costs_nothing():
    assert float(ratio_loss(told_of(2, None), tf.constant([[1.0, 2.0]]))) == pytest.approx(0.0, abs=1e-3)


def test_the_lag_map_is_most_alike_at_the_period():
    wave = np.exp(2j * np.pi * np.arange(L) / 8.0)
    features = tf.constant(np.stack([wave.real, wave.imag], -1)[None], tf.float32)
    alike = LagMap()(features).numpy()[0, 30]
    lags = lags_of(L)
    near = np.flatnonzero(lags < 10)
    for similarity, known in ((1, 2), (4, 5)):
        best = near[np.argmax(alike[near, similarity])]
        assert lags[best] == pytest.approx(8.0)
        assert alike[best, similarity] == pytest.approx(1.0, abs=0.01)
        assert alike[best, known] == 1.0


def test_lags_beyond_the_clip_are_marked_unknown():
    edge = LagMap()(tf.random.stateless_normal([1, L, 3], (1, 2))).numpy()[0, 0]
    assert edge[:, 2].all()
    assert not edge[:, 3:].any()


def test_the_ratio_needs_two_speeds():
    with pytest.raises(ValueError, match=r"`ratio_weight` is 0\.1, but there is one speed alone"):
        compiled(Replay, views=views_for(Replay, num_views=1))
    compiled(Replay, views=views_for(Replay, num_views=1), ratio_weight=0.0)


def test_two_weights_of_zero_are_refused():
    with pytest.raises(ValueError, match="there is nothing to minimize"):
        compiled(Replay, made_weight=0.0, ratio_weight=0.0)


def test_clips_of_another_length_are_refused(swinging_bars):
    with pytest.raises(ValueError, match=r"built for clips of 16 frames\. Received 40"):
        compiled(Replay).periods(swinging_bars[0])


def test_periods_and_chances_are_told_for_every_frame(swinging_bars):
    periods, chances = compiled(Replay).periods(swinging_bars[0][:, :16])
    assert periods.shape == chances.shape == (*swinging_bars[0].shape[:1], 16)
    assert set(np.unique(periods)) <= set(np.float32(periods_of(16)))
    assert 0 <= chances.numpy().min() <= chances.numpy().max() <= 1


@pytest.mark.slow
def test_replays_of_drifting_bars_teach_the_period():
    # Bars that drift at a speed of their own: nothing in them repeats but what is replayed.
    rng, x = np.random.default_rng(0), np.arange(12)
    starts, speeds = rng.uniform(0, 12, (16, 1, 1)), rng.uniform(0.05, 0.2, (16, 1, 1))
    bars = np.exp(-0.5 * (((x - starts - speeds * np.arange(60)[None, :, None]) % 12) - 6) ** 2)
    clips = np.repeat((255 * bars)[:, :, None, :, None], 12, axis=2).astype(np.uint8)
    encoder = small((None, None, 1), widths=(8,), outputs=8)
    model = compiled(Replay, encoder, Views(32, Replay.times_for(2, (0.5, 1.5)), None), ratio_weight=0.0)
    model.optimizer.learning_rate.assign(3e-3)
    costs = model.fit(clips, batch_size=16, epochs=120, verbose=0).history["made"]
    assert np.mean(costs[-20:]) < 0.8 * np.mean(costs[:3])
