"""Recordings that were read, made up."""

import itertools

import numpy as np

from simper_tf.reading import result
from simper_tf.reading.source_reader import Done
from simper_tf.recordings.boxes import Box
from simper_tf.recordings.source_contract import Info

STILL = np.full((24, 32, 3), 90, np.uint8)
INFO = Info(10.0, 12.0, 24, 32)


def answer(hertz=0.5, first=1.0, count=4, **changes):
    """Returns an answer whose repetitions follow one another from a second on."""
    edges = first + np.arange(count + 1) / hertz
    times = np.arange(0, 12, 0.1)
    given = {
        "scene": 0, "reader": "movement", "repetitions": tuple(itertools.pairwise(edges.tolist())),
        "hertz": hertz, "error": 0.01, "pairs": None, "pauses": (), "box": Box(0.25, 0.0, 0.75, 0.5), "confidence": 0.9,
        "verdict": result.CLEAR, "times": times, "course": np.sin(2 * np.pi * hertz * times),
    }  # fmt: skip
    given |= changes
    return result.Answer(**{"peaks": tuple(sum(span) / 2 for span in given["repetitions"])} | given)


def done(*answers, name="a.mp4", verdict=None, notes=(), stills=(STILL,), channels=()):
    """Returns a recording with some answers, or one in which nothing repeats."""
    verdict = verdict or (answers[0].verdict if answers else result.NOTHING)
    reading = result.Reading((result.Scene(0.0, 12.0, verdict),), tuple(answers), verdict, ())
    return Done(name, INFO, tuple(notes), reading, stills=stills, channels=channels)
