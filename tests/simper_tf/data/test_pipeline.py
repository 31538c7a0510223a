import numpy as np
import pytest
import tensorflow as tf

from simper_tf.data import pipeline
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

RNG = np.random.default_rng(41)
VIEWS = Views(8, SpeedSets(2))


def examples(number=7, dtype=np.uint8, changed=None):
    """Returns noise clips whose first pixel is their number; `changed` names what replaces a clip."""
    clips = RNG.integers(0, 256, size=(number, 20, 4, 4, 1)).astype(np.uint8)
    clips[:, :, 0, 0, 0] = np.arange(number)[:, None]
    for clip, value in (changed or {}).items():
        clips[clip] = value
    if dtype == np.float32:
        clips = clips / dtype(255)
    ids = np.array([f"clip {k}" for k in range(number)])
    return reader({"clip": clips, "id": ids, "label": clips[:, 0, 0, 0, 0].astype(np.float32)})


def reader(arrays, counter=None):
    """Returns what reads examples by their numbers; a `counter`, a variable, counts them."""

    def example(number):
        if counter is not None:
            counter.scatter_nd_add([[number]], [1])
        return {name: tf.gather(values, number) for name, values in arrays.items()}

    return lambda numbers: numbers.map(example)


def changed_by(read, change):
    """Returns what reads the examples of another reader, changed."""
    return lambda numbers: read(numbers).map(change)


def started(read, number, batch_size, seed, start_step=0, views=None, **options):
    """Returns the batches of a run from a step on."""
    return pipeline.Batches(read, number, batch_size, seed, views, **options).start(start_step)


def numbers(batches, count):
    """Returns which clips the first batches hold."""
    return [batch[:, 0, 0, 0, 0].numpy().astype(int).tolist() for batch in batches.take(count)]


@pytest.mark.slow
def test_an_epoch_holds_every_clip_once_in_an_order_of_its_own():
    order = numbers(started(examples(6), 6, 2, seed=1), 12)
    epochs = [[*order[k], *order[k + 1], *order[k + 2]] for k in range(0, 12, 3)]
    assert all(sorted(epoch) == list(range(6)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) > 1


def test_the_rest_of_an_epoch_is_dropped_and_differs_every_time():
    order = numbers(started(examples(7), 7, 3, seed=1), 20)
    assert all(len(batch) == 3 for batch in order)
    epochs = [set(order[k] + order[k + 1]) for k in range(0, 20, 2)]
    assert all(len(epoch) == 6 for epoch in epochs)
    assert set.union(*epochs) == set(range(7))


@pytest.mark.parametrize(
    ("views", "start_step"),
    [*((None, step) for step in (1, 2, 3, 5)), *(pytest.param(VIEWS, step, marks=pytest.mark.slow) for step in (1, 3))],
)
def test_a_run_entered_at_a_step_gets_the_same_batches(views, start_step):
    clips = examples(5)
    whole = list(started(clips, 5, 2, seed=3, views=views).take(9))
    entered = started(clips, 5, 2, seed=3, start_step=start_step, views=views).take(9 - start_step)
    for expected, batch in zip(whole[start_step:], entered, strict=True):
        tf.nest.map_structure(np.testing.assert_array_equal, batch, expected)


@pytest.mark.slow
def test_views_are_those_of_the_step_and_the_seed():
    clips, views = examples(4), started(examples(4), 4, 2, seed=3, views=VIEWS)
    batches = started(clips, 4, 2, seed=3)
    assert views.element_spec["views"].shape == (2, 4, 8, 4, 4, 1)
    for step, (batch, made) in enumerate(zip(batches.take(5), views.take(5), strict=True)):
        np.testing.assert_array_equal(VIEWS(batch, tf.constant([3, step]))["speeds"], made["speeds"])


@pytest.mark.slow
def test_views_of_series_change_as_series_do_here_too():
    """Pictures grow lighter and darker and are cropped, series are not."""
    samples = RNG.normal(size=(4, 20, 1, 1, 2)).astype(np.float32)
    told = {"clip": samples, "id": np.array(list("abcd")), "label": np.ones(4, np.float32)}
    (batch,) = started(reader(told), 4, 2, seed=3).take(1)
    (made,) = started(reader(told), 4, 2, seed=3, views=VIEWS).take(1)
    np.testing.assert_allclose(VIEWS(batch, tf.constant([3, 0]))["views"], made["views"], atol=1e-6)


def test_clips_are_left_as_they_are():
    batch = next(iter(started(examples(2), 2, 2, seed=0)))
    assert batch.dtype == tf.uint8
    assert batch.shape == (2, 20, 4, 4, 1)
    assert set(batch.numpy()[:, 0, 0, 0, 0]) == {0, 1}


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_a_clip_that_does_not_change_is_refused_by_name(dtype):
    batches = started(examples(3, dtype, changed={1: 7}), 3, 3, seed=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"clip 1[\s\S]*does not change over time"):
        next(iter(batches))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_clip_with_numbers_that_are_none_is_refused_by_name(value):
    clips = changed_by(
        examples(3, np.float32),
        lambda e: {**e, "clip": tf.where(e["id"] == "clip 2", tf.constant(value, tf.float32), e["clip"])},
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"clip 2[\s\S]*NaN or infinite"):
        next(iter(started(clips, 3, 3, seed=0)))


@pytest.mark.parametrize("factor", [255.0, -1.0])
def test_floats_in_another_unit_are_refused_with_their_range(factor):
    clips = changed_by(
        examples(3, np.float32),
        lambda e: {**e, "clip": tf.where(e["id"] == "clip 2", factor * e["clip"], e["clip"])},
    )
    values = {255.0: r"\[[01]\] \[to\] \[25[345]\]", -1.0: r"\[-(1|0.99.*)\] \[to\] \[-0.*\]"}[factor]
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"clip 2\] \[holds values from\] {values} \[but floats"):
        next(iter(started(clips, 3, 3, seed=0)))


def test_a_batch_larger_than_the_set_is_refused():
    with pytest.raises(ValueError, match="batch of 8 clips cannot be drawn from 7"):
        started(examples(7), 7, 8, seed=0)


@pytest.mark.slow
def test_labels_come_with_their_clips_and_with_the_views_of_them():
    clips = examples(6)
    pairs = started(clips, 6, 2, seed=1, labeled=True)
    views = started(clips, 6, 2, seed=1, labeled=True, views=VIEWS)
    for (batch, labels), made in zip(pairs.take(3), views.take(3), strict=True):
        np.testing.assert_array_equal(labels, batch[:, 0, 0, 0, 0])
        np.testing.assert_array_equal(made["labels"], labels)


@pytest.mark.parametrize("start_step", [0, 3])
@pytest.mark.parametrize("views", [None, pytest.param(VIEWS, marks=pytest.mark.slow)])
def test_the_parts_of_all_workers_are_the_batches_of_one_process(views, start_step):
    clips = examples(14)
    whole = started(clips, 14, 6, 3, start_step, views).take(4)
    parts = [started(clips, 14, 6, 3, start_step, views, worker=k, num_workers=3).take(4) for k in range(3)]
    for expected, *theirs in zip(whole, *parts, strict=True):
        joined = tf.nest.map_structure(lambda *part: np.concatenate(part), *theirs)
        tf.nest.map_structure(np.testing.assert_array_equal, joined, expected)
        assert all(tf.nest.flatten(part)[0].shape[0] == 2 for part in theirs)
    if views is None and start_step == 0:  # Two batches are an epoch.
        seen = [number for part in parts for batch in numbers(part, 2) for number in batch]
        assert len(set(seen)) == len(seen) == 12


def test_a_batch_that_workers_cannot_share_evenly_is_refused():
    with pytest.raises(ValueError, match="batch of 4 clips cannot be shared evenly among 3 workers"):
        started(examples(7), 7, 4, seed=0, worker=0, num_workers=3)


def shuffled_clips(number, batch_size, seed, buffer_size):
    """Returns the batches of two epochs as they come where clips themselves are shuffled, not their numbers."""
    clips = examples(number)(tf.data.Dataset.range(number)).map(lambda example: example["clip"])
    for epoch in range(2):
        variant = tf.raw_ops.ShuffleDataset(
            input_dataset=tf.data.experimental.to_variant(clips), buffer_size=buffer_size, seed=seed, seed2=epoch + 1,
            output_types=[tf.uint8], output_shapes=[clips.element_spec.shape], reshuffle_each_iteration=False,
        )  # fmt: skip
        order = tf.data.experimental.from_variant(variant, clips.element_spec)
        yield from order.batch(batch_size, drop_remainder=True)


@pytest.mark.parametrize("kept", [3, 100])
def test_numbers_are_shuffled_as_the_clips_would_be(monkeypatch, kept):
    monkeypatch.setattr(pipeline, "CACHE_BYTES", kept * 20 * 4 * 4)
    expected = [batch[:, 0, 0, 0, 0].numpy().tolist() for batch in shuffled_clips(14, 4, 5, min(max(kept, 4), 14))]
    assert numbers(started(examples(14), 14, 4, seed=5), 6) == expected


@pytest.mark.slow
@pytest.mark.parametrize("num_workers", [1, 2, 3])
def test_a_worker_decodes_its_own_clips_from_its_step_on(monkeypatch, num_workers):
    monkeypatch.setattr(pipeline, "CACHE_BYTES", 0)
    arrays = {"clip": np.zeros((360, 2, 1, 1, 1), np.uint8), "id": np.arange(360)}
    arrays["clip"][:, 0] = 1
    order, counters = [], [tf.Variable(tf.zeros(360, tf.int32)) for _ in range(num_workers)]

    def noted(numbers):
        order.extend(numbers.take(360).as_numpy_iterator())
        return reader(arrays)(numbers)

    # An epoch of 60 batches: what is fetched ahead of step 20 stays within it.
    pipeline.Batches(noted, 360, 6, 3).start()
    order = np.array(order[-360:]).reshape(60, num_workers, -1)
    for worker, counter in enumerate(counters):
        batches = pipeline.Batches(reader(arrays, counter), 360, 6, 3, worker=worker, num_workers=num_workers)
        next(iter(batches.start(20)))
        decoded = set(np.flatnonzero(counter))
        assert set(order[20, worker]) <= decoded <= set(order[20:, worker].ravel())
