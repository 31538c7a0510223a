"""Folders of runs that nobody has trained: rows and features as `trainers.evaluate` leaves them, and their tables."""

import dataclasses
import zlib

import numpy as np

from simper_tf.evaluation import rows
from simper_tf.training import run_folder
from trainers import reproduce
from trainers.studies import STUDIES
from trainers.studies.gathering import gather
from trainers.studies.scales import SCALES

CLIPS = 40
# Seconds a clip, frames a second.
SECONDS, RATE = 2, 30.0


def scale():
    """Returns the smallest scale, with all lines of its tables."""
    return dataclasses.replace(SCALES["smoke"].located("data", "raw"), is_short=False)


def finish(grid, study, seeds, lacking=()):
    """Leaves what all runs of a study would have left in a grid's folder.

    Args:
        grid: A `Grid`.
        study: Whose runs.
        seeds: Of each run.
        lacking: Names of methods whose runs are not finished.
    """
    wanted = {}
    for cell in (cell for block in study.blocks for line in block.lines for cell in line.cells if cell):
        wanted.setdefault(cell.run, set()).add((cell.protocol, cell.metric))
    for run in list(wanted):
        for source in run.with_sources():
            wanted.setdefault(source, {("fft", "mae")})
    for run, numbers in wanted.items():
        for seed in seeds:
            if run.settings().method not in lacking:
                leave(grid, run.seeded(seed), sorted(numbers))


def page(grid, name, scale, seeds, folder, lacking=()):
    """Finishes the runs of a study, writes its table as `trainers.reproduce` does, and returns its page."""
    study = STUDIES[name][0](scale)
    finish(grid, study, seeds, lacking)
    made = gather(study, scale, seeds, grid.rows_of, lambda run: grid.folder_of(run).name)
    reproduce.write(folder, [made])
    return made


def leave(grid, run, numbers):
    """Leaves rows of some protocols and metrics, and features, in the folder of a run with a seed."""
    folder, settings = grid.folder_of(run), run.settings()
    folder.mkdir(parents=True, exist_ok=True)
    part = min(settings.data_fraction, settings.label_fraction)
    size = (0.1 if settings.method == "simper" or run.source else 0.8) / np.sqrt(part)
    found = []
    for protocol, metric in numbers:
        rng = np.random.default_rng(zlib.crc32(f"{folder.name} {protocol} {metric}".encode()))
        value = float(size * rng.uniform(0.8, 1.2) * (100 if metric == "mape" else 1))
        found.append(rows.Row(
            dataset="rotating_digits", config="digits", method=settings.method, encoder=settings.encoder,
            protocol=protocol, metric=metric, value=value, unit="%" if metric == "mape" else "Hz", low=0.9 * value,
            high=1.1 * value, n=CLIPS, seed=settings.seed, commit="abc1234", seconds=float(rng.uniform(10, 90)),
            settings="made-up", split=run.split,
        ))  # fmt: skip
    rows.write_rows(folder / "results.jsonl", found)
    path = folder / run_folder.FEATURES[run.split]
    np.savez_compressed(path, split=run.split, **features(settings.method, settings.seed))


def features(method, seed):
    """Returns features of clips of 0.5 to 5 Hz in no order: sinusoids of SimPer, others the fainter."""
    noise = np.random.default_rng(zlib.crc32(f"{method} {seed}".encode()))
    clips = np.random.default_rng(83)  # The same of all runs.
    labels = clips.permutation(np.linspace(0.5, 5, CLIPS)).astype(np.float32)
    angle = np.sin(2 * np.pi * labels[:, None] * np.arange(SECONDS * RATE) / RATE)
    faint = {"simper": 0.1, "cvrl": 1.0}.get(method, 3.0)
    series = (angle + faint * noise.normal(size=angle.shape)).astype(np.float32)[..., None]
    ids = np.array([f"test-{k:05d}" for k in clips.permutation(CLIPS)])
    return {
        "series": series,
        "labels": labels,
        "rates": np.full(CLIPS, RATE, np.float32),
        "ids": ids,
        "angle": angle[:12],
    }
