"""The confidence in what repeats in a series, fitted on series that are drawn, and how well it is calibrated.

python -m benchmarks.fit_series [--number=4000] [--fresh=1000] [--document=docs/series.md]

Two logistic regressions give the odds that a tempo that is tried is right, and that the likeliest of a span of
frequencies is. They are written to where reading takes them from. Fresh series, which neither has seen, test them.
"""

import itertools
import json
import pathlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import document, made_series, real
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import fitted, result
from simper_tf.reading.series import beat_courses, beat_stretches, beats, series_reader, spectral_lines, tempo_spans
from simper_tf.utils import files

COMMAND = "python -m benchmarks.fit_series"
FITTED = pathlib.Path(fitted.__file__).with_name(beats.COEFFICIENTS)
NEAR = 0.04  # Share by which a tempo may be off to be right.
MOST = 0.7  # Share of the cycles.
AT_ONE_MOMENT = 0.85  # Mean of the turns of its cycles at which the beats of a try are, as complex numbers.
OCTAVE = "multiple or part"
MULTIPLES = (2, 3, 4, 5, 6, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6)
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.98, 1.01)
SEED, FRESH = 0, 1_000_000  # Of the first series that is fitted, and of the first that tests.


class Span(NamedTuple):
    """What was tried in a span of frequencies of a series.

    Attributes:
        tried: Of each try what `beats` sees of it, and whether it is right.
        sure: The same of the likeliest one; none where it is a part or a multiple of what repeats.
    """

    tried: list[tuple[dict[str, float], bool]]
    sure: list[tuple[dict[str, float], bool]]


def series(first: int, number: int) -> Iterator[made_series.Made]:
    """Yields series of so many seeds from a first one on."""
    for seed in range(first, first + number):
        yield made_series.drawn(np.random.default_rng(seed))


def spans(made: Iterable[made_series.Made]) -> Iterator[Span]:
    """Yields what is tried in each span of series of one stretch."""
    for one in made:
        if one.times[-1] > 1.5 * beat_stretches.STRETCH or len(one.times) < beats.FEWEST_SAMPLES:
            continue
        even = beat_courses.evenly(one.times, one.values)
        power = spectral_lines.power_of(even)
        for _, band in tempo_spans.bands(one.times, even.rate, tempo_spans.limits_of(one.times, None)):
            if tried := beats.tries(even, band):
                heard = beats.chosen(tried)
                first = heard.candidates[0]
                is_beside = heard.is_faster or spectral_lines.is_part(heard.frequency, *power)
                is_beside |= any(is_right(factor * heard.frequency, one.hertz) for factor in MULTIPLES)
                sure = [] if is_beside else [(beats.sureness(first), is_right(heard.frequency, one.hertz))]
                yield Span([(attempt.features, is_beaten(attempt, one)) for attempt in tried], sure)


def is_right(hertz: float, true: float) -> bool:
    """Returns whether a tempo is the true one, which is NaN where nothing repeats."""
    return bool(abs(hertz / true - 1) < NEAR)


def is_beaten(attempt: beats.Try, one: made_series.Made) -> bool:
    """Returns whether a try has the tempo of a series, and its beats are at one moment of nearly every cycle."""
    number = len(attempt.times)
    if not is_right(attempt.frequency, one.hertz) or number < MOST * len(one.marks) - 2:
        return False
    cycles = np.interp(attempt.times, one.marks, np.arange(len(one.marks)))
    is_whole = abs((number - 1) / max(float(np.ptp(cycles)), 1e-9) - 1) < NEAR + 0.5 / number
    return bool(is_whole and abs(np.exp(2j * np.pi * cycles).mean()) > AT_ONE_MOMENT)


def of(rows: list[tuple[dict[str, float], bool]]) -> dict:
    """Returns the bias and the weights of a logistic regression on rows of what is seen, and what is right."""
    seen = np.array([list(row.values()) for row, _ in rows])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=3.0, max_iter=1000)).fit(seen, [ok for _, ok in rows])
    weights = model[1].coef_[0] / model[0].scale_
    bias = model[1].intercept_[0] - weights @ model[0].mean_
    names = rows[0][0]
    return {
        "bias": round(float(bias), 3),
        "weights": {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)},
    }


def fit(number: int):
    """Fits both odds to so many series, and writes them: the second needs what the first makes the likeliest.

    One that is stopped leaves the coefficients as they were: those of one fit belong together.
    """
    before = FITTED.read_text()
    try:
        for kind in ("tried", "sure"):
            rows = [row for span in spans(series(SEED, number)) for row in getattr(span, kind)]
            shipped = json.loads(FITTED.read_text()) | {kind: of(rows)}
            files.write_atomically(FITTED, json.dumps(shipped, indent=1) + "\n")
            fitted.coefficients.cache_clear()
            print(f"{kind}: {len(rows)} rows", flush=True)
    except BaseException:
        files.write_atomically(FITTED, before)
        raise


def outcome(one: made_series.Made) -> tuple[str, float, bool]:
    """Returns what the reader makes of a series: the outcome, the confidence of its first answer, and its truth."""
    answers = series_reader.reading_of_samples(one.times, one.values).answers
    clear = [answer for answer in answers if answer.verdict == result.CLEAR]
    first = (clear or answers or [None])[0]
    sure, right = (first.confidence, is_right(first.hertz, one.hertz)) if first else (0.0, False)
    if np.isnan(one.hertz):
        return (real.ANSWERED if clear else real.REFUSED), sure, right
    if not clear:
        return real.SILENT, sure, right
    octave = any(is_right(factor * clear[0].hertz, one.hertz) for factor in MULTIPLES)
    return (real.RIGHT if right else OCTAVE if octave else real.WRONG), sure, right


def report(made: Iterable[made_series.Made]) -> str:
    """Returns Markdown: outcomes by kind of series, and how far the confidence can be trusted."""
    seen = [(one.kind, np.isfinite(one.hertz), *outcome(one)) for one in made]
    told = (real.RIGHT, OCTAVE, real.WRONG, real.SILENT, real.ANSWERED, real.REFUSED)
    lines = []
    for repeats in (True, False):
        kinds = sorted({row[0] for row in seen if row[1] == repeats})
        for kind in (*kinds, None):
            rows = [row for row in seen if row[1] == repeats and kind in (row[0], None)]
            count = Counter(row[2] for row in rows)
            name = kind or ("**all that repeat**" if repeats else "**all controls**")
            lines.append([name, str(len(rows)), *(str(count[each]) if count[each] else "" for each in told)])
    text = markdown_tables.markdown_table(("series", "drawn", *told), lines)
    lines = []
    for low, high in itertools.pairwise(BINS):
        some = [(row[3], row[4]) for row in seen if low <= row[3] < high]
        if some:
            sure, right = np.mean(some, axis=0)
            lines.append([f"{low:g} to {min(high, 1):g}", str(len(some)), f"{sure:.2f}", f"{right:.2f}"])
    return f"{text}\n\n{markdown_tables.markdown_table(('confidence', 'series', 'its mean', 'share right'), lines)}"


def main():
    """Fits, writes the coefficients, and prints how good they are on fresh series."""
    parser = document.flags(__doc__)
    parser.add_argument("--number", type=int, default=4000, help="Series that are fitted; 0 keeps the coefficients.")
    parser.add_argument("--fresh", type=int, default=1000, help="Series that test.")
    given = parser.parse_args()
    if given.number:
        fit(given.number)
    document.say(given.document, COMMAND, report(series(FRESH, given.fresh)))


if __name__ == "__main__":
    main()
