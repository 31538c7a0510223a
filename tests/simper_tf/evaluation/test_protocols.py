import dataclasses

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

from simper_tf import metrics, spectrum
from simper_tf.evaluation import protocols
from simper_tf.evaluation.protocols import Features

RNG = np.random.default_rng(43)
BAND, RATE = (0.4, 5.5), 30.0
RUN = {
    "dataset": "d",
    "config": "c",
    "method": "simper",
    "encoder": "small",
    "seed": 3,
    "commit": "abc",
    "seconds": 2.0,
}


def features(frequencies, harmonic=1.0, subjects=None):
    """Returns the features of a perfect encoder that runs at 1 / harmonic times the frequency, which pixels show."""
    number = len(frequencies)
    angles = 2 * np.pi * frequencies[:, None] * np.arange(120) / RATE + RNG.uniform(0, 6, (number, 1))
    ids = np.array([f"clip {k}" for k in range(number)])
    rates = np.full(number, RATE, np.float32)
    series = np.sin(angles / harmonic).astype(np.float32)
    pixels = spectrum.power(np.sin(angles) + 0.7 * np.sin(2 * angles), spectrum.PIXEL_PADDING).numpy()
    return Features(series, frequencies.astype(np.float32), rates, ids, subjects, pixels)


def predict(train, test, **more):
    return protocols.predict_frequencies(train, test, BAND, protocols.find_octave(train), **more)


def examples(number, **more):
    clips = RNG.integers(0, 256, size=(number, 10, 4, 4, 1)).astype(np.uint8)
    ids = np.array([f"clip {k}" for k in range(number)])
    fields = {"clip": clips, "label": np.arange(number, dtype=np.float32), "rate": np.full(number, 30.0, np.float32)}
    return tf.data.Dataset.from_tensor_slices({**fields, "id": ids, **more}), clips


def mean_of_frames(clips):
    return tf.reduce_mean(tf.cast(clips, tf.float32), axis=(2, 3, 4))


def texts(values):
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values]


@pytest.mark.parametrize("batch_size", [1, 3, 7, 32])
def test_every_example_is_encoded_in_its_order_the_last_partial_batch_too(batch_size):
    dataset, clips = examples(7)
    done = []
    extracted = protocols.extract(mean_of_frames, dataset, batch_size, progress=done.append)
    np.testing.assert_allclose(extracted.series, clips.mean(axis=(2, 3, 4)), rtol=1e-5)
    np.testing.assert_array_equal(extracted.labels, np.arange(7))
    np.testing.assert_array_equal(extracted.rates, 30)
    assert texts(extracted.ids) == [f"clip {k}" for k in range(7)]
    assert extracted.subjects is None
    assert done == [*range(batch_size, 7, batch_size), 7]


def test_subjects_are_kept_where_there_are_any_and_taken_along():
    dataset, _ = examples(5, subject=np.array(["a", "a", "b", "b", "c"]))
    extracted = protocols.extract(mean_of_frames, dataset)
    assert texts(extracted.subjects) == ["a", "a", "b", "b", "c"]
    few = extracted.take(3)
    assert texts(few.subjects) == ["a", "a", "b"]
    assert few.series.shape == (3, 10)
    assert texts(few.ids) == ["clip 0", "clip 1", "clip 2"]
    assert protocols.extract(mean_of_frames, examples(5)[0]).take(2).subjects is None


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_not_finite_are_refused_with_the_name_of_the_clip(value):
    dataset, clips = examples(7)
    broken = tf.constant(clips[4], tf.uint8)

    def encode(batch):
        hit = tf.reduce_all(batch == broken, axis=(1, 2, 3, 4))
        return tf.where(hit[:, None], tf.constant(value, tf.float32), mean_of_frames(batch))

    with pytest.raises(ValueError, match="features of clip clip 4 are not finite"):
        protocols.extract(encode, dataset, batch_size=3)


def test_a_split_without_examples_is_refused():
    with pytest.raises(ValueError, match="holds no example"):
        protocols.extract(mean_of_frames, examples(2)[0].take(0))


def test_perfect_features_are_read_by_every_protocol():
    train, test = RNG.uniform(0.5, 5, 150), RNG.uniform(0.7, 4.8, 40)
    predictions, harmonic = predict(features(train), features(test))
    assert harmonic == 1
    # A bare bin is 30 / 120 = 0.25 Hz wide; neighbours among 150 lie 0.015 Hz off on average, up to 0.2 at worst.
    bounds = {
        "fft": 0.01,
        "fft_calibrated": 0.01,
        "fft_resolved": 0.01,
        "pixels": 0.02,
        "fft_paper": 0.125 + 0.02,
        "1nn": 0.2,
        "1nn_npsd": 0.2,
    }
    assert predictions.keys() == {*bounds, "1nn_euclidean"}
    for protocol, bound in bounds.items():
        assert np.abs(predictions[protocol] - test).max() < bound, protocol
    assert np.abs(predictions["1nn_euclidean"] - test).mean() < 0.5


def test_features_at_twice_the_frequency_mislead_only_the_readout_without_labels_or_pixels():
    train, test = RNG.uniform(0.5, 2.6, 150), RNG.uniform(0.6, 2.5, 40)
    predictions, harmonic = predict(features(train, 1 / 2), features(test, 1 / 2))
    assert harmonic == 1 / 2
    np.testing.assert_allclose(predictions["fft"], 2 * test, atol=0.02)
    np.testing.assert_allclose(predictions["fft_calibrated"], test, atol=0.01)
    np.testing.assert_allclose(predictions["fft_resolved"], test, atol=0.01)
    assert np.abs(predictions["1nn"] - test).mean() < 0.05


def test_resolving_the_octave_looks_at_no_label_and_no_band():
    train, test = features(RNG.uniform(0.5, 2.6, 60), 1 / 2), features(RNG.uniform(0.6, 2.5, 5), 1 / 2)
    altered = dataclasses.replace(train, labels=3 * train.labels)
    read = protocols.predict_frequencies(altered, test, (7.0, 8.0), protocols.find_octave(altered))[0]["fft_resolved"]
    np.testing.assert_allclose(read, test.labels, atol=0.01)


def test_clips_without_a_line_are_read_by_the_multiple_that_others_agree_on():
    train, test = features(RNG.uniform(0.5, 2.6, 60), 1 / 2), features(RNG.uniform(0.6, 2.5, 5), 1 / 2)
    drowned = dataclasses.replace(test, pixels=np.ones_like(test.pixels))
    octave = protocols.find_octave(train)
    assert octave == protocols.Octave(2, 1.0, 1.0)
    said = "Features run at 2 times the frequency: so say 100% of the training clips whose pixels show it."
    assert str(octave) == said
    np.testing.assert_allclose(protocols.resolved_frequency(octave, drowned), test.labels, atol=0.01)


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
    octave = protocols.find_octave(mixed)
    assert (octave.agreement, octave.is_common) == (0.5, False)
    assert "do not run at one multiple" in str(octave)
    np.testing.assert_allclose(protocols.resolved_frequency(octave, mixed), frequencies, atol=0.01)


def test_a_few_clips_with_lines_do_not_decide_for_all():
    train = features(RNG.uniform(0.5, 2.6, 40), 1 / 2)
    pixels = train.pixels.copy()
    pixels[8:] = 1
    octave = protocols.find_octave(dataclasses.replace(train, pixels=pixels))
    assert (octave.agreement, octave.voting, octave.is_common) == (1.0, 0.2, False)
    assert "20% of the training clips show a line: too few" in str(octave)


@pytest.mark.parametrize(
    ("agreement", "voting", "common"), [(0.67, 0.25, True), (0.66, 1.0, False), (1.0, 0.24, False)]
)
def test_a_multiple_is_common_where_two_of_three_votes_agree_and_a_quarter_of_the_clips_vote(agreement, voting, common):
    octave = protocols.Octave(2, agreement, voting)
    assert octave.is_common == common
    assert str(octave).startswith("Features run at 2 times the frequency") == common
    assert str(octave).endswith("Each clip is read by its own pixels.") != common


def test_features_at_the_frequency_itself_are_said_to_be_so():
    assert str(protocols.Octave(1, 0.9, 1.0)).startswith("Features run at the frequency: so say 90% of")


def test_pixels_are_taken_only_where_they_are_asked_for():
    dataset, clips = examples(5)
    assert protocols.extract(mean_of_frames, dataset).pixels is None
    extracted = protocols.extract(mean_of_frames, dataset, batch_size=2, pixels=True)
    np.testing.assert_allclose(extracted.pixels, spectrum.pixel_power(clips), rtol=1e-4)
    assert extracted.take(2).pixels.shape == (2, 21)


def test_calibration_looks_at_no_more_labels_than_it_may():
    train, test = features(RNG.uniform(0.5, 2.6, 60), 1 / 2), features(RNG.uniform(0.6, 2.5, 5), 1 / 2)
    labels = train.labels.copy()
    labels[7:] = 2 * labels[7:]  # Were these seen, the first harmonic would fit better.
    altered = dataclasses.replace(train, labels=labels)
    assert predict(altered, test, num_labeled=7)[1] == 1 / 2
    assert predict(altered, test, num_labeled=60)[1] == 1
    labels = np.where(np.arange(60) < 10, train.labels, np.nan)  # Ten, unless told.
    assert predict(dataclasses.replace(train, labels=labels), test)[1] == 1 / 2


@pytest.mark.parametrize("unit", ["bpm", "count"])
def test_predictions_come_in_the_unit_of_the_labels_each_clip_with_its_own_duration(unit):
    rates = {k: RNG.uniform(20, 40, k).astype(np.float32) for k in (60, 20)}
    frequencies = {k: RNG.uniform(0.8, 3.0, k) for k in rates}

    def labelled(k):
        perfect = features(frequencies[k] * RATE / rates[k])  # Sampled at its own rate instead.
        factor = 60 if unit == "bpm" else 120 / rates[k]
        labels = (factor * frequencies[k]).astype(np.float32)
        return dataclasses.replace(perfect, labels=labels, rates=rates[k])

    train, test = labelled(60), labelled(20)
    predictions, harmonic = predict(train, test, unit=unit)
    assert harmonic == 1
    for protocol in ("fft", "fft_calibrated", "fft_resolved", "pixels"):
        np.testing.assert_allclose(predictions[protocol], test.labels, rtol=0.02)
    assert set(predictions["1nn"]) <= set(train.labels)
    # One bin of 120 frames is one repetition in the clip.
    if unit == "count":
        np.testing.assert_allclose(predictions["fft_paper"], np.round(predictions["fft_paper"]), atol=1e-4)


def test_labels_that_are_no_frequencies_are_refused():
    few = features(RNG.uniform(1, 3, 4))
    with pytest.raises(ValueError, match=r"`unit` must be one of .*'°C'"):
        predict(few, few, unit="°C")


@pytest.mark.parametrize(("side", "expected"), [(1024, [2, 4, 5]), (1500, [1, 2]), (4, [32, 33])])
def test_as_many_clips_are_encoded_at_once_as_hold_16_million_values_but_1_to_32(side, expected):
    sizes, number = [], expected[-1]
    clips, ones = np.zeros((number, 8, side, side, 1), np.uint8), np.ones(number, np.float32)
    dataset = tf.data.Dataset.from_tensor_slices({"clip": clips, "label": ones, "rate": ones, "id": ["x"] * number})
    protocols.extract(lambda clips: tf.zeros_like(clips[..., 0, 0, 0], tf.float32), dataset, progress=sizes.append)
    assert sizes == expected


def test_rows_of_series_have_the_metrics_of_series():
    labels = RNG.uniform(10, 30, (12, 7)).astype(np.float32)
    test = Features(labels, labels, np.ones(12), np.arange(12).astype(str))
    rows = protocols.score({"linear_probe": labels + RNG.normal(size=labels.shape)}, test, "°C", **RUN)
    assert [(row.metric, row.unit) for row in rows] == [("mae", "°C"), ("mape", "fraction"), ("pearson", "")]
    assert all(row.n == 12 and row.low < row.value < row.high for row in rows)


def test_rows_hold_one_number_a_protocol_and_metric_with_its_unit_and_interval():
    test = features(RNG.uniform(0.5, 5, 30))
    predictions = {"fft": test.labels + 0.1 * RNG.normal(size=30), "1nn": test.labels + RNG.normal(size=30)}
    rows = protocols.score(predictions, test, "Hz", **RUN)
    found = {(row.protocol, row.metric): row for row in rows}
    assert found.keys() == {(p, m) for p in predictions for m in metrics.METRICS}
    assert len(rows) == 8
    for protocol, predicted in predictions.items():
        errors = np.abs(predicted - test.labels)
        expected = {
            "mae": (errors.mean(), "Hz"),
            "mape": (100 * np.mean(errors / test.labels), "%"),
            "gm": (scipy.stats.gmean(np.maximum(errors, 1e-3)), "Hz"),
            "pearson": (scipy.stats.pearsonr(test.labels, predicted).statistic, ""),
        }
        for name, (value, unit) in expected.items():
            row = found[protocol, name]
            assert row.value == pytest.approx(value, rel=1e-5)
            assert row.unit == unit
            assert row.low < row.value < row.high
            assert row.n == 30
            assert {field: getattr(row, field) for field in RUN} == RUN


def test_intervals_are_drawn_over_subjects_where_there_are_any():
    frequencies, subjects = RNG.uniform(1, 3, 40), np.repeat(["a", "b", "c", "d"], 10)
    predictions = {"fft": frequencies + np.repeat([0.0, 0.1, 0.3, 1.0], 10) + 0.001}
    clips = protocols.score(predictions, features(frequencies), "Hz", **RUN)[0]
    people = protocols.score(predictions, features(frequencies, subjects=subjects), "Hz", **RUN)[0]
    assert people.value == clips.value
    assert people.high - people.low > 2 * (clips.high - clips.low)


def test_a_run_that_leaves_a_field_open_is_refused():
    run = {name: value for name, value in RUN.items() if name != "commit"}
    with pytest.raises(TypeError, match="commit"):
        protocols.score({"fft": np.ones(3)}, features(np.ones(3)), "Hz", **run)
