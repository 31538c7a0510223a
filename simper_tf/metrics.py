"""True and predicted values -> numbers with intervals. NumPy only."""

import numpy as np

# In the unit of the labels; what is smaller is lifted to it where a logarithm or a quotient would be infinite.
FLOOR = 1e-3


class Undefined(ValueError):
    """A metric does not exist for these labels."""


def mean_absolute_error(true, predicted):
    """Returns mean |predicted - true|, in the unit of the labels."""
    return float(np.mean(_errors(true, predicted)))


def mean_absolute_percentage_error(true, predicted):
    """Returns 100 mean |predicted - true| / |true|, in percent.

    Raises:
        Undefined: a true value is 0.
    """
    true = np.asarray(true, np.float64)
    if np.any(true == 0):
        raise Undefined(f"A percentage of a true value of 0 is undefined; {np.sum(true == 0)} of them were given.")
    return float(100 * np.mean(_errors(true, predicted) / np.abs(true)))


def mean_absolute_fraction_error(true, predicted, floor=FLOOR):
    """Returns mean |predicted - true| / max(|true|, floor), a fraction: the paper's MAPE of temperatures.

    A temperature of 0 °C is a true value like any other, so small ones are lifted to `floor`; but for those it is a
    hundredth of `mean_absolute_percentage_error`. It depends on the scale's zero: the same errors in kelvins are some
    twenty times less.
    """
    errors = _errors(true, predicted)
    return float(np.mean(errors / np.maximum(np.abs(np.asarray(true, np.float64)), floor)))


def geometric_mean_error(true, predicted, floor=FLOOR):
    """Returns exp mean log max(|predicted - true|, floor), in the unit of the labels.

    One exact hit would make the plain geometric mean 0, so small errors are lifted to `floor`; `count_floored` says
    how many there were.
    """
    return float(np.exp(np.mean(np.log(np.maximum(_errors(true, predicted), floor)))))


def count_floored(true, predicted, floor=FLOOR):
    """Returns how many errors `geometric_mean_error` lifts to `floor`."""
    return int(np.sum(_errors(true, predicted) < floor))


def pearson_correlation(true, predicted):
    """Returns Pearson's r in [-1, 1]; 0 where either side is constant, as the authors' code has it."""
    return float(_correlations(*(values.ravel() for values in _pairs(true, predicted))))


def mean_series_correlation(true, predicted):
    """Returns the mean of Pearson's r over series, each taken along its own time; see `pearson_correlation`.

    Args:
        true, predicted: `(N, T)`.
    """
    return float(np.mean(_correlations(*_pairs(true, predicted))))


# Name in a result row -> function and unit; None stands for the unit of the labels.
METRICS = {
    "mae": (mean_absolute_error, None),
    "mape": (mean_absolute_percentage_error, "%"),
    "gm": (geometric_mean_error, None),
    "pearson": (pearson_correlation, ""),
}
# The same for labels that are series.
SERIES_METRICS = {
    "mae": (mean_absolute_error, None),
    "mape": (mean_absolute_fraction_error, "fraction"),
    "pearson": (mean_series_correlation, ""),
}


def bootstrap_interval(metric, true, predicted, groups=None, num_resamples=1000, seed=0):
    """Returns the 95 % percentile bootstrap interval of a metric.

    Args:
        metric: A function of `(true, predicted)`.
        true, predicted: `(N,)` or `(N, T)`.
        groups: `(N,)` labels, such as subjects: whole groups are drawn then, because clips of one person err alike.
        num_resamples: Number of draws, with replacement.
        seed: Seed of the draws.

    Returns:
        `(low, high)`.
    """
    true, predicted = np.asarray(true), np.asarray(predicted)
    _, group = np.unique(np.arange(len(true)) if groups is None else np.asarray(groups), return_inverse=True)
    order = np.argsort(group, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(group))[:-1])
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(num_resamples):
        drawn = rng.integers(len(members), size=len(members))
        clips = order[drawn] if groups is None else np.concatenate([members[k] for k in drawn])
        values.append(metric(true[clips], predicted[clips]))
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _correlations(true, predicted):
    """Pearson's r along the last axis."""
    true, predicted = (values - values.mean(axis=-1, keepdims=True) for values in (true, predicted))
    scale = np.sqrt(np.sum(true**2, axis=-1) * np.sum(predicted**2, axis=-1))
    return np.sum(true * predicted, axis=-1) / np.where(scale > 0, scale, 1.0)


def _errors(true, predicted):
    true, predicted = _pairs(true, predicted)
    return np.abs(predicted - true)


def _pairs(true, predicted):
    true, predicted = np.asarray(true, np.float64), np.asarray(predicted, np.float64)
    if true.shape != predicted.shape or true.size == 0:
        raise ValueError(
            f"Needs as many predictions as true values, and at least one. Received: {predicted.shape}, {true.shape}."
        )
    return true, predicted
