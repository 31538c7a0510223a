"""Sets of repetitions, drawn as films and made as series: are they counted to the last one?

python -m benchmarks.sets [--sets=20] [--document=docs/measured.md]

Before a set and after it nothing moves. Each has another tempo, rate of samples, number, size, place and noise.
"""

import collections
from collections.abc import Iterator

import cv2
import numpy as np

from benchmarks import document
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import result
from simper_tf.reading.films import film_reader
from simper_tf.reading.series import series_reader

COMMAND = "python -m benchmarks.sets"
OUTCOMES = EXACT, BY_ONE, OTHER, SILENT = "exact", "off by one", "other", "silent"
EVEN, UNEVEN, RESTING, STIRRING, LONG = KINDS = (
    "even", "lengths differ by 15 %", "a rest within", "a rest in which it stirs", "two to four minutes long",
)  # fmt: skip
RATES, HEIGHT, WIDTH = (15.0, 25.0, 30.0), 60, 80


class Set:
    """Repetitions of one movement, there and back.

    Args:
        kind: Of `KINDS`.
        seed: Of all that is random.

    Attributes:
        count: Repetitions.
        times: `(T,)` seconds.
        values: `(T,)` how far it is out, 0 to 1.
    """

    def __init__(self, kind: str, seed: int):
        self.random = random = np.random.default_rng([KINDS.index(kind), seed])
        rate, (before, after) = random.choice(RATES), random.uniform(0.5, 4, 2)
        period = float(np.exp(random.uniform(np.log(0.6), np.log(4.0))))
        lasting = random.uniform(120, 240) if kind == LONG else period * random.integers(6, min(40, 100 / period))
        self.count = round(lasting / period)
        lengths = period * np.exp({UNEVEN: 0.15, EVEN: 0.0}.get(kind, 0.05) * random.normal(size=self.count))
        starts = before + np.cumsum(lengths) - lengths
        rest = random.integers(3, self.count - 2) if kind in (RESTING, STIRRING) else self.count
        starts[rest:] += random.uniform(2.5, 5) * period
        moving = random.choice((0.7, 1.0)) * lengths  # The rest of each it stands.
        self.times = np.arange(0, starts[-1] + lengths[-1] + after, 1 / rate)
        number = np.clip(np.searchsorted(starts, self.times, "right") - 1, 0, None)
        phases = np.clip((self.times - starts[number]) / moving[number], 0, 1)
        self.values = 0.5 - 0.5 * np.cos(2 * np.pi * phases)
        if kind == STIRRING:
            wide = rate * period / 2
            stir = cv2.GaussianBlur(random.normal(size=(len(self.times), 1)), (1, 0), 1, sigmaY=wide)[:, 0]
            is_rest = (self.times > starts[rest - 1] + lengths[rest - 1]) & (self.times < starts[rest])
            self.values += 0.15 * is_rest * stir / stir.std()

    def pictures(self) -> Iterator[tuple[float, np.ndarray]]:
        """Seconds and `(HEIGHT, WIDTH, 1)` uint8 of each frame: a disc before a soft ground."""
        random = self.random
        ground = cv2.GaussianBlur(random.normal(size=(HEIGHT, WIDTH)), (0, 0), 3)
        ground = 80 + 15 * ground / ground.std()
        far, size, left, top = random.uniform((5, 4, 20, 15), (20, 12, 60, 25))
        for seconds, out in zip(self.times, self.values, strict=True):
            picture, middle = ground.copy(), (round(16 * left), round(16 * (top + far * out)))
            cv2.circle(picture, middle, round(16 * size), 200, -1, cv2.LINE_AA, 4)
            noisy = picture + random.normal(0, 3, picture.shape)
            yield float(seconds), np.clip(np.rint(noisy), 0, 255).astype(np.uint8)[..., None]

    def samples(self) -> np.ndarray:
        """`(T, 1)` values under noise of a sensor that drifts."""
        size = len(self.times)
        drift = 0.3 * np.sin(2 * np.pi * (self.times / self.times[-1] + self.random.uniform()))
        return (self.values + drift + self.random.normal(0, 0.05, size))[:, None]


def read(made: Set, recorded: str) -> result.Reading:
    """Reading of a set as a film or a series."""
    if recorded == "film":
        return film_reader.reading_of_frames(made.pictures())
    return series_reader.reading_of_samples(made.times, made.samples())


def outcome(reading: result.Reading, count: int) -> str:
    """How the count of the surest answer compares with the true one."""
    if not reading.clear:
        return SILENT
    error = abs(reading.clear[0].count - count)
    return (EXACT, BY_ONE)[round(error)] if error < 1.5 else OTHER


def report(sets: int) -> str:
    """Markdown of how often each kind has each outcome."""
    rows = []
    for recorded in ("film", "series"):
        for kind in KINDS:
            outcomes = {}
            for seed in range(sets):
                made = Set(kind, seed)
                outcomes[seed] = outcome(read(made, recorded), made.count)
            print(recorded, kind, {seed: found for seed, found in outcomes.items() if found != EXACT}, flush=True)
            counts = collections.Counter(outcomes.values())
            rows.append([f"{recorded}, {kind}", *(str(counts[found]) for found in OUTCOMES)])
    return markdown_tables.markdown_table(["sets", *OUTCOMES], rows)


def main():
    """Read all sets."""
    parser = document.flags(__doc__)
    parser.add_argument("--sets", type=int, default=20, help="Of each kind.")
    args = parser.parse_args()
    written = report(args.sets)
    document.say(args.document, COMMAND, written)


if __name__ == "__main__":
    main()
