"""Features of pieces of a recording are those of the whole, if pieces overlap by what `OVERLAPS` says."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import ENCODERS, OVERLAPS

FRAME, NUM_FRAMES, FIRST, END = (12, 12, 3), 90, 37, 53


@functools.cache
def features_of(name):
    """Returns a function from clips to features of an encoder whose norms have seen clips, and the whole recording."""
    keras.utils.set_random_seed(0)
    encoder, clips = ENCODERS[name](FRAME), np.random.default_rng(6).random((1, NUM_FRAMES, *FRAME), np.float32)
    encoder(clips, training=True)
    return tf.function(functools.partial(encoder, training=False), reduce_retracing=True, autograph=False), clips


def error_of_a_piece(name, overlap):
    """Returns the largest error of the features of frames FIRST to END, encoded with an overlap to either side."""
    encode, clips = features_of(name)
    whole = encode(clips)[0, FIRST:END]
    piece = encode(clips[:, FIRST - overlap : END + overlap])[0, overlap : overlap + END - FIRST]
    return np.max(np.abs(piece - whole)) / np.max(np.abs(whole))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, overlap in OVERLAPS.items() if overlap is not None])
def test_pieces_with_the_overlap_are_whole_and_with_less_are_not(name):
    overlap = OVERLAPS[name]
    assert error_of_a_piece(name, overlap) < 1e-4
    # The outermost frames of 17 convolutions count for next to nothing.
    fewer = overlap - 1 - overlap // 4
    assert fewer < 0 or error_of_a_piece(name, fewer) > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, overlap in OVERLAPS.items() if overlap is None])
def test_no_overlap_makes_pieces_whole_where_the_table_says_so(name):
    assert error_of_a_piece(name, 30) > 1e-4


def test_the_table_has_every_encoder():
    assert set(OVERLAPS) == set(ENCODERS)
