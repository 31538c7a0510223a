"""A run's folder: `flags.cfg`, `results.jsonl`, `features.npz`, `checkpoints/`, `logs/`, `plots/`, `saved_model/`."""

import pathlib
import shutil

from absl import flags

from simper_tf.evaluation.rows import write_atomically
from trainers import options
from trainers.cli import say


def check_run():
    """Returns the folder of the run that the flags name, without writing anything.

    Raises:
        ValueError: the folder belongs to a run with other flags, or holds files of something else.
    """
    folder = pathlib.Path(flags.FLAGS.run_dir)
    if not folder.exists() or not any(folder.iterdir()):
        return folder
    if not (folder / "flags.cfg").exists():
        raise ValueError(f"--run_dir={folder} holds files, but no run: name another folder, or empty this one.")
    # A run that ended before its first checkpoint has nothing to lose.
    if (folder / "checkpoints" / "checkpoint").exists() and not flags.FLAGS.overwrite:
        _check_same(folder, options.values())
    return folder


def begin_run(folder):
    """Makes the folder and writes `flags.cfg`; with `--overwrite`, deletes the earlier run first."""
    if flags.FLAGS.overwrite and folder.exists():
        say(f"Deleting the earlier run in {folder}.")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"--{name}={value}\n" for name, value in options.values().items() if name != "run_dir"]
    comment = "# Repeats this run: python -m trainers.pretrain --flagfile=<this file> --run_dir=<a folder>\n"
    write_atomically(folder / "flags.cfg", comment + "".join(lines))


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
            config[name].parse(value)
    _check_same(path.parent, options.values())
    return path.parent


def differences(folder, wanted):
    """Returns the flags that a run has not as they are wanted, in print; those that cannot change its weights aside.

    Args:
        folder: Of the run.
        wanted: What `options.values` returns.
    """
    found = _read_flags(folder / "flags.cfg")
    names = [name for name in {**wanted, **found} if name not in options.FREE]
    pairs = [(name, *(values.get(name, "not set") for values in (found, wanted))) for name in names]
    return "; ".join(f"--{name} was {was}, now {now}" for name, was, now in pairs if was != now)


def _check_same(folder, wanted):
    changed = differences(folder, wanted)
    if changed:
        raise ValueError(
            f"--run_dir={folder} belongs to a run with other flags: {changed}. Name another folder, give the same "
            "flags, or start anew with --overwrite."
        )


def _read_flags(path):
    lines = [line.strip() for line in path.read_text().splitlines()]
    return dict(line.removeprefix("--").split("=", 1) for line in lines if line.startswith("--") and "=" in line)
