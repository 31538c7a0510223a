"""Full cycles and halves: whether two events of a run make one cycle.

Sides alternate in steps, lunges and swings. Where every second event is
more alike than neighbours are, two events make one cycle. Events must
differ by more than frames make of like ones.
"""

import numpy as np

from simper_tf.reading import intervals
from simper_tf.reading.films import events
from simper_tf.signals import filters

# Neighbours that differ are a pair of halves if they correlate at least this.
PAIR = 0.5
# Least by which the next event but one must be more alike than the next.
GAIN = 0.03
# Halves of three cycles, and events that the longest movement lasts in which they may differ.
FEWEST_HALVES, SPANNED = 5, 6.0


def full(run: events.Run) -> tuple[events.Run, bool]:
    """Run of full cycles by its own course, and whether they are pairs.

    Two events that make one cycle are a pair if they are alike all the
    same, as two steps are; up and down are no pair.
    """
    near, far = run.alike
    if len(near) < 3:
        return run, False
    gain = far - (near[:-1] + near[1:]) / 2
    if not _alternate(gain, len(run.marks)) or not events.differ(run.course.part, run.marks):
        return run, False
    return every_second(run), bool(near.mean() > PAIR)


def _alternate(gain: np.ndarray, number: int) -> bool:
    """Whether every second one of a number of events is more alike than neighbours are, by some gains."""
    # Few events may differ by chance: three standard errors, more of the fewest.
    needed = (3 + 6 / (number - 2)) * gain.std(ddof=1) / np.sqrt(len(gain))
    return bool(gain.mean() >= max(GAIN, needed))


def every_second(run: events.Run) -> events.Run:
    """Run of cycles that are two events each: every second one, counted with those that were missed or without."""
    is_first = events.places(run.marks) % 2 == 0
    is_most = is_first == (2 * is_first.sum() >= len(is_first))
    runs = (events.Run(marks, *intervals.bounds(marks), run.course) for marks in (run.marks[::2], run.marks[is_most]))
    return next(runs) if np.diff(is_most).all() else max(runs, key=events.regularity)


def are_cycles(run: events.Run, parts: int = 2) -> bool:
    """Whether the whole picture tells no event from the next one: each is a full cycle, not one of so many parts."""
    if len(run.marks) < FEWEST_HALVES:
        return False
    if not events.differ(run.course.rung.whole, run.marks, parts):
        return True
    return parts == 2 and bool(_gain(_alike_in_picture(run), _away(run)).mean() < GAIN)


def _gain(alike: np.ndarray, away: np.ndarray) -> np.ndarray:
    """By how much events are more like those two and four away than like those one and three away, of n or fewer."""
    even, odd = (np.isin(away, lags) for lags in ((2, 4), (1, 3)))
    both = even.any(1) & odd.any(1)
    alike, even, odd = alike[both], even[both], odd[both]
    return (alike * even).sum(1) / even.sum(1) - (alike * odd).sum(1) / odd.sum(1)


def _away(run: events.Run) -> np.ndarray:
    """How many events every two are apart, `(n, n)`."""
    return np.abs(np.subtract.outer(*2 * (events.places(run.marks),)))


def _alike_in_picture(run: events.Run) -> np.ndarray:
    """Likeness in the whole picture of every two events, `(n, n)`, wherever they lie between frames.

    A period of 12.5 frames shows the same at every second event, and half a frame off at those between. So events are
    moved to where they are most alike, and what changes from frame to frame is smoothed.
    """
    run = events.aligned(run)
    scores = filters.smooth_twice(run.course.rung.spanning(SPANNED / intervals.frequency(run.marks)), 2)
    return events.likeness(*events.stretched(scores.reshape(len(scores), -1), run.starts, run.marks, run.ends))
