"""Small features of all clips of a split, kept beside its files: to look at them, all records have to be read.

A file that is damaged, cannot be written or was made of other records is as good as none.
"""

import contextlib
import json
import pathlib

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

from simper_tf.utils import files


class Kept:
    """One small feature of a split of a built data set, such as a rate or a label."""

    def __init__(self, builder: tfds.core.DatasetBuilder, split: str, feature: str):
        self._files = builder.info.splits[split].filepaths
        self._path = pathlib.Path(builder.data_path, ".columns", f"{split}.{feature}.npz")

    def values(self) -> np.ndarray | None:
        """Returns what was kept, `(N, ...)`; None where nothing was, or of other files than there are now."""
        with contextlib.suppress(Exception), np.load(self._path) as file:  # Damage shows as an error of any type.
            if str(file["files"]) == self._state():
                return file["values"]
        return None

    def keep(self, values: np.ndarray):
        """Keeps the feature of all clips, `(N, ...)`, unless the folder cannot be written."""
        with contextlib.suppress(OSError, tf.errors.OpError):
            self._path.parent.mkdir(exist_ok=True)
            with files.replacing(self._path, "wb") as file:
                np.savez(file, values=values, files=self._state())

    def _state(self):
        """Returns names, sizes and times of the files, which change with their records."""
        states = [(path.name, tf.io.gfile.stat(str(path))) for path in self._files]
        return json.dumps([[name, state.length, state.mtime_nsec] for name, state in states])
