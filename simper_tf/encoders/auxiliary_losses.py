"""What layers of an encoder would have small beside a method's loss, for whoever asks while the encoder is called.

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
    before, _OPEN.found = getattr(_OPEN, "found", None), []
    try:
        yield _OPEN.found
    finally:
        _OPEN.found = before


def add(term: tf.Tensor):
    """Adds a scalar to what is to be small; where nobody asks, nothing happens."""
    found = getattr(_OPEN, "found", None)
    if found is not None:
        found.append(term)
