"""The commands that make a table, and each of its runs, in a checkout."""

import shlex
from collections.abc import Mapping

from trainers.grid import Run
from trainers.studies.scales import Scale
from trainers.studies.table import data_set_of


def of_table(page: Mapping) -> str:
    """Returns the command that makes a table, with the seeds that it has; see `page.gather`."""
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
    setting = scale.sets.get(data_set_of(run))
    if setting is None or setting.standin is None:
        # Where the data lie is another matter on every machine.
        return [_training(each, names, seed, {}) for each in run.with_sources()]
    name = data_set_of(run)
    raw = f"data/miniatures/raw/{name}"
    words = [f"--dataset={name}", f"--out={raw}", *(f"--{key}={value}" for key, value in setting.standin.items())]
    places = {"data_dir": "data/miniatures", "manual_dir": raw}
    made = [_training(each, names, seed, places) for each in run.with_sources()]
    return [shlex.join(["python", "-m", "trainers.standin", *words]), *made]


def _training(run, names, seed, places):
    begun = {"encoder_from": f"runs/{names[run.source]}"} if run.source else {}
    found = run.but(seed=seed, **{"data_dir": None, "manual_dir": None, **places})
    return shlex.join(["python", "-m", "trainers.pretrain", *found.arguments(run_dir=f"runs/{names[run]}", **begun)])
