"""A miniature of the phone pulses: uneven frames of a fingertip's color, and the intervals between its beats."""

import json
import pathlib

import numpy as np

from simper_tf.data import standin_faces

from .reader import HEADER, SUBJECTS

# Gray levels of R, G and B of a lit fingertip, and of its pulse, as phones show them: red nearly all, blue nothing.
COLOR, DEPTH = np.array([225.0, 25.0, 8.0]), np.array([1.2, 0.6, 0.1])
NOISE = 0.08  # Gray levels of a mean over the picture.
FRAME_MS, JITTER_MS = 33.3, 8.0  # 30 frames a second, as phones film, and about as uneven.
# Share by which the time between two beats differs.
VARIABILITY = 0.03
# What tests write, and the config in which each split of it has a few clips.
SMALLEST = ({"subjects": 3, "seconds": 17}, {"seconds": 8.0, "every": 4.0})


def write(out, subjects=6, seconds=40, seed=0):
    """Writes `sNN.csv` and `sNN.RR` of 1 to 21 subjects, and `truth.json`.

    Returns the truth, also written: for each recording its mean `heart_rate` in beats per minute.
    """
    if not 1 <= subjects <= len(SUBJECTS):
        raise ValueError(f"There are recordings of {len(SUBJECTS)} people. Received subjects={subjects}.")
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    truth = {f"s{name}": _write(out / f"s{name}", seconds, seed, i) for i, name in enumerate(SUBJECTS[:subjects])}
    (out / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return truth


def _write(stem, seconds, seed, index):
    rng, rate = np.random.default_rng([seed, index]), standin_faces.heart_rate(seed, index)
    number = int(seconds * rate / 60) + 3
    intervals = np.round(60e3 / rate * (1 + VARIABILITY * rng.uniform(-1, 1, number))).astype(int)
    beats = np.append(0, np.cumsum(intervals))
    times = np.arange(round(1e3 * seconds / FRAME_MS)) * FRAME_MS
    times = np.round(times + rng.uniform(0, JITTER_MS, len(times)))
    phases = np.interp(times, beats, np.arange(len(beats)))
    wave = standin_faces.ppg(60.0, phases)  # One beat a second of a clock that counts beats.
    drift = 2.0 * np.sin(2 * np.pi * times / 1e3 * 0.05 + rng.uniform(0, 2 * np.pi))
    colors = COLOR + (drift - wave)[:, None] * DEPTH + NOISE * rng.normal(size=(len(times), 3))
    rows = "\n".join(f"{time:.0f},{r:.3f},{g:.3f},{b:.3f}" for time, (r, g, b) in zip(times, colors, strict=True))
    stem.with_suffix(".csv").write_text(f"{HEADER}\n{rows}\n", encoding="ascii")
    stem.with_suffix(".RR").write_text(" ".join(map(str, intervals)), encoding="ascii")
    return {"heart_rate": 60e3 / float(intervals.mean())}
