import numpy as np
import oracles
import pytest
import tensorflow as tf

from simper_tf.methods.simclr import nt_xent

RNG = np.random.default_rng(11)


def test_nt_xent_equals_the_explicit_loop():
    a, b = RNG.normal(size=(2, 5, 7))
    found, hits = nt_xent(tf.constant(a), tf.constant(b), 0.3)
    expected, expected_hits = oracles.nt_xent(a, b, 0.3)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    np.testing.assert_array_equal(hits, expected_hits)


def test_nt_xent_of_a_part_against_all_is_that_part_of_the_whole():
    a, b = tf.constant(RNG.normal(size=(2, 6, 4)), tf.float32)
    whole, found = nt_xent(a, b, 0.2)
    for first in (0, 2, 4):
        own = slice(first, first + 2)
        part, part_found = nt_xent(a[own], b[own], 0.2, (a, b), first)
        np.testing.assert_allclose(part, np.concatenate([whole[:6][own], whole[6:][own]]), rtol=1e-5)
        np.testing.assert_array_equal(part_found, np.concatenate([found[:6][own], found[6:][own]]))


def test_nt_xent_of_one_clip_is_zero_and_symmetric():
    a, b = tf.constant(RNG.normal(size=(2, 5, 4)), tf.float32)
    np.testing.assert_allclose(nt_xent(a[:1], b[:1], 0.1)[0], 0, atol=1e-6)
    np.testing.assert_allclose(np.mean(nt_xent(a, b, 0.1)[0]), np.mean(nt_xent(b, a, 0.1)[0]), rtol=1e-5)


@pytest.mark.parametrize("constant", [0.0, 0.7])
def test_nt_xent_of_collapsed_vectors_is_the_log_of_candidates(constant):
    vectors = tf.fill([4, 3], constant)
    with tf.GradientTape() as tape:
        tape.watch(vectors)
        found, _ = nt_xent(vectors, vectors, 0.1)
    np.testing.assert_allclose(found, np.log(7), rtol=1e-5)
    assert np.all(np.isfinite(tape.gradient(found, vectors)))
