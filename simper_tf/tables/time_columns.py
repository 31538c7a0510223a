"""Columns of a table that hold its times, by name, by what they hold, or as a calendar."""

import re
from typing import NamedTuple

import numpy as np

from simper_tf.tables import calendars, clock
from simper_tf.tables.series_files import left_out
from simper_tf.tables.texts.delimited import Table
from simper_tf.tables.times import board_clocks, dates, rates, time_sizes, time_units
from simper_tf.utils.errors import RawDataError

# Rows from which on a column may be told to rise evenly: of 8! orders one rises.
_FEWEST = 8
_OFF = 1.0  # Steps by which a column may be off a line: rounding makes half of one, a lost row a whole one.
_LATE = 0.1  # Share of the whole time by which a packet may be late: what is later is a part in another order.
_THOUSANDS = (1.0, 1e-3, 1e3, 1e-6, 1e6, 1e-9, 1e9)  # By which units of times differ.
_HOUR, _SUMMER = 3600.0, 300 * dates.DAY  # That the clocks go back, and from one time to the next at least.
# Names that say nothing: as many programs write them where nobody has named a column.
_SAYS_NOTHING = re.compile(r"(values?|col(umn)?s?|var|data|field|channel|ch|x|v|unnamed:?)[ _.-]*\d*", re.IGNORECASE)
_NO_TWICE = 0.99  # Share of dates that differ from which on they are those of rows, in whatever order they come.
_COARSE = 3600.0  # Seconds from which on steps of dates are no steps of a clock that samples come faster than.


class Times(NamedTuple):
    """Times of a table.

    Attributes:
        seconds: `(T,)` float64; None where no column tells them.
        columns: Numbers of the columns that hold times or parts of them, and are no channels.
        notes: Sentences on what was taken for times.
        are_dates: Whether they are dates, whose order no clock can confuse.
        doubt: Times that can be read in several ways, where there are no others; "" without such.
    """

    seconds: np.ndarray | None
    columns: set[int]
    notes: list[str]
    are_dates: bool = False
    doubt: str = ""


def times_of(table: Table, known: float | None = None, column: int | None = None) -> Times:
    """Reads the times of a table.

    Args:
        table: The table.
        known: Samples per second that somebody states: they tell the unit of times without one, or hold against it.
        column: That of the times, from 0; None where it is looked for.
    """
    candidates, doubt = _candidates(table, known)
    texts = {entry.column for entry in candidates if not isinstance(table.columns[entry.column], np.ndarray)}
    calendar = calendars.of_columns(table)
    if calendar is not None:
        candidates = [entry for entry in candidates if entry.column not in calendar.columns]
        candidates.append(_Candidate(min(calendar.columns), calendar.seconds, calendar.note, 2, True))
        texts |= calendar.columns
    running = [entry for entry in candidates if direction(entry.seconds) or _are_of_rows(entry)]
    if column is not None:
        best, doubt = _named(table, column)
        if doubt:
            return Times(None, {column}, [], doubt=doubt)
    elif not running:
        named = [entry for entry in candidates if table.names[entry.column].lower().startswith("time")]
        if any(time_units.named(table.names[entry.column])[0] for entry in named):
            return Times(candidates[0].seconds, {candidates[0].column}, [])  # Whoever mends them says what is wrong.
        return Times(None, texts, [], doubt=doubt)
    else:
        best = max(running, key=_fitness)
    used = texts | {best.column} | {entry.column for entry in running}
    times = table.columns[best.column]
    used |= {
        k for k, other in enumerate(table.columns) if isinstance(other, np.ndarray) and np.array_equal(other, times)
    }
    if best.note and known:
        if (agreed := _in_unit(best, known)) is None:
            what = f"has times in no unit that suits {known:g} a second"
            return Times(None, used, left_out(table.names, [best.column], what))
        best = agreed
    others = sorted(used - {best.column} - (calendar.columns if calendar is not None else set()))
    notes = [best.note] * bool(best.note) + left_out(table.names, others, "holds times as well")
    if best.is_date:
        parts = sorted(calendars.part_columns(table) - used)
        rest = set(range(len(table.columns))) - used - set(parts)
        if any(isinstance(table.columns[k], np.ndarray) for k in rest):
            notes += left_out(table.names, parts, "is of the calendar")
            used |= set(parts)
    return Times(best.seconds, used, notes, best.is_date)


def _in_doubt(name, note):
    return f"the column {name!r} with {note}" if name else f"a column with {note}"


class _Candidate(NamedTuple):
    """A column that may hold the times: its number, `(T,)` seconds, a note, and how plainly it says so, 0 to 2."""

    column: int
    seconds: np.ndarray
    note: str
    strength: int
    is_date: bool


def _candidates(table, known):
    """Returns the columns that may hold the times, and the first that can be read in several ways, "" without one."""
    candidates, doubts = [], []
    names = ["" if _SAYS_NOTHING.fullmatch(name) else name for name in table.names]
    has_names = any(names)
    first = next((k for k, column in enumerate(table.columns) if not _is_one_word(column)), 0)
    for k, (name, unit, column) in enumerate(zip(names, table.units, table.columns, strict=True)):
        is_time, _ = time_units.named(name, unit)
        is_text = not isinstance(column, np.ndarray)
        is_date = is_text or (is_time and (time_units.is_julian(name) or time_sizes.are_julian(column)))
        of_board = _step_of_board(table, k) if k == first else None
        may_be_years = not name or dates.is_named_years(name)
        if is_time or is_text or (may_be_years and dates.of_years(column, name)):
            seconds, note = time_units.seconds(name, unit, column)
        elif of_board:
            seconds = 1e-3 * column
            note = f"The first column is taken for milliseconds: it rises by about {of_board:g}."
        elif time_units.is_vague(name) or (k == first and not has_names) or (not name and known is None):
            unit_seconds, note = _rising(name, column, k, k == first and len(table.columns) > 1 and not has_names)
            is_date = unit_seconds == dates.DAY
            seconds = column * unit_seconds if unit_seconds else None if name else _since_1970(column)
        else:
            seconds, note = _since_1970(column), ""
        if seconds is not None and np.isfinite(seconds).any():
            strength = 2 if is_time else 0 if of_board or time_units.is_vague(name) else 1
            candidates.append(_Candidate(k, seconds, note, strength, is_date))
        elif seconds is None and note and (is_time or is_text):
            doubts.append(_in_doubt(table.names[k], note))
    return candidates, next(iter(doubts), "")


def _is_one_word(column):
    """Returns whether all rows hold the same word, as programs of phones begin each with the name of a sensor."""
    return not isinstance(column, np.ndarray) and column.nunique(dropna=False) == 1


def _step_of_board(table, first):
    """Returns the usual step of milliseconds in the first column of a table without any name; None of another one."""
    is_other = len(table.columns) == first + 1 or any(table.names) or not isinstance(table.columns[first], np.ndarray)
    return None if is_other else board_clocks.milliseconds(table.columns[first])


def _named(table, k):
    """Returns a column as the times that somebody says it is, seconds where nothing tells their unit, and a doubt."""
    seconds, note = time_units.seconds(table.names[k] or "time", table.units[k], table.columns[k])
    if seconds is None and note:
        return None, _in_doubt(table.names[k], note)
    is_text = not isinstance(table.columns[k], np.ndarray)
    if seconds is None:
        seconds = np.full(len(table.columns[k]), np.nan) if is_text else table.columns[k]
    return _Candidate(k, seconds, note, 2, is_text), ""


def _in_unit(candidate, known):
    """Returns times, whose unit is a guess, in the one in which they come at a known rate; None if there is none."""
    steps = np.diff(candidate.seconds[np.isfinite(candidate.seconds)])
    usual = np.median(np.abs(steps[steps != 0])), abs(steps.mean())
    for unit in _THOUSANDS:
        if any(step and rates.agree(1 / (step * unit), known) for step in usual):
            return candidate._replace(seconds=candidate.seconds * unit, note="")
    return None


def _fitness(candidate):
    """Returns what the better one of two candidates has more of."""
    steps = np.diff(candidate.seconds[np.isfinite(candidate.seconds)])
    is_one_way = not ((steps < 0).any() and (steps > 0).any())
    distinct = round(float(np.mean(steps != 0)), 2)
    return is_one_way, candidate.strength, distinct, not candidate.note, -candidate.column


def _are_of_rows(candidate):
    """Returns whether dates in some order are those of rows: hardly any comes twice."""
    seconds = candidate.seconds[np.isfinite(candidate.seconds)]
    return candidate.is_date and len(seconds) >= _FEWEST and len(np.unique(seconds)) > _NO_TWICE * len(seconds)


def direction(seconds):
    """Returns 1 if hardly any of the times runs backwards, -1 if hardly any runs forwards, else 0."""
    seconds = seconds[np.isfinite(seconds)]
    steps = np.diff(seconds)
    if len(steps) < 2 or not steps.any():
        return 0
    for sign in (1, -1):
        if np.mean(sign * steps < 0) < clock.BACKWARDS or clock.are_swapped(sign * seconds):
            return sign
    return 0


def in_order(
    seconds: np.ndarray, values: np.ndarray, names: list[str], are_dates: bool
) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
    """Returns times, values and names of rows in the order of their times, and notes on what was done.

    Newest rows may be first. Rows of dates may be out of order, and some of other times that are a little late. Series
    one below the other, each with the same times, are channels. Other times that run backwards, such as those of a
    clock that steps back, are left as they are.

    Args:
        seconds: `(T,)`.
        values: `(T, C)`.
        names: Of the channels.
        are_dates: Whether times are dates.
    """
    notes = []
    if direction(seconds) < 0:
        seconds, values = seconds[::-1], values[::-1]
        notes.append("The newest row is the first: they are read from the last to the first.")
    if are_dates:
        seconds, said = _of_one_clock(seconds)
        notes += said
    falls = np.flatnonzero(np.diff(seconds) < 0) + 1
    if not len(falls):
        return seconds, values, names, notes
    length = int(falls[0])
    blocks = len(seconds) // length
    if len(falls) == blocks - 1 and len(seconds) == blocks * length and length >= _FEWEST:
        each = seconds.reshape(blocks, length)
        if (each == each[0]).all():
            side_by_side = values.reshape(blocks, length, -1).swapaxes(0, 1).reshape(length, -1)
            return each[0], side_by_side, names * blocks, [*notes, f"{blocks} series one below the other are channels."]
    order = np.argsort(seconds, kind="stable")
    repeated = len(seconds) - len(np.unique(seconds))
    steps = np.diff(seconds)
    is_slip, are_new = clock.come_between(seconds), repeated <= int((steps == 0).sum())
    if ((clock.are_back(seconds, _LATE) or clock.are_swapped(seconds)) and not is_slip) or (
        are_dates and are_new and not (is_slip and clock.are_back(seconds))
    ):
        kind = "dates" if are_dates else "times"
        return seconds[order], values[order], names, [*notes, f"Rows out of order are sorted by their {kind}."]
    return seconds, values, names, notes


def _of_one_clock(seconds):
    """Returns times without the hour that comes twice at the end of summer time, and a note if one does."""
    steps = np.diff(seconds)
    usual, falls = float(np.median(steps)), np.flatnonzero(steps < 0) + 1
    is_hour = len(falls) > 0 and (np.abs(steps[falls - 1] + _HOUR - usual) < usual / 2).all()
    if not is_hour or np.diff(seconds[falls]).min(initial=np.inf) < _SUMMER:
        return seconds, []
    later = np.cumsum(np.isin(np.arange(len(seconds)), falls))
    return seconds + _HOUR * later, [f"In row {falls[0] + 1} summer time ends: the later ones are an hour later."]


def refuse_repeated(path, seconds: np.ndarray):
    """Raises RawDataError if dates an hour or more apart repeat: of several series, or without the time of day."""
    steps = np.diff(seconds)
    repeated = int((steps == 0).sum())
    if repeated > clock.BACKWARDS * len(steps) and (steps > 0).any() and np.median(steps[steps > 0]) >= _COARSE:
        found = f"{repeated} of {len(seconds)} rows with the date of the row before"
        raise RawDataError(path, found, "one row for each time", "Write a column for each series, and times of day.")


def _rising(name, column, k, is_first):
    """Returns the seconds of the unit of column k that rises, and a note; None for one that holds no times.

    Under a vague name, or first of several without names, it may rise less evenly.
    """
    values = column[np.isfinite(column)]
    step = _even_step(values) or (_jittery_step(values) if name or is_first else None)
    if step is None and is_first and (thousandths := board_clocks.step(np.round(1e3 * values, 6))) is not None:
        step = 1e-3 * thousandths  # Seconds of a board that loses samples.
    if is_first and len(values) >= _FEWEST and time_sizes.are_julian(values):
        return dates.DAY, f"Numbers from {values[0]:.9g} to {values[-1]:.9g} are taken for Julian days."
    # Rows are numbered by ones. Above 1e8 they are seconds since 1970.
    if step is None or not (name or step < 1 or (step != 1 and np.median(np.abs(values)) > 1e8)):
        return None, ""
    unit, note = time_sizes.by_size(values)
    what = f"The column {name!r}" if name else f"The column number {k + 1}" if k else "The first column"
    return unit, note or (f"{what} rises by {step * unit:.4g} and is taken for seconds." if unit else "")


def _since_1970(column):
    """Returns the seconds of a column of times since 1970 that rise or fall, by whatever steps; None of another one."""
    unit = time_sizes.unit_since_1970(column)
    return column * unit if unit and direction(column) else None


def _even_step(values):
    """Returns the step of a column that rises evenly but for rounding; None for another one."""
    if len(values) < _FEWEST:
        return None
    steps = np.diff(values)
    middle = float(np.median(steps))
    rises = (steps >= 0).all() and middle > 0 and values[-1] < np.inf
    line = np.linspace(values[0], values[-1], len(values))
    return middle if rises and np.abs(values - line).max() <= _OFF * middle else None


def _jittery_step(values):
    """Returns the median step of a column whose steps are about alike, and seldom back; None for another one."""
    steps = np.diff(values)
    rises = steps[steps > 0]
    if len(values) < _FEWEST or not clock.are_back(values, _LATE) or len(rises) < _FEWEST:
        return None
    middle = float(np.median(rises))
    return middle if clock.are_alike(rises, middle) else None


def like_times(table: Table) -> str:
    """Returns a sentence on the first column that may be times, and how to name it; "" without one.

    It rises about evenly, but not by 1, or at all under a name that may be that of times.
    """
    for k, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if not isinstance(column, np.ndarray) or not np.isfinite(column).all():
            continue
        step = _even_step(column) or _jittery_step(column) or board_clocks.step(column)
        is_rising = direction(column) > 0
        if is_rising and not name and step is None:
            return f"Column {k + 1} rises and may be a clock: name it in a row above all, such as time (s), ms or MJD."
        if step not in (None, 1) or (time_units.is_vague(name) and is_rising):
            by = f" by {step:.6g}" if step else ""
            return (
                f"Column {repr(name) if name else k + 1} rises{by} and may be a clock: name it, `time={name or k + 1}`."
            )
    return ""


def counts(column):
    """Returns whether a column counts rows, from its start or over and over, such as 0 to 255."""
    if len(column) < _FEWEST or not np.isfinite(column).all():
        return False
    if _even_step(column) is not None:
        return True
    steps = np.diff(column)
    wraps = steps[steps != 1]
    return len(wraps) * _FEWEST <= len(steps) and len(np.unique(wraps)) == 1 and wraps[0] < -_FEWEST + 2
