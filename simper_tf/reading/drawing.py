"""Picture of a recording that was read: the course with every repetition, the tempo, and where it is."""

import math
import pathlib
import textwrap

import numpy as np

from simper_tf.reading import answer_units, answers
from simper_tf.reading.canvas import Axes, Canvas
from simper_tf.reading.source_reader import DRAWN, Done
from simper_tf.utils.errors import printable

# Colors that the color-blind tell apart (Okabe and Ito, 2008), one an answer.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_BLACK = (0, 0, 0)
# Pixels of a picture on a screen and on a telephone.
_WIDE, _NARROW = 1210, 462
_TOP, _LINE, _EDGE = 34, 20, 6  # Of the name above, of a line, and what is left free at the right.
_STILL = 285, 250  # Width of a frame beside the course, and height of one above.
_ROOM = 82  # To the left of a course, for numbers and a name.
_COURSE, _BETWEEN, _BELOW = 164, 14, 52  # Height of a course, what is free below, and below tempo for its numbers.
_BLOCK = 2 * _COURSE + _BETWEEN + _BELOW  # Of an answer: course and tempo.
_LONGEST = 20  # Letters of the name of a channel.
_LETTERS = 50  # In a line of a narrow picture.
# Repetitions that are drawn one by one, and bins in which more are told by their median and the middle 90 %.
_EACH, _BINS = 400, 200
_A_BIN = 20  # Repetitions in a bin at least: of a few the middle 90 % are all.
_LEAST_UNITS = 6  # Minutes, hours or days that are told as such: fewer are seconds, minutes or hours.
_APART = 26  # Pixels from one number of a repetition to the next, and more for each digit.


def canvas(done: Done, unit: str = "hz", narrow: bool = False) -> Canvas:
    """Returns what is drawn: course and tempo of each of the surest answers, with a frame of it and its place.

    Of a series of more answers than that, it is the tempo of all of them over time.

    Args:
        done: A recording that was read, with its courses.
        unit: A flag's value; tempo is drawn in Hz for hz and count, and per minute otherwise.
        narrow: Whether the frame stands above, as telephones show it, and not beside.
    """
    width = _NARROW if narrow else _WIDE
    if len(done.reading.clear) > DRAWN and not done.stills:
        return _all_tempos(done, unit, width)
    shown = (done.reading.clear or done.reading.answers[:1])[:DRAWN]
    titles = [answers.said(answer, unit) for answer in shown] if done.reading.clear else answers.lines(done, unit)[:1]
    titles = [textwrap.wrap(printable(title), _LETTERS) if narrow else [printable(title)] for title in titles]
    above = _LINE + _STILL[1] if narrow and done.stills else 0
    heights = [_LINE * len(lines) + above + _BLOCK for lines in titles]
    drawn = Canvas(width, _TOP + sum(heights))
    drawn.write(printable(pathlib.Path(done.name).name), (width / 2, _TOP / 2), size=12)
    top = _TOP
    for row, (lines, height) in enumerate(zip(titles, heights, strict=True)):
        answer = shown[row] if shown else None
        _write_lines(drawn, lines, top)
        begins, left = top + _LINE * len(lines), 0
        if done.stills:
            box = (
                _EDGE,
                begins + _LINE,
                width - _EDGE if narrow else _STILL[0],
                begins + (above or _BLOCK) - _BELOW / 2,
            )
            _still(drawn, done.stills[min(row, len(done.stills) - 1)], answer, _rgb(row), box)
            left = 0 if narrow else _STILL[0]
        if answer:
            room = left + _ROOM, begins + above, width - _EDGE, begins + above + _COURSE
            name, clock = done.channel(answer) or answer.reader, _clock([answer], float(answer.times[-1]))
            course = _course(room, answer, _rgb(row), name, clock[1])
            down = _COURSE + _BETWEEN
            tempo = _tempo((room[0], room[1] + down, room[2], room[3] + down), [answer], [_rgb(row)], unit, clock)
            tempo.across = course.limits[0]
            drawn.axes += [course, tempo]
        top += height
    return drawn


def _all_tempos(done, unit, width):
    """Returns the tempo of all answers over time, from the first to the last."""
    clear = sorted(done.reading.clear, key=lambda answer: answer.start)
    drawn = Canvas(width, _TOP + _LINE + 400)
    drawn.write(printable(pathlib.Path(done.name).name), (width / 2, _TOP / 2), size=12)
    together = answers.together(done.reading.clear)
    lines = textwrap.wrap(together, _LETTERS) if width == _NARROW else [together]
    _write_lines(drawn, lines, _TOP)
    colors = [_rgb(number % len(COLORS)) for number in range(len(clear))]
    box = _ROOM, _TOP + _LINE * len(lines), width - _EDGE, _TOP + _LINE + 400 - _BELOW
    drawn.axes.append(_tempo(box, clear, colors, unit, _clock(clear, max(answer.end for answer in clear))))
    return drawn


def _clock(some, seconds):
    """Returns the unit of the times of answers in a recording of so many seconds, and its seconds."""
    slowest = answer_units.clock(1 / min(answer.hertz for answer in some))
    return max(slowest, answer_units.clock(seconds, _LEAST_UNITS), key=lambda pair: pair[1])


def _rgb(row):
    return tuple(bytes.fromhex(COLORS[row][1:]))


def _write_lines(drawn, lines, top):
    for number, line in enumerate(lines):
        drawn.write(line, (drawn.pixels.shape[1] / 2, top + (number + 0.4) * _LINE))


def _still(drawn, frame, answer, color, box):
    """Draws a frame, with the place of an answer on it."""
    left, top, scale = drawn.show(frame, box)
    height, width = frame.shape[:2]
    if answer:
        near, far = (left + scale * width * edge for edge in (answer.box.left, answer.box.right))
        up, down = (top + scale * height * edge for edge in (answer.box.top, answer.box.bottom))
        drawn.rectangle(near, up, far, down, color)
        about = f"about {sum(answer.repetitions[0]) / 2:.0f} s"
        drawn.write(about, (left + scale * width / 2, top - _LINE / 2))


def _course(box, answer, color, name, seconds):
    """Returns the course, with every second repetition shaded and all of them numbered as far as there is room."""
    name = printable(name)
    course = Axes(box, name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}...", are_numbered=False)
    course.lines.append((answer.times / seconds, answer.course, _BLACK))
    low, high = float(np.nanmin(answer.course)), float(np.nanmax(answer.course))
    free = 0.15 * (high - low) or 0.5  # So that the numbers stand above the peaks.
    course.upward = low - free, high + free
    repetitions = np.array(answer.repetitions) / seconds
    for number, (start, end) in enumerate(repetitions.tolist() if answer.count <= _EACH else (), start=1):
        course.spans.append((start, end, color, 0.3 if number % 2 else 0.12))
    most = (box[2] - box[0]) // (_APART + 8 * len(str(answer.count)))
    step = max(1, math.ceil(answer.count / most))
    for number in range(step, answer.count + 1, step):
        course.labels.append((repetitions[number - 1].mean(), str(number)))
    return course


def _tempo(box, some, colors, unit, clock):
    """Returns the tempo of answers over time, in the unit that the slowest of them is told in."""
    slowest, factor = answer_units.clock(1 / min(answer.hertz for answer in some))
    label = f"per {slowest.removesuffix('s')}"
    if factor == 1:
        factor, label = (1.0, "Hz") if unit in ("hz", "count") else (60.0, "per minute")
    (name, seconds), top = clock, 0.0
    drawn = Axes(box, label, below="seconds" if name == "s" else name)
    for answer, color in zip(some, colors, strict=True):
        middles, hertz, error = answer.tempo()
        middles, hertz, error = middles / seconds, factor * hertz, factor * np.nan_to_num(error)
        if answer.count > _EACH:
            parts = np.array_split(np.arange(answer.count), min(_BINS, answer.count // _A_BIN))
            low, middle, high = ([np.quantile(hertz[part], share) for part in parts] for share in (0.05, 0.5, 0.95))
            at = [np.mean(middles[part]) for part in parts]
            drawn.bands.append((at, low, high, color))
            drawn.lines.append((at, middle, color))
            highest = max(high)
        else:
            highest = float(np.nanmax(hertz))
            drawn.lines += [(middles, hertz, color)]
            drawn.lines += [([at] * 2, [value - off, value + off], color)
                            for at, value, off in zip(middles, hertz, error, strict=True) if off]  # fmt: skip
            drawn.dots.append((middles, hertz, color))
        drawn.spans += [(start / seconds, end / seconds, _BLACK, 0.15) for start, end in answer.pauses]
        top = max(top, highest, factor * answer.hertz)
    drawn.upward = 0.0, 1.3 * top
    return drawn
