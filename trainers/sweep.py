"""Runs of `trainers.pretrain` that vary one flagfile, each in a process of its own, done once."""

import pathlib
import signal
import subprocess
import sys

from absl import flags

from simper_tf import rows, run_folder
from trainers import cli, options

# Flags that say where things are, and change no row.
ELSEWHERE = {
    "run_dir",
    "data_dir",
    "manual_dir",
    "overwrite",
    "save_seconds",
    "artifacts",
    "split",
    "replicas",
    "profile",
}


def define(base, folder):
    """Defines the flags that all sweeps have.

    Args:
        base: Flagfile by default.
        folder: Folder of all runs by default.
    """
    flags.DEFINE_string("base", base, "Flagfile that all runs share.")
    flags.DEFINE_string("runs", folder, "Folder of all runs; those that are done are not repeated.")
    flags.DEFINE_list("seeds", ["0", "1"], "Seeds of every run.")


def seeds():
    """Returns the seeds of the flag.

    Raises:
        ValueError: they are not different whole numbers.
    """
    found = flags.FLAGS.seeds
    if not found or len(set(found)) < len(found) or not all(seed.isdecimal() for seed in found):
        raise ValueError(f"--seeds takes different whole numbers, such as 0,1. Found: {','.join(found)!r}.")
    return found


def names(flag, known):
    """Returns the names that a flag lists, each once.

    Raises:
        ValueError: one is not known, or there is none.
    """
    found = list(dict.fromkeys(getattr(flags.FLAGS, flag)))
    unknown = sorted(set(found) - set(known))
    if unknown or not found:
        raise ValueError(
            f"--{flag}={','.join(found)}: there is no {', '.join(unknown) or 'name'}. There are: {', '.join(known)}."
        )
    return found


def train(folder, changes, split):
    """Trains and evaluates, continues a run that was interrupted, or reads what an earlier call has finished.

    Args:
        folder: Folder of the run.
        changes: Flags by name that differ from the flagfile.
        split: Whose clips are predicted: `validation` where something is to be chosen, else `test`.

    Returns:
        The rows of the run on that split.

    Raises:
        KeyboardInterrupt: the run was told to stop.
        ValueError: the run failed, and has said why; or the folder holds a finished one of other flags.
    """
    folder = pathlib.Path(folder)
    changes = {**changes, "split": split, "run_dir": folder}
    found = [row for row in rows.read_rows(folder / "results.jsonl") if row.split == split]
    if found:
        _check_same(folder, changes)
    else:
        code = _run([sys.executable, "-m", "trainers.pretrain", *_arguments(changes)])
        if code:
            reason = f"was ended by signal {-code}" if code < 0 else "failed, see above"
            raise ValueError(f"The run in {folder} {reason}. The same command goes on with it.")
        found = [row for row in rows.read_rows(folder / "results.jsonl") if row.split == split]
    return found


def settings_of(changes):
    """Returns the `Settings` of the flagfile with flags by name that differ from it.

    Raises:
        ValueError: the flagfile is missing or has a flag that is none, or the flags do not fit one another.
    """
    wanted = flags.FlagValues()
    options.define(wanted)
    try:
        wanted(["trainers.pretrain", *_arguments(changes)])
    except flags.Error as error:
        raise ValueError(f"--base={flags.FLAGS.base}: {error}") from error
    return options.settings(wanted)


def columns(results, metric="mae"):
    """Returns the protocols of rows that have a metric, in their order, each with it.

    Args:
        results: `Row`s of several runs.
        metric: Name of the metric.
    """
    return [(name, metric) for name in dict.fromkeys(row.protocol for row in results if row.metric == metric)]


def _arguments(changes):
    return [f"--flagfile={flags.FLAGS.base}", *(f"--{name}={value}" for name, value in changes.items())]


def _check_same(folder, changes):
    changed = run_folder.differences(folder, settings_of(changes), but_for=ELSEWHERE)
    if changed:
        raise ValueError(
            f"{folder} holds a finished run of other flags: {changed}. Delete it, or name another folder with --runs."
        )


def _run(command):
    """Returns the exit code of a command, negative for a signal that ended it.

    What tells this process to stop is passed on, and the command left to save and to end by itself. It has a group of
    its own, as a terminal would tell both; and Python would kill it a quarter of a second after a Ctrl-C.

    Raises:
        KeyboardInterrupt: it was told to stop.
    """
    told, process = [], subprocess.Popen(command, process_group=0)

    def pass_on(number, _):
        told.append(number)
        process.send_signal(number)

    previous = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        code = process.wait()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if told or code == cli.INTERRUPTED:
        raise KeyboardInterrupt
    return code
