"""Result rows of predictions: one JSON object a line, the only source of every table and plot."""

import dataclasses
import json
import pathlib
import subprocess
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simper_tf.evaluation import metrics
from simper_tf.evaluation.tasks import Task
from simper_tf.utils.files import alone, write_atomically

if TYPE_CHECKING:
    from simper_tf.evaluation.features import Features  # With TensorFlow, without which rows are read.

# Metrics that `score_apart` takes.
APART = ("mae", "mape")


@dataclasses.dataclass(frozen=True)
class Row:
    """One number with what made it.

    Attributes:
        dataset, config: Names of the TFDS data set.
        method, encoder: Names.
        protocol: How predictions were made, such as `fft` or `1nn`.
        metric, value, unit: Such as `mae`, 0.01, `Hz`.
        low, high: 95 % interval.
        n: Number of clips.
        seed: Seed of the run.
        commit: Commit of the code, `-dirty` where it was changed, empty outside a checkout.
        seconds: Time of pre-training.
        settings: What tells runs apart that differ in none of these, such as a hash of their flags; empty where it was
            not written down.
        split: Whose clips were predicted.
    """

    dataset: str
    config: str
    method: str
    encoder: str
    protocol: str
    metric: str
    value: float
    unit: str
    low: float
    high: float
    n: int
    seed: int
    commit: str
    seconds: float
    settings: str = ""
    split: str = "test"


def score(predictions, test: "Features", task: Task, **run) -> list[Row]:
    """Returns one `Row` per protocol and metric of the task; none of a metric that is undefined for these labels.

    Predictions by protocol have the shape of the labels. Intervals are drawn over subjects where clips have any. `run`
    has the other fields of `Row`, which all rows share.
    """
    rows = []
    for protocol, predicted in predictions.items():
        for name, (metric, unit) in task.metrics.items():
            try:
                value = metric(test.labels, predicted)
            except metrics.Undefined:
                continue
            low, high = metrics.bootstrap_interval(metric, test.labels, predicted, test.subjects)
            numbers = {"value": value, "low": low, "high": high, "n": len(predicted)}
            rows.append(Row(protocol=protocol, metric=name, unit=task.unit if unit is None else unit, **numbers, **run))
    return rows


def score_apart(predictions, test: "Features", task: Task, seen: np.ndarray, **run) -> list[Row]:
    """Returns the rows of `score` for the clips alone whose labels training could have seen, and for the others.

    Their metrics are `mae_seen`, `mae_unseen`, `mape_seen` and `mape_unseen`; `seen` is `(N,)` bool.
    """
    rows = []
    for suffix, part in (("seen", seen), ("unseen", ~seen)):
        few = {protocol: predicted[part] for protocol, predicted in predictions.items()}
        of_part = score(few, test.only(part), task, **run)
        rows += [dataclasses.replace(row, metric=f"{row.metric}_{suffix}") for row in of_part if row.metric in APART]
    return rows


def read_rows(path):
    """Returns the rows of a file, none if it does not exist; a line that is no row is a ValueError."""
    path = pathlib.Path(path)
    rows = []
    lines = path.read_bytes().splitlines() if path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(_row(json.loads(line)))
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(
                f"{path}, line {number}, is not a result row ({error}): {line[:80].decode(errors='replace')!r}. Delete "
                "that line, or the file, and evaluate again."
            ) from error
    return rows


def write_rows(path, rows):
    """Adds rows to a file, in place of older rows of the same protocol, metric, run and data set.

    Rows of the same names that do not say of which settings they are give way too. Several processes may add to one
    file; a full disk or a kill leaves the old rows as they were, and so does a line that is no row, a ValueError.
    """
    new = {key for row in rows for key in (_key(row), _key(row, settings=""))}
    with alone(f"{path}.lock"):
        kept = [row for row in read_rows(path) if _key(row) not in new]
        write_atomically(path, "".join(json.dumps(dataclasses.asdict(row)) + "\n" for row in [*kept, *rows]))


def read_runs(path) -> dict[str, list[Row]]:
    """Returns the rows of runs by the names of their folders, from a file with a line for each run.

    Several lines of a run, such as of two files put together, are read as one: of a split that two have, the later
    counts. Of a file that does not exist there are none; a damaged line is a ValueError.
    """
    path, known = pathlib.Path(path), {}
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            _put(known, record["run"], [Row(**record["all"], **fields) for fields in record["rows"]])
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(
                f"{path}, line {number}, does not hold the rows of a run ({error}): {line[:80]!r}. Delete that "
                "line: the run is then made again."
            ) from error
    return known


def add_runs(path, new: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Adds rows of runs to the file of `read_runs`, in place of those of the same run and split; returns all.

    Several processes may add to one file. What the rows of a run share is written once. Where a line of the file is
    damaged nothing is written.
    """
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    with alone(f"{path}.lock"):
        known = read_runs(path)
        for name, rows in new.items():
            _put(known, name, rows)
        lines = (json.dumps({"run": name, **_folded(known[name])}) for name in sorted(known))
        write_atomically(path, "".join(f"{line}\n" for line in lines))
    return known


def code_commit():
    """Returns the short commit of the checkout this file belongs to, or '' if it belongs to none.

    Where it is installed inside a checkout of something else, that one's commit says nothing of this code. It ends in
    `-dirty` where code was changed since. Documents make no number: the tables that a command puts into them do not
    change the commit of the runs that follow.
    """
    file = pathlib.Path(__file__)
    root = file.parents[2]
    git = ["git", "-C", str(root)]
    try:
        mine = [*git, "ls-files", "--error-unmatch", str(file.relative_to(root))]
        subprocess.run(mine, capture_output=True, check=True)
        commit = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        changed = [*git, "diff", "--quiet", "HEAD", "--", ".", ":(exclude)docs", ":(exclude)*.md"]
        return commit.stdout.strip() + ("-dirty" if subprocess.run(changed, check=False).returncode else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _put(known, name, rows):
    splits = {row.split for row in rows}
    known[name] = [*(row for row in known.get(name, []) if row.split not in splits), *rows]


def _folded(rows):
    fields = [dataclasses.asdict(row) for row in rows]
    shared = {name: value for name, value in fields[0].items() if all(row[name] == value for row in fields)}
    return {"all": shared, "rows": [{k: v for k, v in row.items() if k not in shared} for row in fields]}


def _row(fields):
    """Returns the row of a dictionary, whose values have the types they should."""
    row = Row(**fields)
    for field in dataclasses.fields(Row):
        value, kinds = getattr(row, field.name), (int, float) if field.type is float else field.type
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise TypeError(f"{field.name} is {value!r}")
    return row


def _key(row, settings=None):
    settings = row.settings if settings is None else settings
    return row.dataset, row.config, row.method, row.encoder, row.protocol, row.metric, row.seed, row.split, settings
