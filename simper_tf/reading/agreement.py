"""How well clips are read where nobody knows the truth: what can be said of readings without a label."""

from collections.abc import Iterable, Sequence

import numpy as np

from simper_tf.evaluation import metrics
from simper_tf.evaluation.features import Features
from simper_tf.evaluation.rows import Row
from simper_tf.reading import readouts, scores, self_similarity
from simper_tf.reading.scores import Reading
from simper_tf.utils.standardize import is_series

OTHERS = "pixels", "selfdistance"
# Two readings agree where they differ by less than this share.
_AGREE = 0.05


def read(
    clips: Iterable[np.ndarray], features: Features, model: str, frequencies: np.ndarray, band: tuple[float, float]
) -> dict[str, list[Reading]]:
    """Returns name of a readout -> what it says of each clip: the model's first, and those that have learned nothing.

    Args:
        clips: `(T, H, W, C)` each, uint8 or, of series, floats.
        features: Of the same clips.
        model: Name of the protocol that reads the features.
        frequencies: `(N,)` in Hz, as it reads them.
        band: `(low, high)` in Hz.
    """
    readings = {name: [] for name in (model, *OTHERS)}
    for clip, series, rate, frequency in zip(clips, features.series, features.rates, frequencies, strict=True):
        learned, products = self_similarity.products(series), self_similarity.of_frames(clip)
        readings[model].append(scores.reading(model, learned, float(frequency), float(rate), band))
        weights = scores.SERIES if is_series(clip.shape[1:]) else scores.PICTURES
        readings["pixels"].append(readouts.pixels(products, float(rate), band, weights))
        readings["selfdistance"].append(readouts.selfdistance(products, float(rate), band, weights))
    return readings


def score(readings_of: dict[str, Sequence[Reading]], recordings: Sequence[str], **run) -> list[Row]:
    """Returns result rows of readings, none of which is an error, as there is no label.

    * `label_free_periodic`: share of the clips in which the readout finds a repetition;
    * `label_free_confidence`: mean of its scores;
    * `label_free_agreement_pixels`, `label_free_agreement_selfdistance`: of the clips in which that readout finds one,
      the share in which the model reads the same frequency, to 5 %. No row where it finds none.

    Args:
        readings_of: As `read` returns it.
        recordings: Name of each clip's recording, over which intervals are drawn; over clips of a single one.
        **run: The fields of `rows.Row` that all rows share.
    """
    frequencies = {name: np.array([one.frequency for one in readings]) for name, readings in readings_of.items()}
    sure = {name: np.array([one.score for one in readings]) for name, readings in readings_of.items()}
    values, model = [], next(iter(readings_of))
    for name in readings_of:
        values.append((name, "label_free_periodic", sure[name] >= scores.SURE))
        values.append((name, "label_free_confidence", sure[name]))
    for name in OTHERS:
        agrees = np.abs(frequencies[model] / frequencies[name] - 1) < _AGREE
        values.append((model, f"label_free_agreement_{name}", np.where(sure[name] >= scores.SURE, agrees, np.nan)))
    rows = [
        _row(np.array(numbers, np.float64), np.array(recordings), protocol=p, metric=m, **run)
        for p, m, numbers in values
    ]
    return [row for row in rows if row is not None]


def columns(readings_of: dict[str, Sequence[Reading]]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Returns name -> `(N,)` of what has learned nothing, in Hz, and of how sure each readout is, for a table of clips.

    Args:
        readings_of: As `read` returns it.
    """
    frequencies = {
        f"label_free_{name}": np.array([reading.frequency for reading in readings_of[name]]) for name in OTHERS
    }
    sure = {
        f"confidence of {name}": np.array([reading.score for reading in readings])
        for name, readings in readings_of.items()
    }
    return frequencies, sure


@metrics.Metric
def _mean(_, values):
    return values


def _row(values, recordings, **fields):
    kept = np.isfinite(values)
    if not kept.any():
        return None
    values = values[kept]
    low, high = metrics.bootstrap_interval(_mean, values, values, recordings[kept])
    return Row(value=float(values.mean()), unit="", low=low, high=high, n=len(values), **fields)
