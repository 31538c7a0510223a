import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from simper_tf.evaluation import protocols
from simper_tf.evaluation.features import Features
from simper_tf.evaluation.fitted_heads import log_spectra
from simper_tf.evaluation.tasks import Frequency, Scalar

RNG = np.random.default_rng(59)
HERTZ = Frequency("Hz", band=(0.4, 5.5))


def features(series, labels, rates=30.0):
    number = len(series)
    ids = np.array([f"clip {k}" for k in range(number)])
    return Features(series.astype(np.float32), np.float32(labels), np.float32(np.broadcast_to(rates, number)), ids)


def sinusoids(number, noise=0.0, rates=30.0, num_frames=100):
    """Returns features of random frequencies in 0.5 to 5 Hz and of random phase, in noise."""
    frequencies, phases = RNG.uniform(0.5, 5, number), RNG.uniform(0, 2 * np.pi, number)
    angles = 2 * np.pi * (frequencies / rates)[:, None] * np.arange(num_frames) + phases[:, None]
    return features(np.sin(angles) + noise * RNG.normal(size=angles.shape), frequencies, rates)


def predict(parts, task=HERTZ):
    found = protocols.probe(*parts, task)
    return found.values, found.found["penalty"]


def error(parts, task=HERTZ):
    return np.abs(predict(parts, task)[0] - parts[2].labels).mean()


def test_sinusoids_of_random_phase_are_read_as_no_linear_map_can():
    parts = [sinusoids(number) for number in (400, 100, 100)]
    guess = np.abs(np.median(parts[0].labels) - parts[2].labels).mean()
    assert error(parts) < 0.02
    inner = [dataclasses.replace(part, before_head=part.series) for part in parts]
    assert np.abs(protocols.linear_probe(*inner, HERTZ).values - parts[2].labels).mean() > 0.8 * guess


def test_features_at_a_fixed_multiple_are_read_without_a_band():
    parts = [sinusoids(number) for number in (400, 100, 100)]
    halved = [dataclasses.replace(part, labels=part.labels / 2) for part in parts]
    assert error(halved, Frequency("Hz", band=(7.0, 8.0))) < 0.01


def test_spectra_are_those_of_numpy_blind_to_scale_and_direction():
    series = RNG.normal(size=(3, 20, 2))
    expected = []
    for clip in series:
        centered = clip - clip.mean(axis=0)
        power = np.abs(np.fft.rfft(centered * np.hanning(20)[:, None], 40, axis=0))[1:] ** 2
        expected.append(np.log(2 * power / power.sum(axis=0) + 0.1).T.ravel())
    np.testing.assert_allclose(log_spectra(series), expected, atol=1e-4)
    for changed in (1e-12 * series, 1e12 * series, series + 3, -series, series[:, ::-1]):
        np.testing.assert_allclose(log_spectra(changed), expected, atol=1e-3)
    np.testing.assert_allclose(log_spectra(series[..., 0]), np.array(expected)[:, :20], atol=1e-4)


def test_of_several_channels_the_one_that_knows_is_found():
    parts = []
    for number in (400, 100, 100):
        known = sinusoids(number)
        noise = RNG.normal(size=(*known.series.shape, 2)).astype(np.float32)
        parts.append(dataclasses.replace(known, series=np.concatenate([noise, known.series[..., None]], axis=2)))
    assert error(parts) < 0.15


@pytest.mark.parametrize(("unit", "factor"), [("bpm", 60), ("count", 100 / 20)])
def test_every_clip_is_read_at_its_own_rate_in_the_tasks_unit(unit, factor):
    parts = [sinusoids(400), sinusoids(100), sinusoids(100, rates=20.0)]
    units = [60.0 if unit == "bpm" else 100 / part.rates for part in parts]
    labeled = [dataclasses.replace(p, labels=np.float32(u * p.labels)) for p, u in zip(parts, units, strict=True)]
    # At 20 frames per second 0.5 to 5 Hz are 0.025 to 0.25 cycles per frame; up to 0.167 of them were learned.
    few = labeled[2].labels / factor < 3.2
    kept = {name: getattr(labeled[2], name)[few] for name in ("series", "labels", "rates", "ids")}
    predicted, _ = predict([*labeled[:2], dataclasses.replace(labeled[2], **kept)], Frequency(unit))
    np.testing.assert_allclose(predicted, kept["labels"], atol=0.1 * factor)


def test_another_number_is_learned_as_it_is():
    parts = [dataclasses.replace(part, labels=80 + 10 * part.labels) for part in map(sinusoids, (400, 100, 100))]
    assert error(parts, Scalar("mmHg")) < 0.2
    spectra = [log_spectra(part.series).numpy() for part in parts]
    inputs = [values - spectra[0].mean(axis=0) for values in spectra]
    scaled = [x / np.linalg.norm(inputs[0]) * np.sqrt(400) for x in inputs]
    predicted, penalty = predict(parts, Scalar("mmHg"))
    reference = Ridge(penalty).fit(scaled[0], np.float64(parts[0].labels)).predict(scaled[2])
    np.testing.assert_allclose(predicted, reference, rtol=1e-5)


def test_the_penalty_chosen_on_validation_grows_with_noise():
    clean, noisy = ([sinusoids(number, noise) for number in (150, 100, 100)] for noise in (0.0, 1.0))
    penalty = predict(noisy)[1]
    assert predict(clean)[1] < penalty
    assert predict([*noisy[:2], dataclasses.replace(noisy[2], labels=0 * noisy[2].labels)])[1] == penalty
    mean = np.full_like(noisy[1].labels, noisy[0].labels.mean())
    assert predict([noisy[0], dataclasses.replace(noisy[1], labels=mean), noisy[2]])[1] == 1e3 > penalty


@pytest.mark.parametrize("constant", [0.0, 0.7])
def test_constant_features_are_read_as_the_mean_training_label(constant):
    parts = [sinusoids(number) for number in (30, 10, 5)]
    parts = [dataclasses.replace(part, series=np.full_like(part.series, constant)) for part in parts]
    np.testing.assert_allclose(predict(parts)[0], parts[0].labels.mean(), rtol=1e-5)
    np.testing.assert_array_equal(log_spectra(parts[0].series), np.log(0.1))


def test_a_constant_clip_among_others_leaves_them_as_they_were():
    parts = [sinusoids(number) for number in (400, 100, 100)]
    expected = predict(parts)[0]
    parts[2].series[3] = 0.5
    found = predict(parts)[0]
    assert np.isfinite(found[3])
    np.testing.assert_array_equal(np.delete(found, 3), np.delete(expected, 3))


@pytest.mark.parametrize("where", [0, 1, 2])
def test_features_that_are_not_finite_are_refused_with_the_clip(where):
    parts = [sinusoids(number) for number in (30, 10, 5)]
    parts[where].series[4, 7] = np.nan
    name = ("training", "validation", "test")[where]
    with pytest.raises(ValueError, match=rf"The features of the {name} clip clip 4 are not finite"):
        predict(parts)
