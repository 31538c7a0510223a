"""Counters and clocks drawn into films in which nothing repeats, and things as small that do repeat.

python -m benchmarks.counters [--films=16] [--document=docs/measured.md]

A row is what changes in the picture. Each film of it has another font, place, height (1 to 6 % of the picture), step,
frame rate, background, noise and coding. A counter is no repetition: where anything but a swing beside it is told, the
film is wrong. The last columns are outcomes without the rule that knows counters.
"""

import functools
import itertools
import pathlib
import tempfile
from collections.abc import Iterator

import cv2
import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchmarks import ablation, document, films, real, rules
from simper_tf.commands import mp4
from simper_tf.evaluation import markdown_tables

COMMAND = "python -m benchmarks.counters"
OUTCOMES = RIGHT, WRONG, SILENT = "right", "wrong", "silent"
HEIGHT, WIDTH = 480, 640
MIDDLE = WIDTH // 2
BESIDE = ("nothing", "a fall", "a drift", "a curve that grows", "a turn that ends", "a swing")
REPEATING = ("light", "two pictures", "pendulum", "fan", "hand", "jumper", "figure")
FONTS = ("DejaVuSans", "DejaVuSansMono", "DejaVuSerif-Bold", "STIXGeneral", "cmr10")
SIZES = (0.01, 0.015, 0.025, 0.04, 0.06)  # Of digits or the small thing, as shares of the height.
RATES = (10, 12, 15, 20, 24, 25, 30, 50, 60)
# What is written and steps of it; 0 is the time from one step to the next. "{:g}" leaves out zeros at the end.
TEXTS = {
    "t = {:.1f} s": (0, 0.1, 0.05, 0.5), "time = {:.2f}": (0, 0.1, 0.05, 0.04), "{:.3f}": (0.001, 0.005, 0.01),
    "t = {:g}": (0, 0.1, 0.04, 0.02), "frame {:.0f}": (1, 2, 5, 10), "{:05.0f}": (1,), "step {:.0f}": (1, 5, 100),
}  # fmt: skip


class Film:
    """A drawn film.

    Args:
        kind: "counter", or of `REPEATING`.
        beside: Of `BESIDE`.
        seed: Of all that is random.

    Attributes:
        hertz: True frequencies; none where nothing repeats.
    """

    def __init__(self, kind: str, beside: str, seed: int):
        self.kind, self.beside, self.random = kind, beside, np.random.default_rng(seed)
        choice = self.random.choice
        self.rate, self.size = float(choice(RATES)), HEIGHT * float(choice(SIZES))
        # Four cycles at least, and 420 frames at most: more tell no more.
        slowest, fastest = 0.6, min(self.rate / 8, 3.0)
        self.small = float(np.exp(self.random.uniform(np.log(slowest), np.log(fastest)))) if kind != "counter" else 0.0
        self.swing = self.random.uniform(0.5, 1.2) if beside == "a swing" else 0.0
        self.seconds = min(self.random.uniform(8, 14), 420 / self.rate)
        self.hertz = tuple(hertz for hertz in (self.small, self.swing) if hertz)
        self.behind, self.coded = str(choice(("plot", "dark", "camera"))), choice(("", "", "23", "30"))
        self.ink = {"plot": 0, "dark": 255, "camera": int(choice((0, 255)))}[self.behind]
        self.at = self.random.uniform(0.15, 0.85) * WIDTH, self.random.uniform(0.2, 0.85) * HEIGHT
        self.text, self.ticks = str(choice(list(TEXTS))), int(choice((1, 1, 2, 3, 5)))
        self.step, self.first = float(choice(TEXTS[self.text])) or self.ticks / self.rate, int(choice(50))
        path = pathlib.Path(matplotlib.get_data_path(), "fonts", "ttf", f"{choice(FONTS)}.ttf")
        self.font = ImageFont.truetype(str(path), round(self.size / 0.73))  # A digit takes 0.73 of a line.
        self.place = ((MIDDLE, 30, "mm"), (WIDTH - 8, HEIGHT - 8, "rs"), (8, 8, "lt"), (*self.at, "mm"))[choice(4)]
        self.walk = cv2.GaussianBlur(np.cumsum(self.random.normal(size=(2, 1000)), axis=1), (0, 0), 20, sigmaY=0.1)
        self.duty, self.poses = float(choice((0.5, 0.3, 0.15))), int(choice(range(8, 13)))
        self.patterns = self.random.integers(0, 2, (2, 3, 3), np.uint8)

    @functools.cached_property
    def background(self) -> np.ndarray:
        """What stands behind all, `(HEIGHT, WIDTH)` uint8."""
        picture = np.full((HEIGHT, WIDTH), {"plot": 255, "dark": 20, "camera": 120}[self.behind], np.uint8)
        if self.behind == "plot":
            cv2.rectangle(picture, (60, 60), (600, 430), 0)
        if self.behind == "camera":
            cells = self.random.normal(size=(6, 8)), self.random.normal(size=(90, 120))
            picture = 120 + sum(s * cv2.resize(cell, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
                                for s, cell in zip((30, 8), cells, strict=True))  # fmt: skip
        return np.clip(picture, 0, 255).astype(np.uint8)

    def pictures(self) -> Iterator[tuple[float, np.ndarray]]:
        """Seconds and `(HEIGHT, WIDTH)` uint8 of each frame."""
        for number in range(int(self.seconds * self.rate)):
            picture, time = self.background.copy(), number / self.rate
            self._draw_beside(picture, time)
            picture = self._written(picture, number) if self.kind == "counter" else self._with_small(picture, time)
            if self.behind == "camera":
                noise = cv2.resize(self.random.normal(0, 2, (HEIGHT // 2, WIDTH // 2)), (WIDTH, HEIGHT))
                picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
            yield time, picture

    def _draw_beside(self, picture, time):
        part, level = time / self.seconds, 230 if self.behind == "dark" else 40
        if self.beside == "a fall":
            _disc(picture, (MIDDLE, 120 + min(2000 * max(part - 0.3, 0) ** 2, 260)), 20, level)
        elif self.beside == "a drift":
            path = (self.walk - self.walk.mean(1, keepdims=True)) / self.walk.std(1, keepdims=True)
            _disc(picture, (MIDDLE, 240) + 70 * path[:, int(999 * part)], 20, level)
        elif self.beside == "a curve that grows":
            points = np.stack((np.linspace(65, 595, 1000), 245 + 4 * (self.walk[0] - self.walk[0].mean())), 1)
            cv2.polylines(picture, [np.int32(points[: int(1000 * part) + 1])], False, level, 2, cv2.LINE_AA)
        elif self.beside != "nothing":
            swing = 0.8 * np.sin(2 * np.pi * self.swing * time) if self.swing else 2.2 * min(2 * part, 1)
            _hand(picture, (MIDDLE, 90), 220, swing, level)

    def _written(self, picture, number):
        image = Image.fromarray(picture)
        words = self.text.format(round(number // self.ticks * self.step + 10 * self.first * self.step, 6))
        ImageDraw.Draw(image).text(self.place[:2], words, self.ink, self.font, self.place[2])
        return np.array(image)

    def _with_small(self, picture, time):
        (x, y), size, cycle = self.at, self.size, self.small * time
        part = cycle % 1
        if self.kind == "light" and part < self.duty:
            _disc(picture, self.at, size / 2, self.ink)
        elif self.kind == "two pictures":
            side, left, top = max(round(size), 3), int(x), int(y)
            pattern = cv2.resize(255 * self.patterns[int(2 * part)], (side, side), interpolation=cv2.INTER_AREA)
            picture[top : top + side, left : left + side] = pattern
        elif self.kind in ("pendulum", "hand"):
            turn = 0.9 * np.sin(2 * np.pi * cycle) if self.kind == "pendulum" else np.pi * np.floor(12 * cycle) / 6
            _hand(picture, self.at, size, turn, self.ink)
        elif self.kind == "fan":
            for blade in range(3):
                turn = 2 * np.pi / 3 * (cycle + blade)
                _disc(picture, (x + size / 3 * np.sin(turn), y + size / 3 * np.cos(turn)), size / 5, self.ink)
        elif self.kind in ("jumper", "figure"):  # A figure runs on the spot, in so many pictures.
            pose = 2 * np.pi * int(self.poses * part) / self.poses
            up, stride = (size * max(np.sin(pose), 0), 0.3) if self.kind == "jumper" else (0, 0.7 * np.sin(pose))
            _disc(picture, (x, y - up - 0.9 * size), size / 4, self.ink)
            for turn in (stride, -0.4 * stride):  # Else a step would be a cycle.
                _hand(picture, (x, y - up - 0.6 * size), size, turn, self.ink)
        return picture

    def frames(self) -> films.Frames:
        """Frames as they are read."""
        if not self.coded:
            times, shown = zip(*self.pictures(), strict=True)
            shown = [cv2.resize(picture, (80, 60), interpolation=cv2.INTER_AREA)[..., None] for picture in shown]
            return films.Frames(np.array(times), np.stack(shown), np.zeros(0), np.inf)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "film.mp4")
            with mp4.Writer(path, HEIGHT, WIDTH, {"crf": str(self.coded), "preset": "veryfast"}) as out:
                for time, picture in self.pictures():
                    out.add(time, np.repeat(picture[..., None], 3, 2))
            return films.frames(films.Film("drawn", path.name, folder, path, self.hertz), path.parent)


def outcomes(film: Film) -> list[str]:
    """Whether what is told is what repeats, and whether it is without the rule that knows counters."""
    frames = film.frames()
    readings = ablation.said(lambda: films.reading_of(frames), rules.RULES, ("counters",), rules.REMEMBERED)
    return [_outcome(film.hertz, reading.clear) for _, reading in readings]


def report(number: int) -> str:
    """Markdown of how often so many films of each row have each outcome."""
    rows = []
    kinds = itertools.chain(itertools.product(("counter",), BESIDE), itertools.product(REPEATING, BESIDE[:3:2]))
    for kind, beside in kinds:
        with_rule, without = zip(*(outcomes(Film(kind, beside, seed)) for seed in range(number)), strict=True)
        counts = [*map(with_rule.count, OUTCOMES), *map(without.count, OUTCOMES)]
        rows.append([f"{kind}, beside {beside}", *map(str, counts)])
        print(*rows[-1], sep=" | ", flush=True)
    return markdown_tables.markdown_table(
        ["in the picture", *OUTCOMES, *(f"{name} without" for name in OUTCOMES)], rows
    )


def _outcome(true, clear):
    if not clear:
        return SILENT if true else RIGHT
    return RIGHT if all(films.outcome(true, answer.hertz) == real.RIGHT for answer in clear) else WRONG


def _disc(picture, middle, radius, level):
    """Draws a disc, in sixteenths of a pixel."""
    place = tuple(int(16 * at) for at in middle)
    cv2.circle(picture, place, max(int(16 * radius), 8), int(level), -1, cv2.LINE_AA, 4)


def _hand(picture, middle, length, turn, level):
    """Draws a hand that hangs from a place and is turned by radians."""
    ends = [middle, (middle[0] + length * np.sin(turn), middle[1] + length * np.cos(turn))]
    places = [tuple(int(16 * at) for at in end) for end in ends]
    cv2.line(picture, *places, int(level), max(int(length / 10), 1), cv2.LINE_AA, 4)


def main():
    """Draw and read all films."""
    parser = document.flags(__doc__)
    parser.add_argument("--films", type=int, default=16, help="Films of each row.")
    args = parser.parse_args()
    written = report(args.films)
    document.say(args.document, COMMAND, written)


if __name__ == "__main__":
    main()
