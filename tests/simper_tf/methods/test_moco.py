import functools

import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.methods import MoCo
from simper_tf.methods.moco import queue_nce
from simper_tf.views.views import Views

RNG = np.random.default_rng(53)
VIEWS = Views(10, MoCo.times_for(10, (0.5, 2.0)), MoCo.appearance)
SMALL = {"queue_size": 6, "projection": 4}
compiled = functools.partial(built, MoCo, VIEWS, optimizer=keras.optimizers.SGD, learning_rate=0.1, **SMALL)


def clips(number=3):
    return tf.constant(RNG.integers(0, 256, size=(number, 14, 8, 8, 1)), tf.uint8)


def weights_of(model):
    return [*model.encoder.get_weights(), *model.head.get_weights()]


def target_weights_of(model):
    return [*model.target_encoder.get_weights(), *model.target_head.get_weights()]


def test_no_gradient_and_no_optimizer_touches_the_target():
    model = compiled()
    for online, target in zip(weights_of(model), target_weights_of(model), strict=True):
        np.testing.assert_array_equal(target, online)
    trained = {id(v) for v in model.trainable_variables}
    assert trained == {id(v) for v in (*model.encoder.weights, *model.head.weights)}
    model.train_step(clips())
    assert len(model.optimizer.variables) == 2  # Step and learning rate: plain SGD has no slots.
    views = model.make_views(model.draw(clips()))["views"]
    with tf.GradientTape() as tape:
        keys = model.target_vectors(views[:, 1:])
    everything = [v.value for v in (*model.target_encoder.weights, *model.encoder.weights)]
    assert all(gradient is None for gradient in tape.gradient(keys, everything))


@pytest.mark.slow
def test_the_target_moves_by_its_share_before_the_keys_are_made():
    model = compiled(momentum=0.7)
    model.train_step(clips())  # Now the networks differ from their copies.
    online, target = weights_of(model), target_weights_of(model)
    assert max(np.abs(a - b).max() for a, b in zip(online, target, strict=True)) > 1e-4
    queue, batch = model.queue.numpy(), clips()
    views = model.make_views(model.draw(batch))["views"]
    model.train_step(batch)
    for before, weights, after in zip(target, online, target_weights_of(model), strict=True):
        np.testing.assert_allclose(after, 0.7 * before + 0.3 * weights, rtol=1e-5, atol=1e-7)
    # The keys that went into the queue are those of the moved target.
    keys = tf.math.l2_normalize(model.target_vectors(views[:, 1:])[:, 0], axis=-1)
    np.testing.assert_allclose(model.queue.numpy()[3:], keys, atol=1e-5)
    np.testing.assert_array_equal(model.queue.numpy()[:3], queue[:3])


def test_the_target_uses_batch_norm_statistics_of_its_batch():
    inputs = keras.Input((None, 8, 8, 1))
    encoder = keras.Model(inputs, keras.layers.BatchNormalization()(keras.ops.mean(inputs, axis=(2, 3))))
    model = MoCo(encoder, VIEWS, queue_size=6, projection=4)
    views = tf.constant(RNG.uniform(3, 9, size=(4, 1, 10, 8, 8, 1)), tf.float32)
    model.before_step()
    moving = model.target_encoder.layers[-1].moving_mean
    np.testing.assert_array_equal(moving, 0)
    found = model.target_vectors(views)
    assert float(moving[0]) > 0.01
    # In inference mode an offset of all clips would come through.
    np.testing.assert_allclose(model.target_vectors(views + 100), found, rtol=0.02, atol=0.02)


@pytest.mark.slow
def test_the_queue_starts_with_unit_vectors_fills_and_wraps():
    model = compiled()
    np.testing.assert_allclose(np.linalg.norm(model.queue, axis=1), 1, rtol=1e-5)
    assert abs(np.mean(compiled(queue_size=600).queue)) < 5 / np.sqrt(600 * 4 * 4)
    np.testing.assert_array_equal(compiled(seed=1).queue, compiled(seed=1).queue)
    assert np.abs(compiled(seed=1).queue - model.queue).max() > 0.1
    for k in range(5):
        model.enqueue(tf.fill([2, 4], float(k)))
        assert int(model.pointer) == 2 * (k + 1) % 6
    np.testing.assert_array_equal(model.queue[:, 0], [3, 3, 4, 4, 2, 2])


@pytest.mark.slow
def test_queries_meet_the_queue_of_earlier_steps_only():
    model, batch = compiled(learning_rate=0.0), clips()
    queue = model.queue.numpy()
    views = model.make_views(model.draw(batch))["views"]
    queries = model.head(tf.reshape(model.encoder(views[:, 0]), [3, 20]))
    keys = model.target_vectors(views[:, 1:])[:, 0]
    expected, found = oracles.queue_nce(queries, keys, queue, 0.2)
    logs = model.train_step(batch)
    assert float(logs["loss"]) == pytest.approx(np.mean(expected), rel=1e-4)
    assert float(logs["accuracy"]) == pytest.approx(np.mean(found))
    assert np.abs(model.queue.numpy() - queue)[:3].max() > 1e-3


@pytest.mark.parametrize(("num_clips", "batch_size", "size"), [(1000, 64, 448), (518, 64, 256), (8, 4, 4), (6, 4, 4)])
def test_the_queue_holds_whole_batches_of_at_most_half_the_clips(num_clips, batch_size, size):
    assert MoCo.queue_size_for(num_clips, batch_size) == size
    compiled(queue_size=size).check_batch(batch_size)


@pytest.mark.parametrize(("batch_size", "suggested"), [(4, 8), (11, 11)])
def test_batches_that_do_not_divide_the_queue_are_refused(batch_size, suggested):
    with pytest.raises(
        ValueError, match=rf"queue of 10 keys does not hold whole batches of {batch_size}.*{suggested},"
    ):
        compiled(queue_size=10).check_batch(batch_size)


def test_queue_nce_equals_the_explicit_loop():
    queries, keys, queue = RNG.normal(size=(4, 6)), RNG.normal(size=(4, 6)), oracles.unit(RNG.normal(size=(9, 6)))
    found, hits = queue_nce(tf.constant(queries), tf.constant(keys), tf.constant(queue, tf.float32), 0.2)
    expected, expected_hits = oracles.queue_nce(queries, keys, queue, 0.2)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    np.testing.assert_array_equal(hits, expected_hits)


def test_queue_nce_of_equal_vectors_is_the_log_of_candidates():
    vectors = tf.fill([8, 4], 0.5)
    found, hits = queue_nce(vectors[:3], vectors[:3], vectors, 0.2)
    np.testing.assert_allclose(found, np.log(9), rtol=1e-5)
    np.testing.assert_array_equal(hits, 0)
