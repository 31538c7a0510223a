"""Checks of files that words name, before anything heavy is imported."""

import glob
import pathlib
from collections.abc import Sequence

from simper_tf.recordings import endings, raw_files
from simper_tf.recordings.errors import printable

# Where an exported model may lie below the folder that is named: a run, its `saved_model`, or one version in it.
_MODELS = ("saved_model.pb", "*/saved_model.pb", "saved_model/*/saved_model.pb")


def check(recordings: Sequence[str], model: str = ""):
    """Refuses names of which not one is that of a recording, and a folder that holds no exported model.

    Args:
        recordings: Files, folders, patterns and numbers of cameras.
        model: A folder, empty for none.

    Raises:
        ValueError: so it is.
    """
    refusals = [f"{printable(name)}{sentence}" for name in recordings if (sentence := refusal(name))]
    if refusals and len(refusals) == len(recordings):
        raise ValueError(" ".join(refusals))
    if model and not pathlib.Path(model).exists():
        raise ValueError(f"--model={printable(model)}: no such folder. simper train writes one.")
    if model and not any(next(pathlib.Path(model).glob(pattern), None) for pattern in _MODELS):
        raise ValueError(f"--model={printable(model)} holds no exported model. simper train writes one.")


def refusal(name: str) -> str:
    """Returns in a sentence what a name of nothing is, or of a text that is no series; empty for others."""
    path, known = pathlib.Path(name), (*endings.SERIES, *endings.TABLES)
    try:
        if not (name.isdecimal() or glob.has_magic(name) or path.exists()):
            return ": no such file."
        may_be_video = path.is_file() and path.suffix.lower() not in known
        return raw_files.TEXT if may_be_video and raw_files.is_text(raw_files.head(path)) else ""
    except OSError:
        return ""  # It may not be asked: refused when it is opened.
