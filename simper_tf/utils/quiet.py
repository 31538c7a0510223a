"""Loading of TensorFlow without the lines that it prints where there is no GPU."""

import contextlib
import os
import pathlib
import sys
import tempfile

from simper_tf.utils.errors import LEARNING, missing


def load_tensorflow():
    """Imports TensorFlow and checks that Keras computes with it.

    Raises:
        ImportError: TensorFlow or Keras is not installed, or Keras is set to another backend.
        FileNotFoundError: there is no folder for temporary files, of which TensorFlow needs one.
    """
    if sentence := missing(LEARNING, "train"):
        raise ImportError(sentence)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    tempfile.gettempdir()
    with quietly():
        import tensorflow  # noqa: F401
    import simper_tf.utils.backend  # noqa: F401


def start():
    """Imports TensorFlow and lets it look for devices, for a command that computes with it; errors as above."""
    load_tensorflow()
    look_for_devices()


def look_for_devices():
    """Lets TensorFlow look for devices: apart, as CUDA does not work in a process forked from one that has done so."""
    with quietly():
        import tensorflow as tf

        tf.config.list_physical_devices()


@contextlib.contextmanager
def quietly():
    """Keeps back what is printed as errors in the time of a block, before any log level can be set.

    On a machine with a GPU driver it is printed after all: there it says why the GPU is not used.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            if pathlib.Path("/proc/driver/nvidia").exists():
                said.seek(0)
                os.write(2, said.read())
