"""Order of the lines of a column: which are ahead, and by how much. A line is its rows there, one a seed."""

import math
import statistics
from collections.abc import Sequence

from simper_tf.evaluation.protocols import FLOORS, IDEAL
from simper_tf.evaluation.rows import Row

# Of these metrics more is better; of all others less.
RISING = {"pearson", "pearson_pooled"}
# Protocols that read clips or perfect features, and nothing that anybody learned.
UNLEARNED = {
    "pixels", "pixel_harmonics", "harmonic_sum", "contrast_sum", "spectra_1nn", "surest_harmonic_sum",
    "green", "chrom", "pos", "chrom_fundamental", "pos_fundamental", "chrom_harmonics", "pos_harmonics",
    "persistence", "training_mean",
    IDEAL, *FLOORS,
}  # fmt: skip
# Seeds of each line from which on lines are ranked, and all of one against all of another say which is ahead.
FEWEST = 3


def sentence(column: str, titles: Sequence[str], lines: Sequence[list[Row]]) -> str:
    """Returns a sentence that says which lines of a column are first, and by how much; empty for less than two lines.

    Args:
        column: Its title.
        titles: Of the lines.
        lines: Their rows.
    """
    order, best = _order(lines), first(lines)
    if len(order) < 2:
        return ""
    text = f"{column}: {' and '.join(titles[number] for number in best)}{' level' * (len(best) > 1)}"
    behind = [number for number in order if number not in best]
    if behind:
        text += f", then {titles[behind[0]]} ({_lead(lines[best[0]], lines[behind[0]])})"
    return f"{text}."


def first(lines: Sequence[list[Row]]) -> list[int]:
    """Returns the numbers of the lines that nobody is ahead of, the best first.

    A line is ahead of another whose mean over seeds is worse by more than both spreads, on the sides that face each
    other. It is also ahead if it is better with every seed than the other with any, of `FEWEST` seeds each: a line that
    fails with some seeds spreads so wide that means alone would call it level. Of three seeds that happens by chance
    once in twenty.
    """
    order = _order(lines)
    # Not behind the best alone: where that spreads wide, a line that is level with it may be behind another.
    return [
        number for place, number in enumerate(order)
        if not any(_is_ahead(lines[better], lines[number]) for better in order[:place])
    ]  # fmt: skip


def tells_none_apart(lines: Sequence[list[Row]]) -> bool:
    """Returns whether a column has several lines, and none of them is ahead of any other."""
    order = _order(lines)
    return len(order) > 1 and len(first(lines)) == len(order)


def leads(lines: Sequence[list[Row]], controls: Sequence[list[Row]]) -> bool:
    """Returns whether one line of a column is first among the controls, with none of them level."""
    return any(first([rows, *controls]) == [0] for rows in lines)


def seed_by_seed(column: str, rows: list[Row], others: list[Row], title: str) -> str:
    """Returns a sentence that says with how many seeds one line has smaller errors than another; empty for one seed.

    Both lines have what a seed draws, such as which clips have labels: how far they lie apart with one seed says more
    than how far seeds lie apart.

    Args:
        column: Its title.
        rows, others: Of the two lines.
        title: Of the other.
    """
    values, theirs = ({row.seed: row.value for row in line} for line in (rows, others))
    both = [(values[seed], theirs[seed]) for seed in values if seed in theirs]
    if len(both) < 2:
        return ""
    # An error that is no number is behind every other.
    ahead = sum(math.isfinite(own) and not other <= own for own, other in both)
    text = f"{column}: ahead in {ahead} of {len(both)} seeds"
    if all(math.isfinite(other) and 0 < own < math.inf for own, other in both):
        times = sorted(other / own for own, other in both)
        low, high = (f"{ratio:.2g}" if ratio < 100 else f"{ratio:.0f}" for ratio in (times[0], times[-1]))
        text += f"; the error of {title} is {low} to {high} times as large"
    return f"{text}."


def spread(rows: list[Row]) -> float:
    """Returns how far from its mean the truth may lie: the deviation over seeds, or half the interval of one."""
    return (_reach(rows, upward=True) + _reach(rows, upward=False)) / 2


def _reach(rows, upward):
    """Returns how far above or below its mean the truth may lie.

    What has learned nothing is the same with every seed, which says nothing of how sure it is: its interval does.
    """
    if len(rows) > 1 and rows[0].protocol not in UNLEARNED:
        return statistics.stdev(row.value for row in rows)
    return rows[0].high - rows[0].value if upward else rows[0].value - rows[0].low


def _mean(rows):
    return statistics.fmean(row.value for row in rows) if rows else math.nan


def _order(lines):
    """Returns the numbers of the lines with a finite mean, the best first; a floor competes with nobody."""
    ranked = [(number, rows) for number, rows in enumerate(lines) if rows and rows[0].protocol not in {IDEAL, *FLOORS}]
    known = [(_sign(rows) * _mean(rows), number) for number, rows in ranked]
    return [number for mean, number in sorted(known) if math.isfinite(mean)]


def _sign(rows):
    return -1 if rows[0].metric in RISING else 1


def _is_ahead(better, worse):
    # Intervals of errors are long on the side of large ones: only the sides that face each other count.
    is_larger = _mean(worse) > _mean(better)
    if abs(_mean(worse) - _mean(better)) > _reach(better, is_larger) + _reach(worse, not is_larger):
        return True
    is_known = min(len(better), len(worse)) >= FEWEST and not {better[0].protocol, worse[0].protocol} & UNLEARNED
    errors, others = ([_sign(rows) * row.value for row in rows] for rows in (better, worse))
    return is_known and max(errors) < min(others)


def _lead(best, other):
    """Returns in words how far a line is ahead: of correlations, which may be below 0, quotients say nothing."""
    mean, second = _mean(best), _mean(other)
    if best[0].metric in RISING:
        return f"{mean:.3g} against {second:.3g}"
    return f"a factor of {second / mean:.2g}" if mean else f"{second:.2g} against 0"
