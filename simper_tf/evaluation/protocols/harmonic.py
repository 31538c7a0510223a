"""Protocols of the sum of harmonics: frequencies by all harmonics together, without labels.

`harmonic_sum`, `contrast_sum` and `pixel_harmonics` have learned nothing. They are the strongest controls of a table of
frequencies: what is learned counts as far as `harmonics`, which has features beside the pixels, is better.
"""

import numpy as np

from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import harmonics as combs


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


def pixel_harmonics(train: Features, validation: Features, test: Features, task: Task) -> Prediction | None:
    """Reads test clips by the `harmonics.evidence` of their `cells`, beside training clips; None without cells."""
    return None if test.cells is None else _read(_evidence("cells", train, test), test, task)


def harmonics(train: Features, validation: Features, test: Features, task: Task) -> Prediction | None:
    """Reads test clips by the evidence of features and of pixels together; None without cells."""
    if test.cells is None:
        return None
    both = zip(_evidence("cells", train, test), _evidence("series", train, test), strict=True)
    return _read(combs.Heights(*map(sum, both)), test, task)


def _evidence(name, train, test):
    usual = train.once(name, lambda: combs.background(_channels(getattr(train, name))))
    return combs.evidence(_channels(getattr(test, name)), usual)


def _positive(power):
    return np.maximum(power, np.finfo(power.dtype).tiny)


def _channels(series):
    """Returns `(N, T)` or `(N, T, D)` series with the axis of D."""
    return series.reshape(*series.shape[:2], -1)


def _read(heights, test, task):
    return Prediction(combs.comb_peak(heights, test.rates, task.band) * test.per_hertz(task))
