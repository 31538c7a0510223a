"""Picture of a recording that was read: the course with every repetition, the tempo, and where it is. Extra `plots`."""

import contextlib
import functools
import io
import pathlib
import textwrap

import numpy as np

from simper_tf.reading import answers
from simper_tf.reading.source_reader import DRAWN, Done
from simper_tf.utils.errors import printable

# Colors that the color-blind tell apart (Okabe and Ito, 2008), one an answer.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_SIZE = 10  # Of all letters.
_DOTS = 110  # An inch of a file.
_LONGEST = 20  # Letters of the name of a channel.
# Repetitions that are drawn one by one, and bins in which more are told by their median and the middle 90 %.
_EACH, _BINS = 400, 200


def figure(done: Done, unit: str = "hz", narrow: bool = False):
    """Returns a figure: course and tempo of each of the surest answers, with a frame of it and its place.

    Of a series of more answers than that, it is the tempo of all of them over time.

    Args:
        done: A recording that was read, with its courses.
        unit: A flag's value; tempo is drawn in Hz for hz and count, and per minute otherwise.
        narrow: Whether the frame stands above, as telephones show it, and not beside.
    """
    from matplotlib.figure import Figure  # Takes a second to load: the first answer is printed before.

    if len(done.reading.clear) > DRAWN and not done.stills:
        return _all_tempos(Figure(figsize=(4.2 if narrow else 11, 4.1), layout="constrained"), done, unit)
    shown = (done.reading.clear or done.reading.answers[:1])[:DRAWN]
    width, height = (4.2, 6.4) if narrow and done.stills else (4.2 if narrow else 11, 3.2)
    drawn = Figure(figsize=(width, 0.9 + height * max(len(shown), 1)), layout="constrained")
    name, look = _lettered(pathlib.Path(done.name).name)
    drawn.suptitle(name, fontsize=_SIZE + 2, **look)
    for row, part in enumerate(np.atleast_1d(drawn.subfigures(max(len(shown), 1), 1))):
        answer = shown[row] if shown else None
        title = answers.said(answer, unit) if done.reading.clear else answers.lines(done, unit)[0]
        title, look = _lettered(title)
        part.suptitle(textwrap.fill(title, 50) if narrow else title, fontsize=_SIZE, **look)
        columns = part.add_gridspec(2, 1)
        if done.stills:
            columns = part.add_gridspec(3, 1) if narrow else part.add_gridspec(2, 2, width_ratios=(1, 3))
            still = done.stills[min(row, len(done.stills) - 1)]
            _still(part.add_subplot(columns[0] if narrow else columns[:, 0]), still, answer, COLORS[row])
        if answer:
            above = part.add_subplot(columns[-2, -1])
            _course(above, answer, COLORS[row], done.channel(answer) or answer.reader)
            _tempo(part.add_subplot(columns[-1, -1], sharex=above), answer, COLORS[row], unit)
    return drawn


def png(done: Done, unit: str = "hz", narrow: bool = False) -> bytes:
    """Returns the figure as a file. It is drawn once; `savefig` would lay it out before."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    content, drawn = io.BytesIO(), figure(done, unit, narrow)
    drawn.set_dpi(_DOTS)
    FigureCanvasAgg(drawn).print_png(content)
    return content.getvalue()


def _all_tempos(drawn, done, unit):
    """Draws the tempo of all answers over time, from the first to the last."""
    name, look = _lettered(pathlib.Path(done.name).name)
    drawn.suptitle(f"{name}\n{answers.together(done.reading.clear)}", fontsize=_SIZE, **look)
    axes = drawn.add_subplot()
    clear = sorted(done.reading.clear, key=lambda answer: answer.start)
    like = min(clear, key=lambda answer: answer.hertz)
    for number, answer in enumerate(clear):
        _tempo(axes, answer, COLORS[number % len(COLORS)], unit, like)
    return drawn


def _lettered(name):
    """Returns how a name is drawn: letters that no installed font has are spelled out, and none is a formula."""
    fonts, letters = ["DejaVu Sans"], []  # Comes with Matplotlib.
    for letter in printable(name):
        font = _font_of(letter)
        letters.append(letter if font else letter.encode("unicode_escape").decode())
        fonts += [font] * (font is not None and font not in fonts)
    return "".join(letters), {"fontfamily": fonts, "parse_math": False}


@functools.cache
def _font_of(letter):
    """Returns the name of the first font that has a letter; None where there is none."""
    from matplotlib import font_manager

    listed = font_manager.fontManager.ttflist
    for entry in sorted(listed, key=lambda entry: (entry.name != "DejaVu Sans", entry.style != "normal", entry.name)):
        # Fonts of formulas have others' letters at their places, and that of last resort boxes for all.
        if not entry.name.startswith(("cm", "STIX", "Last Resort")):
            with contextlib.suppress(OSError, RuntimeError):  # It was removed since they were listed, or is damaged.
                if font_manager.get_font(entry.fname).get_char_index(ord(letter)):
                    return entry.name
    return None


def _still(axes, frame, answer, color):
    from matplotlib.patches import Rectangle

    axes.imshow(frame if frame.shape[-1] == 3 else frame[..., 0], cmap="gray", vmin=0, vmax=255)
    height, width = frame.shape[:2]
    if answer:
        top, left, bottom, right = answer.box
        size = (right - left) * width, (bottom - top) * height
        place = (left * width - 0.5, top * height - 0.5)
        axes.add_patch(Rectangle(place, *size, fill=False, edgecolor=color, linewidth=2))
        axes.set_title(f"about {sum(answer.repetitions[0]) / 2:.0f} s", fontsize=_SIZE)
    axes.set_axis_off()


def _course(axes, answer, color, name):
    """Draws the course, with every second repetition shaded and all of them numbered as far as there is room."""
    _, seconds = answers.clock(answer)
    axes.margins(y=0.15)  # So that the numbers stand above the peaks.
    axes.plot(answer.times / seconds, answer.course, color="black", linewidth=0.8)
    repetitions = np.array(answer.repetitions) / seconds
    for number, (start, end) in enumerate(repetitions if answer.count <= _EACH else (), start=1):
        axes.axvspan(start, end, color=color, alpha=0.3 if number % 2 else 0.12, linewidth=0)
    step = max(1, round(answer.count / 20))
    for number in range(step, answer.count + 1, step):
        axes.text(repetitions[number - 1].mean(), 0.98, str(number), ha="center", va="top", fontsize=_SIZE - 2,
                  transform=axes.get_xaxis_transform())  # fmt: skip
    axes.set_yticks([])
    name, look = _lettered(name)
    axes.set_ylabel(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}...", fontsize=_SIZE, **look)
    axes.tick_params(labelbottom=False, labelsize=_SIZE)


def _tempo(axes, answer, color, unit, like=None):
    """Draws the tempo over time, in the units that another answer, or this one, is told in."""
    name, seconds = answers.clock(like or answer)
    factor, label = (1.0, "Hz") if unit in ("hz", "count") else (60.0, "per minute")
    if seconds > 1:
        factor, label = seconds, f"per {name.removesuffix('s')}"
    middles, hertz, error = answer.tempo()
    if answer.count > _EACH:
        parts = np.array_split(np.arange(answer.count), _BINS)
        low, middle, high = (
            [factor * np.quantile(hertz[part], share) for part in parts] for share in (0.05, 0.5, 0.95)
        )
        at = [np.mean(middles[part]) / seconds for part in parts]
        axes.fill_between(at, low, high, color=color, alpha=0.3, linewidth=0)
        axes.plot(at, middle, color=color, linewidth=1)
    else:
        axes.errorbar(middles / seconds, factor * hertz, factor * np.nan_to_num(error), fmt="o-", color=color,
                      markersize=3, linewidth=1, elinewidth=0.8)  # fmt: skip
    for start, end in answer.pauses:
        axes.axvspan(start / seconds, end / seconds, color="0.85", linewidth=0)
    top = factor * max(float(np.nanmax(hertz)), answer.hertz)
    axes.set_ylim(0, max(1.3 * top, axes.get_ylim()[1] if like else 0.0))
    axes.set_ylabel(label, fontsize=_SIZE)
    axes.set_xlabel("seconds" if name == "s" else name, fontsize=_SIZE)
    axes.tick_params(labelsize=_SIZE)
