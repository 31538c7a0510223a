"""Figure of the guide on harmonic patterns: noisy frames, and what the harmonics of the digits in them look like.

python -m docs.patterns
"""

import pathlib
import sys

import numpy as np
from matplotlib.figure import Figure

from simper_tf.encoders import cells
from simper_tf.evaluation import features
from simper_tf.signals import patterns
from simper_tf.training.settings import Settings
from simper_tf.utils.clips import unit_range
from trainers import data

DATA, BAND = "rotating_digits/digits_noisy_high", (0.4, 5.5)
CLIPS, SHOWN, ORDERS = 300, 4, (1, 2)
MIDDLE = 3.0  # Hz, at which noise is taken for the figure.


def pictures(data_dir: str = "data") -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Returns frames of a clip, `(SHOWN, H, W)`, and harmonic -> its strongest patterns, `(SHOWN, h, w)`."""
    loaded = data.load(Settings(dataset=DATA, data_dir=data_dir))
    encoder = cells(loaded.frame_shape)
    examples, _ = loaded.split("train", CLIPS)
    found = features.extract({"series": lambda clips: encoder(unit_range(clips))}, examples)
    known = patterns.learn(found.series, found.rates, BAND)
    clip = next(examples.as_numpy_iterator())["clip"]
    frames = clip[:: len(clip) // SHOWN][:SHOWN, ..., 0]
    side = round(np.sqrt(found.series.shape[2]))
    back, cycles = np.linalg.pinv(known["axes"]), MIDDLE * len(clip) / found.rates[0]
    shown = {}
    for order in ORDERS:
        strongest = known["powers"][order - 1].argsort()[::-1][:SHOWN]
        unmixed = (
            np.linalg.inv(known["whitening"][round(order * cycles)]) @ known["directions"][order - 1][:, strongest]
        )
        shown[order] = (unmixed.T @ back).reshape(SHOWN, side, side)
    return frames, shown


def drawn(frames: np.ndarray, shown: dict[int, np.ndarray]) -> Figure:
    """Returns the figure of `pictures`."""
    figure = Figure(figsize=(8, 5.2), layout="constrained")
    rows = figure.subplots(1 + len(shown), SHOWN)
    names = ["frames of a clip", *(f"{order} f" for order in shown)]
    for panels, name, row in zip(rows, names, [frames, *shown.values()], strict=True):
        panels[0].set_ylabel(name)
        for axes, picture in zip(panels, row, strict=True):
            reach = np.abs(picture).max()
            is_frame = row is frames
            axes.imshow(picture, cmap="gray" if is_frame else "RdBu_r", vmin=0 if is_frame else -reach, vmax=reach)
            axes.set(xticks=[], yticks=[])
    return figure


if __name__ == "__main__":
    drawn(*pictures(*sys.argv[1:])).savefig(pathlib.Path(__file__).parent / "patterns.png", dpi=100)
