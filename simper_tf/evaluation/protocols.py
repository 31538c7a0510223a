"""Features of training and test clips -> predictions, protocol by protocol."""

import dataclasses

import numpy as np
import tensorflow as tf

from simper_tf import metrics, neighbors, readout, units
from simper_tf.evaluation.rows import Row


@dataclasses.dataclass(frozen=True)
class Features:
    """What a frozen encoder makes of one split.

    Attributes:
        series: `(N, T)` or `(N, T, D)` float32.
        labels: `(N,)` float32 in the unit of the data set, or `(N, H)` series of such values.
        rates: `(N,)` float32, frames per second.
        ids: `(N,)` strings.
        subjects: `(N,)` strings, or None where no people are shown.
    """

    series: np.ndarray
    labels: np.ndarray
    rates: np.ndarray
    ids: np.ndarray
    subjects: np.ndarray | None = None

    def per_hertz(self, unit):
        """Returns the factor, or `(N,)` factors, from Hz to a unit of frequency; see `units.per_hertz`."""
        return units.per_hertz(unit, self.series.shape[1] / self.rates)

    def take(self, count):
        """Returns the features of the first `count` clips."""
        subjects = None if self.subjects is None else self.subjects[:count]
        return Features(*(field[:count] for field in (self.series, self.labels, self.rates, self.ids)), subjects)


def extract(encode, examples, batch_size=None, progress=None):
    """Encodes every example of a data set.

    Args:
        encode: `(B, T, H, W, C)` clips -> features, such as `SimPer.encode`.
        examples: `tf.data.Dataset` of dictionaries with `clip`, `label`, `rate`, `id` and perhaps `subject`.
        batch_size: Clips encoded at once; the last, partial batch counts too. None for as many as hold 16 million
            values, 1 to 32.
        progress: Called with the number of clips done after each batch, or None.

    Returns:
        `Features`.

    Raises:
        ValueError: there is no example, or the features of a clip are not finite (named).
    """
    batch_size = batch_size or _batch_size(examples.element_spec["clip"].shape.num_elements())
    encode = tf.function(encode, reduce_retracing=True, autograph=False)
    batches, done = [], 0
    for batch in examples.batch(batch_size).prefetch(1):
        series = encode(batch["clip"]).numpy()
        broken = ~np.isfinite(series).reshape(len(series), -1).all(axis=1)
        if broken.any():
            raise ValueError(f"The features of clip {batch['id'].numpy()[broken][0].decode()} are not finite.")
        names = [np.char.decode(batch[name].numpy().astype(bytes)) for name in ("id", "subject") if name in batch]
        batches.append((series, batch["label"].numpy(), batch["rate"].numpy(), *names))
        done += len(series)
        if progress:
            progress(done)
    if not batches:
        raise ValueError("The split holds no example.")
    return Features(*(np.concatenate(field) for field in zip(*batches, strict=True)))


def predict_frequencies(train, test, band, num_labeled=10, unit="Hz"):
    """Predicts the label of every test clip by each protocol that reads a frequency off the features.

    Args:
        train, test: `Features` with labels in `unit`.
        band: `(low, high)` in Hz, for the Fourier readouts.
        num_labeled: Number of training clips whose labels `fft_calibrated` may look at.
        unit: Of the labels; one of frequency, see `units.per_hertz`.

    Returns:
        A dictionary from protocol to `(N,)` predictions in `unit`, and the calibrated harmonic. `fft` and `fft_paper`
        look at no label; `fft_calibrated` looks at `num_labeled`; `1nn` (by `mxcorr`), `1nn_npsd` and
        `1nn_euclidean` at all.
    """
    harmonic = calibrate_harmonic(train.take(num_labeled), band, unit)
    frequencies = {
        "fft": readout.fft_frequency(test.series, test.rates, band)[0].numpy(),
        "fft_paper": readout.fft_frequency(test.series, test.rates, band, mode="paper")[0].numpy(),
        "fft_calibrated": readout.harmonic_frequency(test.series, test.rates, band, harmonic),
    }
    predictions = {protocol: values * test.per_hertz(unit) for protocol, values in frequencies.items()}
    for protocol, distance in (("1nn", "mxcorr"), ("1nn_npsd", "npsd"), ("1nn_euclidean", "euclidean")):
        predictions[protocol] = neighbors.nearest_neighbor(train.series, train.labels, test.series, distance)
    return predictions, harmonic


def calibrate_harmonic(few, band, unit="Hz"):
    """Returns the harmonic of `readout.calibrate_harmonic`, from `Features` of labelled clips."""
    return readout.calibrate_harmonic(few.series, few.labels / few.per_hertz(unit), few.rates, band)


def score(predictions, test, unit, **run):
    """Returns one `Row` per protocol and metric.

    Args:
        predictions: Protocol -> predictions of the shape of the labels, `(N,)` or `(N, H)`.
        test: `Features`; intervals are drawn over its subjects where it has any, else over clips.
        unit: Of the labels.
        **run: The other fields of `Row` that all rows share.
    """
    rows = []
    chosen = metrics.METRICS if test.labels.ndim == 1 else metrics.SERIES_METRICS
    for protocol, predicted in predictions.items():
        for name, (metric, metric_unit) in chosen.items():
            low, high = metrics.bootstrap_interval(metric, test.labels, predicted, test.subjects)
            value = metric(test.labels, predicted)
            rows.append(
                Row(
                    protocol=protocol,
                    metric=name,
                    value=value,
                    unit=unit if metric_unit is None else metric_unit,
                    low=low,
                    high=high,
                    n=len(predicted),
                    **run,
                )
            )
    return rows


def _batch_size(clip_values):
    return min(32, max(1, 2**24 // clip_values))
