"""GPU kernels of the ops of a traced function; the wheel of TensorFlow knows them without a GPU."""

import functools

from tensorflow.core.framework import types_pb2
from tensorflow.python.framework.kernels import get_registered_kernels_for_op


def nodes_of(function):
    """Returns all nodes of a traced function, those of the functions and branches it calls included."""
    graph = function.graph.as_graph_def()
    return [node for nodes in (graph.node, *(f.node_def for f in graph.library.function)) for node in nodes]


def runs_on_gpu(node):
    """Whether a kernel for GPUs, or one for every device, is registered for an op at the types it has here."""
    return any(
        kernel.device_type in ("GPU", "DEFAULT")
        and all(
            node.attr[constraint.name].type in constraint.allowed_values.list.type for constraint in kernel.constraint
        )
        for kernel in _kernels(node.op)
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
