"""What is taken from tables of settings for other tables: for each method what is best on validation clips."""

import json
import math
import pathlib
import statistics
from collections.abc import Mapping

import numpy as np
from scipy import stats

from simper_tf.utils import files
from trainers.studies.table import Study, data_set_of

CHOSEN = pathlib.Path(__file__).with_name("chosen.json")
FINALISTS = pathlib.Path(__file__).with_name("finalists.json")
COSTS = pathlib.Path(__file__).with_name("costs.json")
LABEL_RATES = pathlib.Path(__file__).with_name("label_rates.json")
# How many settings of a method go on from one seed to several.
NUM_FINALISTS = 2
# Key in `costs` of SimPer with `digits.MORE_CLIPS`.
WITH_MORE_CLIPS = "simper, more clips"


def chosen() -> dict[str, dict]:
    """Returns what was chosen: method -> flags that change, and the place.

    {"byol": {"changes": {"appearance": "none"}, "place": 7}}
    """
    return json.loads(CHOSEN.read_text())


def finalists() -> dict[str, list[dict[str, str]]]:
    """Returns the settings of each method that were best by one seed: method -> flags that change, the best first.

    {"byol": [{"appearance": "none"}, {}]}
    """
    return json.loads(FINALISTS.read_text())


def costs() -> dict[str, float]:
    """Returns the seconds of a step of each method as chosen, and `WITH_MORE_CLIPS`, 1 for SimPer's.

    They are measured by `benchmarks.costs`.
    """
    return json.loads(COSTS.read_text())


def label_rates() -> dict[str, dict[str, dict[str, float]]]:
    """Returns the learning rates of the whole network that were chosen, see `scales.Setting`.

    {"scamps": {"byol": {"at_once": 0.001, "after": 0.003}}}
    """
    return json.loads(LABEL_RATES.read_text())


def changes(method: str) -> dict[str, str]:
    """Returns the flags that were chosen for a method."""
    return chosen().get(method, {}).get("changes", {})


def steps_in_the_time_of(steps: int, method: str) -> int:
    """Returns how many steps a method makes, as chosen, while SimPer makes so many; at least 1."""
    return max(round(steps / costs().get(method, 1)), 1)


def choose_finalists(study: Study, page: dict) -> dict[str, list[dict[str, str]]]:
    """Returns what `finalists` does, of a table as `choose` takes it.

    Args:
        study: The table.
        page: What was found for it, see `trainers.studies.gathering`.

    Raises:
        ValueError: runs are missing.
    """
    _require_all(page)
    return {method: [changed for changed, _ in lines[:NUM_FINALISTS]] for method, lines in _ranked(study, page).items()}


def choose(study: Study, page: dict) -> dict[str, dict]:
    """Returns what `chosen` does, of a table that has a block for each method and its defaults in the first line.

    The best line has the best mean rank over columns, of several the first; ranks are those of the mean over seeds.
    Places rank the methods by their best lines in the same way.

    Args:
        study: The table.
        page: What was found for it, see `trainers.studies.gathering`.

    Raises:
        ValueError: runs are missing.
    """
    _require_all(page)
    best = {method: lines[0] for method, lines in _ranked(study, page).items()}
    places = stats.rankdata(mean_ranks([line for _, line in best.values()]), method="ordinal")
    return {
        method: {"changes": changed, "place": int(place)}
        for (method, (changed, _)), place in zip(best.items(), places, strict=True)
    }


def choose_label_rates(study: Study, page: dict) -> dict[str, dict[str, dict[str, float]]]:
    """Returns what `label_rates` does, of a table of blocks of a data set, lines of a rate and columns of a method.

    The best is the smallest mean over seeds; what keeps its encoder as it is has no such rate.

    Args:
        study: The table.
        page: What was found for it, see `trainers.studies.gathering`.

    Raises:
        ValueError: runs are missing.
    """
    _require_all(page)
    best = {}
    for block, found in zip(study.blocks, page["blocks"], strict=True):
        for line, values in zip(block.lines, found["lines"], strict=True):
            for cell, value in zip(line.cells, values["cells"], strict=True):
                given = dict(cell.run.changes) if cell else {"freeze": True}
                if "freeze" in given:
                    continue
                method = dict(cell.run.with_sources()[0].changes)["method"]
                key = data_set_of(cell.run), method, "after" if "keep_head" in given else "at_once"
                error = statistics.fmean(each["value"] for each in value["values"])
                best[key] = min(best.get(key, (math.inf,)), (error, float(given["learning_rate"])))
    rates = {}
    for (name, method, when), (_, rate) in best.items():
        rates.setdefault(name, {}).setdefault(method, {})[when] = rate
    return rates


def write(choices: dict[str, dict]):
    """Keeps what was chosen for the comparison."""
    files.write_atomically(CHOSEN, json.dumps(choices, indent=1) + "\n")


def write_finalists(best: dict[str, list[dict[str, str]]]):
    """Keeps the settings that go on to several seeds."""
    files.write_atomically(FINALISTS, json.dumps(best, indent=1) + "\n")


def write_label_rates(rates: dict[str, dict[str, dict[str, float]]]):
    """Keeps the rates that were chosen for learning from labels, and those of data sets that are not among them."""
    files.write_atomically(LABEL_RATES, json.dumps(label_rates() | rates, indent=1) + "\n")


def write_costs(found: Mapping[str, float]):
    """Keeps what steps cost for the comparison."""
    files.write_atomically(COSTS, json.dumps(found, indent=1) + "\n")


def mean_ranks(lines: list[dict]) -> list[float]:
    """Returns the mean over columns of the ranks of lines, 1 for the smallest error; what is not finite is last."""
    values = np.array([[statistics.fmean(each["value"] for each in cell["values"]) for cell in line["cells"]]
                       for line in lines])  # fmt: skip
    return stats.rankdata(np.nan_to_num(values, nan=math.inf), axis=0).mean(axis=1).tolist()


def _ranked(study, page):
    """Returns method -> the flags that change in each line of its block, and what was found for it, the best first."""
    ranked = {}
    for block, found in zip(study.blocks, page["blocks"], strict=True):
        base, *_ = given = [dict(line.cells[0].run.changes) for line in block.lines]
        ranked[base["method"]] = [
            ({flag: value for flag, value in given[number].items() if base.get(flag) != value}, found["lines"][number])
            for number in np.argsort(mean_ranks(found["lines"]), kind="stable")
        ]
    return ranked


def _require_all(page):
    if page["done"] < page["total"]:
        raise ValueError(
            f"--choose takes the whole table {page['name']}. Found: {page['done']} of {page['total']} runs. The same "
            "command goes on with them."
        )


# Table -> what is chosen of it, and where that is kept.
TABLES = {
    "settings": (choose_finalists, write_finalists),
    "finalists": (choose, write),
    "finetune_settings": (choose_label_rates, write_label_rates),
}
