"""Checks of files that words name, before anything heavy is imported."""

import glob
import pathlib
from collections.abc import Sequence

from simper_tf.recordings.errors import printable

# Where an exported model may lie below the folder that is named: a run, its `saved_model`, or one version in it.
_MODELS = ("saved_model.pb", "*/saved_model.pb", "saved_model/*/saved_model.pb")


def check(recordings: Sequence[str], model: str = ""):
    """Refuses names of which not one is there, and a folder that holds no exported model.

    Args:
        recordings: Files, folders, patterns and numbers of cameras.
        model: A folder, empty for none.

    Raises:
        ValueError: so it is.
    """
    missing = [name for name in recordings if is_missing(name)]
    if missing and len(missing) == len(recordings):
        raise ValueError(" ".join(f"{printable(name)}: no such file." for name in missing))
    if model and not pathlib.Path(model).exists():
        raise ValueError(f"--model={printable(model)}: no such folder. simper train writes one.")
    if model and not any(next(pathlib.Path(model).glob(pattern), None) for pattern in _MODELS):
        raise ValueError(f"--model={printable(model)} holds no exported model. simper train writes one.")


def is_missing(name: str) -> bool:
    """Returns whether a name is that of nothing: no file, no folder, no pattern and no camera."""
    try:
        return not (name.isdecimal() or glob.has_magic(name) or pathlib.Path(name).exists())
    except OSError:
        return False  # It may not be asked: refused when it is opened.
