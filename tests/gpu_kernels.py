"""GPU kernels of the ops of a traced function, or of steps op by op; TensorFlow's wheel knows them without a GPU."""

import contextlib
import functools

import tensorflow as tf
from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import op_callbacks
from tensorflow.python.framework.kernels import get_registered_kernels_for_op


def nodes_of(function):
    """Returns all nodes of a traced function, those of the functions and branches it calls included."""
    graph = function.graph.as_graph_def()
    return [node for nodes in (graph.node, *(f.node_def for f in graph.library.function)) for node in nodes]


@contextlib.contextmanager
def recorded():
    """Yields a set that fills with `(op, ((attribute, type), ...))` of what is computed op by op inside."""
    seen = set()

    def see(op, inputs, attributes, outputs, op_name=None, graph=None):
        op = op.decode() if isinstance(op, bytes) else op
        named = zip(attributes[::2], attributes[1::2], strict=True)
        types = {name: value for name, value in named if isinstance(value, (int, tf.DType))}
        seen.add((op, tuple(types.items())))

    op_callbacks.add_op_callback(see)
    try:
        yield seen
    finally:
        op_callbacks.remove_op_callback(see)


def without_kernel(seen):
    """Returns which of the `recorded` ops no GPU could run."""
    return {(op, types) for op, types in seen if not _runs_on_gpu(op, dict(types))}


def runs_on_gpu(node):
    """Whether a node of a graph could run on a GPU."""
    return _runs_on_gpu(node.op, {name: value.type for name, value in node.attr.items()})


def _runs_on_gpu(op, types):
    """Whether a kernel for GPUs, or one for every device, is registered for an op at these types."""
    return any(
        kernel.device_type in ("GPU", "DEFAULT")
        and all(types.get(constraint.name) in constraint.allowed_values.list.type for constraint in kernel.constraint)
        for kernel in _kernels(op)
    )


@functools.cache
def _kernels(op):
    return get_registered_kernels_for_op(op).kernel


def is_text(node):
    """Whether a node is a constant text, such as the message of an assertion, which stays on the host."""
    return node.op == "Const" and node.attr["dtype"].type == types_pb2.DT_STRING


def unfit(function):
    """Returns the ops, with their names, of a traced function that no GPU could run."""
    return {(node.op, node.name) for node in nodes_of(function) if not runs_on_gpu(node) and not is_text(node)}
