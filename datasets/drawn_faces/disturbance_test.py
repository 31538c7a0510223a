"""Each thing that disturbs a pulse does what its name says, and nothing else."""

import numpy as np
import pytest

from datasets.drawn_faces import disturbance, people

SIDE = 88
SOMEONE = people.person("train", 0)
SECONDS = np.arange(180) / people.RATE
PULSE = np.sin(2 * np.pi * 1.3 * SECONDS)


def moments(seed=0, **strengths):
    look = disturbance.Look(**strengths)
    return look.moments(SOMEONE, PULSE, SECONDS, SIDE, np.random.default_rng(seed))


def lights(moved):
    return np.stack([np.broadcast_to(moment.light, (1, SIDE, 3)) for moment in moved])[:, 0]


def share_near(series, hertz):
    """The share of its power that a series has within 0.35 Hz of some frequencies."""
    frequencies = np.fft.rfftfreq(4 * len(series), 1 / people.RATE)
    power = np.abs(np.fft.rfft((series - series.mean()) * np.hanning(len(series)), 4 * len(series))) ** 2
    near = np.min([np.abs(frequencies - line) for line in hertz], axis=0) < 0.35
    return power[near].sum() / power.sum()


def test_without_any_strength_nothing_but_the_pulse_changes():
    untouched = moments(pulse=0.5)
    np.testing.assert_allclose([moment.pulse for moment in untouched], 0.5 * PULSE)
    assert all((moment.move, moment.nearness, moment.glare) == ((0, 0), 1, 0) for moment in untouched)
    np.testing.assert_array_equal(lights(untouched), 1)


def test_light_changes_all_colors_alike_and_tint_each_by_itself():
    light, tint = lights(moments(light=0.01)), lights(moments(tint=0.01))
    np.testing.assert_array_equal(light[:, :, 0], light[:, :, 2])
    assert light[:, 0, 0].std() == pytest.approx(0.01)
    assert tint[:, 0].std(axis=0) == pytest.approx(0.01)
    assert np.abs(np.corrcoef(tint[:, 0].T) - np.eye(3)).max() < 0.95


def test_breathing_changes_light_once_a_breath_by_its_fraction():
    light = lights(moments(breathing=0.05))[:, 0, 0]
    assert light.min() < 0.966 < 1.045 < light.max() < 1.07
    assert share_near(light, [SOMEONE.breathing]) > 0.9


def test_heads_move_and_nod_at_the_two_frequencies_of_their_own():
    moving = moments(motion=0.8, nodding=0.01, glare=2.0)
    right, down = np.array([moment.move for moment in moving]).T
    assert 0.8 < np.abs(right).max() <= 1.6
    assert np.abs(down).max() < np.abs(right).max()
    assert share_near(right, SOMEONE.motion) > 0.8
    nearness = np.array([moment.nearness for moment in moving])
    assert np.ptp(nearness) == pytest.approx(0.02, rel=0.05)
    assert share_near(nearness, SOMEONE.motion[1:]) > 0.6
    assert 1.0 < max(moment.glare for moment in moving) <= 3.0


def test_heads_that_turn_repeat_nothing_and_move_below_the_band():
    drawn = [moments(seed, motion=1.0, turns=True, nodding=0.01, glare=2.0) for seed in range(200)]
    right, down = np.array([[moment.move for moment in moved] for moved in drawn]).transpose(2, 0, 1)
    power = np.mean(np.abs(np.fft.rfft((right - right.mean(axis=1, keepdims=True)) * np.hanning(180))) ** 2, axis=0)
    hertz = np.fft.rfftfreq(180, 1 / people.RATE)
    assert power[hertz <= 0.5].sum() > 0.9 * power.sum()
    # Over all heads power falls without a line, and no head has one of its own in the band.
    assert np.all(np.diff(power[1:15]) < 0)
    assert np.median([share_near(part, [1.4]) for part in right]) < 0.05
    # Turns alone bring the face nearer and light up.
    turns = np.array([[moment.nearness - 1 for moment in moved] for moved in drawn]) / 0.01
    assert 0.5 < turns.std() < 1.5
    np.testing.assert_allclose(down - 0.3 * right, 0.3 * turns, atol=1e-9)
    glare = np.array([[moment.glare for moment in moved] for moved in drawn])
    np.testing.assert_allclose(glare, 2.0 * (0.5 * (right - turns) + turns), atol=1e-9)


def test_a_sway_is_smooth_and_a_turn_is_done_within_a_second():
    sway = disturbance.swaying(SECONDS, np.random.default_rng(0))
    assert (sway.mean(), sway.std()) == (pytest.approx(0), pytest.approx(1))
    assert np.abs(np.diff(sway)).max() < 0.2
    turns = [np.diff(disturbance.turning(SECONDS, np.random.default_rng(seed))) for seed in range(50)]
    # At rest most of the time: half of the steps between two frames are next to nothing.
    assert np.median(np.abs(np.concatenate(turns))) < 0.003
    assert np.mean([np.abs(steps).max() > 0.02 for steps in turns]) > 0.9


def test_shade_falls_off_to_the_left_and_stays_in_its_place():
    light = lights(moments(shade=0.2))
    np.testing.assert_allclose(light[0], light[99])
    np.testing.assert_allclose(light[0, [0, -1], 0], [0.8, 1.2])
    assert light[0].mean() == pytest.approx(1.0)


def test_a_walk_has_mean_0_deviation_1_and_no_spectral_line():
    walks = np.stack([disturbance.wandering(180, np.random.default_rng(seed)) for seed in range(300)])
    np.testing.assert_allclose(walks.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(walks.std(axis=1), 1)
    power = np.mean(np.abs(np.fft.rfft(walks * np.hanning(180))) ** 2, axis=0)[3:40]
    assert np.max(power[1:-1] / ((power[:-2] + power[2:]) / 2)) < 1.6
