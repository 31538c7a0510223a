"""Plots in pixels: axes with lines, spans and marks, drawn with OpenCV and lettered with Pillow.

Matplotlib draws them as well. It takes half a second to load and 0.2 s for each picture: a folder of thousands of short
series would take three times as long.
"""

import contextlib
import dataclasses
import functools
import importlib.util
import io
import math
import pathlib

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

DOTS = 110  # An inch, in which there are 72 points.
_BLACK, _WHITE = (0, 0, 0), 255
_PART = 4  # Bits of a pixel by which OpenCV places what it draws.
_TICK, _GAP = 5, 4  # Pixels of a tick, and from it to its number.
_DENSE = 70  # Pixels from tick to tick at least, along or across.
# Steps from tick to tick that are read off easily, times a power of ten.
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MARGIN = 0.05  # Of the span of what is drawn, to either side of it.
# Not drawn by a font that has no shape for a letter; no font has one for this, which is no letter.
_NO_LETTER = "\U0010ffff"


@dataclasses.dataclass(frozen=True)
class Text:
    """Words on a picture.

    Attributes:
        words: What is written.
        place: `(x, y)` in pixels.
        anchor: Which point of the words lies there, as Pillow names it: "mm" is the middle.
        size: Of the letters in points.
        upright: Whether they are read from below to above.
    """

    words: str
    place: tuple[float, float]
    anchor: str = "mm"
    size: float = 10
    upright: bool = False


class Canvas:
    """A white picture to draw on.

    Args:
        width, height: Pixels.

    Attributes:
        pixels: `(height, width, 3)` uint8.
        axes: All that are drawn on it.
        texts: All that is written on it.
    """

    def __init__(self, width: int, height: int):
        self.pixels = np.full((height, width, 3), _WHITE, np.uint8)
        self.axes: list[Axes] = []
        self.texts: list[Text] = []

    def write(self, words: str, place: tuple[float, float], **look):
        """Writes words, see `Text`: letters that no font has are spelled out, and the middle of too many left out."""
        text, letters = Text(lettered(words), place, **look), len(words)
        while _width(text) > self.pixels.shape[1] - 2 * _GAP and letters > 1:
            letters -= 1
            text = dataclasses.replace(text, words=lettered(f"{words[: letters // 2]}...{words[-(letters // 2) :]}"))
        self.texts.append(text)

    def show(self, frame: np.ndarray, box: tuple[float, float, float, float]) -> tuple[float, float, float]:
        """Draws a frame as large as a box lets it be; returns its left, its top, and the pixels of one of its own."""
        left, top, right, bottom = box
        height, width = frame.shape[:2]
        scale = min((right - left) / width, (bottom - top) / height)
        size = max(round(scale * width), 1), max(round(scale * height), 1)
        left, top = round((left + right - size[0]) / 2), round((top + bottom - size[1]) / 2)
        large = cv2.resize(frame, size, interpolation=cv2.INTER_NEAREST).reshape(size[1], size[0], -1)
        self.pixels[top : top + size[1], left : left + size[0]] = large
        return left, top, scale

    def rectangle(self, left: float, top: float, right: float, bottom: float, color: tuple[int, int, int]):
        """Draws the border of a rectangle."""
        cv2.rectangle(self.pixels, (round(left), round(top)), (round(right), round(bottom)), color, 2)

    def image(self) -> Image.Image:
        """Returns the picture with all axes and texts."""
        for axes in self.axes:
            axes.draw(self)
        image = Image.fromarray(self.pixels)
        brush = ImageDraw.Draw(image)
        for text in self.texts + [text for axes in self.axes for text in axes.written()]:
            _write(image, brush, text)
        return image

    def png(self) -> bytes:
        """Returns the picture as a file."""
        content = io.BytesIO()
        self.image().save(content, "PNG")
        return content.getvalue()


@dataclasses.dataclass
class Axes:
    """Values over time.

    Attributes:
        box: Left, top, right and bottom in pixels.
        name: What is written beside them.
        below: What is written below them, with the numbers of ticks; without it there are none.
        across: Lowest and highest time; None for those of what is drawn.
        upward: Lowest and highest value; None for those of what is drawn.
        are_numbered: Whether values are told.
        spans: Start, end, color and strength of each time that is shaded.
        bands: Times, lowest and highest values and color of each area.
        lines: Times, values and color of each line.
        dots: The same of dots.
        labels: Time and words of what is written inside, at the top.
    """

    box: tuple[int, int, int, int]
    name: str = ""
    below: str = ""
    across: tuple[float, float] | None = None
    upward: tuple[float, float] | None = None
    are_numbered: bool = True
    spans: list = dataclasses.field(default_factory=list)
    bands: list = dataclasses.field(default_factory=list)
    lines: list = dataclasses.field(default_factory=list)
    dots: list = dataclasses.field(default_factory=list)
    labels: list = dataclasses.field(default_factory=list)

    @functools.cached_property
    def limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Lowest and highest time, and value, that have a place: of all that is drawn, so it is asked for at last."""
        drawn = [(np.asarray(times), np.asarray(values)) for times, values, _ in self.lines + self.dots]
        edges = [edge for start, end, *_ in self.spans for edge in (start, end)]
        across = self.across or _around(np.concatenate([times for times, _ in drawn] + [np.array(edges)]))
        return across, self.upward or _around(np.concatenate([values for _, values in drawn]))

    def pixel(self, times, values) -> np.ndarray:
        """Returns `(N, 2)` where times and values lie, right and down."""
        (first, last), (low, high) = self.limits
        left, top, right, bottom = self.box
        x = left + (np.asarray(times, float) - first) / (last - first) * (right - left)
        y = bottom - (np.asarray(values, float) - low) / (high - low) * (bottom - top)
        return np.stack(np.broadcast_arrays(x, y), -1)

    def draw(self, canvas: Canvas):
        """Draws all but what is written."""
        left, top, right, bottom = self.box
        inside = canvas.pixels[top:bottom, left:right]
        for start, end, color, strength in self.spans:
            first, last = np.clip(np.rint(self.pixel([start, end], 0)[:, 0]) - left, 0, right - left).astype(int)
            inside[:, first:last] = mixed(color, strength)
        for times, low, high, color in self.bands:
            edge = np.concatenate((self.pixel(times, low), self.pixel(times, high)[::-1]))
            cv2.fillPoly(inside, [_placed(edge - (left, top))], mixed(color, 0.3), cv2.LINE_AA, _PART)
        for times, values, color in self.lines:
            for part in _without_gaps(self.pixel(times, values) - (left, top)):
                cv2.polylines(inside, [_placed(part)], False, color, 1, cv2.LINE_AA, _PART)
        for times, values, color in self.dots:
            for part in _without_gaps(self.pixel(times, values) - (left, top)):
                for place in _placed(part):
                    cv2.circle(inside, place.tolist(), 5 << (_PART - 1), color, -1, cv2.LINE_AA, _PART)
        cv2.rectangle(canvas.pixels, (left, top), (right, bottom), _BLACK, 1)
        for x, _ in self._times():
            cv2.line(canvas.pixels, (round(x), bottom), (round(x), bottom + _TICK), _BLACK, 1)
        for y, _ in self._values():
            cv2.line(canvas.pixels, (left - _TICK, round(y)), (left, round(y)), _BLACK, 1)

    def written(self) -> list[Text]:
        """Returns all that is written."""
        left, top, right, bottom = self.box
        times = [Text(words, (x, bottom + _TICK + _GAP), "ma") for x, words in self._times() if self.below]
        times = [text for text in times if text.place[0] + _width(text) / 2 <= right + _GAP]
        values = [Text(words, (left - _TICK - _GAP, y), "rm") for y, words in self._values()]
        widest = max((_width(text) for text in values), default=0)
        named = Text(lettered(self.name), (left - _TICK - 3 * _GAP - widest - 8, (top + bottom) / 2), upright=True)
        below = Text(self.below, ((left + right) / 2, bottom + _TICK + _GAP + 20), "ma")
        inside = [Text(words, (self.pixel(time, 0)[0], top + _GAP), "ma", 8) for time, words in self.labels]
        return [*times, *values, named, below, *inside]

    def _times(self):
        across, _ = self.limits
        places, words = ticks(*across, max((self.box[2] - self.box[0]) // _DENSE, 2))
        return list(zip(self.pixel(places, 0)[:, 0], words, strict=True))

    def _values(self):
        _, upward = self.limits
        places, words = ticks(*upward, max((self.box[3] - self.box[1]) // 36, 2)) if self.are_numbered else ([], [])
        return list(zip(self.pixel(0, places)[:, 1], words, strict=True))


def ticks(low: float, high: float, most: int) -> tuple[np.ndarray, list[str]]:
    """Returns round numbers in a range, and how they are written.

    Args:
        low, high: The range.
        most: How many there may be.

    Example:
        >>> places, words = ticks(0.0, 1.1, 6)
        >>> " ".join(words)
        '0.0 0.2 0.4 0.6 0.8 1.0'
    """
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    step = next(share * power for share in _STEPS if share * power >= least * (1 - 1e-9))
    places = step * np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    decimals = next(count for count in range(20) if abs(round(step, count) / step - 1) < 1e-6)
    is_short = decimals <= 4 and np.abs(places).max(initial=0) < 1e6
    return places, [f"{place:.{decimals}f}" if is_short else f"{place:.6g}" for place in places]


def mixed(color: tuple[int, int, int], strength: float) -> tuple[int, int, int]:
    """Returns a color on white, of which so much is seen."""
    return tuple(round(strength * part + (1 - strength) * _WHITE) for part in color)


def lettered(words: str) -> str:
    """Returns words in which letters that no installed font has are spelled out."""
    if words.isascii():
        return words
    return "".join(letter if _font_of(letter) else letter.encode("unicode_escape").decode() for letter in words)


def _around(values):
    """Returns the lowest and the highest of values with a margin."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = _MARGIN * (high - low) or 0.5 * abs(high) or 0.5
    return low - margin, high + margin


def _placed(places):
    return np.rint(places * 2**_PART).astype(np.int32)


def _without_gaps(places):
    """Returns the runs of places that are numbers."""
    known = np.isfinite(places).all(1)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], known, [False]))))
    return [places[first:last] for first, last in edges.reshape(-1, 2)]


def _write(image, brush, text):
    """Writes a text on an image, each letter in the first font that has it."""
    x, y = text.place
    if text.upright:
        strip = Image.new("L", (math.ceil(_width(text)) + 2, round(2 * text.size * DOTS / 72)))
        _write(strip, ImageDraw.Draw(strip), dataclasses.replace(text, place=(1, strip.height / 2), anchor="lm",
                                                                 upright=False))  # fmt: skip
        strip = strip.rotate(90, expand=True)
        image.paste(_BLACK, (round(x - strip.width / 2), round(y - strip.height / 2)), strip)
        return
    fill, across = (_WHITE if image.mode == "L" else _BLACK), {"l": 0.0, "m": 0.5, "r": 1.0}[text.anchor[0]]
    x -= across * _width(text)
    for path, letters in _runs(text.words):
        font = _font(path, text.size)
        brush.text((x, y), letters, fill, font, "l" + text.anchor[1])
        x += font.getlength(letters)


def _width(text):
    return sum(_font(path, text.size).getlength(letters) for path, letters in _runs(text.words))


def _runs(words):
    """Returns parts of words with the file of the font that each is written in."""
    if words.isascii():
        return [(_dejavu(), words)]
    runs: list[tuple[str, str]] = []
    for letter in words:
        path = _font_of(letter) or _dejavu()
        if runs and runs[-1][0] == path:
            runs[-1] = path, runs[-1][1] + letter
        else:
            runs.append((path, letter))
    return runs


@functools.cache
def _dejavu():
    """Returns the file of a font of most alphabets, which comes with Matplotlib."""
    package = pathlib.Path(importlib.util.find_spec("matplotlib").origin).parent
    return str(package / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf")


@functools.cache
def _font(path, size):
    return ImageFont.truetype(path, round(size * DOTS / 72))


@functools.cache
def _font_of(letter):
    """Returns the file of the first font that has a letter; None where there is none."""
    if letter.isspace() or _has(_dejavu(), letter):
        return _dejavu()
    from matplotlib import font_manager  # Knows all that are installed.

    for entry in sorted(font_manager.fontManager.ttflist, key=lambda entry: (entry.style != "normal", entry.name)):
        # Fonts of formulas have others' letters at their places, and that of last resort boxes for all.
        if not entry.name.startswith(("cm", "STIX", "Last Resort")):
            with contextlib.suppress(OSError):  # It was removed since they were listed, or is damaged.
                if _has(entry.fname, letter):
                    return entry.fname
    return None


def _has(path, letter):
    """Returns whether a font draws a letter otherwise than one that it does not have."""
    font = _font(path, 10)
    drawn, missing = (font.getmask(which) for which in (letter, _NO_LETTER))
    return drawn.size != missing.size or bytes(drawn) != bytes(missing)
