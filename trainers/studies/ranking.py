"""Which lines of a gathered table are ahead, and by how much; see `gathering`."""

import math
import statistics

# Of these metrics more is better; of all others less.
RISING = {"pearson"}
# Seeds of each of two lines from which on all of one against all of the other say which is ahead.
_FEWEST = 3
# Protocols that read clips, and no features.
UNLEARNED = {
    "pixels", "green", "chrom", "pos", "chrom_fundamental", "pos_fundamental", "persistence", "training_mean",
}  # fmt: skip


def sentences(block: dict) -> list[str]:
    """Returns a sentence for each column that says which line is first, and by how much; see `first`."""
    said = []
    for k, column in enumerate(block["columns"]):
        ordered, best = _ordered(block, k), first(block, k)
        if len(ordered) < 2:
            continue
        titles = [block["lines"][number]["title"] for number in best]
        text = f"{column}: {' and '.join(titles)}{' level' if len(titles) > 1 else ''}"
        behind = [number for number in ordered if number not in best]
        if behind:
            lead = _lead(*(block["lines"][number]["cells"][k] for number in (best[0], behind[0])))
            text += f", then {block['lines'][behind[0]]['title']} ({lead})"
        said.append(f"{text}.")
    return said


def first(block: dict, k: int) -> list[int]:
    """Returns the numbers of the lines that nobody is ahead of in column k, the best first.

    Ahead of a line is one whose mean over seeds is better by more than the spreads of both together, or one that is
    better with every seed than the line is with any, of `_FEWEST` seeds each: a line that fails with some seeds spreads
    so wide that means alone would call it level with whatever never does. Of three seeds each that happens by chance
    once in twenty times.
    """
    ordered = _ordered(block, k)
    cells = [block["lines"][number]["cells"][k] for number in ordered]

    def is_ahead(better, cell):
        far = abs(mean_of(cell) - mean_of(better)) > spread_of(cell) + spread_of(better)
        return far or _is_better_with_every_seed(better, cell)

    # Not of the best alone: where that spreads wide, a line that is level with it may be behind another.
    return [
        number for place, number in enumerate(ordered)
        if not any(is_ahead(better, cells[place]) for better in cells[:place])
    ]  # fmt: skip


def seed_by_seed(block: dict, title: str, other: str) -> list[str]:
    """Returns a sentence for each column of several seeds that says in how many of them a line is ahead of another.

    Seeds differ in what they draw, such as which clips have labels, and both lines have the same draw: how far they lie
    apart in one seed says more than how far seeds lie apart.

    Args:
        block: Of a page.
        title, other: Of the two lines, whose cells are errors.
    """
    lines = {line["title"]: line["cells"] for line in block["lines"]}
    said = []
    for column, cell, second in zip(block["columns"], lines[title], lines[other], strict=True):
        values, others = ({each["seed"]: each["value"] for each in (one or {"values": []})["values"]}
                          for one in (cell, second))  # fmt: skip
        both = [(values[seed], others[seed]) for seed in values if seed in others]
        if len(both) < 2:
            continue
        # An error that is no number is behind every other.
        ahead = sum(math.isfinite(own) and not theirs <= own for own, theirs in both)
        sentence = f"{column}: ahead in {ahead} of {len(both)} seeds"
        if all(math.isfinite(theirs) and 0 < own < math.inf for own, theirs in both):
            times = sorted(theirs / own for own, theirs in both)
            low, high = (f"{each:.2g}" if each < 100 else f"{each:.0f}" for each in (times[0], times[-1]))
            sentence += f"; the error of {other} is {low} to {high} times as large"
        said.append(f"{sentence}.")
    return said


def mean_of(cell: dict) -> float:
    """Returns the mean of a cell over seeds, NaN of none."""
    return statistics.fmean(each["value"] for each in cell["values"]) if cell["values"] else math.nan


def spread_of(cell: dict) -> float:
    """Returns how far from its mean the truth may lie: the deviation over seeds, or half the interval of one.

    What has learned nothing is the same with every seed, which says nothing of how sure it is.
    """
    values = cell["values"]
    if len(values) > 1 and cell["protocol"] not in UNLEARNED:
        return statistics.stdev(each["value"] for each in values)
    return (values[0]["high"] - values[0]["low"]) / 2


def _is_better_with_every_seed(better, cell):
    """Returns whether the worst seed of a cell is better than the best of another."""
    sign = -1 if cell["metric"] in RISING else 1
    errors, others = ([sign * each["value"] for each in one["values"]] for one in (better, cell))
    is_known = min(len(errors), len(others)) >= _FEWEST and not {better["protocol"], cell["protocol"]} & UNLEARNED
    return is_known and max(errors) < min(others)


def _lead(best, other):
    """Returns in words how far a cell is ahead: of correlations, which may be below 0, quotients say nothing."""
    first, second = mean_of(best), mean_of(other)
    if best["metric"] in RISING:
        return f"{first:.3g} against {second:.3g}"
    return f"a factor of {second / first:.2g}" if first else f"{second:.2g} against 0"


def _ordered(block, k):
    """Returns the numbers of the lines that have a finite value in a column, the best first."""
    known = [(mean_of(line["cells"][k]), number, line["cells"][k]["metric"])
             for number, line in enumerate(block["lines"]) if line["cells"][k]]  # fmt: skip
    known = [(-mean if metric in RISING else mean, number) for mean, number, metric in known if math.isfinite(mean)]
    return [number for _, number in sorted(known)]
