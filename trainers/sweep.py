"""Runs of `trainers.pretrain` that vary one flagfile, each in a process of its own, done once."""

import pathlib
import subprocess
import sys

from simper_tf.evaluation import rows
from trainers import cli


def train(base, folder, changes):
    """Trains and evaluates, continues a run that was interrupted, or reads what an earlier call has finished.

    Args:
        base: Flagfile.
        folder: Of the run.
        changes: Flags by name that differ from it.

    Returns:
        The rows of the run.

    Raises:
        KeyboardInterrupt: the run was told to stop.
        ValueError: the run failed; it has said why.
    """
    folder = pathlib.Path(folder)
    if not (folder / "results.jsonl").exists():
        overrides = [f"--{name}={value}" for name, value in {**changes, "run_dir": folder}.items()]
        command = [sys.executable, "-m", "trainers.pretrain", f"--flagfile={base}", *overrides]
        code = subprocess.run(command, check=False).returncode
        if code == cli.INTERRUPTED:
            raise KeyboardInterrupt
        if code:
            raise ValueError(f"The run in {folder} failed, see above. The same command goes on with it.")
    return rows.read_rows(folder / "results.jsonl")
