"""Metrics of predicted values beside true ones, with bootstrap intervals. NumPy only."""

import functools

import numpy as np

# In the unit of the labels; what is smaller is lifted to it where a logarithm or a quotient would be infinite.
FLOOR = 1e-3


class Undefined(ValueError):
    """A metric does not exist for these labels."""


class Metric:
    """A number that follows from means over clips, so that many resamples of clips cost no more than their means.

    Calling it with `(true, predicted)` returns a float; a ValueError says that these are not equally many, or none.

    Args:
        terms: A function of `(true, predicted)`, whose means count: values `(N,)`, or `(N, K)` for K of them.
        finish: A function from means, `(..., K)` or `(...)` as there are one or several, to the metric, `(...)`.
    """

    def __init__(self, terms, finish=lambda means: means):
        functools.update_wrapper(self, terms)
        self.terms, self.finish = terms, finish

    def __call__(self, true, predicted, **settings):
        return float(self.finish(np.mean(self.terms(true, predicted, **settings), axis=0)))


def _of_means(finish=lambda means: means):
    return lambda terms: Metric(terms, finish)


@_of_means()
def mean_absolute_error(true, predicted):
    """Returns mean |predicted - true|, in the unit of the labels.

    Example:
        >>> mean_absolute_error([1.0, 2.0], [1.5, 2.0])
        0.25
    """
    return _over_clips(_errors(true, predicted))


@_of_means()
def mean_absolute_percentage_error(true, predicted):
    """Returns 100 mean |predicted - true| / |true|, in percent.

    Raises:
        Undefined: a true value is 0.

    Example:
        >>> mean_absolute_percentage_error([1.0, 2.0], [1.5, 2.0])
        25.0
    """
    true = np.asarray(true, np.float64)
    if np.any(true == 0):
        raise Undefined(f"A percentage of a true value of 0 is undefined; {np.sum(true == 0)} of them were given.")
    return 100 * _over_clips(_errors(true, predicted) / np.abs(true))


@_of_means()
def mean_absolute_fraction_error(true, predicted, floor=FLOOR):
    """Returns mean |predicted - true| / max(|true|, floor), a fraction: the paper's MAPE of temperatures.

    A temperature of 0 °C is a true value like any other, so small ones are lifted to `floor`; but for those it is a
    hundredth of `mean_absolute_percentage_error`. It depends on the scale's zero: the same errors in kelvins are some
    twenty times less.

    Example:
        >>> mean_absolute_fraction_error([1.0, 2.0], [1.5, 2.0])
        0.25
    """
    errors = _errors(true, predicted)
    return _over_clips(errors / np.maximum(np.abs(np.asarray(true, np.float64)), floor))


@_of_means(np.exp)
def geometric_mean_error(true, predicted, floor=FLOOR):
    """Returns exp mean log max(|predicted - true|, floor), in the unit of the labels.

    One exact hit would make the plain geometric mean 0, so small errors are lifted to `floor`; `count_floored` says
    how many there were.

    Example:
        >>> round(geometric_mean_error([1.0, 2.0], [1.1, 2.4]), 6)
        0.2
    """
    return _over_clips(np.log(np.maximum(_errors(true, predicted), floor)))


def count_floored(true, predicted, floor=FLOOR):
    """Returns how many errors `geometric_mean_error` lifts to `floor`.

    Example:
        >>> int(count_floored([1.0, 2.0], [1.0, 2.4]))
        1
    """
    return int(np.sum(_errors(true, predicted) < floor))


def _correlation_of_moments(means):
    """Pearson's r from the means of x, y, xx, yy and xy, `(..., 5)`."""
    x, y, xx, yy, xy = np.moveaxis(means, -1, 0)
    scale = np.sqrt(_spread(x, xx) * _spread(y, yy))
    # What is not a number stays so: only what is constant has none.
    return np.where(scale == 0, 0.0, xy - x * y) / np.where(scale == 0, 1.0, scale)


def _spread(mean, mean_square):
    """The variance; 0 where it is but rounding."""
    variance = mean_square - mean**2
    return np.where(variance <= 1e-12 * mean_square, 0.0, variance)


@_of_means(_correlation_of_moments)
def pearson_correlation(true, predicted):
    """Returns Pearson's r in [-1, 1]; 0 where all predictions are alike, as the authors' code has it.

    Raises:
        Undefined: all true values are alike.

    Example:
        >>> round(pearson_correlation([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]), 6)
        1.0
    """
    true, predicted = _pairs(true, predicted)
    if np.ptp(true) == 0:
        raise Undefined("A correlation with true values that are all alike is undefined.")
    # Centered first: moments of values far from 0 leave nothing of a small spread.
    x, y = [values - values.mean() for values in (true, predicted)]
    return np.stack([_over_clips(values) for values in (x, y, x * x, y * y, x * y)], axis=1)


@_of_means()
def mean_series_correlation(true, predicted):
    """Returns the mean of Pearson's r over series, each taken along its own time; see `pearson_correlation`.

    Args:
        true, predicted: `(N, T)`.

    Example:
        >>> round(mean_series_correlation([[1.0, 2.0], [1.0, 2.0]], [[3.0, 5.0], [5.0, 3.0]]), 6)
        0.0
    """
    return _correlations(*_pairs(true, predicted))


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
    # Over all series and times at once, so that levels count too.
    "pearson_pooled": (pearson_correlation, ""),
}


def bootstrap_interval(metric: Metric, true, predicted, groups=None, num_resamples=1000, seed=0):
    """Returns the 95 % percentile bootstrap interval of a metric.

    Args:
        metric: One of this module.
        true, predicted: `(N,)` or `(N, T)`.
        groups: `(N,)` labels, such as subjects: whole groups are drawn then, because clips of one person, or of one
            picture, err alike. Clips are drawn where all are of one group, of which no draw would differ: the interval
            then says nothing of other people.
        num_resamples: Number of draws, with replacement.
        seed: Seed of the draws.

    Returns:
        `(low, high)`.

    Example:
        >>> low, high = bootstrap_interval(mean_absolute_error, np.arange(9.0), np.arange(9.0) + 0.5)
        >>> float(low), float(high)
        (0.5, 0.5)
    """
    terms = np.asarray(metric.terms(true, predicted))
    if groups is None or len(np.unique(groups)) == 1:
        groups = np.arange(len(terms))
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    # A resample is known by how often it has each group: its means follow from the sums of groups.
    sums = np.zeros((len(sizes), *terms.shape[1:]))
    np.add.at(sums, group, terms)
    times = _times_drawn(len(sizes), num_resamples, seed)
    clips = (times @ sizes).reshape(-1, *[1] * (terms.ndim - 1))
    low, high = np.percentile(metric.finish(times @ sums / clips), [2.5, 97.5])
    return float(low), float(high)


@functools.lru_cache(maxsize=4)  # All metrics and readouts of the same clips have the same draws.
def _times_drawn(number, num_resamples, seed):
    """Returns how often each resample of `number` groups has each of them, `(num_resamples, number)`."""
    rng = np.random.default_rng(seed)
    draws = (rng.integers(number, size=number) for _ in range(num_resamples))
    times = np.stack([np.bincount(drawn, minlength=number) for drawn in draws]).astype(np.float64)
    times.flags.writeable = False
    return times


def _over_clips(values):
    """Returns the `(N,)` means of the values of each clip."""
    return values.reshape(len(values), -1).mean(axis=1)


def _correlations(true, predicted):
    """Pearson's r along the last axis."""
    true, predicted = _centered(true), _centered(predicted)
    scale = np.sqrt(np.sum(true**2, axis=-1) * np.sum(predicted**2, axis=-1))
    return np.sum(true * predicted, axis=-1) / np.where(scale > 0, scale, 1.0)


def _centered(values):
    """Values less their mean along the last axis; 0 where the difference is but rounding, as of constant ones."""
    mean = values.mean(axis=-1, keepdims=True)
    centered = values - mean
    return np.where(np.abs(centered) <= 1e-12 * np.abs(mean), 0.0, centered)


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
