import numpy as np
import pytest
import tensorflow as tf

from simper_tf.signals import harmonics, pattern_reader, patterns

RNG = np.random.default_rng(7)
RATE, BAND = 30.0, (0.5, 5.0)


def clips(frequencies, looks, noise=0.0, frames=120):
    """Returns `(N, T, D)` sums of harmonics at random phases, each in its own pattern, beside white noise."""
    times, looks = np.arange(frames) / RATE, np.asarray(looks, float)
    phases = RNG.uniform(0, 2 * np.pi, (len(frequencies), len(looks), 1))
    order = np.arange(1, len(looks) + 1)[None, :, None]
    waves = np.sin(2 * np.pi * order * np.asarray(frequencies)[:, None, None] * times + phases)
    shown = np.einsum("nht,hd->ntd", waves, looks)
    return np.float32(shown + noise * RNG.normal(size=shown.shape))


def rates(series):
    return np.full(len(series), RATE)


def off(found, frequencies):
    """Returns the share of frequencies that are misread by more than a cycle in ten clips of four seconds."""
    return np.mean(np.abs(found - frequencies) > 0.025)


def test_wrong_octaves_are_undone_by_what_most_clips_look_like():
    # Every fifth clip hardly shows its first harmonic, and is read at twice the frequency by the power alone.
    frequencies = RNG.uniform(0.8, 2.4, 100)
    series = clips(frequencies, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.3]])
    series[::5, :, [0, 2]] *= 0.1
    series += np.float32(0.1 * RNG.normal(size=series.shape))
    summed = harmonics.comb_peak(harmonics.total_power(series), rates(series), BAND)
    assert off(summed, frequencies) == pytest.approx(0.2, abs=0.01)
    known = patterns.learn(series, rates(series), BAND)
    assert off(patterns.read(series, known, rates(series)), frequencies) == 0


def test_noise_beside_what_repeats_counts_for_nothing():
    frequencies = RNG.uniform(0.8, 4.5, 120)
    series = clips(frequencies, [[0.5, 0.5, 0, 0, 0, 0], [0.2, -0.2, 0, 0, 0, 0]], 0.1)
    series[:, :, 2:] += np.cumsum(RNG.normal(0, 0.5, (120, 120, 4)), axis=1)
    summed = harmonics.comb_peak(harmonics.total_power(series[60:]), rates(series[60:]), BAND)
    assert off(summed, frequencies[60:]) > 0.5
    known = patterns.learn(series[:60], rates(series[:60]), BAND)
    assert off(patterns.read(series[60:], known, rates(series[60:])), frequencies[60:]) < 0.1


def test_patterns_point_to_the_channel_that_repeats():
    series = clips(RNG.uniform(0.8, 4.5, 60), [[0.0, 1.0, 0.0]], 0.5)
    known = patterns.learn(series, rates(series), BAND)
    strongest = known["directions"][0][:, known["powers"][0].argmax()]
    back = np.linalg.pinv(known["axes"]).T @ np.linalg.inv(known["whitening"][10]) @ strongest
    assert abs(back[1]) > 10 * np.abs(back[[0, 2]]).max()


def test_noise_at_each_frequency_becomes_white():
    # Random walks have the more power the slower; whitened, the same at each frequency beside the rhythm.
    series = np.cumsum(RNG.normal(size=(200, 120, 2)), axis=1) + clips(RNG.uniform(0.8, 4.5, 200), [[3.0, 0.0]])
    known = patterns.learn(series, rates(series), BAND)
    window = np.hanning(120)[:, None] / np.linalg.norm(np.hanning(120))
    spectra = np.fft.rfft((series - series.mean(axis=1, keepdims=True)) @ known["axes"] * window, axis=1)
    before, after = (
        np.median(np.abs(lines) ** 2, axis=(0, 2))[8:40]
        for lines in (spectra, np.einsum("nfk,fjk->nfj", spectra, known["whitening"]))
    )
    assert before.max() / before.min() > 10
    assert after[:8].max() / after[:8].min() < 1.5


@pytest.mark.parametrize(("factor", "offset"), [(1e-3, 0.0), (1e3, 5.0)])
def test_units_and_offsets_change_nothing(factor, offset):
    frequencies = RNG.uniform(0.8, 4.5, 30)
    series = clips(frequencies, [[1.0, 0.2], [0.2, 0.5]], 0.3)
    found = patterns.read(series, patterns.learn(series, rates(series), BAND), rates(series))
    other = factor * series + offset
    known = patterns.learn(other, rates(other), BAND)
    np.testing.assert_allclose(patterns.read(other, known, rates(other)), found, atol=1e-3)


def test_one_clip_alone_can_be_learned_from_and_read():
    series = clips([2.0], [[1.0, 0.0], [0.0, 0.5]], 0.1)
    known = patterns.learn(series, rates(series), BAND)
    np.testing.assert_allclose(patterns.read(series, known, rates(series)), 2.0, atol=0.02)


def test_clips_of_other_rates_are_read_in_their_own_hertz():
    turns = RNG.uniform(0.04, 0.08, 40)  # Cycles a frame.
    series = clips(turns * RATE, [[1.0, 0.0], [0.0, 0.7]], 0.2)
    mixed = np.where(np.arange(40) % 2, 30.0, 20.0)
    known = patterns.learn(series, mixed, BAND)
    np.testing.assert_allclose(patterns.read(series, known, mixed), turns * mixed, atol=0.02)


@pytest.mark.parametrize("band", [(2.0, 2.001), (0.5, 14.9)])
def test_frequencies_stay_within_the_band(band):
    series = RNG.normal(size=(6, 60, 2)).astype(np.float32)
    found = patterns.read(series, patterns.learn(series, rates(series), band), rates(series))
    assert ((found >= band[0]) & (found <= band[1])).all()


def test_constant_clips_have_no_patterns_and_stay_in_the_band():
    series = np.ones((3, 60, 2), np.float32)
    known = patterns.learn(series, rates(series), BAND)
    assert known["axes"].shape == (2, 1)
    assert not known["powers"].any()
    found = patterns.read(series, known, rates(series))
    assert ((found >= BAND[0]) & (found <= BAND[1])).all()


def shuffled(series):
    return np.stack([RNG.permutation(clip) for clip in series])


def sureness(series, known):
    return patterns.confidence(series, known, rates(series))


@pytest.mark.parametrize("frames", [120, 80, 231])
def test_a_confidence_tells_clips_from_their_frames_shuffled(frames):
    looks = [[1.0, 0.2, 0.0], [0.2, 0.5, 0.0]]
    series = clips(RNG.uniform(0.8, 4.5, 100), looks, 0.7)
    known = patterns.learn(series, rates(series), BAND, confident=True)
    frequencies = RNG.uniform(0.8, 4.5, 60)
    unseen = clips(frequencies, looks, 0.7, frames)
    assert np.abs(patterns.read(unseen, known, rates(unseen)) - frequencies).max() < 0.15
    assert np.mean(sureness(unseen, known) >= 0.5) > 0.9
    assert np.mean(sureness(shuffled(unseen), known) >= 0.5) < 0.1


def test_patterns_of_noise_are_sure_of_few_clips_only():
    series = np.float32(RNG.normal(size=(200, 90, 2)))
    known = patterns.learn(series[:100], rates(series[:100]), BAND, confident=True)
    assert np.mean(sureness(series[100:], known) >= 0.5) < 0.15


@pytest.mark.parametrize("series", [clips([2.0], [[1.0, 0.0]], 0.1), np.ones((4, 60, 2), np.float32)])
def test_one_clip_or_constant_ones_teach_no_confidence(series):
    known = patterns.learn(series, rates(series), BAND, confident=True)
    assert np.isfinite(known["sure"]).all()
    assert (sureness(series, known) < 1e-6).all()
    assert "sure" not in patterns.learn(series, rates(series), BAND)


def test_a_clip_is_read_alike_where_its_length_is_not_known():
    series = clips([1.1, 2.3], [[1.0, 0.0], [0.0, 0.5]], 0.3)
    known = patterns.learn(series, rates(series), BAND)
    given = [tf.TensorSpec([None, None, 2], tf.float32), tf.TensorSpec([None], tf.float32)]
    graph = tf.function(lambda clips, rate: pattern_reader.cycles_of(known, clips, rate), input_signature=given)
    for length in (120, 77):
        part = series[:, :length]
        np.testing.assert_allclose(RATE * graph(part, np.float32(rates(part))), patterns.read(part, known, rates(part)))
