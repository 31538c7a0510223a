"""A run's folder: `flags.cfg`, `results.jsonl`, `checkpoints/`, `logs/`, `plots/`, `saved_model/`."""

import contextlib
import pathlib
import shutil

from absl import flags

from simper_tf.evaluation.rows import write_atomically
from trainers import options
from trainers.cli import say


def open_run():
    """Returns the folder of the run that the flags name, made or checked against the flags it was started with.

    Raises:
        ValueError: the folder belongs to a run with other flags, or is not a run's.
    """
    folder = pathlib.Path(flags.FLAGS.run_dir)
    wanted = options.values()
    if flags.FLAGS.overwrite and (folder / "flags.cfg").exists():
        say(f"Deleting the earlier run in {folder}.")
        shutil.rmtree(folder)
    if folder.exists() and any(folder.iterdir()):
        _check_same(folder, wanted)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"--{name}={value}" for name, value in wanted.items() if name != "run_dir"]
    comment = "# Repeats this run: python -m trainers.pretrain --flagfile=<this file> --run_dir=<a folder>\n"
    write_atomically(folder / "flags.cfg", comment + "\n".join(lines) + "\n")
    return folder


def adopt_flags():
    """Gives every flag that the command line does not set the value that the run was started with.

    Raises:
        ValueError: there is no run in `--run_dir`.
    """
    config = flags.FLAGS
    path = pathlib.Path(config.run_dir) / "flags.cfg"
    if not path.exists():
        raise ValueError(f"--run_dir={config.run_dir} holds no run: {path} does not exist. Train one first.")
    for name, value in _read_flags(path).items():
        if name in config and not config[name].present:
            with contextlib.suppress(flags.IllegalFlagValueError):
                config[name].parse(value)
    _check_same(path.parent, options.values())
    return path.parent


def _check_same(folder, wanted):
    path = folder / "flags.cfg"
    if not path.exists():
        raise ValueError(f"--run_dir={folder} holds files, but no run: name another folder, or empty this one.")
    found = _read_flags(path)
    changed = [name for name in wanted if name not in options.FREE and found.get(name) != wanted[name]]
    if changed:
        differences = "; ".join(f"--{name} was {found.get(name, 'not set')}, now {wanted[name]}" for name in changed)
        raise ValueError(
            f"--run_dir={folder} belongs to a run with other flags: {differences}. Name another folder, give the same "
            "flags, or start anew with --overwrite."
        )


def _read_flags(path):
    lines = [line.strip() for line in path.read_text().splitlines()]
    return dict(line.removeprefix("--").split("=", 1) for line in lines if line.startswith("--") and "=" in line)
