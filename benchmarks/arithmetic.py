"""What a step of an encoder does and how long each kind of layer takes of it."""

import collections
import itertools
import os
import pathlib
import re
import tempfile

import tensorflow as tf

from benchmarks.timing import alternate
from trainers import profile

# Kind of layer -> what the name of an op holds. The first that fits counts: what a norm computes is a norm's, whatever
# the op, and what TensorFlow has fused with a convolution is the convolution's.
KINDS = {
    "norm": r"norm|FusedBatchNorm",
    "pooling": r"pool",
    "shift": r"temporal_shift|cut_shift",
    "convolution": r":\w*Conv|:BiasAdd",
    "dense": r":\w*MatMul",
    "activation": r":(\w*Relu|\w*Tanh|\w*Sigmoid)",
}
OTHER = "other"


def peak_flops(size: int = 4096) -> float:
    """Returns the operations a second that this machine reaches in a product of large float32 matrices."""
    matrix = tf.random.normal([size, size])
    product = tf.function(lambda: tf.reduce_sum(matrix @ matrix))
    (best,) = alternate(product, repeats=5)
    return 2 * size**3 / best


def step_flops(step) -> float:
    """Returns the operations of a `tf.function` without arguments, by the shapes of its graph.

    Counted are the products of convolutions and matrices, forward and backward, at two operations a product and sum;
    positions in the padding count like all others. Nothing else weighs much.
    """
    return 2 * float(sum(map(_products, _needed(step.get_concrete_function().graph))))


def _needed(graph):
    """Returns the ops that the results of a graph depend on; the others, such as gradients of clips, never run."""
    found, left = set(), [tensor.op for tensor in graph.outputs] + list(graph.control_outputs)
    while left:
        op = left.pop()
        if op not in found:
            found.add(op)
            left += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    return found


def _products(op):
    if re.fullmatch(r"(Batch)?MatMul(V2)?", op.type):
        transposed = op.get_attr("transpose_a" if op.type == "MatMul" else "adj_x")
        return op.outputs[0].shape.num_elements() * op.inputs[0].shape[-2 if transposed else -1]
    if not re.match(r"Conv[23]D", op.type):
        return 0
    # A filter is (size ..., channels in, channels out); every output of a channel takes one product of the others.
    if "BackpropFilter" in op.type:
        kernel, output = op.outputs[0].shape, op.inputs[2].shape
    else:
        kernel, output = op.inputs[1].shape, (op.inputs[2] if "BackpropInput" in op.type else op.outputs[0]).shape
    return kernel.num_elements() // kernel[-1] * output.num_elements()


def shares(call, repeats: int = 3) -> dict[str, float]:
    """Returns kind of layer -> share of the time of a call, measured by TensorFlow's profiler.

    What is measured is the step as it is: nothing is left out or replaced, which would let TensorFlow fuse other ops.
    Ops carry the names of their layers, those of the backward pass too. Several run at once, so each moment is shared
    out evenly among those that run in it; `other` has the moments in which none does, and what fits no kind.
    """
    with tempfile.TemporaryDirectory() as folder:
        call()
        tf.profiler.experimental.start(folder)
        for _ in range(repeats):
            call()
        tf.profiler.experimental.stop()
        noted = profile.events(profile.newest(pathlib.Path(folder)))
    ops = [
        (event["ts"], event["ts"] + event["dur"], kind_of(event["name"]))
        for event in noted
        if event["ph"] == "X" and _is_op(event["name"])
    ]
    return shared_out(ops)


def shared_out(spans) -> dict[str, float]:
    """Returns kind -> share of the time from the first start to the last end.

    Args:
        spans: `(start, end, kind)`; each moment is divided evenly among the spans that hold it.
    """
    edges = sorted(itertools.chain(*(((start, 1, kind), (end, -1, kind)) for start, end, kind in spans)))
    running, found = collections.Counter(), collections.Counter()
    for (moment, change, kind), (following, _, _) in itertools.pairwise(edges):
        running[kind] += change
        total = running.total()
        for name, count in running.items():
            found[name] += (following - moment) * count / max(total, 1)
        found[OTHER] += 0 if total else following - moment
    whole = edges[-1][0] - edges[0][0]
    return {kind: found[kind] / whole for kind in (*KINDS, OTHER)}


def kind_of(op: str) -> str:
    """Returns the kind of layer of an op, as the profiler names it: `scope/layer/name:Type`."""
    return next((kind for kind, pattern in KINDS.items() if re.search(pattern, op)), OTHER)


def environment() -> str:
    """Returns what numbers depend on, for print."""
    return f"{os.cpu_count()} cores, TensorFlow {tf.__version__}, float32"


def _is_op(name):
    # Such as gradient_tape/small/conv3d/Relu:ReluGrad; functions around ops have no type, or a space behind the colon.
    return re.fullmatch(r"[\w./-]+:\w+", name) is not None
