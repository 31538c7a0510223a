"""The weights of an encoder, of a finished run or an exported model, with which another run begins."""

import collections
import pathlib
import re
from collections.abc import Mapping

import keras
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import trackable_object_graph_pb2

from simper_tf import checkpoints, export, run_folder

# So many differences are named.
_NAMED = 3


def read(source: str | pathlib.Path) -> dict[str, np.ndarray]:
    """Returns the weights of an encoder by name.

    Args:
        source: Folder of a finished run, or of a SavedModel that `export` wrote, such as `saved_model` or
            `saved_model/1`.

    Raises:
        ValueError: it is neither, the run is not finished, or what it holds is damaged.
    """
    source = pathlib.Path(source)
    if (source / run_folder.FLAGS).exists():
        return _named(_of_run(source))
    version = source if export.is_version(source) else export.newest_version(source)
    if version is None:
        raise ValueError(
            f"--encoder_from={source} is neither the folder of a run, which has {run_folder.FLAGS}, nor that of an "
            "exported model, such as runs/quickstart/saved_model/1."
        )
    try:
        encoder = export.load_encoder(version)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ValueError(f"--encoder_from={source} is damaged: {str(error).splitlines()[0]}. Export again.") from error
    return _named({weight.path: weight.numpy() for weight in encoder.weights})


def assign(encoder: keras.Model, weights: Mapping[str, np.ndarray], source: str | pathlib.Path):
    """Gives an encoder the weights of another.

    Args:
        encoder: A new one, in the scope of its strategy.
        weights: As `read` returns them.
        source: Where they are from, for the message.

    Raises:
        ValueError: the two have not the same weights in the same shapes; says which differ.
    """
    own = _named({weight.path: weight for weight in encoder.weights})
    here, there = ({name: tuple(weight.shape) for name, weight in each.items()} for each in (own, weights))
    differing = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    if differing:
        told = [f"{name} is {there.get(name, 'missing')} there and {here.get(name, 'missing')} here"
                for name in differing[:_NAMED]]  # fmt: skip
        more = f", and {len(differing) - _NAMED} more" if len(differing) > _NAMED else ""
        raise ValueError(
            f"--encoder_from={source} has another encoder than --encoder={encoder.name} for these clips: "
            f"{'; '.join(told)}{more}. Give the same encoder, its options and frames of the same size and channels."
        )
    for name, weight in own.items():
        weight.assign(weights[name])


def _of_run(folder):
    """Returns path -> value of the encoder's weights in the last checkpoint of a finished run."""
    steps = checkpoints.checkpoint_steps(folder / "checkpoints")
    if not steps or not (folder / "results.jsonl").exists():
        missing = "results" if steps else "checkpoint"
        raise ValueError(
            f"--encoder_from={folder} is a run that is not finished: it has no {missing}. Train and evaluate it first: "
            f"python -m trainers.pretrain --flagfile={folder / run_folder.FLAGS} --run_dir={folder}"
        )
    path = folder / "checkpoints" / f"step-{steps[-1]}"
    try:
        reader = tf.train.load_checkpoint(str(path))
        graph = trackable_object_graph_pb2.TrackableObjectGraph()
        graph.ParseFromString(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"))
        found = {attribute.full_name: reader.get_tensor(attribute.checkpoint_key)
                 for attribute in _attributes(graph.nodes, _child(graph.nodes, 0, "model", "encoder"))}  # fmt: skip
    except (tf.errors.OpError, LookupError, ValueError) as error:
        raise ValueError(f"--encoder_from={folder}: {path} is damaged: {str(error).splitlines()[0]}") from error
    # What remains are the states of random generators.
    return {name: value for name, value in found.items() if np.issubdtype(value.dtype, np.floating)}


def _child(nodes, index, *names):
    """Returns the number of the node that names lead to."""
    for name in names:
        index = {child.local_name: child.node_id for child in nodes[index].children}[name]
    return index


def _attributes(nodes, root):
    """Yields what is saved of a node and of all below it, once each."""
    todo, known = [root], {root}
    while todo:
        node = nodes[todo.pop()]
        yield from node.attributes
        new = {child.node_id for child in node.children} - known
        known |= new
        todo += new


def _named(weights):
    """Returns weights by paths in which the layers of a kind are counted from 0.

    Keras numbers them through in the whole process, also those of other models.
    """
    numbers = collections.defaultdict(set)
    for path in weights:
        for base, number in map(_parted, path.split("/")):
            numbers[base].add(number)
    counted = {(base, number): f"{base}_{k}" if len(found) > 1 else base
               for base, found in numbers.items() for k, number in enumerate(sorted(found))}  # fmt: skip
    return {"/".join(counted[_parted(part)] for part in path.split("/")): weight for path, weight in weights.items()}


def _parted(name):
    """Returns the name of a layer without its number, and the number; -1 for none."""
    base, number = re.fullmatch(r"(.*?)(?:_(\d+))?", name).groups()
    return base, -1 if number is None else int(number)
