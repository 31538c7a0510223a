"""What runs have left in their folders, as figures want it; what they have not left is remembered."""

import dataclasses
import zipfile

import numpy as np

from simper_tf.rows import Row
from trainers.grid import Grid, Run

ARRAYS = ("series", "labels", "rates", "ids")


@dataclasses.dataclass
class Kept:
    """The runs of a grid.

    Attributes:
        grid: Knows where they are.
        seeds: Of every run; features are those of the first.
        lacking: A sentence for each run that was asked for in vain.
    """

    grid: Grid
    seeds: tuple[int, ...]
    lacking: list[str] = dataclasses.field(default_factory=list)

    def features(self, run: Run) -> dict[str, np.ndarray] | None:
        """Returns the features of a run with the first seed, as `simper_tf.side_by_side` takes them, or None.

        Raises:
            ValueError: its rows or features are damaged.
        """
        seeded = run.seeded(self.seeds[0])
        path = self.grid.folder_of(seeded) / "features.npz"
        if not self.grid.rows_of(seeded) or not path.exists():
            return self._lack(f"{path.parent} holds no finished run")
        found = _load(path)
        split = str(found.pop("split", run.split))
        if split != run.split:
            return self._lack(f"{path} is of {split} clips and not of {run.split} clips")
        return found

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

    def _lack(self, text):
        if text not in self.lacking:
            self.lacking.append(text)


def _load(path):
    """Returns the arrays of a file of features, which fit one another."""
    try:
        with np.load(path, allow_pickle=False) as file:
            found = dict(file)
        number = {len(found[name]) for name in ARRAYS}
        if len(number) != 1 or not min(number) or not np.isfinite(found["series"]).all():
            raise ValueError("its arrays do not fit one another")
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path} is damaged ({error}). Make it again: python -m trainers.evaluate --run_dir={path.parent}"
        ) from error
    return found
