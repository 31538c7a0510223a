"""Files that a run has left in its folder."""

import json

import tensorflow as tf


def results(folder):
    """Returns the result rows as dictionaries."""
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def flags_of(folder):
    """Returns the flags that a run has kept, by name, as text."""
    lines = (folder / "flags.cfg").read_text().splitlines()
    return dict(line[2:].split("=", 1) for line in lines if line.startswith("--"))


def final_weights(folder):
    """Returns the path of the last checkpoint and all it holds by name, but for times and its own counter."""
    path = tf.train.latest_checkpoint(folder / "checkpoints")
    reader = tf.train.load_checkpoint(path)
    names = [
        name for name in reader.get_variable_to_shape_map() if "seconds" not in name and "save_counter" not in name
    ]
    return path, {name: reader.get_tensor(name) for name in names if name != "_CHECKPOINTABLE_OBJECT_GRAPH"}
