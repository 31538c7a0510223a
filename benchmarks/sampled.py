"""Steady tempos filmed at every number of frames a period: is any told at a multiple that frames alone suggest?

python -m benchmarks.sampled [--kinds disc series] [--step=0.1] [--document=docs/measured.md]

Where a period lasts k + 1/2 frames, every second one is caught at other
moments. It must not be told at half its tempo, nor as pairs, and what
alternates in truth must not be told at twice its own.
"""

import collections
import pathlib
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import ndimage

from benchmarks import document
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import result
from simper_tf.reading.films import film_reader
from simper_tf.reading.series import series_reader

COMMAND = "python -m benchmarks.sampled"
OUTCOMES = RIGHT, PAIRS, HALF, DOUBLE, OTHER, SILENT = "right", "as pairs", "half", "double", "other", "silent"
SERIES = ("series", "series that jumps")
KINDS = ("disc", "patch", "skin", *SERIES, "sides in turn")
STEP = 0.1  # Frames from one period to the next.
# Frames a period, cycles, frames a second, and gray levels of noise.
FIRST, LAST, CYCLES, RATE, NOISE = 3.2, 40.0, 16, 25.0, 1.0
NEAR = 0.06  # Logarithm of the ratio of two tempos that are the same.
SIZE = np.array((36, 48))


def recorded(kind: str, period: float) -> Iterator[tuple[float, np.ndarray]]:
    """Seconds and picture of each frame of a drawn movement, caught in instants.

    Args:
        kind: A disc or a textured patch that swings, skin that pulses, or a patch that goes down to two sides in turn.
        period: Frames of a period, or of the way to one side and back.
    """
    rng = np.random.default_rng(0)
    phases = np.arange(max(round(CYCLES * period), 40)) / period
    behind, before = (ndimage.gaussian_filter(rng.normal(size=SIZE), wide) for wide in (2.0, 1.0))
    for number, phase in enumerate(phases):
        turn, out = 2 * np.pi * phase, np.sin(np.pi * phase) ** 2
        if kind == "skin":
            pulse = np.cos(turn) + 0.35 * np.cos(2 * turn + 1)
            picture = np.array([180, 130, 110]) * (1 + 0.006 * pulse * np.array([0.5, 1, 0.6])) + 40 * behind[..., None]
        else:
            side = 1 - 2 * (int(phase + 1e-9) % 2)
            place = (6 * out - 3, 8 * side * out) if kind == "sides in turn" else (0, 10 * np.sin(turn))
            middle = SIZE / 2 + place
            away = np.hypot(*(np.indices(SIZE) - middle[:, None, None]))
            inside = np.clip(6.5 - away, 0, 1)
            moved = 220 if kind == "disc" else 150 + 130 * ndimage.shift(before, place, order=1, mode="wrap")
            picture = ((90 + 60 * behind) * (1 - inside) + moved * inside)[..., None]
        noisy = picture + rng.normal(0, NOISE, picture.shape)
        yield number / RATE, np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


def reading_of(kind: str, period: float) -> result.Reading:
    """Reading of a kind of recording."""
    if kind not in SERIES:
        return film_reader.reading_of_frames(recorded(kind, period))
    rng = np.random.default_rng(0)
    turn = 2 * np.pi * np.arange(round(2 * CYCLES * period)) / period
    values = np.exp(2 * np.cos(turn)) + np.exp(2 * np.cos(turn - 2)) / 3 if kind == "series" else turn / 2 / np.pi % 1
    return series_reader.reading_of_samples(
        np.arange(len(turn)) / RATE, (values + 0.05 * rng.normal(size=len(turn)))[:, None]
    )


def outcome(kind: str, period: float) -> str:
    """Which multiple of the tempo is told."""
    clear = reading_of(kind, period).clear
    if not clear:
        return SILENT
    ratio = clear[0].hertz * period * (2 if kind == "sides in turn" else 1) / RATE
    right = PAIRS if clear[0].pairs and kind != "sides in turn" else RIGHT
    near = [name for name, at in ((right, 1), (HALF, 1 / 2), (DOUBLE, 2)) if abs(np.log(ratio / at)) < NEAR]
    return near[0] if near else OTHER


def report(step: float, kinds: Sequence[str] = KINDS) -> str:
    """Markdown of how often each of some kinds has each outcome."""
    periods = np.round(step * np.arange(np.ceil(FIRST / step - 1e-9), LAST / step + 1e-9), 3)
    rows = []
    for kind in kinds:
        outcomes = {float(period): outcome(kind, float(period)) for period in periods}
        print(kind, {period: found for period, found in outcomes.items() if found != RIGHT}, flush=True)
        counts = collections.Counter(outcomes.values())
        rows.append([kind, *(str(counts[found]) for found in OUTCOMES)])
    return markdown_tables.markdown_table(["movement", *OUTCOMES], rows)


def put(step: float, path: pathlib.Path | None, kinds: Sequence[str] = KINDS):
    """Reads all tempos, prints the table and puts it into a document."""
    written = report(step, kinds)
    document.say(path, COMMAND, written)


def main():
    """Read all tempos."""
    parser = document.flags(__doc__)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="Of what is drawn.")
    parser.add_argument("--step", type=float, default=STEP, help="Frames from one period to the next.")
    args = parser.parse_args()
    put(args.step, args.document, args.kinds)


if __name__ == "__main__":
    main()
