"""Command-line programs: absl flags in, calls of `simper_tf` out. Flags are defined and read only here."""

import contextlib
import os
import pathlib
import sys
import tempfile


def look_for_devices():
    """Lets TensorFlow look for devices, without the lines about missing GPUs that it prints on the way.

    Each command does so first. It is not done at import: CUDA does not work in a process forked from one that has.
    """
    with _quietly():
        tensorflow.config.list_physical_devices()


@contextlib.contextmanager
def _quietly():
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


os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
try:
    tempfile.gettempdir()  # TensorFlow asks for one as it is loaded.
except FileNotFoundError as error:
    sys.exit(f"error: {error.strerror}. Make room there, or name a folder that can be written by TMPDIR.")
with _quietly():
    import tensorflow
try:
    import simper_tf.utils.backend  # noqa: F401
except ImportError as error:  # Such as Keras with another backend: a mistake to be told in a line.
    sys.exit(f"error: {error}")
