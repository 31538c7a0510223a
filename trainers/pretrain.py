"""Pre-trains an encoder without labels, then evaluates, plots and exports it.

python -m trainers.pretrain --flagfile=flags/quickstart.cfg
"""

import trainers.quiet  # noqa: F401  isort: skip
import contextlib
import math
import pathlib
import sys
import warnings

import tensorflow as tf

from simper_tf.data import pipeline
from simper_tf.evaluation import rows
from simper_tf.export import saved_model
from simper_tf.training import (
    best_epoch,
    checkpoints,
    encoder_weights,
    experiment,
    loop,
    run_folder,
    strategies,
)
from trainers import cli, data, evaluate, export, options
from trainers.history import History

# TensorFlow binds to every interface, and offers neither an address nor a password.
_OPEN_PORTS = (
    "TensorFlow listens at the port of each worker on all interfaces, and runs what it is sent by anybody who reaches "
    "it: keep these ports in a closed network."
)


def main(is_read: bool = True):
    """Trains the run that the flags describe, from where its checkpoints end, and evaluates it if it is to be read."""
    settings = options.settings()
    cluster = strategies.cluster_of(settings)
    if cluster and settings.best_epoch:
        raise ValueError(
            "--best_epoch does not go with several workers, of which none sees the weights alone. Train on one "
            "machine: --strategy=mirrored."
        )
    with contextlib.ExitStack() as held:
        # The folder is the chief's alone, who opens it before the others come: what it refuses costs them nothing.
        folder = held.enter_context(run_folder.opened(settings)) if not cluster or cluster.is_chief else None
        if cluster:
            cli.say(_OPEN_PORTS)
            cli.say(f"Worker {cluster.index} of {len(cluster.addresses)} waits for the others ...")
        strategy = strategies.make(settings, cluster)
        tf.config.run_functions_eagerly(settings.run_eagerly)
        if settings.run_eagerly:  # The input pipeline is a graph all the same, which TensorFlow says each time.
            warnings.filterwarnings("ignore", message="Even though the `tf.config.experimental_run_functions_eagerly`")
        clips = held.enter_context(data.opened(settings))
        for split in ("train", "validation", settings.split):
            clips.size(split)  # Refused now, if at all, and not after the training.
        experiment.check_band(settings, clips)
        with strategies.losing_nobody() if cluster else contextlib.nullcontext():
            trained = train(folder, clips, settings, strategy, cluster)
        if trained is None:
            sys.exit(cli.INTERRUPTED)
        if folder is None:
            cli.say("Trained. The chief evaluates.")
            return
        if not is_read:
            return
        # With the others gone, a model that is theirs too can compute no more.
        model, seconds = evaluate.load_model(folder, clips, settings) if cluster else trained
        evaluate.evaluate(folder, clips, model, settings, seconds)
        exported = saved_model.newest_version(folder / settings.format)
        if settings.artifacts and exported:  # The run was finished before: training anew deletes it.
            cli.say(f"{exported} is the model of this run: nothing was to be exported. trainers.export writes another.")
        elif settings.artifacts:
            export.export(folder, clips, model, settings)


def start(words: list[str], is_read: bool = True):
    """Does what the command does with these arguments, or trains alone, in a process that has no flags yet."""
    sys.argv[:] = ["pretrain", *words]
    options.define()
    cli.run(main if is_read else train_alone, options.groups())


def train_alone():
    """Does what `main` does without an evaluation, plots and an export."""
    main(is_read=False)


def train(folder, clips, settings, strategy, cluster=None):
    """Trains a method on a strategy, from where the folder's checkpoints end; workers but the chief have no folder.

    Returns the trained method and the seconds its training took; None if it was told to stop before the end.
    """
    weights = first_weights(folder, clips, settings) if folder else None
    run = experiment.assemble(settings, clips, strategy, weights)
    model, num_steps = run.model, run.num_steps
    if num_steps and not model.trainable_variables:
        raise ValueError(
            f"`encoder={settings.encoder}` has no weights to learn. Give `epochs=0` to read its features as they are, "
            "as flags/patterns.cfg does, or take another encoder."
        )
    if folder:
        run_folder.begin(folder, settings, cli.say)
        run_folder.check_rows(folder)
        (folder / "checkpoints").mkdir(exist_ok=True)  # Refused now, if at all, and not after the first steps.
    best = _best_epoch(clips, run) if settings.best_epoch else None
    others = {"best_epoch": best.state} if best else {}
    saved = checkpoints.Checkpoints(folder and folder / "checkpoints", model, **others)
    step = saved.restore(warn=cli.say)
    if weights is not None:
        saved.save()  # From here on the run does without the other.
        begun = "encoder and its head begin" if settings.keep_head else "encoder begins"
        cli.say(f"The {begun} with the weights of {settings.encoder_from}.")
    if step >= num_steps:
        cli.say(f"Training was finished at step {step}. Nothing was to be trained.")
        return model, float(saved.seconds)
    batches = pipeline.Batches(
        run.read, run.num_examples, run.batch_size, settings.seed, experiment.host_views(model, settings),
        model.needs_labels,
        *((cluster.index, len(cluster.addresses)) if cluster else ()),
    ).start(step)  # fmt: skip
    with cli.StopRequest() as stop, _noted(folder, step) as note:
        if run.batch_size < settings.batch_size:
            wanted = f"--batch_size={settings.batch_size}"
            cli.say(f"NOTE: batch of {run.batch_size}: there are no more training clips, fewer than {wanted}.")
        cli.say(_plan(run, settings, step))
        if not settings.run_eagerly:
            cli.say("The first step is compiled before it runs, which may take a minute ...")
        counter = cli.Counter("step", num_steps)

        def report(progress):
            note(progress)
            cli.show_training(progress, counter)

        save_seconds = settings.save_seconds if folder else math.inf  # The others save when the chief does.
        done = loop.train(
            model, batches, saved, num_steps, report, stop, save_seconds=save_seconds,
            after_step=best.after_step if best else lambda step: None,
        )  # fmt: skip
    if not done:
        again = "The same command without --overwrite" if settings.overwrite else "The same command"
        cli.say(f"Stopped at step {int(saved.step)} of {num_steps}. {again} continues.")
        return None
    return model, float(saved.seconds)


def _best_epoch(clips, run):
    """Returns what keeps the best epoch of a run, by all validation clips, however many of them are predicted."""
    error = best_epoch.label_error(run.model, clips.split("validation")[0])
    return best_epoch.BestEpoch(run.model, error, run.steps_per_epoch, run.num_steps, cli.say)


def _noted(folder, step):
    """Returns a context of what is called with a `Progress`; outside of a run's folder nothing is kept."""
    return History(folder / "logs", step) if folder else contextlib.nullcontext(lambda progress: None)


def first_weights(folder, clips, settings):
    """Returns the weights that a new run begins with; None for those of its seed, or of a checkpoint."""
    if not settings.encoder_from:
        return None
    if checkpoints.checkpoint_steps(folder / "checkpoints") and not settings.overwrite:
        return None
    source = pathlib.Path(settings.encoder_from)
    if source.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"--encoder_from={source} lies in the folder of this very run. Name another --run_dir.")
    units = {row.unit for row in rows.read_rows(source / "results.jsonl") if row.metric == "mae"}
    if settings.keep_head and units and clips.task.unit not in units:
        raise ValueError(
            f"--keep_head: labels of --encoder_from={source} are in {', '.join(units)}, and those of {clips.name} in "
            f"{clips.task.unit}. Leave it out."
        )
    return encoder_weights.load(source, settings.keep_head)


def _plan(run, settings, step):
    views, encoder = run.model.views, run.model.encoder
    begin = f"Continuing at step {step}" if step else "Training"
    replicas = run.model.distribute_strategy.num_replicas_in_sync
    shared = f" on {replicas} replicas" if replicas > 1 else ""
    return (
        f"{begin}{shared}: {settings.method}, {encoder.name} ({encoder.count_params():,} parameters), "
        f"{run.num_examples} clips, {run.num_steps} steps of {run.batch_size} x {views.times.num_views_in_all} "
        f"views of {views.num_frames} frames. Ctrl-C saves and stops."
    )


if __name__ == "__main__":
    start(sys.argv[1:])
