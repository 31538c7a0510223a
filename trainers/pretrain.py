"""Pre-trains an encoder without labels, then evaluates, plots and exports it.

python -m trainers.pretrain --flagfile=flags/quickstart.cfg
"""

import sys

import tensorflow as tf
from absl import flags

from simper_tf import checkpoints, pipeline, training
from trainers import cli, data, evaluate, export, options, runs
from trainers.assembly import assemble, replicas
from trainers.history import History


def main():
    config = flags.FLAGS
    strategy = replicas()
    if config.deterministic:
        tf.config.experimental.enable_op_determinism()
    options.check()
    with runs.opened() as folder, data.opened() as builder:
        trained = train(folder, builder, strategy)
        if trained is None:
            sys.exit(cli.INTERRUPTED)
        model, seconds = trained
        evaluate.evaluate(folder, builder, model, seconds)
        if config.artifacts:
            export.export(folder, builder, model)


def train(folder, builder, strategy):
    """Trains the method the flags describe, from where the folder's checkpoints end.

    Returns:
        The trained method and the seconds its training took; None if it was told to stop before the end.
    """
    config = flags.FLAGS
    run = assemble(builder, strategy)
    model, num_steps = run.model, run.num_steps
    host_views = run.views if config.augment_on == "host" else None
    runs.begin_run(folder)
    runs.check_rows(folder)
    (folder / "checkpoints").mkdir(exist_ok=True)  # Refused now, if at all, and not after the first steps.
    saved = checkpoints.Checkpoints(folder / "checkpoints", model)
    step = saved.restore(warn=cli.say)
    if step >= num_steps:
        cli.say(f"Training was finished at step {step}.")
        return model, float(saved.seconds)
    batches = pipeline.training_batches(
        run.examples, run.num_examples, config.batch_size, config.seed, step, host_views, model.needs_labels
    )
    cli.say(_plan(run, step))
    cli.say("The first step is compiled before it runs, which may take a minute ...")
    counter = cli.Counter("step", num_steps)
    with cli.StopRequest() as stop, History(folder / "logs", step) as history:

        def report(progress):
            history(progress)
            cli.show_training(progress, counter)

        done = training.train(model, batches, saved, num_steps, report, stop, save_seconds=config.save_seconds)
    if not done:
        cli.say(f"Stopped at step {int(saved.step)} of {num_steps}. The same command continues.")
        return None
    return model, float(saved.seconds)


def _plan(run, step):
    config, views, encoder = flags.FLAGS, run.views, run.model.encoder
    begin = f"Continuing at step {step}" if step else "Training"
    replicas = run.model.distribute_strategy.num_replicas_in_sync
    shared = f" on {replicas} replicas" if replicas > 1 else ""
    number = views.times.num_views_in_all
    return (
        f"{begin}{shared}: {config.method}, {encoder.name} ({encoder.count_params():,} parameters), "
        f"{run.num_examples} clips, {run.num_steps} steps of {config.batch_size} x {number} views "
        f"of {views.num_frames} frames. Ctrl-C saves and stops."
    )


if __name__ == "__main__":
    options.define()
    cli.run(main)
