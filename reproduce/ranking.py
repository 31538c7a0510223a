"""Order of the lines of a column: which are ahead, and by how much. A line is its rows there, one a seed.

A line is ahead of another if it is better with each of its seeds than the other with any, each time by more than the
draw of clips explains: by more than the root of the sum of the squares of their two half 95 % intervals. Of three seeds
each one line is ahead in order alone once in twenty by chance. Lines that are read from the same clips err alike, so
the test is strict.
"""

import itertools
import math
import statistics
from collections.abc import Sequence

from simper_tf.evaluation.protocols import FLOORS, IDEAL
from simper_tf.evaluation.rows import Row

# Of these metrics more is better; of all others less.
RISING = {"pearson", "pearson_pooled"}
# Protocols that read clips or perfect features, and nothing of an encoder: one seed stands for all.
OF_CLIPS = {
    "pixels", "pixel_patterns", "harmonic_sum", "contrast_sum", "spectra_1nn", "surest_harmonic_sum",
    "green", "chrom", "pos", "chrom_fundamental", "pos_fundamental", "chrom_harmonics", "pos_harmonics",
    "persistence", "training_mean",
    IDEAL, *FLOORS,
}  # fmt: skip
# Seeds of each line from which on lines are ranked: of fewer one is better with all of them too often by chance.
FEWEST = 3


def sentence(column: str, titles: Sequence[str], lines: Sequence[list[Row]]) -> str:
    """Returns a sentence that says which lines of a column are first, and by how much; empty for less than two lines.

    Args:
        column: Its title.
        titles: Of the lines.
        lines: Their rows.
    """
    order, unbeaten, best = _order(lines), first(lines), proven(lines)
    if len(order) < 2:
        return ""
    if not best:
        return f"{column}: nobody is first."
    behind = [number for number in order if number not in unbeaten]
    text = f"{column}: {' and '.join(titles[number] for number in best)}{' level' * (len(best) > 1)}"
    text += f", then {titles[behind[0]]} ({_lead(lines[best[0]], lines[behind[0]])})"
    if unclear := [titles[number] for number in unbeaten if number not in best]:
        text += f"; not told apart: {', '.join(unclear)}"
    return f"{text}."


def first(lines: Sequence[list[Row]]) -> list[int]:
    """Returns the numbers of the lines that nobody is ahead of, the best first."""
    order = _order(lines)
    # Not behind the best alone: where that spreads wide, a line that is level with it may be behind another.
    return [
        number for place, number in enumerate(order)
        if not any(_is_ahead(lines[better], lines[number]) for better in order[:place])
    ]  # fmt: skip


def proven(lines: Sequence[list[Row]]) -> list[int]:
    """Returns the numbers of the lines that nobody is ahead of, and that are ahead of all others, the best first.

    Of a line that spreads so wide that nobody is ahead of it, neither is proven. More lines than are behind are none:
    that one line is bad makes no others good.
    """
    unbeaten = first(lines)
    behind = [number for number in _order(lines) if number not in unbeaten]
    best = [number for number in unbeaten if all(_is_ahead(lines[number], lines[each]) for each in behind)]
    return best if len(best) <= len(behind) else []


def tells_none_apart(lines: Sequence[list[Row]]) -> bool:
    """Returns whether a column has several lines, and none of them is ahead of any other."""
    order = _order(lines)
    return len(order) > 1 and len(first(lines)) == len(order)


def leads(lines: Sequence[list[Row]], controls: Sequence[list[Row]]) -> bool:
    """Returns whether one line of a column is ahead of each of the controls."""
    others = [control for control in controls if control]
    return any(rows and all(_is_ahead(rows, control) for control in others) for rows in lines)


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
    # What reads clips is the same with every seed, which says nothing of how sure it is: its interval does.
    if len(rows) > 1 and rows[0].protocol not in OF_CLIPS:
        return statistics.stdev(row.value for row in rows)
    return (rows[0].high - rows[0].low) / 2


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
    return all(_is_apart(*pair) for pair in itertools.product(better, worse))


def _is_apart(better, worse):
    """Returns whether one row is better than another by more than the draw of clips explains."""
    ends = [(row.value - row.low, row.high - row.value) for row in (better, worse)]
    sign = _sign([better])
    # Intervals of errors are long on the side of large ones: only the sides that face each other count.
    facing = (ends[0][1], ends[1][0]) if sign > 0 else (ends[0][0], ends[1][1])
    return sign * (worse.value - better.value) > math.hypot(*facing)


def _lead(best, other):
    """Returns in words how far a line is ahead: of correlations, which may be below 0, quotients say nothing."""
    mean, second = _mean(best), _mean(other)
    if best[0].metric in RISING:
        return f"{mean:.3g} against {second:.3g}"
    return f"a factor of {second / mean:.2g}" if mean else f"{second:.2g} against 0"
