"""What the replicas of a model tell one another; outside of a strategy there is one, which has nothing to ask."""

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
    """Assigns values that are the same on every replica to variables that the optimizer does not own.

    Args:
        variables: Keras variables.
        values: As many tensors.
    """

    def assign(strategy, variables, values):
        for variable, value in zip(variables, values, strict=True):
            strategy.extended.update(variable, lambda v, new: v.assign(new), args=(value,), group=False)

    tf.distribute.get_replica_context().merge_call(assign, args=([v.value for v in variables], list(values)))
