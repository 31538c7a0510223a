"""The logged values of a run: `logs/history.jsonl` for plots, and TensorBoard's events beside it."""

import json

import tensorflow as tf

from simper_tf.evaluation.rows import write_atomically


class History:
    """Writes a `training.Progress` at each call.

    Args:
        folder: `logs/` of the run.
        step: At which training goes on. Later records are of a part that is being repeated, and dropped.
    """

    def __init__(self, folder, step):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "history.jsonl"
        kept = [record for record in read(path) if record["step"] <= step]
        write_atomically(path, "".join(json.dumps(record) + "\n" for record in kept))
        self._file = path.open("a", buffering=1)
        self._writer = tf.summary.create_file_writer(str(folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()
        self._writer.close()

    def __call__(self, progress):
        values = {**progress.logs, "clips_per_second": progress.clips_per_second, "waiting": progress.waiting}
        self._file.write(json.dumps({"step": progress.step, "seconds": progress.seconds, **values}) + "\n")
        with self._writer.as_default(step=progress.step):
            for name, value in values.items():
                tf.summary.scalar(name, value)


def read(path):
    """Returns the records of a `history.jsonl`; a last line cut short by a kill is passed over."""
    records = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            records.append(json.loads(line))
        except ValueError:
            break
    return records
