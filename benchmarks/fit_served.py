"""The confidence of the network as it is served, fitted on a table of clips, and how well it is calibrated.

python -m benchmarks.fit_served [--films=FOLDER --real=FOLDER] [--document=docs/replay.md]

With `--films` and `--real` the table `benchmarks/served.csv` is made first, of the films of `benchmarks.films`: for
each clip the frequency that `rhythm_scales` reads by the weights that come with the package, its chance, and whether it
is right. Clips last 16 s where 5.5 Hz are to be told, and 24 s at most. A logistic regression on the logarithm of the
chance gives `rhythm_scales.EVEN` and `STEEP`, on films of groups A to P. Groups R and T, and `videos`, test them. A
test fails where the numbers in the module are others.
"""

import csv
import functools
import pathlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import keras
import numpy as np
import tensorflow as tf
from sklearn.linear_model import LogisticRegression

from benchmarks import document, films, fit, real
from simper_tf.data.recording_clips import Recordings
from simper_tf.evaluation import markdown_tables
from simper_tf.methods import rhythm_scales
from simper_tf.recordings import sources, windows
from simper_tf.signals import samples
from simper_tf.signals.rhythm_form import SIDE
from simper_tf.training import own_replay
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.units import PERIODS

COMMAND = "python -m benchmarks.fit_served"
TABLE = pathlib.Path(__file__).with_name("served.csv")
KEYS = ("film", "group", "source", "clip", "hertz", "outcome", "chance")
FITTED_ON = tuple(group for group in films.AT_HAND if group not in ("videos", "videos2"))
PARTS = {"A to P, fitted": FITTED_ON, "R and T": films.TEST, "videos": ("videos", "videos2")}
MOST_CLIPS = 8  # Of a film.
TOLD = (real.RIGHT, films.OCTAVE, real.WRONG, real.SILENT, real.REFUSED, real.ANSWERED)
_LOWEST, _SHARE = 0.05, 0.44  # Hz, and share of the frame rate, between which clips are read.


def rows_of(film: films.Film) -> Iterator[dict]:
    """Yields a row for each clip of a film.

    Raises:
        RawDataError, ValueError: it has no clip.
    """
    info = sources.open_file(film.path).info()
    highest = min(windows.BAND[1], _SHARE * info.rate)
    seconds = min(own_replay.longest_clip(highest), info.seconds - 1 / info.rate)
    band = max(_LOWEST, 1.01 * PERIODS / seconds), highest
    recordings = Recordings([str(film.path)], window=seconds, size=(SIDE, SIDE), band=band)
    rate = tf.constant([recordings.rate], tf.float32)
    for number, clip in enumerate(recordings.clips[:MOST_CLIPS]):
        pixels = tf.constant(clip[None] / np.float32(255))
        chances = _shipped(clip.shape[-1])(pixels)
        hertz, _ = rhythm_scales.read(chances, pixels, rate, recordings.band)
        _, chance = rhythm_scales.likeliest(chances, rate, recordings.band)
        said = films.outcome(film.hertz, float(hertz[0]))
        cells = film.name, film.group, film.source, number, f"{float(hertz[0]):.4g}", said, f"{float(chance[0]):.4f}"
        yield dict(zip(KEYS, cells, strict=True))


@functools.cache
def _shipped(channels) -> keras.Model:
    model = own_replay.replay_of_films(0)
    own_replay.set_shipped(model)
    return rhythm_scales.over_scales(model.encoder, model.head, (SIDE, SIDE, channels))


def table() -> list[dict]:
    """Returns the rows of the committed table, their numbers as floats."""
    with TABLE.open(newline="") as file:
        return [{**row, "hertz": float(row["hertz"]), "chance": float(row["chance"])} for row in csv.DictReader(file)]


def fitted(rows: Sequence[dict]) -> tuple[float, float]:
    """Returns the chance at which half of the clips of `FITTED_ON` are right, and how steeply that rises."""
    some = [row for row in rows if row["group"] in FITTED_ON]
    inputs = [[np.log(max(row["chance"], rhythm_scales.LEAST))] for row in some]
    model = LogisticRegression(C=10.0).fit(inputs, [row["outcome"] == real.RIGHT for row in some])
    steep = float(model.coef_[0, 0])
    return round(float(np.exp(-model.intercept_[0] / steep)), 3), round(steep, 2)


def outcomes(rows: Sequence[dict]) -> Counter:
    """Returns how many films have which outcome, each told as `OwnReplay` tells it: silent where no clip is sure."""
    clips, told = defaultdict(list), Counter()
    for row in rows:
        clips[row["group"], row["film"]].append(row)
    for some in clips.values():
        confidence = rhythm_scales.confidence(tf.constant([row["chance"] for row in some], tf.float32)).numpy()
        is_control = some[0]["outcome"] == real.ANSWERED
        if confidence.max() < samples.SURE:
            told[real.REFUSED if is_control else real.SILENT] += 1
            continue
        hertz = np.array([row["hertz"] for row in some])
        middle = samples.weighted_median(hertz, confidence)
        told[some[int(np.abs(hertz - middle).argmin())]["outcome"]] += 1
    return told


def report(rows: Sequence[dict]) -> str:
    """Returns Markdown: outcomes of films by parts, and how sure the clips of A to P and of the others are."""
    lines = []
    for name, groups in PARTS.items():
        number = outcomes([row for row in rows if row["group"] in groups])
        lines.append([name, *(str(number[outcome]) for outcome in TOLD)])
    header = ("films", *TOLD[:4], "controls refused", "controls answered")
    chances = tf.constant([row["chance"] for row in rows], tf.float32)
    sure = rhythm_scales.confidence(chances).numpy().astype(float)
    singly = [row | {"film": f"{row['film']} {row['clip']}"} for row in rows]
    others = tuple(group for groups in PARTS.values() if groups != FITTED_ON for group in groups)
    parts = [markdown_tables.markdown_table(header, lines)]
    for name, groups in (("A to P", FITTED_ON), ("others", others)):
        parts += [f"Clips of {name}:", fit.calibration(singly, sure, groups).replace("films", "clips")]
    return "\n\n".join(parts)


def main():
    """Makes the table where films are given, and prints the fit and how good it is."""
    given = films.parsed(document.flags(__doc__))
    if given.films:
        rows = []
        for film in (*films.unseen(given.films), *films.counted(given.real)):
            try:
                rows += rows_of(film)
            except (RawDataError, ValueError) as refusal:
                print(refusal)
        fit.write(TABLE, KEYS, rows)
    even, steep = fitted(table())
    print(f"EVEN, STEEP = {even:g}, {steep:g}  # In simper_tf/methods/rhythm_scales.py.")
    document.say(given.document, COMMAND, report(table()))


if __name__ == "__main__":
    main()
