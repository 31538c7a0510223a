"""Pre-trains an encoder without labels, then evaluates, plots and exports it.

python -m trainers.pretrain --flagfile=flags/quickstart.cfg
"""

import sys

import keras
import tensorflow as tf
from absl import flags

from simper_tf import pipeline, training
from simper_tf.views import check_sampling
from trainers import cli, data, evaluate, export, options, runs
from trainers.history import History


def main():
    config = flags.FLAGS
    if config.deterministic:
        tf.config.experimental.enable_op_determinism()
    keras.mixed_precision.set_dtype_policy(config.precision)
    options.check()
    folder = runs.check_run()
    builder = data.load()
    trained = train(folder, builder)
    if trained is None:
        sys.exit(cli.INTERRUPTED)
    model, seconds = trained
    evaluate.evaluate(folder, builder, model, seconds)
    if config.artifacts:
        export.export(folder, builder, model)


def train(folder, builder):
    """Trains the method the flags describe, from where the folder's checkpoints end.

    Returns:
        The trained method and the seconds its training took; None if it was told to stop before the end.
    """
    config = flags.FLAGS
    examples, num_examples = data.split(builder, "train", config.train_clips)
    example = data.first_example(examples)
    views = options.views(len(example["clip"]))
    check_sampling(views.speed_range, options.pair("band")[1], float(example["rate"]))
    views.check_length(len(example["clip"]))
    on_device = config.augment_on == "device"
    keras.utils.set_random_seed(config.seed)  # Only here: building the data has drawn from the same generators.
    model = options.method(options.encoder(example["clip"].shape[-1]), views if on_device else None, example["rate"])
    steps_per_epoch = max(num_examples // config.batch_size, 1)
    model.compile(options.optimizer(steps_per_epoch))
    runs.begin_run(folder)
    checkpoints = training.Checkpoints(folder / "checkpoints", model)
    step = checkpoints.restore(warn=cli.say)
    num_steps = config.epochs * steps_per_epoch
    if step >= num_steps:
        cli.say(f"Training was finished at step {step}.")
        return model, float(checkpoints.seconds)
    host_views = None if on_device else views
    batches = pipeline.training_batches(examples, num_examples, config.batch_size, config.seed, step, host_views)
    cli.say(_plan(model, views, num_examples, step, num_steps))
    with cli.StopRequest() as stop, History(folder / "logs", step) as history:

        def report(progress):
            cli.show_training(progress)
            history(progress)

        done = training.train(model, batches, checkpoints, num_steps, report, stop, save_seconds=config.save_seconds)
    if not done:
        cli.say(f"Stopped at step {int(checkpoints.step)} of {num_steps}. The same command continues.")
        return None
    return model, float(checkpoints.seconds)


def _plan(model, views, num_examples, step, num_steps):
    begin = f"Continuing at step {step}" if step else "Training"
    return (
        f"{begin}: {flags.FLAGS.method}, {model.encoder.name} ({model.encoder.count_params():,} parameters), "
        f"{num_examples} clips, {num_steps} steps of {flags.FLAGS.batch_size} x 2 x {views.num_views} views of "
        f"{views.num_frames} frames. Ctrl-C saves and stops."
    )


if __name__ == "__main__":
    options.define()
    cli.run(main)
