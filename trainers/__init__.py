"""Command-line programs: absl flags in, calls of `simper_tf` out. Flags are defined and read only here."""

import os

# TensorFlow reads it when it is loaded. Its notes on CPU features would bury the one line that matters.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
