"""Pre-trains an encoder without labels, then evaluates, plots and exports it.

python -m trainers.pretrain --flagfile=flags/quickstart.cfg
python -m trainers.pretrain --videos='clips/**/*.mp4' --minutes=5 --run_dir=runs/mine
"""

import pathlib
import sys

import tensorflow as tf

from simper_tf import checkpoints, encoder_weights, experiment, pipeline, run_folder, training
from trainers import cli, data, evaluate, export, options, videos
from trainers.history import History
from trainers.profile import Profile


def main():
    """Trains the run that the flags describe, from where its checkpoints end."""
    settings = videos.settings_from(options.settings())
    strategy = experiment.make_strategy(settings)
    if settings.deterministic:
        tf.config.experimental.enable_op_determinism()
    with run_folder.opened(settings) as folder, data.opened(settings) as clips:
        if settings.videos:
            settings = videos.decided(settings, clips, strategy)
        for split in (*clips.task.chosen_on, settings.split):
            clips.split(split)  # Refused now, if at all, and not after the training.
        experiment.check_band(settings, clips)
        trained = train(folder, clips, settings, strategy)
        if trained is None:
            sys.exit(cli.INTERRUPTED)
        model, seconds = trained
        evaluate.evaluate(folder, clips, model, settings, seconds)
        if settings.artifacts:
            export.export(folder, clips, model, settings)


def start(words: list[str]):
    """Does what the command does with these arguments, in a process that has no flags yet."""
    sys.argv[:] = ["pretrain", *words]
    options.define()
    cli.run(main, options.GROUPS)


def train(folder, clips, settings, strategy):
    """Trains a method, from where the folder's checkpoints end.

    Args:
        folder: Path of the run's folder, held by this process.
        clips: A `ClipData`.
        settings: Settings of the run.
        strategy: To train on.

    Returns:
        The trained method and the seconds its training took; None if it was told to stop before the end.
    """
    weights = first_weights(folder, settings)
    run = experiment.assemble(settings, clips, strategy, weights)
    model, num_steps = run.model, run.num_steps
    host_views = model.views if settings.augment_on == "host" else None
    run_folder.begin(folder, settings, cli.say)
    run_folder.check_rows(folder)
    (folder / "checkpoints").mkdir(exist_ok=True)  # Refused now, if at all, and not after the first steps.
    saved = checkpoints.Checkpoints(folder / "checkpoints", model)
    step = saved.restore(warn=cli.say)
    if weights is not None:
        saved.save()  # From here on the run does without the other.
        cli.say(f"The encoder begins with the weights of {settings.encoder_from}.")
    if step >= num_steps:
        cli.say(f"Training was finished at step {step}.")
        return model, float(saved.seconds)
    batches = pipeline.training_batches(
        run.examples, run.num_examples, settings.batch_size, settings.seed, step, host_views, model.needs_labels
    )
    cli.say(_plan(run, settings, step))
    cli.say("The first step is compiled before it runs, which may take a minute ...")
    counter = cli.Counter("step", num_steps)
    profile = Profile(folder / "logs" / "profile", settings.profile)
    with cli.StopRequest() as stop, History(folder / "logs", step) as history, profile:

        def report(progress):
            history(progress)
            cli.show_training(progress, counter)

        done = training.train(
            model, batches, saved, num_steps, report, stop,
            save_seconds=settings.save_seconds, before_step=profile.before_step,
        )  # fmt: skip
    if not done:
        cli.say(f"Stopped at step {int(saved.step)} of {num_steps}. The same command continues.")
        return None
    return model, float(saved.seconds)


def first_weights(folder, settings):
    """Returns the weights that the encoder of a new run begins with; None for those of its seed, or of a checkpoint.

    Raises:
        ValueError: `--encoder_from` has none, or is the run itself.
    """
    if not settings.encoder_from:
        return None
    if checkpoints.checkpoint_steps(folder / "checkpoints") and not settings.overwrite:
        return None
    source = pathlib.Path(settings.encoder_from)
    if source.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"--encoder_from={source} lies in the folder of this very run. Name another --run_dir.")
    return encoder_weights.read(source)


def _plan(run, settings, step):
    views, encoder = run.model.views, run.model.encoder
    begin = f"Continuing at step {step}" if step else "Training"
    replicas = run.model.distribute_strategy.num_replicas_in_sync
    shared = f" on {replicas} replicas" if replicas > 1 else ""
    return (
        f"{begin}{shared}: {settings.method}, {encoder.name} ({encoder.count_params():,} parameters), "
        f"{run.num_examples} clips, {run.num_steps} steps of {settings.batch_size} x {views.times.num_views_in_all} "
        f"views of {views.num_frames} frames. Ctrl-C saves and stops."
    )


if __name__ == "__main__":
    start(sys.argv[1:])
