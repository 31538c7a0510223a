"""Sizes of batches that `fit` knows before, and what is refused for them."""

import contextlib
import types

import keras
import numpy as np
import pytest
import tensorflow as tf
from every_method import ALL, op_by_op
from small_methods import LABELS, data_for, ready_views

from simper_tf.methods import ContrastPhysPlus, MoCo, SimPer, Supervised
from simper_tf.methods.batches import check_sizes, in_equal_parts, known_sizes
from simper_tf.utils.clips import plain_errors

CLIPS = np.zeros((10, 40, 4, 4, 1), np.uint8)
DATA = tf.data.Dataset.from_tensor_slices(CLIPS)


@pytest.mark.parametrize(
    ("x", "settings", "sizes"),
    [
        (CLIPS, {}, (10, 0)),
        (np.repeat(CLIPS, 4, axis=0), {}, (32, 8)),
        (CLIPS, {"batch_size": 4}, (4, 2)),
        (CLIPS, {"batch_size": 5}, (5, 0)),
        (CLIPS, {"batch_size": 4, "validation_split": 0.5}, (4, 1)),
        (DATA.batch(4), {}, (0, 0)),
        (DATA.batch(4, drop_remainder=True), {}, (4, 0)),
        (DATA.batch(4, drop_remainder=True).map(lambda x: (x, x[:, 0, 0, 0, 0])), {}, (4, 0)),
        (tf.data.Dataset.from_tensors({"speeds": tf.zeros([3, 2]), "views": tf.zeros([3, 2, 8, 4, 4, 1])}), {}, (3, 0)),
        (DATA, {}, (0, 0)),
        (None, {}, (0, 0)),
    ],
)
def test_sizes_are_those_of_the_batches_of_keras(x, settings, sizes):
    assert known_sizes(x, **settings) == sizes


@pytest.mark.slow
@ALL
def test_fit_refuses_batches_that_are_too_small(kind, swinging_bars):
    model, data = op_by_op(kind), data_for(kind, swinging_bars[0])
    if kind.min_clips == 1:
        return
    message = rf"{kind.__name__} learns from the differences of clips and needs at least 2 .*Received: "
    with pytest.raises(ValueError, match=message + "1. Raise `batch_size`"):
        model.fit(*data, batch_size=1, verbose=0)
    batches = tf.data.Dataset.from_tensors(data).map(lambda *parts: tuple(part[:1] for part in parts))
    with pytest.raises(ValueError, match=message + "1. Raise `batch_size`"):
        model.fit(batches, verbose=0)
    with pytest.raises(ValueError, match=message + "batches of 5, the last of which has 1. Change `batch_size`, or"):
        model.fit(*data, batch_size=5, verbose=0)
    ready = ready_views(kind, model.views, swinging_bars[0][:1])
    with pytest.raises(ValueError, match=message + "1. Raise `batch_size`"):
        model.fit(tf.data.Dataset.from_tensors(ready), verbose=0)


@pytest.mark.slow
def test_a_last_batch_of_one_clip_serves_where_clips_do_not_meet(swinging_bars):
    model = op_by_op(SimPer)
    model.fit(swinging_bars[0], None, 5, verbose=0)
    assert int(model.optimizer.iterations) == 2


@pytest.mark.parametrize(("sizes", "found"), [((4, 1), "4, the last of which has 1"), ((3, 0), "3")])
def test_batches_that_replicas_cannot_share_are_refused(sizes, found):
    pair = types.SimpleNamespace(num_replicas_in_sync=2)
    method = types.SimpleNamespace(min_clips=1, check_batch=lambda size: None, distribute_strategy=pair)
    check_sizes(method, 4, 2)
    with pytest.raises(ValueError, match=rf"2 replicas take equal parts .* Received: batches of {found}\. Change"):
        check_sizes(method, *sizes)


def test_evaluate_refuses_batches_that_replicas_cannot_share(monkeypatch, swinging_bars):
    model = op_by_op(SimPer)
    pair = types.SimpleNamespace(num_replicas_in_sync=2)
    monkeypatch.setattr(SimPer, "distribute_strategy", pair)
    with pytest.raises(ValueError, match=r"2 replicas take equal parts .* batches of 4, the last of which has 1\."):
        model.evaluate(swinging_bars[0][:5], batch_size=4, verbose=0)


@pytest.mark.parametrize("number", [10, 11, 9])
def test_batches_of_unknown_size_are_shared_in_equal_parts(number):
    pair = types.SimpleNamespace(num_replicas_in_sync=2)
    method = types.SimpleNamespace(distribute_strategy=pair)
    clips = np.zeros((number, 40, 4, 4, 1), np.uint8)
    for data in (clips, (clips, np.arange(number)), {"views": clips[None].swapaxes(0, 1)}):
        batched = tf.data.Dataset.from_tensor_slices(data).batch(4)
        shared = in_equal_parts(method, batched)
        assert shared.element_spec == batched.element_spec
        found = rf"equal parts of a batch\. Received: a batch of {number % 4} for 2 replicas\. .*drop_remainder=True"
        with pytest.raises(ValueError, match=found) if number % 2 else contextlib.nullcontext(), plain_errors():
            assert len(list(shared)) == 3


class Batches(keras.utils.PyDataset):
    """Batches of so many clips."""

    def __init__(self, *sizes):
        super().__init__()
        self.sizes = sizes

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, index):
        return CLIPS[: self.sizes[index]]


@pytest.mark.parametrize(
    ("sizes", "found"), [((3, 4), "3, the last of which has 4"), ((4, 4, 1), "4, the last .* 1"), ((3, 3), "3")]
)
def test_replicas_refuse_a_pydataset_that_they_cannot_share(sizes, found):
    method = types.SimpleNamespace(distribute_strategy=types.SimpleNamespace(num_replicas_in_sync=2))
    with pytest.raises(ValueError, match=rf"2 replicas take equal parts .* Received: batches of {found}\. Change"):
        in_equal_parts(method, Batches(*sizes))
    fitting = Batches(4, 4, 2)
    assert in_equal_parts(method, fitting) is fitting
    method.distribute_strategy.num_replicas_in_sync = 1
    assert in_equal_parts(method, Batches(*sizes)).sizes == sizes


@pytest.mark.slow
def test_fit_refuses_what_a_method_refuses_of_a_batch(swinging_bars):
    with pytest.raises(ValueError, match="queue of 4 keys does not hold whole batches of 3"):
        op_by_op(MoCo, queue_size=4).fit(swinging_bars[0], batch_size=3, verbose=0)
    with pytest.raises(ValueError, match=r"batch of 3 clips .* cannot be cut into micro-batches of 2"):
        op_by_op(SimPer, micro_batch=2).fit(swinging_bars[0], batch_size=3, verbose=0)


@pytest.mark.parametrize("kind", [Supervised, ContrastPhysPlus])
def test_views_of_parts_are_refused_where_labels_hold_for_wholes(kind, swinging_bars):
    model, clips = op_by_op(kind), np.concatenate([swinging_bars[0]] * 2, axis=1)
    message = rf"{kind.__name__} learns from labels, .*Received: clips of 80 frames and views of 40\. Cut the clips, or"
    for call in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match=message):
            call(clips, LABELS, batch_size=3, verbose=0)
