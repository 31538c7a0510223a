"""Manifests of raw data, by which two people see that they hold the same: a JSON line for each unit, with its SHA-256.

Nothing in a line depends on where the data lie, on the machine or on the time.
"""

import hashlib
import json
import pathlib

from simper_tf.data.checks import Report, Unit
from simper_tf.utils import raw_files
from simper_tf.utils.errors import printable


def entry(unit: Unit, report: Report, root: pathlib.Path) -> dict:
    """Returns the line of a unit; its `split` is empty until it is set, and `root` is left out of every sentence."""
    paths = [path for path in unit.files if raw_files.is_readable(path)]
    size = sum(path.stat().st_size for path in paths)
    fields = report._asdict() | {
        "rate": round(report.rate, 6),
        "seconds": round(report.seconds, 3),
        "labels": [round(label, 3) for label in report.labels],
        "problem": report.problem.replace(f"{root}/", ""),
    }
    fields |= {name: [text.replace(f"{root}/", "") for text in fields[name]] for name in ("skipped", "notes")}
    return {"id": unit.id, "split": "", "sha256": digest(paths), "files": len(paths), "bytes": size, **fields}


def digest(paths) -> str:
    """Returns a SHA-256 in hexadecimal: of one file that of its bytes, as `sha256sum` prints it.

    Of several files it is that of the lines that `sha256sum *` prints in their folder, in the order given; of no file
    it is empty.
    """
    if len(paths) < 2:
        return "".join(_of_file(path) for path in paths)
    return hashlib.sha256("".join(f"{_of_file(path)}  {path.name}\n" for path in paths).encode()).hexdigest()


def entries(path) -> dict[str, dict]:
    """Returns the lines of a manifest, by id; raises ValueError where it is none, or there is no such file."""
    raw_files.refuse_unreadable(path, "a manifest of raw data", "Write one with trainers.validate.")
    try:
        lines = [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
        return {line["id"]: line for line in lines}
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(
            f"{path} is no manifest of raw data: {printable(repr(error))}. Write one with trainers.validate."
        ) from error


def differences(mine: dict, other: dict) -> list[str]:
    """Returns a sentence for each unit that two manifests, as `entries` returns them, do not have alike."""
    sentences = [f"{name}: only here" for name in mine if name not in other]
    sentences += [f"{name}: only in the other" for name in other if name not in mine]
    for name in mine.keys() & other.keys():
        unlike = [key for key in mine[name] if mine[name][key] != other[name].get(key)]
        if unlike:
            pairs = (f"{key} {_short(mine[name][key])} here, {_short(other[name].get(key))} there" for key in unlike)
            sentences.append(f"{name}: {'; '.join(pairs)}")
    return sentences


def _of_file(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _short(value):
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
