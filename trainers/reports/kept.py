"""What runs have left in their folders, as figures want it; what they have not left is remembered."""

import dataclasses
import zipfile
from collections.abc import Mapping, Sequence

import numpy as np

from simper_tf.evaluation.rows import Row
from simper_tf.training import run_folder
from trainers.grid import Grid, Run

ARRAYS = ("series", "labels", "rates", "ids")


@dataclasses.dataclass
class Kept:
    """The runs of a grid.

    Attributes:
        grid: Knows where they are.
        seeds: Of every run; features are those of the first.
        seeds_of: Table -> the seeds of its runs, where a figure has those of several.
        command: That makes the runs where they are not there; empty for that of the figure's table.
        lacking: A sentence for each run that was asked for in vain -> the command that makes what it lacks, empty for
            that of the figure's table.
    """

    grid: Grid
    seeds: Sequence[int]
    seeds_of: Mapping[str, Sequence[int]] = dataclasses.field(default_factory=dict)
    command: str = ""
    lacking: dict[str, str] = dataclasses.field(default_factory=dict)

    def of(self, table: str, command: str) -> "Kept":
        """Returns the same for the runs of another table, with the command that makes them; see `lacking`."""
        return dataclasses.replace(self, seeds=self.seeds_of.get(table, self.seeds), command=command)

    def features(self, run: Run) -> dict[str, np.ndarray] | None:
        """Returns the features of a run with the first seed, as `side_by_side` takes them, or None.

        Raises:
            ValueError: its rows or features are damaged.
        """
        seeded = run.seeded(self.seeds[0])
        folder = self.grid.folder_of(seeded)
        if not self.grid.rows_of(seeded) or not folder.exists():
            return self._lack(f"{folder} holds no finished run")
        # Earlier versions kept those of the split that was predicted last, in a file of one name.
        for name in dict.fromkeys((run_folder.FEATURES[run.split], run_folder.FEATURES["test"])):
            found = _load(folder / name, run.split) if (folder / name).exists() else {}
            if found and str(found.pop("split", run.split)) == run.split:
                return found
        return self._lack(f"{folder} holds no features of {run.split} clips", _evaluation(folder, run.split))

    def rows(self, run: Run, protocol: str, metric: str) -> list[Row]:
        """Returns the rows of one number, one for each seed that is finished.

        Raises:
            ValueError: rows are damaged.
        """
        found = []
        for seed in self.seeds:
            seeded = run.seeded(seed)
            rows = [row for row in self.grid.rows_of(seeded) if (row.protocol, row.metric) == (protocol, metric)]
            if not rows:
                self._lack(f"{self.grid.folder_of(seeded)} has no row of {protocol} {metric}")
            found += rows
        return found

    def _lack(self, text, command=""):
        self.lacking[text] = command or self.command


def _evaluation(folder, split):
    return f"python -m trainers.evaluate --run_dir={folder} --split={split}"


def _load(path, split):
    """Returns the arrays of a file of features, which fit one another; a split is named where they do not."""
    try:
        with np.load(path, allow_pickle=False) as file:
            found = dict(file)
        number = {len(found[name]) for name in ARRAYS}
        if len(number) != 1 or not min(number) or not np.isfinite(found["series"]).all():
            raise ValueError("its arrays do not fit one another")
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is damaged ({error}). Make it again: {_evaluation(path.parent, split)}") from error
    return found
