"""Checks of files that words name, before anything heavy is imported."""

import glob
import pathlib
import tempfile
from collections.abc import Sequence

from simper_tf.commands import console
from simper_tf.utils import endings, files, raw_files
from simper_tf.utils.errors import RawDataError, printable

# Where an exported model may lie below the folder that is named: a run, its `saved_model`, or one version in it.
_MODELS = ("saved_model.pb", "*/saved_model.pb", "saved_model/*/saved_model.pb")


def check(command: str, recordings: Sequence[str], options):
    """Refuses names of which not one is that of a recording, and files and folders that a command cannot use.

    Args:
        command: Its name.
        recordings: Files, folders, patterns and numbers of cameras.
        options: Its options, of which `model`, `labels` and `out` name files and folders.

    Raises:
        ValueError: so it is; of `model` and `labels`, and of an `out` that is empty, a `console.WrongWord`.
    """
    _check_recordings(recordings)
    with console.checking_words():
        if command != "export":  # Its default is a folder that may not be there; it says itself how to make one.
            _check_model(getattr(options, "model", ""))
        labels = getattr(options, "labels", "")
        if labels and not pathlib.Path(labels).is_file():
            raise ValueError(f"--labels={printable(labels)}: no such file.")
        if not getattr(options, "out", "."):  # It would stand for the folder at hand.
            raise ValueError("--out is empty. Is a variable of the shell not set?")
    if hasattr(options, "out"):
        _check_out(options.out)


def _check_recordings(recordings):
    refusals = [f"{printable(name)}{sentence}" for name in recordings if (sentence := refusal(name))]
    if refusals and len(refusals) == len(recordings):
        raise ValueError(" ".join(refusals))


def _check_model(model):
    if model and not pathlib.Path(model).exists():
        raise ValueError(f"--model={printable(model)}: no such folder. simper train writes one.")
    if model and not any(next(pathlib.Path(model).glob(pattern), None) for pattern in _MODELS):
        raise ValueError(f"--model={printable(model)} holds no exported model. simper train writes one.")


def _check_out(out):
    """Refuses a folder that cannot be made or written, before hours of work are for it."""
    path = pathlib.Path(out)
    there = next(folder for folder in (path, *path.parents) if folder.exists())
    if not there.is_dir():
        raise ValueError(f"--out={printable(out)}: {printable(str(there))} is a file. Name a folder.")
    try:
        with files.without_empty(path):
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
    except OSError as error:
        where = printable(str(there.absolute()))
        raise ValueError(
            f"--out={printable(out)}: nothing can be written into {where}. Name another folder."
        ) from error


def refusal(name: str) -> str:
    """Returns in a sentence what a name of nothing is, or of a text that is no series; empty for others."""
    path, known = pathlib.Path(name), (*endings.SERIES, *endings.PACKED, *endings.OTHERS)
    try:
        if not (name.isdecimal() or glob.has_magic(name) or path.exists()):
            return ": standard input is not read. Save it to a file." if name == "-" else ": no such file."
        if not path.is_file() or path.suffix.lower() in known or not raw_files.is_text(raw_files.head(path)):
            return ""
        from simper_tf.tables import series_files

        return "" if series_files.is_table(path) else raw_files.TEXT
    except (OSError, RawDataError):
        return ""  # It may not be asked: refused when it is opened.
