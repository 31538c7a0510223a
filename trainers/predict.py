"""Reads how often something repeats in anybody's recordings, with no label, and says so where nothing does.

python -m trainers.predict swing.mp4 videos/ 'clips/**/*.mov' pulse.csv 0

Recordings are video files, folders, patterns, series (.csv, .wav, .edf and others) and numbers of cameras. Answers,
with every repetition, go to CSV and JSON files and to a picture a recording.
"""

import sys

from absl import flags

from simper_tf.commands import predict
from simper_tf.commands.command_options import Predict
from trainers import cli, declared


def main(names):
    """Reads the recordings of that names; ends with 1 where one could not be read."""
    if predict.predict(names, declared.options(Predict, flags.FLAGS)):
        sys.exit(1)


if __name__ == "__main__":
    declared.define(Predict)
    cli.run(main, takes="RECORDING...")
