"""What was read from each clip by a run, by `simper_tf.read`, or by the run where that reader has no answer."""

import math
import pathlib

import numpy as np
import pandas as pd

import simper_tf
from reproduce.grid import Grid, Run
from simper_tf.evaluation import rows, tasks
from simper_tf.evaluation.features import Features
from simper_tf.training import run_folder
from simper_tf.utils import files
from simper_tf.utils.standardize import is_series
from trainers import data

# Before the name of a protocol: the reader answers first, with what is clear to it alone, or with whatever it has.
READER, SUREST = "reader_", "surest_"


def of_run(grid: Grid, run: Run, protocol: str) -> pd.DataFrame | None:
    """Returns the clips of a run, columns `subject`, `label` and `read`; None where its folder is not here.

    Args:
        grid: Of the run.
        run: With a seed, finished.
        protocol: By which they were read. Behind `READER` or `SUREST` it counts where the reader has no such answer.
    """
    path = grid.folder_of(run) / run_folder.OF_CLIPS[run.split]
    if not path.exists():
        return None
    clips = of_file(path, protocol.removeprefix(READER).removeprefix(SUREST))
    if is_behind_reader(protocol):
        answers = _reader(grid, run).reindex(clips.index)
        unit, first = clips.attrs["unit"], answers["count"]
        if unit != "count":  # Repetitions are as many as it marks, a rest within a set left out.
            first = answers["hertz"] * tasks.Frequency(unit).per_hertz(answers["seconds"])
        known = answers["clear"].eq(True) if protocol.startswith(READER) else first.notna()
        clips["read"] = first.where(known, clips["read"])
    return clips


def is_behind_reader(protocol: str) -> bool:
    """Returns whether the reader answers before a protocol."""
    return protocol.startswith((READER, SUREST))


def of_file(path: pathlib.Path, protocol: str) -> pd.DataFrame:
    """Returns the clips of a table as `of_run` does, by their ids; their unit is in `attrs`."""
    table = pd.read_csv(path, index_col="id")
    (label,) = (name for name in table if name.startswith("label ("))
    (read,) = (name for name in table if name.startswith(f"{protocol} ("))
    clips = table[["subject", label, read]].set_axis(["subject", "label", "read"], axis=1)
    clips.attrs["unit"] = label.removeprefix("label (").removesuffix(")")
    return clips


def rows_behind_reader(grid: Grid, run: Run, protocols: list[str]) -> list[rows.Row]:
    """Returns the rows of protocols behind the reader; those that were kept where the folder of the run is not here.

    Args:
        grid: Of the run.
        run: With a seed.
        protocols: With their prefixes.
    """
    name, finished = f"{grid.folder_of(run).name}~reader", grid.rows_of(run)
    clips = {protocol: of_run(grid, run, protocol) for protocol in protocols} if finished else {}
    if clips and all(errors is not None for errors in clips.values()):
        some = next(iter(clips.values()))
        labels, subjects = some["label"].to_numpy(), some["subject"].to_numpy()
        test = Features(labels[:, None], labels, np.ones(len(labels)), some.index.to_numpy(), subjects)
        values = {protocol: read["read"].to_numpy() for protocol, read in clips.items()}
        first = finished[0]
        fields = ("dataset", "config", "method", "encoder", "seed", "commit", "seconds", "settings", "split")
        of_run_ = {field: getattr(first, field) for field in fields}
        grid.keep_rows(name, rows.score(values, test, tasks.Frequency(some.attrs["unit"]), **of_run_))
    return [row for row in grid.kept_rows(name) if row.protocol in protocols]


def _reader(grid, run):
    """Returns what the reader says of each clip, by its id: see `read_clip`; read once a split."""
    settings = run.settings()
    path = grid.folder / f"reader_{settings.dataset.replace('/', '-')}_{run.split}.csv"
    if not path.exists():
        with data.opened(settings) as clips:
            examples, _ = clips.split(run.split)
            read = {
                example["id"].decode(): read_clip(example["clip"], float(example["rate"]), settings.band)
                for example in examples.as_numpy_iterator()
            }
        table = pd.DataFrame.from_dict(read, orient="index").rename_axis("id")
        files.write_atomically(path, table.to_csv(float_format="%.6g"))
    return pd.read_csv(path, index_col="id")


def read_clip(clip: np.ndarray, rate: float, band: tuple[float, float]) -> dict:
    """Returns the surest answer of `simper_tf.read`.

    Args:
        clip: `(T, H, W, C)`, of series `(T, 1, 1, C)`.
        rate: Frames per second.
        band: In Hz, that of the data.

    Returns:
        `hertz` and `count`, NaN without any answer, whether it is `clear`, and the `seconds` of the clip.
    """
    found = simper_tf.read(clip[:, 0, 0] if is_series(clip.shape[1:]) else clip, rate, band=band)
    answers = found.answers or found.reading.answers
    hertz, count = (answers[0].hertz, answers[0].count) if answers else (math.nan, math.nan)
    return {"hertz": hertz, "count": count, "clear": bool(found.answers), "seconds": len(clip) / rate}
