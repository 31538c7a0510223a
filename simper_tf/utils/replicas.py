"""Exchange between the replicas of a model; outside of a strategy there is one, which has nothing to ask."""

import contextlib
from collections.abc import Callable

import numpy as np
import tensorflow as tf


def replicas():
    """Returns how many replicas share the step, and which of them this is; 1 and 0 outside a strategy."""
    context = tf.distribute.get_replica_context()
    # There is none where a strategy's variables are made.
    return (context.num_replicas_in_sync, context.replica_id_in_sync_group) if context else (1, 0)


def gather(tensor):
    """Returns the tensors of all replicas one after another, `(N, ...)` -> `(R N, ...)`; gradients flow back."""
    return tf.distribute.get_replica_context().all_gather(tensor, axis=0) if replicas()[0] > 1 else tensor


def assign_everywhere(variables, values):
    """Assigns values that are the same on every replica to Keras variables that the optimizer does not own."""

    def assign(strategy, variables, values):
        for variable, value in zip(variables, values, strict=True):
            strategy.extended.update(variable, lambda v, new: v.assign(new), args=(value,), group=False)

    tf.distribute.get_replica_context().merge_call(assign, args=([v.value for v in variables], list(values)))


def distribute(strategy: tf.distribute.Strategy, batches: tf.data.Dataset):
    """Returns this process's batches for its replicas, each batch cut among them in their order."""
    local = local_replicas(strategy)
    if local > 1:
        share = tf.nest.flatten(batches.element_spec)[0].shape[0] // local
        batches = batches.rebatch(share, drop_remainder=True)
    return strategy.distribute_datasets_from_function(lambda _: batches)


def local_replicas(strategy: tf.distribute.Strategy) -> int:
    """Returns how many of the replicas are in this process."""
    return len(strategy.extended.worker_devices) if strategy.num_replicas_in_sync > 1 else 1


def has_others(strategy: tf.distribute.Strategy) -> bool:
    """Returns whether other processes train with this one."""
    return strategy.num_replicas_in_sync > local_replicas(strategy)


def anywhere(strategy: tf.distribute.Strategy, ask: Callable[[], bool]) -> Callable[[], bool]:
    """Returns a function that is true once another is true in any process; all of them call it equally often."""
    if not has_others(strategy):
        return ask
    total = tf.function(lambda value: strategy.run(_sum, (value,)), autograph=False)
    return lambda: bool(strategy.experimental_local_results(total(tf.constant(float(ask()))))[0] > 0)


def of_processes(strategy: tf.distribute.Strategy, number: int, index: int, count: int) -> list[int]:
    """Returns the whole numbers, below 2^48, that `count` processes tell one another, in their order; all call it."""
    counts = np.zeros(count, np.int64)
    counts[index] = number
    total = tf.function(lambda: strategy.run(lambda: _sum(tf.constant(counts))), autograph=False)()
    return (strategy.experimental_local_results(total)[0].numpy() // local_replicas(strategy)).tolist()


def leave_together(strategy: tf.distribute.Strategy):
    """Lets a process end only when all others have read the last exchange; all of them call it.

    An exchange may be over in one process while another still reads from it, and fails if the first one ends. This
    further exchange begins in a process when that one is over there. Whether it succeeds itself does not matter.
    """
    with contextlib.suppress(tf.errors.OpError):
        anywhere(strategy, lambda: False)()


def follow_first(strategy: tf.distribute.Strategy, variables):
    """Gives Keras variables the values that they have on the first replica, in all processes."""

    def follow():
        first = replicas()[1] == 0
        values = [tf.where(first, v.value, tf.zeros_like(v.value)) for v in variables]
        # Whole numbers, such as the state of a generator, come through the sum in 64 bits.
        wide = [value if value.dtype.is_floating else tf.cast(value, tf.int64) for value in values]
        of_first = [tf.cast(_sum(value), v.value.dtype) for value, v in zip(wide, variables, strict=True)]
        assign_everywhere(variables, of_first)

    tf.function(lambda: strategy.run(follow), autograph=False)()


def _sum(tensor):
    return tf.distribute.get_replica_context().all_reduce("SUM", tf.identity(tensor))
