"""Generated clips: what a seed decides, that frequencies are true, and that graphs make them."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from simper_tf import synthetic
from simper_tf.synthetic import APERIODIC, KINDS, MOVING, Synthetic

SMALL = Synthetic(num_frames=60, shape=(16, 24))


def taken(source, count, seed=0):
    return list(source.dataset(seed).take(count).as_numpy_iterator())


def test_a_seed_gives_the_same_clips_each_time_and_another_one_others():
    first, again, other = taken(SMALL, 3), taken(SMALL, 3), taken(SMALL, 3, seed=1)
    for one, same, differing in zip(first, again, other, strict=True):
        assert np.array_equal(one["clip"], same["clip"])
        assert one["frequency"] == same["frequency"] or np.isnan(one["frequency"])
        assert not np.array_equal(one["clip"], differing["clip"])
    alone = SMALL.clip(tf.constant([0, 2], tf.int64))
    assert np.array_equal(alone["kind"], first[2]["kind"])
    assert np.abs(alone["clip"].numpy().astype(int) - first[2]["clip"]).mean() < 0.1  # Rounding of fused graphs.


def test_every_kind_occurs_and_those_that_repeat_nothing_have_no_frequency():
    found = taken(SMALL, 200)
    kinds = {clip["kind"].decode() for clip in found}
    assert kinds == set(KINDS)
    for clip in found:
        assert clip["clip"].shape == (60, 16, 24, 3)
        assert clip["clip"].dtype == np.uint8
        assert np.isnan(clip["frequency"]) == (clip["kind"].decode() in APERIODIC)
        assert 15 <= clip["rate"] <= 30


def test_frequencies_are_those_at_which_the_known_phase_comes_back():
    for clip in taken(Synthetic(num_frames=200, shape=(8, 8), kinds=MOVING), 40):
        wave, times = np.cos(clip["phases"].astype(np.float64)), np.arange(200) / clip["rate"]
        sides = np.flatnonzero((wave[:-1] < 0) & (wave[1:] >= 0))
        crossings = times[sides] - wave[sides] * np.diff(times)[0] / (wave[sides + 1] - wave[sides])
        if len(crossings) > 3:
            counted = (len(crossings) - 1) / (crossings[-1] - crossings[0])
            assert clip["frequency"] == pytest.approx(counted, rel=0.06)  # It drifts by up to a tenth.


def test_pixels_change_at_the_frequency_told():
    source = Synthetic(num_frames=240, shape=(8, 12), kinds=("blink",), noise=(0.1, 0.2), light=0.0, drift=0.0)
    for clip in taken(source, 10):
        series = clip["clip"].mean(axis=(1, 2, 3)) - clip["clip"].mean()
        power = np.abs(np.fft.rfft(series * np.hanning(240), 16 * 240)) ** 2
        hertz = np.fft.rfftfreq(16 * 240, 1 / clip["rate"])
        found = hertz[np.argmax(np.where(hertz > 0.35, power, 0))]
        assert found == pytest.approx(clip["frequency"], abs=float(0.3 * clip["rate"] / 240))


def test_a_still_scene_without_noise_stands_still_and_a_shuffled_one_never_runs_on():
    quiet = Synthetic(num_frames=20, shape=(16, 16), kinds=("still",), noise=(1e-3, 2e-3), shake=0.0, light=0.0)
    for each in taken(quiet, 3):
        assert np.ptp(each["clip"].astype(int), axis=0).max() <= 1
    order = taken(Synthetic(num_frames=60, shape=(16, 16), kinds=("shuffled",), noise=(1e-3, 2e-3)), 4)
    for each in order:
        frames = each["clip"].astype(float)
        near = np.abs(np.diff(frames, axis=0)).mean()
        far = np.abs(frames[:-7] - frames[7:]).mean()
        assert near > 0.5 * far


def test_views_share_what_repeats_and_run_at_the_speeds_told():
    source = Synthetic(num_frames=96, shape=(8, 12), kinds=("blink",), noise=(0.1, 0.2), light=0.0, band=(1.5, 2.0))
    for number in range(4):
        made = source.views([7, number], num_views=3)
        speeds, views = made["speeds"].numpy(), made["views"].numpy()
        assert views.shape == (6, 96, 8, 12, 3)
        assert 0 <= views.min() <= views.max() <= 1
        assert np.array_equal(speeds[:3], speeds[3:])
        assert (np.diff(speeds[:3]) >= 0).all()
        assert 0.5 <= speeds.min() <= speeds.max() <= 2.0
        series = views.mean(axis=(2, 3, 4))
        series -= series.mean(axis=1, keepdims=True)
        power = np.abs(np.fft.rfft(series * np.hanning(96), 16 * 96)) ** 2
        peaks = power.argmax(axis=1)
        assert peaks / peaks[-1] == pytest.approx(speeds / speeds[-1], rel=0.2)
        assert not np.allclose(views[0], views[3], atol=0.02)


def test_graphs_call_no_python():
    for function in (SMALL.clip, dataclasses.replace(SMALL, kinds=MOVING).views):
        graph = tf.function(function).get_concrete_function(tf.TensorSpec([2], tf.int64)).graph
        names = {node.type for node in graph.get_operations()}
        names |= {node.op for each in graph.as_graph_def().library.function for node in each.node_def}
        assert not [name for name in names if "PyFunc" in name]
        assert not names & {"RandomUniform", "RandomStandardNormal", "RandomShuffle"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kinds": ("swing", "jump")}, r"must be some of swing, .*shuffled\. Received: jump\."),
        ({"kinds": ()}, r"must be some of swing, .*Received: none\."),
        ({"band": (0.4, 9.0)}, r"9 Hz cannot be seen at 15 frames per second\."),
        ({"num_frames": 4}, "num_frames"),
        ({"drift": 2.0}, "drift"),
    ],
)
def test_a_source_of_nothing_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Synthetic(**given)


@pytest.mark.parametrize(
    ("given", "fastest", "message"),
    [
        (
            {},
            2.0,
            r"^Views need `kinds` with a speed\. Leave out: walk, noise, still, shuffled\.",
        ),
        ({"kinds": ("swing", "still")}, 2.0, r"Leave out: still\."),
        ({"kinds": MOVING}, 3.0, r"^9 Hz, the end of `band` at 3 times its speed, cannot be seen at 15 frames per sec"),
    ],
)
def test_views_of_what_has_no_speed_or_is_too_fast_are_refused(given, fastest, message):
    with pytest.raises(ValueError, match=message):
        Synthetic(num_frames=60, shape=(16, 24), **given).views([0, 0], speed_range=(0.5, fastest))


def test_settings_survive_saving():
    assert synthetic.Synthetic.from_config(SMALL.get_config()) == SMALL
