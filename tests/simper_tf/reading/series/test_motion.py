"""A pulse is read beside the steps that an accelerometer shows, and left alone at rest."""

import numpy as np
import pytest

from simper_tf.reading.series import motion, series_reader

NAMES = ("PPG_Green", "AccX(g)", "AccY(g)", "AccZ(g)")
TIMES = np.arange(0, 60, 0.02)
PULSE, STEPS = 1.3, 2.4


def wristband(stepping):
    """Seconds of pulse with three axes: steps press on the sensor a tenth of a second later, where somebody steps."""
    noise = np.random.default_rng(0).normal(size=(len(TIMES), 4))
    axes = np.stack([np.cos(2 * np.pi * STEPS * TIMES + k) + 0.4 * np.cos(4 * np.pi * STEPS * TIMES) for k in range(3)])
    axes = axes.T * stepping[:, None] + 0.02 * noise[:, 1:]
    heart = np.sin(2 * np.pi * PULSE * TIMES) + 0.4 * np.cos(4 * np.pi * PULSE * TIMES)
    pressed = np.roll(axes, 5, axis=0) @ [3.0, -1.0, 2.0]
    return np.column_stack((heart + pressed + 0.1 * noise[:, 0], axes))


def frequencies(values, names=NAMES):
    clear = series_reader.reading_of_samples(TIMES, values, names=names).clear
    return {(names[one.channel] if one.channel and names else "", round(one.hertz, 1)) for one in clear}


def test_the_pulse_is_read_beside_steps_and_both_are_named():
    values = wristband(np.ones(len(TIMES)))
    assert {hertz for _, hertz in frequencies(values, ())} == {STEPS}
    told = frequencies(values)
    assert ("", PULSE) in told
    assert {(name[:3], hertz) for name, hertz in told - {("", PULSE)}} == {("Acc", STEPS)}
    (note,) = series_reader.reading_of_samples(TIMES, values, names=NAMES).notes
    assert note.startswith("Most of the pulse is motion for 60 s from 0 s on, by AccX(g), AccY(g), AccZ(g)")


def test_motion_is_taken_out_where_it_is_most_of_the_pulse():
    values = wristband((TIMES > 30).astype(float))
    rest, spans = motion.beside(TIMES, values[:, :1], values[:, 1:])
    assert spans == [(pytest.approx(20), pytest.approx(60, abs=0.1))]
    np.testing.assert_array_equal(rest[TIMES < 19], values[TIMES < 19, :1])
    heart = np.sin(2 * np.pi * PULSE * TIMES) + 0.4 * np.cos(4 * np.pi * PULSE * TIMES)
    inside = (TIMES > 40) & (TIMES < 58)
    assert np.corrcoef(values[inside, 0], heart[inside])[0, 1] < 0.5
    assert np.corrcoef(rest[inside, 0], heart[inside])[0, 1] > 0.9


def test_a_heart_that_shakes_a_resting_accelerometer_stays():
    values = wristband(np.zeros(len(TIMES)))
    values[:, 1:] += 0.001 * np.roll(values[:, :1], 10, axis=0)
    rest, spans = motion.beside(TIMES, values[:, :1], values[:, 1:])
    assert spans == []
    np.testing.assert_array_equal(rest, values[:, :1])


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("AccX", "bvp", "PPG_IR"), ([1, 2], [0])), (("wrist_acc_x", "ppg", "gyro"), ([1], [0, 2])),
        (("AccX", "AccY"), ([], [])), (("ppg", "hematocrit_vacc"), ([], [])), ((), ([], [])),
    ],
)  # fmt: skip
def test_channels_are_told_by_their_names(names, expected):
    assert motion.channels(names) == expected


def test_what_is_shorter_than_a_fit_is_left_as_it_is():
    values = wristband(np.ones(len(TIMES)))[:500]
    rest, spans = motion.beside(TIMES[:500], values[:, :1], values[:, 1:])
    np.testing.assert_array_equal(rest, values[:, :1])
    assert spans == []
