"""A run's folder: `flags.cfg`, `results.jsonl`, `features.npz`, `checkpoints/`, `logs/`, `plots/`, `saved_model/`.

It belongs to one process at a time, which holds `.lock` in it.
"""

import contextlib
import hashlib
import json
import pathlib
import shutil

from absl import flags

from simper_tf import checkpoints, files
from simper_tf.evaluation import rows
from trainers import options
from trainers.cli import say

LOCK = ".lock"
# What a run leaves beside its checkpoints, which flags of another run must not mix with.
MADE = ("results.jsonl", "features.npz", "saved_model")


@contextlib.contextmanager
def opened():
    """Gives the folder of the run that the flags name to this process alone, for the time of a block.

    What killed processes have left half written there is deleted. Nothing else is written.

    Raises:
        ValueError: another process is at work there, the folder belongs to a run with other flags, or it holds files of
            something else.
    """
    folder = pathlib.Path(flags.FLAGS.run_dir)
    _check_ours(folder)
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.alone(folder / LOCK, wait=False):
            _check_ours(folder)
            # A run that ended before its first checkpoint has nothing to lose.
            results = any((folder / name).exists() for name in MADE)
            if (results or checkpoints.checkpoint_steps(folder / "checkpoints")) and not flags.FLAGS.overwrite:
                _check_same(folder, options.values())
            _remove_left_overs(folder)
            yield folder
    except files.InUse as error:
        raise ValueError(
            f"--run_dir={folder} is in use by {error}. Wait until it has ended, stop it (it saves first), or name "
            "another folder."
        ) from error
    finally:
        if made and not any(folder.iterdir()):
            folder.rmdir()  # A run that was refused leaves nothing.


def begin_run(folder):
    """Writes `flags.cfg`; with `--overwrite`, deletes the earlier run first."""
    if flags.FLAGS.overwrite and (folder / "flags.cfg").exists():
        say(f"Deleting the earlier run in {folder}.")
        # The lock stays this process's; and while the flags are there, others can see that this is a run.
        for path in sorted(folder.iterdir(), key=lambda path: path.name == "flags.cfg"):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != LOCK:
                path.unlink()
    lines = [f"--{name}={value}\n" for name, value in options.values().items() if name != "run_dir"]
    comment = "# Repeats this run: python -m trainers.pretrain --flagfile=<this file> --run_dir=<a folder>\n"
    files.write_atomically(folder / "flags.cfg", comment + "".join(lines))


def adopt_flags():
    """Gives every flag that the command line does not set the value that the run was started with.

    Raises:
        ValueError: there is no run in `--run_dir`, it has other flags, or one of its flags has an impossible value.
    """
    config = flags.FLAGS
    path = pathlib.Path(config.run_dir) / "flags.cfg"
    if not path.exists():
        raise ValueError(f"--run_dir={config.run_dir} holds no run: {path} does not exist. Train one first.")
    found = _read_flags(path)
    with _blaming(path):
        for name, value in found.items():
            if name in config and not config[name].present:
                config[name].parse(value)
    _check_same(path.parent, options.values())
    with _blaming(path):
        options.check()


def settings(values):
    """Returns a short hash of the flags that make up a run's weights, but for its seed.

    Args:
        values: What `options.values` returns.
    """
    made_by = {name: value for name, value in values.items() if name not in {*options.FREE, "seed"}}
    return hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:8]


def differences(folder, wanted):
    """Returns the flags that a run has not as they are wanted, in print; those that cannot change its weights aside.

    Args:
        folder: Of the run.
        wanted: What `options.values` returns.

    Raises:
        ValueError: `flags.cfg` is no text.
    """
    found = _read_flags(folder / "flags.cfg")
    names = [name for name in {**wanted, **found} if name not in options.FREE]
    pairs = [(name, *(values.get(name, "not set") for values in (found, wanted))) for name in names]
    return "; ".join(f"--{name} was {was}, now {now}" for name, was, now in pairs if was != now)


def check_rows(folder):
    """Refuses, before any work, a `results.jsonl` that rows cannot be added to.

    Raises:
        ValueError: a line is not a result row.
    """
    rows.read_rows(folder / "results.jsonl")


def _check_ours(folder):
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if names - {LOCK} and "flags.cfg" not in names:
        raise ValueError(f"--run_dir={folder} holds files, but no run: name another folder, or empty this one.")


def _check_same(folder, wanted):
    changed = differences(folder, wanted)
    if changed:
        raise ValueError(
            f"--run_dir={folder} belongs to a run with other flags: {changed}. Name another folder, give the same "
            "flags, or start anew with --overwrite."
        )


def _remove_left_overs(folder):
    """Deletes half-written files of killed processes; with the lock held, none is being written."""
    checkpoints.remove_left_overs(folder / "checkpoints")
    for path in [*folder.glob("*.tmp"), *folder.glob("*/*.tmp")]:
        path.unlink()  # See `files.replacing`.
    for path in (folder / "saved_model").glob("*.unfinished"):
        shutil.rmtree(path)


@contextlib.contextmanager
def _blaming(path):
    """Says of a flag that is wrong in which file it stands."""
    try:
        yield
    except (flags.Error, ValueError) as error:
        text = str(error).rstrip(".")
        raise ValueError(f"{path} is damaged: {text}. Mend that line, or train anew with --overwrite.") from error


def _read_flags(path):
    try:
        lines = [line.strip() for line in path.read_text().splitlines()]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is damaged: it is no text. Write the flags of the run into it, a --name=value a line, or train "
            "anew with --overwrite."
        ) from error
    found = dict(line.removeprefix("--").split("=", 1) for line in lines if line.startswith("--") and "=" in line)
    if not found:
        raise ValueError(
            f"{path} is damaged: it holds no flag. Write the flags of the run into it, a --name=value a line, or train "
            "anew with --overwrite."
        )
    return found
