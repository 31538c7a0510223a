"""Result rows: one JSON object a line, the only source of every table and plot."""

import dataclasses
import json
import os
import pathlib
import subprocess


@dataclasses.dataclass(frozen=True)
class Row:
    """One number with what made it.

    Attributes:
        dataset, config: Of the TFDS data set.
        method, encoder: Names.
        protocol: How predictions were made, such as `fft` or `1nn`.
        metric, value, unit: Such as `mae`, 0.01, `Hz`.
        low, high: 95 % interval.
        n: Number of clips.
        seed: Of the run.
        commit: Of the code, `-dirty` where it was changed, empty outside a checkout.
        seconds: Time of pre-training.
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


def read_rows(path):
    """Returns the rows of a file; none if it does not exist.

    Raises:
        ValueError: a line is not a result row.
    """
    path = pathlib.Path(path)
    rows = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], start=1):
        try:
            rows.append(Row(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}, line {number}, is not a result row ({error}): {line[:80]!r}.") from error
    return rows


def write_rows(path, rows):
    """Adds rows to a file, in place of older rows of the same protocol, metric, run and data set.

    The file is written beside and renamed, so that a full disk or a kill leaves the old rows as they were.
    """
    new = {_key(row): row for row in rows}
    kept = [row for row in read_rows(path) if _key(row) not in new]
    write_atomically(path, "".join(json.dumps(dataclasses.asdict(row)) + "\n" for row in [*kept, *rows]))


def write_atomically(path, text):
    """Writes a whole text file or leaves what was there."""
    temporary = pathlib.Path(f"{path}.tmp")
    try:
        with temporary.open("w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def code_commit():
    """Returns the short commit of the checkout this file lies in, or '' if it lies in none."""
    command = ["git", "-C", str(pathlib.Path(__file__).parent), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _key(row):
    return row.dataset, row.config, row.method, row.encoder, row.protocol, row.metric, row.seed
