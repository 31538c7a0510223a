"""The confidence of films, fitted on a table of evidence, and how well it is calibrated.

python -m benchmarks.fit [--films=FOLDER --real=FOLDER] [--kept=runs/frames] [--document=docs/reading.md]

With `--films` and `--real` the table `benchmarks/evidence.csv` is made first, of the films of `benchmarks.films`: a
row for each tempo that a stretch of a film may have, the evidence for it, and whether it is right. A logistic
regression gives the weights, on films that were at hand when the reader was made. They are written to where reading
takes them from. The other films test them.
"""

import csv
import itertools
import json
import pathlib
from collections import Counter
from collections.abc import Iterable, Sequence
from unittest import mock

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from benchmarks import document, films, real
from simper_tf.evaluation import markdown_tables
from simper_tf.reading.films import film_reader, movement, rhythm_network, verdict
from simper_tf.reading.result import SURE
from simper_tf.utils import files

COMMAND = "python -m benchmarks.fit"
TABLE = pathlib.Path(__file__).with_name("evidence.csv")
FITTED = pathlib.Path(verdict.__file__).parents[1] / verdict.COEFFICIENTS
# Evidence of the network, of the repetitions that are found, and of both.
NETWORK = ("cover", "chance", "rival")
FOUND = ("alike", "steady", "explained", "cover", "dimensions")
BOTH = (*FOUND, "chance", "rival")
KEYS = ("film", "group", "source", "stretch", "hertz", "outcome")
# Tempos of a stretch that are weighed, by either evidence.
TEMPOS = 4
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.01)
TOLD = (real.RIGHT, films.OCTAVE, real.WRONG, real.ANSWERED)


def evidence(film: films.Film, some: films.Frames) -> list[dict]:
    """Returns a row for each tempo that each stretch of a film may have."""
    seen = []

    def noting(*given):
        steady, ranked = _RANKED(*given)
        seen.append((given[0].rate, ranked))
        return steady, ranked

    with mock.patch.object(film_reader, "_ranked", noting):
        films.reading_of(some)
    rows = []
    for number, (rate, ranked) in enumerate(seen):
        several = [
            candidate for candidate in ranked if candidate.evidence.count > 2 and np.isfinite(candidate.evidence.chance)
        ]
        by_chance = sorted(several, key=lambda candidate: -candidate.evidence.chance)
        for candidate in {id(candidate): candidate for candidate in (*_tempos(several), *_tempos(by_chance))}.values():
            hertz = candidate.hertz * rate
            cells = (film.name, film.group, film.source, number, f"{hertz:.4g}", films.outcome(film.hertz, hertz))
            shown = {name: f"{value:.4g}" for name, value in verdict.features(candidate.evidence).items()}
            rows.append({**dict(zip(KEYS, cells, strict=True)), **shown})
    return rows


_RANKED = film_reader._ranked


def _tempos(ranked: list[movement.Candidate]) -> list[movement.Candidate]:
    """The first candidates of a few tempos."""
    chosen: list[movement.Candidate] = []
    for candidate in ranked:
        if all(abs(np.log(candidate.hertz / other.hertz)) > movement.TEMPO for other in chosen):
            chosen.append(candidate)
    return chosen[:TEMPOS]


def table() -> list[dict]:
    """Returns the rows of the committed table, their numbers as floats."""
    with TABLE.open(newline="") as file:
        return [{**row, **{name: float(row[name]) for name in BOTH}} for row in csv.DictReader(file)]


def write(path: pathlib.Path, names: Sequence[str], rows: Iterable[dict]):
    """Writes a table of rows, whole or not at all."""
    with files.replacing(path, "w") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def at_hand(rows: Iterable[dict]) -> list[dict]:
    """Returns the rows of films that were at hand when the reader was made."""
    return [row for row in rows if row["group"] in films.AT_HAND]


def fitted(rows: Sequence[dict]) -> dict:
    """Returns the coefficients of the confidence, see `verdict.coefficients`."""
    network = rhythm_network.checksum(rhythm_network.weights())
    return {"network": network, "both": _weights(rows, BOTH), "alone": _weights(rows, FOUND)}


def _weights(rows, names):
    model = _model().fit(_inputs(rows, names), _right(rows))
    weights = {name: round(float(weight), 3) for name, weight in zip(names, model.coef_[0], strict=True)}
    return {"bias": round(float(model.intercept_[0]), 3), "weights": weights}


def cross_validated(rows: Sequence[dict], names: Sequence[str]) -> np.ndarray:
    """Returns the confidence of each row: of films at hand by the others of them, of the others by all of those."""
    known = np.array([row["group"] in films.AT_HAND for row in rows])
    inputs, right, chances = _inputs(rows, names), _right(rows), np.zeros(len(rows))
    sources = np.array([row["source"] for row in rows])
    chances[known] = cross_val_predict(
        _model(), inputs[known], right[known], groups=sources[known], cv=LeaveOneGroupOut(), method="predict_proba"
    )[:, 1]
    if not known.all():
        chances[~known] = _model().fit(inputs[known], right[known]).predict_proba(inputs[~known])[:, 1]
    return chances


def _model():
    return LogisticRegression(C=10.0, max_iter=1000)


def _inputs(rows, names):
    return np.array([[row[name] for name in names] for row in rows])


def _right(rows):
    return np.array([row["outcome"] == real.RIGHT for row in rows])


def surest(rows: Sequence[dict], confidence: np.ndarray) -> list[int]:
    """Returns the index of the surest row of each film."""
    best: dict[tuple, int] = {}
    for index, row in enumerate(rows):
        key = row["group"], row["film"]
        if key not in best or confidence[index] > confidence[best[key]]:
            best[key] = index
    return list(best.values())


def report(rows: Sequence[dict]) -> str:
    """Returns Markdown: outcomes by evidence, where the surest tempo of a film is told if it is clear; and how sure."""
    kinds = {"repetitions that are found": FOUND, "the network": NETWORK, "both": BOTH}
    confidences = {kind: cross_validated(rows, names) for kind, names in kinds.items()}
    parts = []
    for groups, title in ((films.AT_HAND, "at hand"), (films.TEST, "others")):
        inside = np.array([row["group"] in groups for row in rows])
        lines = []
        for kind, confidence in confidences.items():
            clear = [index for index in surest(rows, confidence) if inside[index] and confidence[index] >= SURE]
            number = Counter(rows[index]["outcome"] for index in clear)
            loss = log_loss(_right(rows)[inside], confidence[inside])
            lines.append([kind, *(str(number[name]) for name in TOLD), f"{loss:.3f}"])
        head = markdown_tables.markdown_table(
            (f"evidence, films {title}", *TOLD[:-1], "controls answered", "log loss"), lines
        )
        parts += [head, calibration(rows, confidences["both"], groups)]
    return "\n\n".join(parts)


def calibration(rows: Sequence[dict], confidence: np.ndarray, groups: Sequence[str]) -> str:
    """Returns a reliability diagram of the surest tempo of each film, as a table."""
    chosen = [index for index in surest(rows, confidence) if rows[index]["group"] in groups]
    right, lines = _right(rows), []
    for low, high in itertools.pairwise(BINS):
        some = [index for index in chosen if low <= confidence[index] < high]
        if some:
            mean, share = confidence[some].mean(), right[some].mean()
            lines.append([f"{low:g} to {min(high, 1):g}", str(len(some)), f"{mean:.2f}", f"{share:.2f}"])
    return markdown_tables.markdown_table(("confidence", "films", "its mean", "share right"), lines)


def main():
    """Makes the table where films are given, fits, writes the coefficients and prints how good they are."""
    parser = document.flags(__doc__)
    parser.add_argument("--kept", type=pathlib.Path, default=pathlib.Path("runs/frames"), help="Small frames.")
    given = films.parsed(parser)
    if given.films:
        rows = [row for film, some in films.all_frames(given.films, given.real, given.kept)
                for row in evidence(film, some)]  # fmt: skip
        write(TABLE, (*KEYS, *BOTH), rows)
    rows = table()
    files.write_atomically(FITTED, json.dumps(fitted(at_hand(rows)), indent=1) + "\n")
    document.say(given.document, COMMAND, report(rows))


if __name__ == "__main__":
    main()
