"""Answers in words: lines for a terminal, a page or a title."""

import math

from simper_tf.reading import result
from simper_tf.reading.answer_units import UNITS, clock, value
from simper_tf.reading.source_reader import Done
from simper_tf.recordings.boxes import WHOLE
from simper_tf.utils.errors import printable

# Verdicts in other words: what is not clear is no result, and its number stays in the JSON file.
_VERDICTS = {result.UNCLEAR: "no clear repetition"}
# Answers that are told each by itself, and the surest of more, of which a line tells all.
_EACH, _SUREST = 5, 3


def said(answer: result.Answer, unit: str = "hz") -> str:
    """Returns one answer in words: `0.80 Hz = 48 per minute, 16 repetitions from 1.2 to 21.0 s, clear (0.93)`.

    The last is the confidence: the probability that the frequency is right.

    A pause is told as `from 1.2 to 24.0 s with a pause of 2.8 s`: count and frequency are of the rest. A tempo that
    changes is told as `rising from 0.7 to 0.9 Hz`, means of the first and the last third.

    What is slower is told as `every 12.4 hours = 2.24e-05 Hz`.
    """
    name, seconds = clock(1 / answer.hertz)
    span = f"from {answer.start / seconds:.1f} to {answer.end / seconds:.1f} {name}"
    if answer.verdict == result.TOO_FEW:
        return f"{answer.verdict}: {answer.count} {span}"
    per_minute = "bpm" if unit == "bpm" else "per minute"
    hertz, minute = f"{answer.hertz:.3g} Hz", f"{60 * answer.hertz:.3g} {per_minute}"
    first, second = (hertz, minute) if unit in ("hz", "count") else (minute, hertz)
    if seconds > 1:
        first, second = f"every {1 / answer.hertz / seconds:.3g} {name}", hertz
    between = f", as pairs of {answer.pairs:.3g} Hz" if answer.pairs else ""
    if trend := answer.trend():
        between += f", {'rising' if trend[0] < trend[1] else 'falling'} from {trend[0]:.3g} to {trend[1]:.3g} Hz"
    what = {"pulse": "beats", "breath": "breaths"}.get(answer.reader, "repetitions")
    pauses, sure = _pauses(answer, name, seconds), min(answer.confidence, 0.99)  # Rounded, 0.996 would be certain.
    return f"{first} = {second}{between}, {answer.count} {what} {span}{pauses}, {answer.verdict} ({sure:.2f})"


def _pauses(answer, name, seconds):
    """Returns how long nothing repeats in between, in words; nothing without a pause."""
    lasting = sum(end - start for start, end in answer.pauses) / seconds
    what = "a pause" if len(answer.pauses) == 1 else f"{len(answer.pauses)} pauses"
    return f" with {what} of {lasting:.1f} {name}" if answer.pauses else ""


def lines(done: Done, unit: str = "hz", length: float | None = None, hop: float | None = None, most: int = 20):
    """Returns what is printed of a recording, the surest answer first.

    Args:
        done: The recording.
        unit: A flag's value: hz, bpm, per_minute or count.
        length, hop: Seconds of windows to be listed too; None for none.
        most: Windows that are shown.
    """
    results = done.reading.clear
    shown = [said(answer, unit) + _where(done, answer, len(results) > 1) for answer in results]
    if not results:
        shown = [_without_result(done, unit)]
    if len(results) > _EACH:
        shown = [
            f"{together(results)}; the surest:",
            *shown[:_SUREST],
            f"... {len(results) - _SUREST} more answers in the files",
        ]
    shown += [_learned_line(done.learned)] if done.learned else []
    if length:
        rows = result.windows(done.reading, length, hop or length)
        shown += [_window_line(window, unit) for window in rows[:most]]
        shown += [f"... {len(rows) - most} more windows in the files"] * (len(rows) > most)
    return shown


def together(results) -> str:
    """Returns many answers in words: `12 answers of 1 to 2.1 Hz, 600 repetitions from 0.0 to 1123.8 s`."""
    hertz, count = [answer.hertz for answer in results], sum(answer.count for answer in results)
    name, seconds = clock(1 / min(answer.hertz for answer in results))
    first, last = min(answer.start for answer in results) / seconds, max(answer.end for answer in results) / seconds
    span = f"{count:,} repetitions from {first:.1f} to {last:.1f} {name}"
    return f"{len(results)} answers of {min(hertz):.3g} to {max(hertz):.3g} Hz, {span}"


def _without_result(done, unit):
    """Returns what is said where nothing is clear: what was seen of it, or why there is nothing."""
    few = [answer for answer in done.reading.answers if answer.verdict == result.TOO_FEW]
    unclear = [answer for answer in done.reading.answers if answer.verdict == result.UNCLEAR]
    seen = [answer for answer in unclear if answer.confidence >= result.SEEN]
    if few or seen:
        return said(few[0], unit) if few else f"perhaps {said(seen[0], unit)}"
    return _VERDICTS.get(done.reading.verdict, done.reading.verdict)


def _learned_line(learned):
    if math.isfinite(learned.hertz):
        windows = f"median of {learned.windows} windows" if learned.windows > 1 else "in a window"
        return f"model: {learned.hertz:.3g} Hz, {windows} of its own"
    reads = f" that it is sure of, in {learned.band[0]:.3g} to {learned.band[1]:.3g} Hz" if learned.band else ""
    return f"model: no answer{reads}"


def _where(done, answer, several):
    """Returns the channel of a series of several, or the part of the picture, where several things repeat."""
    if channel := done.channel(answer):
        return f", in {printable(channel)}"
    if not several or answer.box == WHOLE:
        return ""
    box = answer.box
    return f", at {box.left:.0%}-{box.right:.0%} from the left, {box.top:.0%}-{box.bottom:.0%} from the top"


def _window_line(window, unit):
    span = f"{window.start:8.2f} to {window.end:8.2f} s"
    if not window.hertz:
        return f"{span}  no repetition"
    return f"{span}  {value(window.hertz, window.count, unit):.4g} {UNITS[unit]}"
