"""Says what the features of runs on drawn faces repeat with: the pulse, or whatever else repeats there.

python -m benchmarks.periods RUN... [--document=docs/results/periods.md]

A face has several periods: its pulse, whose second harmonic is strong, its breath, which the light follows, and the two
frequencies at which the head moves. Learning without labels finds one that is there, and cannot know which was meant.
The strongest line of a clip's features, among all frequencies of which two cycles fit in, is that of the nearest of
these within 6 per minute.
"""

import argparse
import math
import pathlib

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import numpy as np

from benchmarks import scored
from datasets.drawn_faces import people
from datasets.drawn_faces.disturbance import LOOKS, Look
from simper_tf import readout, run_folder, tables
from simper_tf.methods import METHODS
from simper_tf.settings import Settings
from trainers import options

COMMAND = "python -m benchmarks.periods"
NEAR = 0.1  # Hz.
HIGHEST = 5.0  # Hz: twice the fastest heart.
PERIODS = ("pulse", "twice the pulse", "head, fast", "head, slow", "breath", "twice the breath")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=pathlib.Path, nargs="+", help="Folders of finished runs on drawn faces.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the table is put into.")
    args = parser.parse_args()
    lines = []
    for folder in args.runs:
        try:
            settings = options.written(folder)
            split, found = shares(folder, settings)
        except ValueError as error:
            parser.error(str(error))
        cells = [*found.values(), 1 - sum(found.values())]
        lines.append([*title(settings), split, *(f"{share:.0%}" for share in cells)])
    text = tables.markdown_table(("method", "faces", "clips", *PERIODS, "none of these"), lines)
    print(text)
    scored.into_document(args.document, COMMAND, text)


def title(settings: Settings) -> tuple[str, str]:
    """Returns the method of a run, with what it was told of the band, and the config of the faces."""
    weight = settings.options.get("prior_weight", 0)
    told = f" + prior, weight {weight:g}" if weight else ""
    length = f"{settings.steps} steps" if settings.steps else f"{settings.epochs} epochs"
    return f"{METHODS[settings.method].title}{told}, {length}", settings.dataset.partition("/")[2]


def shares(folder: pathlib.Path, settings: Settings) -> tuple[str, dict[str, float]]:
    """Returns whose clips a run has kept features of, and each of `PERIODS` -> the share of clips that repeat with it.

    Args:
        folder: Of the run.
        settings: Of the run.

    Raises:
        ValueError: it is not of drawn faces, or has no features.
    """
    path = next((folder / name for name in run_folder.FEATURES.values() if (folder / name).exists()), folder)
    if not settings.dataset.startswith("drawn_faces/") or path == folder:
        found = "no features.npz" if path == folder else f"--dataset={settings.dataset}"
        raise ValueError(f"{folder} has {found}. Name finished runs on drawn_faces.")
    with np.load(path) as kept:
        series, rates, ids, pulses = (kept[name] for name in ("series", "rates", "ids", "labels"))
    look = LOOKS[settings.dataset.partition("/")[2]]
    truths = np.array([periods(str(name), pulse, look) for name, pulse in zip(ids, pulses, strict=True)])
    lowest = 2 * float(rates.max()) / series.shape[1]
    read = readout.fft_frequency(series, rates, (lowest, HIGHEST))[0].numpy()
    return str(ids[0]).partition("-")[0], dict(zip(PERIODS, nearest(truths, read), strict=True))


def periods(name: str, pulse: float, look: Look) -> list[float]:
    """Returns the Hz of `PERIODS` in a clip, infinite for what is not drawn there.

    Args:
        name: Its id, such as `test-024-09`.
        pulse: Its heart rate, beats per minute.
        look: Of its config.
    """
    split, number, _ = name.split("-")
    someone = people.person(split, int(number))
    slow, fast = someone.motion if look.motion else (math.inf, math.inf)
    breath = someone.breathing if look.breathing else math.inf
    return [pulse / 60, pulse / 30, fast, slow, breath, 2 * breath]


def nearest(truths: np.ndarray, read: np.ndarray) -> np.ndarray:
    """Returns `(P,)` shares of clips for which each of P frequencies is the nearest to what is read, within `NEAR`.

    Args:
        truths: `(N, P)` Hz, infinite for none.
        read: `(N,)` Hz.
    """
    off = np.abs(truths - read[:, None])
    return np.mean((off == off.min(axis=1, keepdims=True)) & (off < NEAR), axis=0)


if __name__ == "__main__":
    main()
