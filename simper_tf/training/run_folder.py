"""The folder of a run: its files, the lock of the one process at work there, and the flags that it belongs to.

`flags.cfg`, `results.jsonl`, `readout.json`, `clips.csv`, `clips_validation.csv`, `features.npz`,
`features_validation.npz`, `heads/`, `checkpoints/`, `logs/`, `plots/`, `saved_model/`. It belongs to one
process at a time, which holds `.lock` in it.
"""

import contextlib
import json
import pathlib
import shutil
import zipfile
from collections.abc import Callable, Mapping

import numpy as np

from simper_tf.evaluation import rows
from simper_tf.training import checkpoints
from simper_tf.training.settings import Settings, free_names, text_of
from simper_tf.utils import files

LOCK = ".lock"
FLAGS, READOUT, HEADS = "flags.cfg", "readout.json", "heads"
# Split -> the features of its clips.
FEATURES = {"test": "features.npz", "validation": "features_validation.npz"}
# Split -> what was read from each of its clips.
OF_CLIPS = {"test": "clips.csv", "validation": "clips_validation.csv"}
# What a run leaves beside its checkpoints, which flags of another run must not mix with.
MADE = ("results.jsonl", *OF_CLIPS.values(), *FEATURES.values(), "heads", "saved_model")
# The first line of `flags.cfg`, and how the last begins, before the checksum of all lines above it.
_FIRST_LINE = (
    "# Repeats this run, down to '# End.': python -m trainers.pretrain --flagfile=<this file> --run_dir=<a folder>"
)
_LAST_LINE = "# End. Checksum: "


@contextlib.contextmanager
def opened(settings: Settings):
    """Gives the folder of a run to this process alone, for the time of a block.

    What killed processes have left half written there is deleted. Nothing else is written.

    Raises:
        ValueError: it has no name, another process is at work there, the folder belongs to a run with other flags, or
            it holds files of something else.
    """
    if not settings.run_dir:  # It would stand for the folder at hand.
        raise ValueError("`run_dir` is empty. Is a variable of the shell not set? Name a folder.")
    folder = pathlib.Path(settings.run_dir)
    _check_ours(folder)
    with contextlib.ExitStack() as held:
        held.enter_context(files.without_empty(folder))
        try:
            held.enter_context(files.alone(folder / LOCK, wait=False))
        except files.InUse as error:
            raise ValueError(
                f"`run_dir={folder}` is in use by {error}. Wait until it has ended, stop it (it saves first), or name "
                "another folder."
            ) from error
        except OSError as error:
            raise ValueError(
                f"`run_dir={folder}` cannot be written: {error.strerror}. Name a folder where files can be written."
            ) from error
        _check_ours(folder)
        # A run that ended before its first checkpoint has nothing to lose.
        results = any((folder / name).exists() for name in MADE)
        if (results or checkpoints.checkpoint_steps(folder / "checkpoints")) and not settings.overwrite:
            check_same(folder, settings, "Name another folder, give the same flags, or start anew with `overwrite`")
        _remove_left_overs(folder)
        yield folder


def begin(folder: pathlib.Path, settings: Settings, say: Callable[[str], None] = print):
    """Writes `flags.cfg`; with `overwrite`, deletes the earlier run first."""
    if settings.overwrite and (folder / FLAGS).exists():
        say(f"Deleting the earlier run in {folder}.")
        # The lock stays this process's; and while the flags are there, others can see that this is a run.
        for path in sorted(folder.iterdir(), key=lambda path: path.name == FLAGS):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != LOCK:
                path.unlink()
    lines = [f"--{name}={value}\n" for name, value in settings.as_text().items() if name != "run_dir"]
    text = f"{_FIRST_LINE}\n{''.join(lines)}"
    files.write_atomically(folder / FLAGS, f"{text}{_LAST_LINE}{files.checksum(text)}\n")


def differences(folder: pathlib.Path, settings: Settings) -> str:
    """Returns in print which flags that can change the weights of a run differ from settings."""
    kept, wanted = read_flags(folder), settings.as_text()
    names = [name for name in {**wanted, **kept} if name not in free_names()]
    # What is not set on one side may be set to its default on the other.
    defaults = {name: text_of(value) for name, value in settings.defaults().items()}
    begun = bool(checkpoints.checkpoint_steps(folder / "checkpoints"))
    compared = {name: [flags.get(name, defaults.get(name)) for flags in (kept, wanted)] for name in names}
    changed = [
        name
        for name, texts in compared.items()
        if not (_name_the_same(*texts, begun) if name == "encoder_from" else _say_the_same(*texts))
    ]
    return "; ".join(f"`{name}` was {kept.get(name, 'not set')}, now {wanted.get(name, 'not set')}" for name in changed)


def _name_the_same(text, other, begun):
    """Returns whether two folders of a run or an exported model, as text, are the same; empty for none.

    Where the run that is compared has `begun`, it has weights of its own: where that was which gave it the first no
    longer counts, as it may have moved since, and its name alone tells it from others.
    """
    if not (text and other):
        return not text and not other
    paths = [pathlib.Path(folder).absolute() for folder in (text, other)]
    if begun:
        return _own_parts(paths[0]) == _own_parts(paths[1])
    return paths[0].resolve() == paths[1].resolve()


def _own_parts(path):
    """Returns the name of a folder; of an exported model that of its run too, as versions are mere numbers."""
    parts = path.parts
    exported = [k for k, part in enumerate(parts) if part == "saved_model"]
    return parts[max(exported[-1] - 1, 0) :] if exported else parts[-1:]


def _say_the_same(text, other):
    """Returns whether two values as text, or None, are the same, such as 0.5,2 and 0.5,2.0, or true and True."""

    def read(part):
        try:
            return float(part)
        except ValueError:
            return part.lower() if part.lower() in ("true", "false") else part

    texts = [None if value is None else [read(part) for part in value.split(",")] for value in (text, other)]
    return texts[0] == texts[1]


def check_same(folder: pathlib.Path, settings: Settings, advice: str):
    """Refuses settings that are not those of the run in a folder: a ValueError with advice."""
    changed = differences(folder, settings)
    if changed:
        raise ValueError(f"`run_dir={folder}` belongs to a run with other flags: {changed}. {advice}.")


def check_rows(folder: pathlib.Path):
    """Refuses, before any work, a `results.jsonl` that rows cannot be added to, with a ValueError."""
    rows.read_rows(folder / "results.jsonl")


def read_flags(folder: pathlib.Path) -> dict[str, str]:
    """Returns the flags that a run was started with, as text by name.

    A ValueError says that there is no run, or that its `flags.cfg` is damaged.
    """
    path = folder / FLAGS
    if not path.exists():
        raise ValueError(f"`run_dir={folder}` holds no run: {path} does not exist. Train one first.")
    try:
        text = path.read_text()
    except UnicodeDecodeError as error:
        raise _damaged(path, "it is no text") from error
    lines = [line.strip() for line in text.splitlines()]
    flags = dict(line.removeprefix("--").split("=", 1) for line in lines if line.startswith("--") and "=" in line)
    if not flags:
        raise _damaged(path, "it holds no flag")
    # People write neither the first line nor the last.
    above, end, checksum = text.rpartition(_LAST_LINE)
    if not text.endswith("\n") or (_FIRST_LINE in lines and not end):
        raise _damaged(path, f"it ends with {lines[-1]!r} and was cut short, flags may be missing")
    if end and checksum != f"{files.checksum(above)}\n":
        raise _damaged(
            path, "its lines do not fit its checksum; if you have changed them, delete its first and last line"
        )
    return flags


def write_readout(folder: pathlib.Path, readout: dict):
    """Keeps what protocols have found on the way to their predictions, for export."""
    kept = {"checksum": _checksum(readout), "protocols": readout}
    files.write_atomically(folder / READOUT, json.dumps(kept, indent=1) + "\n")


def read_readout(folder: pathlib.Path) -> dict:
    """Returns what `write_readout` has kept; a ValueError if that is nothing, or damaged."""
    path = folder / READOUT
    try:
        kept = json.loads(path.read_text())
        if not isinstance(kept, dict) or not isinstance(kept.get("protocols"), dict):
            raise ValueError("it holds no protocols")
        if kept.get("checksum") != _checksum(kept["protocols"]):
            raise ValueError("its values are not those that its checksum was made of")
    except (OSError, ValueError, RecursionError) as error:
        raise damaged_readout(folder, error) from error
    return kept["protocols"]


def write_head(folder: pathlib.Path, protocol: str, arrays: Mapping[str, np.ndarray]):
    """Keeps the head that a protocol has fitted, for export."""
    path = folder / HEADS / f"{protocol}.npz"
    path.parent.mkdir(exist_ok=True)
    with files.replacing(path, "wb") as file:
        np.savez(file, **arrays)


def read_head(folder: pathlib.Path, protocol: str) -> dict[str, np.ndarray]:
    """Returns what `write_head` has kept; a ValueError if that is nothing, or damaged."""
    path = folder / HEADS / f"{protocol}.npz"
    try:
        with np.load(path) as kept:
            return dict(kept)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise damaged_head(folder, protocol, error) from error


def damaged_head(folder: pathlib.Path, protocol: str, what) -> ValueError:
    """Returns the error of a head that cannot be used; `what` says why, in print."""
    return _to_evaluate(folder, folder / HEADS / f"{protocol}.npz", what)


def _checksum(readout):
    return files.checksum(json.dumps(readout, sort_keys=True))


def damaged_readout(folder: pathlib.Path, what) -> ValueError:
    """Returns the error of a `readout.json` that cannot be used; `what` says why, in print."""
    return _to_evaluate(folder, folder / READOUT, what)


def _to_evaluate(folder, path, what):
    return ValueError(
        f"{path} is missing or damaged ({what}): evaluation finds how features are read. "
        f"Evaluate first: python -m trainers.evaluate --run_dir={folder}"
    )


def _check_ours(folder):
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"`run_dir={folder}` is a file: name a folder.")
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if names - {LOCK} and FLAGS not in names:
        raise ValueError(f"`run_dir={folder}` holds files, but no run: name another folder, or empty this one.")


def _remove_left_overs(folder):
    """Deletes half-written files of killed processes; with the lock held, none is being written."""
    checkpoints.remove_left_overs(folder / "checkpoints")
    for path in [*folder.glob("*.tmp"), *folder.glob("*/*.tmp")]:
        path.unlink()  # See `files.replacing`.
    for path in (folder / "saved_model").glob("*.unfinished"):
        shutil.rmtree(path)


def _damaged(path, what):
    return ValueError(
        f"{path} is damaged: {what}. Write the flags of the run into it, a `name=value` a line, or train anew with "
        "`overwrite`."
    )
