"""The training loop: any method of this package, checkpointed, timed and resumable at any step."""

import dataclasses
import time

import numpy as np
import tensorflow as tf

from simper_tf.utils import replicas


@dataclasses.dataclass(frozen=True)
class Progress:
    """State of a run, reported every few steps.

    Attributes:
        step, num_steps: Done, and in all.
        logs: Means since the last report, by name.
        clips_per_second: Since the last report.
        waiting: Share of the time since the last report spent waiting for data, in [0, 1].
        seconds_left: Estimate, from the speed since this process began training.
        seconds: Spent on training so far, over all processes of the run.
    """

    step: int
    num_steps: int
    logs: dict
    clips_per_second: float
    waiting: float
    seconds_left: float
    seconds: float


def step_function(model):
    """Returns `model.train_step` as a graph that runs on every replica of the strategy in whose scope it was made."""
    # AutoGraph would take most of the time of the first step, and Keras does without it in `fit` too.
    return tf.function(lambda batch: model.distribute_strategy.run(model.train_step, (batch,)), autograph=False)


def train(
    model,
    batches,
    checkpoints,
    num_steps,
    report,
    stop=lambda: False,
    report_every=20,
    save_seconds=30.0,
    after_step=lambda step: None,
):
    """Runs `model.train_step` until `num_steps` steps are done, or until told to stop, and saves a checkpoint.

    Args:
        model: A compiled method, restored to `checkpoints.step`; its strategy's replicas share each batch.
        batches: `tf.data.Dataset` whose first batch is that of the next step, this process's part where several train
            together; see `pipeline.Batches`.
        checkpoints: A `checkpoints.Checkpoints`.
        num_steps: Steps of the whole run.
        report: Called with a `Progress` every `report_every` steps, where `save_seconds` have passed, and after the
            last step; what it raises ends the training, after a checkpoint.
        stop: Asked before the first step and after each; a true answer in any process ends the loop of all between two
            steps, where a checkpoint is exact.
        report_every: Steps.
        save_seconds: Time between checkpoints: one is saved after the first step that ends later than that, in all
            processes alike; infinite in a process that keeps none, whose clock is not to decide.
        after_step: Called after every step with the number of steps done, before any checkpoint: what it does to the
            weights is saved. Its time is not that of the training; what it raises ends the training at the last
            checkpoint.

    Returns:
        Whether all steps are done.

    Raises:
        FloatingPointError: the loss is not finite. The last checkpoint stays as it was.
    """
    run_step, strategy = step_function(model), model.distribute_strategy
    iterator = iter(replicas.distribute(strategy, batches))
    share = tf.nest.flatten(batches.element_spec)[0].shape[0]
    batch_size = share * strategy.num_replicas_in_sync // replicas.local_replicas(strategy)
    step = int(checkpoints.step)
    began, first_step = time.monotonic(), step
    laps, saved = [], began
    stopped = replicas.anywhere(strategy, stop)
    due = replicas.anywhere(strategy, lambda: stop() or time.monotonic() - saved > save_seconds)
    ended = stopped()
    while step < num_steps and not ended:
        start = time.monotonic()
        batch = next(iterator)
        fetched = time.monotonic()
        run_step(batch)
        step += 1
        laps.append((fetched - start, time.monotonic() - start))
        after_step(step)
        if step == first_step + 1:
            began = saved = time.monotonic()  # The first step also traced the graph: it would spoil the estimate.
        save = due()  # The one question that processes ask one another after every step.
        ended = save and step < num_steps and stopped()
        if ended or (step % report_every and step < num_steps and not save):
            continue
        checkpoints.step.assign(step)
        waited, total = np.sum(laps, axis=0)
        checkpoints.seconds.assign_add(total)
        seconds_a_step = (time.monotonic() - began) / max(step - first_step - 1, 1)
        progress = Progress(
            step=step,
            num_steps=num_steps,
            logs=_finite_logs(model, step),
            clips_per_second=len(laps) * batch_size / total,
            waiting=waited / total,
            seconds_left=seconds_a_step * (num_steps - step),
            seconds=float(checkpoints.seconds),
        )
        try:
            report(progress)
        except Exception:  # Such as a closed pipe: no reason to lose the training since the last checkpoint.
            checkpoints.save()
            raise
        laps = []
        if save:
            checkpoints.save()
            saved = time.monotonic()
    if laps:
        _finite_logs(model, step)
    checkpoints.step.assign(step)
    checkpoints.seconds.assign_add(sum(total for _, total in laps))
    checkpoints.save()
    replicas.leave_together(strategy)
    return step >= num_steps


def _finite_logs(model, step):
    logs = {name: float(value) for name, value in model.get_metrics_result().items()}
    model.reset_metrics()
    if not np.isfinite(logs["loss"]):
        raise FloatingPointError(
            f"The loss became {logs['loss']} at step {step}. Train anew with a lower learning rate, in another folder "
            "or with `overwrite`: the same command would fail again."
        )
    return logs
