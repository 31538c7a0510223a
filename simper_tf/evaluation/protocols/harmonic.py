"""Protocols of harmonics: frequencies by all harmonics together, without labels.

`harmonic_sum` and `contrast_sum` have learned nothing. They are the strongest controls of a table of frequencies.
`pixel_patterns` and `patterns` learn without labels what the harmonics of pixels, or of features, look like.
"""

import numpy as np

from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import harmonics as combs
from simper_tf.signals import patterns as looks


def harmonic_sum(train: Features, validation: Features, test: Features, task: Task) -> Prediction | None:
    """Reads test clips where the power of all `cells` at f, 2 f and 3 f is the largest; None without cells."""
    return None if test.cells is None else _read(combs.total_power(test.cells), test, task)


def contrast_sum(train: Features, validation: Features, test: Features, task: Task) -> Prediction | None:
    """Reads test clips as `harmonic_sum`, but every frame at one contrast, and power by the root of what is usual.

    Training clips tell what is usual. Changing light then counts for nothing, and what drifts for less. None without
    `contrasts`.
    """
    if test.contrasts is None:
        return None
    heights, usual = (combs.total_power(split.contrasts) for split in (test, train.take(combs.ENOUGH)))
    return _read(heights._replace(found=heights.found / np.sqrt(_positive(usual.found.mean(axis=0)))), test, task)


def patterns(train: Features, validation: Features, test: Features, task: Task) -> Prediction | None:
    """Reads test clips by the patterns that harmonics have in the features of training clips."""
    return _by_patterns("series", train, test, task, confident=True)


def pixel_patterns(train: Features, validation: Features, test: Features, task: Task) -> Prediction | None:
    """Reads test clips by the patterns that harmonics have in `cells` of training clips; None without cells."""
    return None if test.cells is None else _by_patterns("cells", train, test, task)


def _by_patterns(name, train, test, task, confident=False):
    known = train.take(combs.ENOUGH)
    fitted = looks.learn(_channels(getattr(known, name)), known.rates, task.band, confident)
    hertz = looks.read(_channels(getattr(test, name)), fitted, test.rates)
    return Prediction(hertz * test.per_hertz(task), fitted=fitted)


def _positive(power):
    return np.maximum(power, np.finfo(power.dtype).tiny)


def _channels(series):
    """Returns `(N, T)` or `(N, T, D)` series with the axis of D."""
    return series.reshape(*series.shape[:2], -1)


def _read(heights, test, task):
    return Prediction(combs.comb_peak(heights, test.rates, task.band) * test.per_hertz(task))
