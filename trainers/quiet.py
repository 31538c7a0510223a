"""TensorFlow, loaded without the lines about missing GPUs: the first import of each command that needs it."""

import sys

from simper_tf.utils import quiet

try:
    quiet.load_tensorflow()
except FileNotFoundError as error:
    sys.exit(f"error: {error.strerror}. Make room there, or name a folder that can be written by TMPDIR.")
except ImportError as error:  # Such as Keras with another backend: a mistake to be told in a line.
    sys.exit(f"error: {error}")
