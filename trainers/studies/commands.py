"""The commands that make a table, and each of its runs, in a checkout."""

import shlex
from collections.abc import Mapping

from trainers.grid import Run
from trainers.studies.scales import Scale
from trainers.studies.table import data_set_of


def of_table(page: Mapping) -> str:
    """Returns the command that makes a table, with the seeds that it has; see `gathering.gather`."""
    seeds = ",".join(map(str, page["seeds"]))
    return f"python -m trainers.reproduce --table={page['name']} --scale={page['scale']} --seeds={seeds}"


def of_run(run: Run, names: Mapping[Run, str], seed: int, scale: Scale) -> list[str]:
    """Returns the commands that make a run: raw files that stand in for its data, what it begins with, itself.

    Args:
        run: Without a seed.
        names: Of the folders of the run and of what it begins with.
        seed: Its seed.
        scale: Of the table.
    """
    name = data_set_of(run)
    # Where the data lie is another matter on every machine: miniatures where `trainers.reproduce` has them by default.
    setting, places = scale.located("data", "raw").sets.get(name), {"data_dir": None, "manual_dir": None}
    made = []
    if setting and setting.standin is not None:
        places = {place: dict(setting.pretrain.changes)[place] for place in places}
        words = [f"--dataset={name}", f"--out={places['manual_dir']}"]
        words += [f"--{key}={value}" for key, value in setting.standin.items()]
        made.append(shlex.join(["python", "-m", "trainers.standin", *words]))
    return [*made, *(_training(each, names, seed, places) for each in run.with_sources())]


def _training(run, names, seed, places):
    begun = {"encoder_from": f"runs/{names[run.source]}"} if run.source else {}
    found = run.but(seed=seed, **places)
    return shlex.join(["python", "-m", "trainers.pretrain", *found.arguments(run_dir=f"runs/{names[run]}", **begun)])
