"""What was read from each clip by a run, by `simper_tf.read`, or by the run where that reader has no clear answer."""

import pathlib

import numpy as np
import pandas as pd

import simper_tf
from reproduce.grid import Grid, Run
from simper_tf.evaluation import rows, tasks
from simper_tf.evaluation.features import Features
from simper_tf.training import run_folder
from simper_tf.utils import files
from trainers import data

# Of protocols whose clips the reader answers first, before the name of the protocol that answers the others.
READER = "reader_"


def of_run(grid: Grid, run: Run, protocol: str) -> pd.DataFrame | None:
    """Returns the clips of a run, columns `subject`, `label` and `read`; None where its folder is not here.

    Args:
        grid: Of the run.
        run: With a seed, finished.
        protocol: By which they were read. That of a protocol behind `READER` counts where the reader has no clear
            answer.
    """
    path = grid.folder_of(run) / run_folder.OF_CLIPS[run.split]
    if not path.exists():
        return None
    clips = of_file(path, protocol.removeprefix(READER))
    if protocol.startswith(READER):
        clips["read"] = _reader(grid, run, clips.attrs["unit"]).reindex(clips.index).fillna(clips["read"])
    return clips


def of_file(path: pathlib.Path, protocol: str) -> pd.DataFrame:
    """Returns the clips of a table as `of_run` does, by their ids; their unit is in `attrs`."""
    table = pd.read_csv(path, index_col="id")
    (label,) = (name for name in table if name.startswith("label ("))
    (read,) = (name for name in table if name.startswith(f"{protocol} ("))
    clips = table[["subject", label, read]].set_axis(["subject", "label", "read"], axis=1)
    clips.attrs["unit"] = label.removeprefix("label (").removesuffix(")")
    return clips


def rows_behind_reader(grid: Grid, run: Run, protocols: list[str]) -> list[rows.Row]:
    """Returns the rows of protocols behind `READER`; those that were kept where the folder of the run is not here.

    Args:
        grid: Of the run.
        run: With a seed.
        protocols: With the prefix.
    """
    name, finished = f"{grid.folder_of(run).name}~reader", grid.rows_of(run)
    clips = {one: of_run(grid, run, one) for one in protocols} if finished else {}
    if clips and all(one is not None for one in clips.values()):
        some = next(iter(clips.values()))
        labels, subjects = some["label"].to_numpy(), some["subject"].to_numpy()
        test = Features(labels[:, None], labels, np.ones(len(labels)), some.index.to_numpy(), subjects)
        values = {one: read["read"].to_numpy() for one, read in clips.items()}
        first = finished[0]
        fields = ("dataset", "config", "method", "encoder", "seed", "commit", "seconds", "settings", "split")
        of_run_ = {field: getattr(first, field) for field in fields}
        grid.keep_rows(name, rows.score(values, test, tasks.Frequency(some.attrs["unit"]), **of_run_))
    return [row for row in grid.kept_rows(name) if row.protocol in protocols]


def _reader(grid, run, unit):
    """Returns what the reader says of each clip, by its id, NaN where it has no clear answer; read once a split."""
    settings = run.settings()
    path = grid.folder / f"reader_{settings.dataset.replace('/', '-')}_{run.split}.csv"
    if not path.exists():
        with data.opened(settings) as clips:
            examples, _ = clips.split(run.split)
            hertz = {
                one["id"].decode(): read_clip(one["clip"], float(one["rate"]), settings.band)
                for one in examples.as_numpy_iterator()
            }
        table = pd.Series(hertz, name="hertz").rename_axis("id")
        files.write_atomically(path, table.to_csv(float_format="%.6g"))
    table = pd.read_csv(path, index_col="id")["hertz"]
    return table * tasks.Frequency(unit).per_hertz(1.0)


def read_clip(clip: np.ndarray, rate: float, band: tuple[float, float]) -> float:
    """Returns the surest clear answer of `simper_tf.read` in Hz; NaN without one.

    Args:
        clip: `(T, H, W, C)`, of series `(T, 1, 1, C)`.
        rate: Frames per second.
        band: In Hz, that of the data.
    """
    return simper_tf.read(clip[:, 0, 0] if clip.shape[1:3] == (1, 1) else clip, rate, band=band).hertz
