"""Features of training and test clips -> predictions, protocol by protocol."""

import dataclasses

import numpy as np
import tensorflow as tf

from simper_tf import metrics, readout
from simper_tf.evaluation.rows import Row


@dataclasses.dataclass(frozen=True)
class Features:
    """What a frozen encoder makes of one split.

    Attributes:
        series: `(N, T)` or `(N, T, D)` float32.
        labels: `(N,)` float32 in the unit of the data set.
        rates: `(N,)` float32, frames per second.
        ids: `(N,)` strings.
        subjects: `(N,)` strings, or None where no people are shown.
    """

    series: np.ndarray
    labels: np.ndarray
    rates: np.ndarray
    ids: np.ndarray
    subjects: np.ndarray | None = None

    def take(self, count):
        """Returns the features of the first `count` clips."""
        subjects = None if self.subjects is None else self.subjects[:count]
        return Features(*(field[:count] for field in (self.series, self.labels, self.rates, self.ids)), subjects)


def extract(encode, examples, batch_size=32, progress=None):
    """Encodes every example of a data set.

    Args:
        encode: `(B, T, H, W, C)` clips -> features, such as `SimPer.encode`.
        examples: `tf.data.Dataset` of dictionaries with `clip`, `label`, `rate`, `id` and perhaps `subject`.
        batch_size: Clips encoded at once; the last, partial batch counts too.
        progress: Called with the number of clips done after each batch, or None.

    Returns:
        `Features`.

    Raises:
        ValueError: there is no example, or the features of a clip are not finite (named).
    """
    encode = tf.function(encode, reduce_retracing=True)
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


def predict_frequencies(train, test, band, num_labeled=10):
    """Predicts the frequency of every test clip by each protocol.

    Args:
        train, test: `Features` with labels in Hz.
        band: `(low, high)` in Hz, for the Fourier readouts.
        num_labeled: Number of training clips whose labels `fft_calibrated` may look at.

    Returns:
        A dictionary from protocol to `(N,)` predictions in Hz, and the calibrated harmonic. `fft` and `fft_paper`
        look at no label; `fft_calibrated` looks at `num_labeled`; `1nn` (by `mxcorr`), `1nn_npsd` and
        `1nn_euclidean` at all.
    """
    few = train.take(num_labeled)
    harmonic = readout.calibrate_harmonic(few.series, few.labels, few.rates, band)
    predictions = {
        "fft": readout.fft_frequency(test.series, test.rates, band)[0].numpy(),
        "fft_paper": readout.fft_frequency(test.series, test.rates, band, mode="paper")[0].numpy(),
        "fft_calibrated": readout.harmonic_frequency(test.series, test.rates, band, harmonic),
    }
    for protocol, distance in (("1nn", "mxcorr"), ("1nn_npsd", "npsd"), ("1nn_euclidean", "euclidean")):
        predictions[protocol] = readout.nearest_neighbor(train.series, train.labels, test.series, distance)
    return predictions, harmonic


def score(predictions, test, unit, **run):
    """Returns one `Row` per protocol and metric.

    Args:
        predictions: Protocol -> `(N,)` predictions.
        test: `Features`; intervals are drawn over its subjects where it has any, else over clips.
        unit: Of the labels.
        **run: The other fields of `Row` that all rows share.
    """
    rows = []
    for protocol, predicted in predictions.items():
        for name, (metric, metric_unit) in metrics.METRICS.items():
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
