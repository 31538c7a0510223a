"""Losses of layers beside that of a method, for whoever asks while the encoder is called.

Keras' `add_loss` keeps such terms in the layer, which all replicas share: those of one would reach another's loss, as
replicas take turns within a step. Here they belong to the thread that calls, and each replica has its own.
"""

import contextlib
import threading
from collections.abc import Iterator

import tensorflow as tf

_OPEN = threading.local()


@contextlib.contextmanager
def collected() -> Iterator[list[tf.Tensor]]:
    """Gives a list of the scalars that layers `add` in this thread, for the time of a block; the innermost has them."""
    before, _OPEN.terms = getattr(_OPEN, "terms", None), []
    try:
        yield _OPEN.terms
    finally:
        _OPEN.terms = before


def add(term: tf.Tensor):
    """Adds a scalar to what is to be small; where nobody asks, nothing happens."""
    terms = getattr(_OPEN, "terms", None)
    if terms is not None:
        terms.append(term)
