"""Features of training and test clips -> predictions, protocol by protocol."""

import dataclasses

import numpy as np
import tensorflow as tf

from simper_tf import metrics, neighbors, readout, spectrum, units
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
        pixels: `(N, F)` of `spectrum.pixel_power` of the clips, or None where nobody asked for it.
    """

    series: np.ndarray
    labels: np.ndarray
    rates: np.ndarray
    ids: np.ndarray
    subjects: np.ndarray | None = None
    pixels: np.ndarray | None = None

    def per_hertz(self, unit):
        """Returns the factor, or `(N,)` factors, from Hz to a unit of frequency; see `units.per_hertz`."""
        return units.per_hertz(unit, self.series.shape[1] / self.rates)

    def take(self, count):
        """Returns the features of the first `count` clips."""
        fields = vars(self).items()
        return Features(**{name: values if values is None else values[:count] for name, values in fields})


def extract(encode, examples, batch_size=None, progress=None, pixels=False):
    """Encodes every example of a data set.

    Args:
        encode: `(B, T, H, W, C)` clips -> features, such as `SimPer.encode`.
        examples: `tf.data.Dataset` of dictionaries with `clip`, `label`, `rate`, `id` and perhaps `subject`.
        batch_size: Clips encoded at once; the last, partial batch counts too. None for as many as hold 16 million
            values, 1 to 32.
        progress: Called with the number of clips done after each batch, or None.
        pixels: Whether to take the spectra of the pixels too.

    Returns:
        `Features`.

    Raises:
        ValueError: there is no example, or the features of a clip are not finite (named).
    """
    batch_size = batch_size or _batch_size(examples.element_spec["clip"].shape.num_elements())
    encode = tf.function(encode, reduce_retracing=True, autograph=False)
    pixel_power = tf.function(spectrum.pixel_power, reduce_retracing=True, autograph=False)
    batches, done = [], 0
    for batch in examples.batch(batch_size).prefetch(1):
        series = encode(batch["clip"]).numpy()
        broken = ~np.isfinite(series).reshape(len(series), -1).all(axis=1)
        if broken.any():
            raise ValueError(f"The features of clip {batch['id'].numpy()[broken][0].decode()} are not finite.")
        fields = {"series": series, "labels": batch["label"].numpy(), "rates": batch["rate"].numpy()}
        for name in {"id", "subject"} & set(batch):
            fields[f"{name}s"] = np.char.decode(batch[name].numpy().astype(bytes))
        if pixels:
            fields["pixels"] = pixel_power(batch["clip"]).numpy()
        batches.append(fields)
        done += len(series)
        if progress:
            progress(done)
    if not batches:
        raise ValueError("The split holds no example.")
    return Features(**{name: np.concatenate([fields[name] for fields in batches]) for name in batches[0]})


@dataclasses.dataclass(frozen=True)
class Octave:
    """At which multiple of the frequency features run, by the pixels of unlabelled clips.

    Attributes:
        divisor: The multiple with most votes, 1 without any.
        agreement: Its share of the votes, in [0, 1].
        voting: The share of clips whose pixels show a line by which to vote, in [0, 1].
    """

    divisor: int
    agreement: float
    voting: float

    @property
    def is_common(self):
        """Whether one multiple is to be taken for all clips: few disagree, and not just a few have voted."""
        return self.agreement >= 2 / 3 and self.voting >= 1 / 4

    def __str__(self):
        if self.voting < 1 / 4:
            return (
                f"The pixels of {self.voting:.0%} of the training clips show a line: too few to tell at which multiple "
                "of the frequency features run. Each clip is read by its own pixels."
            )
        times = "the frequency" if self.divisor == 1 else f"{self.divisor} times the frequency"
        if self.is_common:
            return f"Features run at {times}: so say {self.agreement:.0%} of the training clips whose pixels show it."
        return (
            f"Features do not run at one multiple of the frequency: {self.agreement:.0%} of the training clips whose "
            f"pixels show it say {times}, the others differ. Each clip is read by its own pixels."
        )


def find_octave(train):
    """Returns the `Octave` of an encoder, from the `Features` with pixels of unlabelled clips."""
    divisors = readout.octave_votes(train.series, train.pixels)
    return Octave(*readout.common_divisor(divisors), voting=float(np.mean(divisors.numpy() > 0)))


def resolved_frequency(octave, test):
    """Returns `(N,)` frequencies in Hz of `Features` with pixels: by the common multiple, or clip by clip."""
    if octave.is_common:
        return readout.wide_peak(test.series).numpy() * test.rates / octave.divisor
    return readout.resolve_octave(test.series, test.pixels, test.rates).numpy()


def predict_frequencies(train, test, band, octave, num_labeled=10, unit="Hz"):
    """Predicts the label of every test clip by each protocol that reads a frequency off the features.

    Args:
        train, test: `Features` with pixels, and labels in `unit`.
        band: `(low, high)` in Hz, for the Fourier readouts but `fft_resolved`.
        octave: Of `find_octave`.
        num_labeled: Number of training clips whose labels `fft_calibrated` may look at.
        unit: Of the labels; one of frequency, see `units.per_hertz`.

    Returns:
        A dictionary from protocol to `(N,)` predictions in `unit`, and the calibrated harmonic. `fft_resolved` looks at
        no label and knows no band; `fft` and `fft_paper` look at no label; `fft_calibrated` looks at `num_labeled`;
        `1nn` (by `mxcorr`), `1nn_npsd` and `1nn_euclidean` at all. `pixels` has learned nothing: what the others reach
        counts for as much as it is better.
    """
    harmonic = calibrate_harmonic(train.take(num_labeled), band, unit)
    frequencies = {
        "fft_resolved": resolved_frequency(octave, test),
        "fft": readout.fft_frequency(test.series, test.rates, band)[0].numpy(),
        "fft_paper": readout.fft_frequency(test.series, test.rates, band, mode="paper")[0].numpy(),
        "fft_calibrated": readout.harmonic_frequency(test.series, test.rates, band, harmonic),
        "pixels": readout.pixel_frequency(test.pixels, test.rates, test.series.shape[1]).numpy(),
    }
    predictions = {protocol: values * test.per_hertz(unit) for protocol, values in frequencies.items()}
    return predictions | predict_by_neighbor(train, test), harmonic


def predict_by_neighbor(train, test):
    """Returns `{protocol: (N,) predictions}`: the label, in any unit, of the nearest training clip by each distance."""
    distances = {"1nn": "mxcorr", "1nn_npsd": "npsd", "1nn_euclidean": "cosine"}
    return {
        protocol: neighbors.nearest_neighbor(train.series, train.labels, test.series, distance)
        for protocol, distance in distances.items()
    }


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
