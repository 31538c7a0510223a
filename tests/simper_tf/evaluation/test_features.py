import numpy as np
import pytest
import tensorflow as tf

from simper_tf.evaluation import features, tasks
from simper_tf.signals import spectrum

RNG = np.random.default_rng(43)


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
def test_every_example_is_encoded_in_order_a_partial_batch_too(batch_size):
    dataset, clips = examples(7)
    done = []
    extracted = features.extract({"series": mean_of_frames}, dataset, batch_size, progress=done.append)
    np.testing.assert_allclose(extracted.series, clips.mean(axis=(2, 3, 4)), rtol=1e-5)
    np.testing.assert_array_equal(extracted.labels, np.arange(7))
    np.testing.assert_array_equal(extracted.rates, 30)
    assert texts(extracted.ids) == [f"clip {k}" for k in range(7)]
    assert extracted.subjects is None
    assert done == [*range(batch_size, 7, batch_size), 7]


def test_subjects_are_kept_where_there_are_any_and_taken_along():
    dataset, _ = examples(5, subject=np.array(["a", "a", "b", "b", "c"]))
    extracted = features.extract({"series": mean_of_frames}, dataset)
    assert texts(extracted.subjects) == ["a", "a", "b", "b", "c"]
    few = extracted.take(3)
    assert texts(few.subjects) == ["a", "a", "b"]
    assert few.series.shape == (3, 10)
    assert texts(few.ids) == ["clip 0", "clip 1", "clip 2"]
    assert features.extract({"series": mean_of_frames}, examples(5)[0]).take(2).subjects is None


def test_a_head_reads_the_features_that_were_extracted():
    functions = {"series": mean_of_frames, "predicted": lambda series: tf.reduce_max(series, axis=1)}
    extracted = features.extract(functions, examples(5)[0], batch_size=2)
    np.testing.assert_array_equal(extracted.predicted, extracted.series.max(axis=1))


def test_only_what_protocols_read_of_a_split_is_extracted():
    functions = dict.fromkeys(("series", "pixels", "cells", "colors", "predicted"))
    assert list(features.read_of(functions, "train")) == ["series", "pixels", "cells"]
    assert list(features.read_of(functions, "validation")) == ["series", "pixels", "predicted"]
    assert features.read_of(functions, "test") == functions


def test_what_protocols_share_is_made_once_for_the_same_clips():
    extracted, made = features.extract({"series": mean_of_frames}, examples(5)[0]), []
    for part in (extracted, extracted, extracted.take(3)):
        assert part.once("key", lambda part=part: made.append(part) or len(part.series)) == len(part.series)
    assert len(made) == 2


def test_graphs_are_made_once_for_several_data_sets():
    traced = []

    def encode(batch):
        traced.append(batch.shape)
        return mean_of_frames(batch)

    calls = features.graphs({"series": encode})
    for count in (7, 9, 5):
        features.extract(calls, examples(count)[0], batch_size=4)
    assert len(traced) == 2  # For a batch of four, and for one of any size.


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_not_finite_are_refused_by_clip(value):
    dataset, clips = examples(7)
    broken = tf.constant(clips[4], tf.uint8)

    def encode(batch):
        hit = tf.reduce_all(batch == broken, axis=(1, 2, 3, 4))
        return tf.where(hit[:, None], tf.constant(value, tf.float32), mean_of_frames(batch))

    with pytest.raises(ValueError, match="features of clip clip 4 are not finite"):
        features.extract({"series": encode}, dataset, batch_size=3)


def test_a_split_without_examples_is_refused():
    with pytest.raises(ValueError, match="holds no example"):
        features.extract({"series": mean_of_frames}, examples(2)[0].take(0))


@pytest.mark.slow
def test_pixels_are_taken_only_where_they_are_asked_for():
    dataset, clips = examples(5)
    assert features.extract({"series": mean_of_frames}, dataset).pixels is None
    take = features.extras(tasks.Frequency("Hz"))
    extracted = features.extract({"series": mean_of_frames, **take}, dataset, batch_size=2)
    np.testing.assert_allclose(extracted.pixels, spectrum.pixel_power(clips), rtol=1e-4)
    assert extracted.take(2).pixels.shape == (2, 21)


@pytest.mark.parametrize(("side", "expected"), [(1024, [2, 4, 5]), (1500, [1, 2]), (4, [32, 33])])
def test_a_batch_holds_16_million_values_but_1_to_32_clips(side, expected):
    sizes, number = [], expected[-1]
    clips, ones = np.zeros((number, 8, side, side, 1), np.uint8), np.ones(number, np.float32)
    dataset = tf.data.Dataset.from_tensor_slices({"clip": clips, "label": ones, "rate": ones, "id": ["x"] * number})
    encode = {"series": lambda clips: tf.zeros_like(clips[..., 0, 0, 0], tf.float32)}
    features.extract(encode, dataset, progress=sizes.append)
    assert sizes == expected


def test_frames_have_levels_in_the_unit_of_the_clips():
    dataset, clips = examples(3)
    take = features.extras(tasks.Series("°C"), (-60.0, 70.0))
    assert set(take) == {"levels"}
    extracted = features.extract({"series": mean_of_frames, **take}, dataset)
    np.testing.assert_allclose(extracted.levels, -60 + 130 * clips.mean(axis=(2, 3, 4)) / 255, rtol=1e-4)
    gray = features.extract({"series": mean_of_frames, **features.extras(tasks.Series("gray"))}, dataset)
    np.testing.assert_allclose(gray.levels, clips.mean(axis=(2, 3, 4)), rtol=1e-4)
    assert not features.extras(tasks.Scalar("mmHg"))


@pytest.mark.parametrize("value_range", [None, (0.0, 200.0)])
def test_series_have_levels_in_their_unit_too(value_range):
    rng = np.random.default_rng(3)
    watts = np.float32(rng.uniform(10, 190, (4, 40, 1, 1, 2)))
    clips = watts if value_range is None else watts / 200
    numbers = np.ones(4, np.float32)
    told = {"clip": clips, "label": numbers, "rate": numbers, "id": ["a", "b", "c", "d"]}
    take = features.extras(tasks.Series("W"), value_range, (1, 1, 2))
    found = features.extract({"series": mean_of_frames, **take}, tf.data.Dataset.from_tensor_slices(told))
    np.testing.assert_allclose(found.levels, watts.mean(axis=(2, 3, 4)), rtol=1e-5)


def test_three_channels_of_a_series_are_no_colors():
    task = tasks.Frequency("bpm")
    assert "colors" in features.extras(task, None, (24, 24, 3))
    assert set(features.extras(task, None, (1, 1, 3))) == {"pixels", "cells"}


def test_contrasts_are_those_of_one_light_and_none_of_one_pixel():
    clips = np.random.default_rng(1).uniform(20, 90, (2, 16, 6, 6, 1)).astype(np.float32)
    lights = np.linspace(0.5, 2, 16, dtype=np.float32).reshape(1, -1, 1, 1, 1)
    expected = features.contrasts(clips).numpy()
    np.testing.assert_allclose(features.contrasts(lights * clips + 5), expected, atol=1e-4)
    np.testing.assert_allclose(expected.mean(axis=1), 0, atol=1e-6)
    assert not features.contrasts(clips[:, :, :1, :1]).numpy().any()
