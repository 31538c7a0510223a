"""A series for `simper predict`, its call in this process, and the rows that it writes."""

import csv

import numpy as np

from simper_tf.commands import main, predict


def breath(hertz=0.7):
    """Returns the text of a table of 12 s of a wave, 50 samples a second."""
    times = np.arange(0, 12, 0.02)
    return "\n".join(["time,chest", *(f"{time:.3f},{np.sin(2 * np.pi * hertz * time):.5f}" for time in times)])


def run(*words):
    """Calls what the command does; returns what could not be read."""
    return predict.predict(*main.parsed("predict", [*map(str, words)]))


def rows(folder):
    """Returns the rows of the table in a folder of results."""
    return list(csv.DictReader((folder / predict.CSV).open(encoding="utf-8")))
