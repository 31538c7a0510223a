import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from made_up_features import RATE, perfect

from simper_tf.evaluation import features as of_clips
from simper_tf.evaluation import protocols
from simper_tf.evaluation.tasks import Frequency
from simper_tf.signals.votes import Octave, find_octave

RNG = np.random.default_rng(43)
TASK = Frequency("Hz", band=(0.4, 5.5))


def features(frequencies, harmonic=1.0, subjects=None):
    return perfect(RNG, frequencies, harmonic, subjects)


def predict(train, test, task=TASK, **options):
    """Returns protocol -> values, and the calibrated harmonic."""
    found = protocols.predict(train, train.take(1), test, task, options)
    return {name: each.values for name, each in found.items()}, found["fft_calibrated"].found["harmonic"]


def test_few_labels_are_those_of_the_first_clips_alone():
    train, test = features([1.0, 2.0, 3.0, 4.0, 2.5, 4.4]), features([4.4, 1.1])
    values, _ = predict(train, test)
    np.testing.assert_allclose(values["1nn_5"], [4.0, 1.0])
    np.testing.assert_allclose(values["1nn_10"], [4.4, 1.0])


def test_neighbors_of_pixels_look_at_no_feature():
    train, test = features([1.0, 2.0, 3.0]), features([2.9, 1.1])
    values, _ = predict(train, dataclasses.replace(test, series=np.ones_like(test.series)))
    np.testing.assert_allclose(values["spectra_1nn"], [3.0, 1.0])


def test_perfect_features_are_read_by_every_protocol():
    train, test = RNG.uniform(0.5, 5, 150), RNG.uniform(0.7, 4.8, 40)
    predictions, harmonic = predict(features(train), features(test))
    assert harmonic == 1
    # A bare bin is 30 / 120 = 0.25 Hz wide; neighbors among 150 lie 0.015 Hz off on average, up to 0.2 at worst.
    bounds = {
        "fft": 0.01,
        "fft_fundamental": 0.01,
        "fft_calibrated": 0.01,
        "fft_resolved": 0.01,
        "pixels": 0.02,
        "fft_paper": 0.125 + 0.02,
        "1nn": 0.2,
        "1nn_npsd": 0.2,
        "probe": 0.2,
        "spectra_1nn": 0.2,
        "1nn_50": 0.5,
    }
    sums = {"patterns", "pixel_patterns", "harmonic_sum"}
    assert predictions.keys() == {*bounds, *sums, "1nn_5", "1nn_10", "1nn_euclidean"}
    for protocol, bound in bounds.items():
        assert np.abs(predictions[protocol] - test).max() < bound, protocol
    assert np.abs(predictions["1nn_euclidean"] - test).mean() < 0.5
    # Near the low end of the band a part of the frequency has two of three lines, and what is usual there is nothing.
    for protocol in sums:
        assert np.quantile(np.abs(predictions[protocol] - test), 0.95) < 0.02, protocol


def test_a_sum_at_equal_contrast_reads_in_flickering_light():
    times, hertz = np.arange(120) / RATE, RNG.uniform(0.7, 2.0, 12)
    swings = np.sin(2 * np.pi * hertz[:, None] * times + RNG.uniform(0, 6, (12, 1)))
    places = RNG.uniform(size=(2, 1, 1, 6, 6, 1))
    clips = 60 + 30 * places[0] * swings[:, :, None, None, None] + 90 * places[1]
    light = 1 + 0.6 * np.sin(2 * np.pi * 2.9 * times)[None, :, None, None, None]
    shown = tf.constant(light * clips, tf.float32)
    extras = of_clips.extras(TASK)
    seen = dataclasses.replace(features(hertz), cells=extras["cells"](shown), contrasts=of_clips.contrasts(shown))
    seen = dataclasses.replace(seen, cells=seen.cells.numpy(), contrasts=seen.contrasts.numpy())
    sums = ("harmonic_sum", "contrast_sum")
    plain, equal = [protocols.predict(seen, seen, seen, TASK, names=[name])[name].values for name in sums]
    assert np.median(np.abs(plain - hertz)) > 0.5
    np.testing.assert_allclose(equal, hertz, atol=0.03)  # An eighth of a cycle a clip.


def test_features_at_twice_mislead_only_the_readout_without_help():
    train, test = RNG.uniform(0.5, 2.6, 150), RNG.uniform(0.6, 2.5, 40)
    predictions, harmonic = predict(features(train, 1 / 2), features(test, 1 / 2))
    assert harmonic == 1 / 2
    for protocol in ("fft", "fft_fundamental"):
        np.testing.assert_allclose(predictions[protocol], 2 * test, atol=0.02)
    np.testing.assert_allclose(predictions["fft_calibrated"], test, atol=0.01)
    np.testing.assert_allclose(predictions["fft_resolved"], test, atol=0.01)
    assert np.abs(predictions["1nn"] - test).mean() < 0.05


def test_resolving_the_octave_looks_at_no_label_and_no_band():
    train, test = features(RNG.uniform(0.5, 2.6, 60), 1 / 2), features(RNG.uniform(0.6, 2.5, 5), 1 / 2)
    altered = dataclasses.replace(train, labels=3 * train.labels)
    read = predict(altered, test, Frequency("Hz", band=(7.0, 8.0)))[0]["fft_resolved"]
    np.testing.assert_allclose(read, test.labels, atol=0.01)


def test_clips_without_a_line_are_read_by_the_common_multiple():
    train, test = features(RNG.uniform(0.5, 2.6, 60), 1 / 2), features(RNG.uniform(0.6, 2.5, 5), 1 / 2)
    drowned = dataclasses.replace(test, pixels=np.ones_like(test.pixels))
    octave = find_octave(train.series, train.pixels)
    assert (octave.divisor, octave.agreement, octave.is_common) == (2, 1.0, True)
    said = "Features rise twice a repetition in 100% of the clips that show it. So their frequency is divided by 2."
    assert str(octave) == said
    np.testing.assert_allclose(octave.frequency(drowned.series, drowned.pixels, drowned.rates), test.labels, atol=0.01)


@pytest.mark.parametrize(("agreement", "harmonic", "times"), [(1.0, 1.0, 1.0), (0.9, 1.0, 0.5), (1.0, 1 / 2, 1.0)])
def test_clips_of_another_kind_are_read_by_their_pixels(agreement, harmonic, times):
    # Features rise twice a repetition in the clips that voted; pixels are believed only if nearly all of them agreed.
    test = features(RNG.uniform(1.0, 2.5, 5), harmonic)
    read = Octave(2, agreement, 0.5).frequency(test.series, test.pixels, test.rates)
    np.testing.assert_allclose(read, times * test.labels, atol=0.01)


def test_where_votes_split_each_clip_is_read_by_its_own_pixels():
    frequencies = RNG.uniform(0.5, 2.4, 40)
    halves = [features(frequencies[:20], 1 / 2), features(frequencies[20:], 1.0)]
    mixed = dataclasses.replace(
        halves[0],
        **{
            name: np.concatenate([getattr(half, name) for half in halves])
            for name in ("series", "labels", "rates", "ids", "pixels")
        },
    )
    octave = find_octave(mixed.series, mixed.pixels)
    assert (octave.agreement, octave.is_common) == (pytest.approx(0.5, abs=0.1), False)
    assert "and more or less often in others" in str(octave)
    np.testing.assert_allclose(octave.frequency(mixed.series, mixed.pixels, mixed.rates), frequencies, atol=0.01)


def test_a_few_clips_with_lines_do_not_decide_for_all():
    train = features(RNG.uniform(0.5, 2.6, 40), 1 / 2)
    pixels = train.pixels.copy()
    pixels[8:] = 1
    octave = find_octave(train.series, pixels)
    assert (octave.agreement, octave.is_common) == (1.0, False)
    assert 0.1 < octave.voting <= 0.2
    assert "too few" in str(octave)


@pytest.mark.parametrize(
    ("agreement", "voting", "common"),
    [(0.75, 0.25, True), (0.66, 0.25, False), (1.0, 0.24, False), (0.99, 0.9, True), (0.98, 0.9, False), (1, 1, True)],
)
def test_a_multiple_is_common_where_it_misreads_fewer_clips(agreement, voting, common):
    octave = Octave(2, agreement, voting)
    assert octave.is_common == common
    assert str(octave).endswith("So their frequency is divided by 2.") == common
    assert str(octave).endswith("So the pixels of each clip decide.") != common


def test_features_at_the_frequency_itself_are_said_to_be_so():
    assert str(Octave(1, 0.98, 0.8)).startswith("Features rise once a repetition in 98% of the clips")


@pytest.mark.slow
def test_calibration_looks_at_no_more_labels_than_it_may():
    train, test = features(RNG.uniform(0.5, 2.6, 60), 1 / 2), features(RNG.uniform(0.6, 2.5, 5), 1 / 2)
    labels = train.labels.copy()
    labels[7:] = 2 * labels[7:]  # Were these seen, the first harmonic would fit better.
    altered = dataclasses.replace(train, labels=labels)
    assert predict(altered, test, labeled_clips=7)[1] == 1 / 2
    assert predict(altered, test, labeled_clips=60)[1] == 1
    labels = np.where(np.arange(60) < 10, train.labels, np.nan)  # Ten, unless told.
    few = dataclasses.replace(train, labels=labels)
    assert protocols.fft_calibrated(few, few, test, TASK).found["harmonic"] == 1 / 2


@pytest.mark.parametrize("number", [0, -1])
def test_calibration_without_a_label_is_refused(number):
    few = features(RNG.uniform(1, 3, 4))
    with pytest.raises(ValueError, match=f"`labeled_clips` must be at least 1. Received: {number}"):
        predict(few, few, labeled_clips=number)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["bpm", "count"])
def test_predictions_come_in_the_unit_of_the_labels(unit):
    rates = {k: RNG.uniform(20, 40, k).astype(np.float32) for k in (60, 20)}
    frequencies = {k: RNG.uniform(0.8, 3.0, k) for k in rates}

    def labeled(k):
        perfect = features(frequencies[k] * RATE / rates[k])  # Sampled at its own rate instead.
        factor = 60 if unit == "bpm" else 120 / rates[k]
        labels = (factor * frequencies[k]).astype(np.float32)
        return dataclasses.replace(perfect, labels=labels, rates=rates[k])

    train, test = labeled(60), labeled(20)
    predictions, harmonic = predict(train, test, Frequency(unit, band=TASK.band))
    assert harmonic == 1
    for protocol in ("fft", "fft_calibrated", "fft_resolved", "pixels"):
        np.testing.assert_allclose(predictions[protocol], test.labels, rtol=0.02)
    cycles = {name: values / (each.rates * each.per_hertz(Frequency(unit))) for name, values, each in (
        ("told", predictions["1nn"], test), ("known", train.labels, train),
    )}  # fmt: skip
    assert np.abs(cycles["told"][:, None] - cycles["known"]).min(axis=1).max() < 1e-7
    # One bin of 120 frames is one repetition in the clip.
    if unit == "count":
        np.testing.assert_allclose(predictions["fft_paper"], np.round(predictions["fft_paper"]), atol=1e-4)


@pytest.mark.slow
def test_protocols_with_labels_get_the_clips_of_known_labels():
    train, test = features(RNG.uniform(0.5, 2.6, 60), 1 / 2), features(RNG.uniform(0.6, 2.5, 5), 1 / 2)
    known = np.arange(60) % 6 == 1
    labels = np.where(known, train.labels, np.nan)
    pixels = np.where(known[:, None], 0, train.pixels)  # Only the others can vote.
    half = dataclasses.replace(train, labels=labels, pixels=pixels, known=known)
    found, expected = predict(half, test)[0], predict(train.only(known), test)[0]
    assert np.isfinite(list(found.values())).all()
    for protocol in ("1nn", "1nn_npsd", "1nn_euclidean", "fft_calibrated"):
        np.testing.assert_array_equal(found[protocol], expected[protocol])
    votes = protocols.predict(half, test, test, TASK)["fft_resolved"].found["octave"]
    assert 0.5 < votes["voting"] <= 5 / 6


@pytest.mark.slow
@pytest.mark.parametrize(("task", "per_hertz"), [(TASK, 1), (Frequency("bpm", band=(0.4, 5.5)), 60)])
def test_neighbors_of_another_rate_keep_their_cycles_per_frame(task, per_hertz):
    train = features(RNG.uniform(0.5, 5, 600))
    test = features(RNG.uniform(0.7, 4, 40))
    # The same features of a camera that is slower by a sixth show what repeats as much more slowly.
    slower = dataclasses.replace(test, rates=test.rates * np.float32(25 / 30), labels=test.labels * 25 / 30 * per_hertz)
    train = dataclasses.replace(train, labels=train.labels * per_hertz)
    for name in ("1nn", "1nn_npsd"):
        found = protocols.predict(train, train, slower, task)[name].values
        assert np.abs(found - slower.labels).max() < 0.1 * per_hertz, name


@pytest.mark.slow
def test_neighbors_of_counts_or_one_rate_keep_labels_exactly():
    train, test = features(RNG.uniform(0.5, 5, 50)), features(RNG.uniform(0.7, 4, 5))
    for task in (TASK, Frequency("count", band=(0.4, 5.5))):
        assert set(protocols.predict(train, train, test, task)["1nn"].values) <= set(train.labels)
