"""The weights of an encoder, and of a head, of a finished run or an exported model, with which another run begins."""

import collections
import dataclasses
import pathlib
import re
import zipfile
from collections.abc import Mapping

import keras
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import trackable_object_graph_pb2

from simper_tf.export import saved_model
from simper_tf.methods import Supervised
from simper_tf.training import checkpoints, run_folder

# So many differences are named.
_NAMED = 3
# Where a checkpoint has a head.
_HEAD = ("regressor", "label_scale")


@dataclasses.dataclass(frozen=True)
class Weights:
    """Weights that a run begins with.

    Attributes:
        encoder: Weights of the encoder by name.
        head: Those of the head by name; None for none.
    """

    encoder: Mapping[str, np.ndarray]
    head: Mapping[str, np.ndarray] | None = None


def load(source: str | pathlib.Path, with_head: bool = False) -> Weights:
    """Returns the weights of an encoder, and of its head where asked.

    The source is the folder of a finished run, or of a SavedModel that `export` wrote, such as `saved_model` or
    `saved_model/1`. A ValueError says that it is neither, is damaged, or has no head.
    """
    source = pathlib.Path(source)
    if (source / run_folder.FLAGS).exists():
        head = _of_run(source, *_HEAD) if with_head else None
        return Weights(_named(_of_run(source, "encoder")), head and _named(head))
    version = source if saved_model.is_version(source) else saved_model.newest_version(source)
    if version is None:
        raise ValueError(
            f"`encoder_from={source}` is neither the folder of a run, which has {run_folder.FLAGS}, nor that of an "
            "exported model, such as runs/quickstart/saved_model/1."
        )
    try:
        encoder = saved_model.load_encoder(version)
        head = _head_of(version) if with_head else None
    except (OSError, ValueError, LookupError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(f"`encoder_from={source}` is damaged: {str(error).splitlines()[0]}. Export again.") from error
    if with_head and head is None:
        raise _headless(source)
    return Weights(_named({weight.path: weight.numpy() for weight in encoder.weights}), head and _named(head))


def _head_of(version):
    """Returns path -> value of the weights of an exported head; None if there is none."""
    if not (version / saved_model.HEAD).exists():
        return None
    with np.load(version / saved_model.HEAD) as file:
        return dict(file)


def assign(encoder: keras.Model, weights: Mapping[str, np.ndarray], source: str | pathlib.Path):
    """Gives a new encoder the weights of another, `Weights.encoder`; a ValueError names those that differ.

    It is called in the scope of the strategy; `source` is for the message.
    """
    remedy = "Give the same encoder, its options and frames of the same size and channels."
    _assign(encoder.weights, weights, source, f"encoder than `encoder={encoder.name}` for these clips", remedy)


def assign_head(method: Supervised, weights: Mapping[str, np.ndarray], source: str | pathlib.Path):
    """Gives a supervised method the head of another; arguments and errors as in `assign`, of `Weights.head`."""
    remedy = "Give the same head, and clips of the same number of frames."
    _assign(method.head_weights, weights, source, f"head than `head={method.options.head}` for these clips", remedy)


def _assign(variables, weights, source, other, remedy):
    own = _named({weight.path: weight for weight in variables})
    here, there = ({name: tuple(weight.shape) for name, weight in group.items()} for group in (own, weights))
    differing = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    if differing:
        differences = [f"{name} is {there.get(name, 'missing')} there and {here.get(name, 'missing')} here"
                for name in differing[:_NAMED]]  # fmt: skip
        more = f", and {len(differing) - _NAMED} more" if len(differing) > _NAMED else ""
        raise ValueError(f"`encoder_from={source}` has another {other}: {'; '.join(differences)}{more}. {remedy}")
    for name, weight in own.items():
        weight.assign(weights[name])


def _of_run(folder, *parts):
    """Returns path -> value of the weights of parts of the model in the last checkpoint of a finished run."""
    steps = checkpoints.checkpoint_steps(folder / "checkpoints")
    if not steps or not (folder / "results.jsonl").exists():
        missing = "results" if steps else "checkpoint"
        raise ValueError(
            f"`encoder_from={folder}` is a run that is not finished: it has no {missing}. Train and evaluate it first: "
            f"python -m trainers.pretrain --flagfile={folder / run_folder.FLAGS} --run_dir={folder}"
        )
    path = folder / "checkpoints" / f"step-{steps[-1]}"
    try:
        reader = tf.train.load_checkpoint(str(path))
        graph = trackable_object_graph_pb2.TrackableObjectGraph()
        graph.ParseFromString(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"))
        model = _child(graph.nodes, 0, "model")
        if not set(parts) <= {child.local_name for child in graph.nodes[model].children}:
            raise _headless(folder)
        values = {attribute.full_name: reader.get_tensor(attribute.checkpoint_key) for part in parts
                 for attribute in _attributes(graph.nodes, _child(graph.nodes, model, part))}  # fmt: skip
    except _Headless:
        raise
    except (tf.errors.OpError, LookupError, ValueError) as error:
        raise ValueError(f"`encoder_from={folder}`: {path} is damaged: {str(error).splitlines()[0]}") from error
    # What remains are the states of random generators.
    return {name: value for name, value in values.items() if np.issubdtype(value.dtype, np.floating)}


class _Headless(ValueError):
    """There is no head where one is asked for."""


def _headless(source):
    return _Headless(
        f"`keep_head`: `encoder_from={source}` has no head with the scale of its labels: it did not learn from labels, "
        "or was made by an earlier version. Leave `keep_head` out, or name a run or an exported model of "
        "`method=supervised`."
    )


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
    """Returns weights by paths in which the layers of a kind count from 0: Keras counts those of other models too."""
    numbers = collections.defaultdict(set)
    for path in weights:
        for base, number in map(_parted, path.split("/")):
            numbers[base].add(number)
    counted = {(base, number): f"{base}_{k}" if len(known) > 1 else base
               for base, known in numbers.items() for k, number in enumerate(sorted(known))}  # fmt: skip
    return {"/".join(counted[_parted(part)] for part in path.split("/")): weight for path, weight in weights.items()}


def _parted(name):
    """Returns the name of a layer without its number, and the number; -1 for none."""
    base, number = re.fullmatch(r"(.*?)(?:_(\d+))?", name).groups()
    return base, -1 if number is None else int(number)
