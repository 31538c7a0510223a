"""The logged values of a run: `logs/history.jsonl` for plots, and TensorBoard's events beside it."""

import json

import tensorflow as tf

from simper_tf.utils import files
from trainers.cli import say


class History:
    """Writes a `training.Progress` at each call to `logs/` of a run, and drops former records from a step on."""

    def __init__(self, folder, step):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "history.jsonl"
        kept = [record for record in records_of(path) if record["step"] <= step]
        files.write_atomically(path, "".join(json.dumps(record) + "\n" for record in kept))
        self._path, self._file = path, path.open("a", buffering=1)
        self._writer = tf.summary.create_file_writer(str(folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()
        self._writer.close()

    def __call__(self, progress):
        values = {**progress.logs, "clips_per_second": progress.clips_per_second, "waiting": progress.waiting}
        with files.naming(self._path):
            self._file.write(json.dumps({"step": progress.step, "seconds": progress.seconds, **values}) + "\n")
        with self._writer.as_default(step=progress.step):
            for name, value in values.items():
                tf.summary.scalar(name, value)


def records_of(path):
    """Returns the records of a `history.jsonl`; says how many lines are none, such as one cut short by a kill."""
    lines = path.read_bytes().splitlines() if path.exists() else []
    records = [record for record in map(_record, lines) if record]
    if len(records) < len(lines):
        say(f"{path}: {len(lines) - len(records)} of its {len(lines)} lines are damaged and passed over.")
    return records


def _record(line):
    """Returns the record of a line: numbers by name, with those that every record has; None if it is not one."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not {"step", "seconds", "loss"} <= record.keys():
        return None
    return record if all(type(value) in (int, float) for value in record.values()) else None
