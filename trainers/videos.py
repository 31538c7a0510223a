"""`--videos`: a run on one's own recordings, without labels; what nobody has set is proposed from them."""

import dataclasses
import pathlib
import time

import keras
import numpy as np

from simper_tf.data import pipeline, proposals
from simper_tf.data.built import ClipData
from simper_tf.evaluation import rows
from simper_tf.evaluation.features import Features
from simper_tf.evaluation.tasks import Task
from simper_tf.methods import METHODS
from simper_tf.reading import agreement
from simper_tf.reading.scores import Reading
from simper_tf.training import checkpoints, experiment, loop, own_videos, run_folder
from simper_tf.training.settings import Settings, setting_fields, text_of
from simper_tf.utils.errors import printable
from simper_tf.views.times import SpeedSets
from trainers import cli, options

# What is proposed where it is not set, most of it by the recordings, and stays for the whole run.
PROPOSED = ("dataset", "band", "window", "hop", "rate", "size", "speed_range", "interpolation", "steps", "encoder")
# The encoder where nobody names one: of pictures that of all other runs.
_ENCODER_OF_SERIES = "small1d"
# Minutes where neither minutes nor steps are set; seconds and steps, at least, for which a step is measured.
_MINUTES, _MEASURED_SECONDS, _MEASURED_STEPS = 5.0, 2.0, 3
# What is said of views between two frames.
_BETWEEN = {
    "steady": "Noise in them is as strong at all times.",
    "linear": "Between two {what} they show their mean, as in the paper.",
}


def settings_from(given: Settings) -> Settings:
    """Returns settings of a run on `--videos`, with what its beginning has fixed if it has begun.

    Raises:
        ValueError: flags contradict one another, or the recordings have changed since.
    """
    if not given.videos:
        return given
    _refuse_conflicts(given)
    folder = pathlib.Path(given.run_dir)
    if given.overwrite or not (folder / run_folder.FLAGS).exists():
        return given
    begun = options.written(folder)
    if begun.videos != given.videos:
        return given  # Refused as any other flag is, if there is something to lose.
    settings = _with(given, {name: getattr(begun, name) for name in PROPOSED if not options.is_given(name)})
    own_videos.check_unchanged(settings, own_videos.load(settings, cli.say))
    if given.minutes and options.is_given("minutes") and checkpoints.checkpoint_steps(folder / "checkpoints"):
        cli.say(f"The run has had {settings.steps} steps since it began: --minutes changes nothing any more.")
    return dataclasses.replace(settings, minutes=0.0)  # Its steps are known.


def decided(settings: Settings, clips: ClipData, strategy) -> Settings:
    """Returns settings in which nothing is left to be proposed, and explains in one paragraph what is.

    Args:
        settings: As `settings_from` returns them.
        clips: The recordings, built.
        strategy: That the run is trained on.
    """
    if settings.dataset == own_videos.name_of(settings) and settings.steps:
        return settings
    told = clips.builder.info.metadata["own_videos"]
    known = {name: told[name] for name in ("band", "window", "hop", "rate", "size")}
    complete = _with(settings, {**known, "dataset": own_videos.name_of(settings)})
    if told.get("series") and not options.is_given("encoder"):
        complete = dataclasses.replace(complete, encoder=_ENCODER_OF_SERIES)
    if METHODS[complete.method].changes_speed() and not options.is_given("interpolation"):
        complete = dataclasses.replace(complete, interpolation="steady")  # How much noise there is nobody knows.
    if settings.speed_range == _default("speed_range"):
        proposals.check_room(told["rate"], told["band"])
        complete = dataclasses.replace(complete, speed_range=tuple(told["speeds"]))
    why_steps = "as asked for"
    if not settings.steps:
        minutes = settings.minutes or _MINUTES
        cli.say("Measuring how long a step takes ...")
        seconds = _seconds_a_step(complete, clips, strategy)
        complete = dataclasses.replace(complete, steps=max(int(60 * minutes / seconds), 1))
        why_steps = f"{minutes:g} minute{'s' * (minutes != 1)} at {seconds:.2g} s a step, as measured"
    cli.say(_explained(complete, clips, told, why_steps))
    # The flags that are kept say by themselves how long the run is.
    return dataclasses.replace(complete, minutes=0.0)


def readings(clips: ClipData, settings: Settings, predicted: Features, values: dict) -> dict[str, list[Reading]]:
    """Returns what `agreement.read` does of the clips predicted, by the protocol that suits the run first.

    Args:
        clips: The recordings.
        settings: Of the run, which say whose clips are predicted.
        predicted: Of these clips.
        values: Protocol -> what it reads of them, in Hz.
    """
    examples, _ = clips.split(settings.split, settings.limit(settings.split))
    frames = examples.map(lambda example: example["clip"]).as_numpy_iterator()
    # What a prior has kept in the band is read there: pixels may show the other period, for which it is there.
    model = "fft_calibrated" if "fft_calibrated" in values else "fft_resolved"
    model = "fft_fundamental" if settings.options.get("prior_weight") else model
    return agreement.read(frames, predicted, model, values[model], settings.band)


def scores(of_readouts: dict, task: Task, predicted: Features, values: dict, run: dict) -> list[rows.Row]:
    """Returns the result rows of clips without labels, and errors of those that `--labels` has.

    Args:
        of_readouts: Their `readings`.
        task: What their labels are.
        predicted: Of these clips.
        values: Protocol -> what it reads of them, in Hz.
        run: What all rows share.
    """
    results = agreement.score(of_readouts, predicted.subjects, **run)
    known = np.isfinite(predicted.labels)
    if known.any():
        cli.say(f"Errors are those of {known.sum()} clips that are labeled.")
        some = {protocol: read[known] for protocol, read in values.items()}
        return rows.score(some, predicted.only(known), task, **run) + results
    cli.say("Nobody has labeled these clips: there are no errors, only how sure readings are and whether they agree.")
    return results


def _seconds_a_step(settings, clips, strategy):
    """Returns how long a step takes, but for the first, of a model that is thrown away."""
    run = experiment.assemble(settings, clips, strategy)
    views = experiment.host_views(run.model, settings)
    batches = pipeline.Batches(run.read, run.num_examples, run.batch_size, settings.seed, views).start()
    iterator, step = iter(strategy.experimental_distribute_dataset(batches)), loop.step_function(run.model)
    step(next(iterator))
    done, began = 0, time.monotonic()
    while done < _MEASURED_STEPS or time.monotonic() - began < _MEASURED_SECONDS:
        step(next(iterator))
        done = int(run.model.optimizer.iterations) - 1  # Waits for the device, too.
    seconds = (time.monotonic() - began) / done
    keras.utils.clear_session()
    return seconds


def _explained(settings, clips, told, why_steps):
    why, (height, width), (low, high) = told["reasons"], told["size"], told["band"]
    number, held = (clips.size(split) for split in ("train", "test"))
    view, why_view = settings.view_frames, "as asked for"
    if not view:
        view = SpeedSets(speed_range=settings.speed_range).longest_view(clips.num_frames)
        why_view = "the most that fit into a clip at the fastest speed"
    slowest, fastest = settings.speed_range
    is_series = told.get("series")
    what, size = ("samples", "") if is_series else ("frames", f" and {height} x {width} pixels ({why['size']})")
    more = _series(settings, clips, told) if is_series else ""
    return (
        f"{_kept(told)} They are brought to {told['rate']:.4g} {what} per second ({why['rate']}){size}. "
        f"{more}Clips last {told['window']:.3g} s ({why['window']}) and start every {told['hop']:.3g} s "
        f"({why['hop']}): {number} to learn from, {held} held out. What repeats at "
        f"{low:g} to {high:g} Hz can be read ({why['band']}). Views show {view} {what} ({why_view}) at {slowest:g} to "
        f"{fastest:g} times the speed ({_why_speeds(settings, told)}). "
        f"{_BETWEEN[settings.interpolation].format(what=what)} Training takes {settings.steps} steps ({why_steps})."
    )


def _series(settings, clips, told):
    """Returns what is to be said of series alone."""
    *_, channels = clips.frame_shape
    many = f"All {channels} channels are learned from together" if channels > 1 else "The one channel is learned from"
    gaps = f"up to {told['longest_gap']:.2g} s without a sample are interpolated, and no clip spans more"
    return (
        f"{many}, by --encoder={settings.encoder}, each clip without its mean and in units of its own deviation; "
        f"{gaps if settings.gaps == 'interpolate' else 'recordings with a gap are left out'}. "
    )


def _kept(told):
    count, held, seconds = told["recordings"], told["held_out"], cli.clock(told["seconds"])
    if not held:
        return (
            f"There is one recording ({seconds}): its first part is learned from, and its last, a fifth of it or a "
            "clip, held out for the scores."
        )
    names = printable(", ".join(held[:3])) + (f" and {len(held) - 3} more" if held[3:] else "")
    return (
        f"{count - len(held)} of {count} recordings ({seconds} in all) are learned from, and {len(held)} held out for "
        f"the scores: {names}."
    )


def _why_speeds(settings, told):
    if settings.speed_range == _default("speed_range"):
        return "as the paper has it"
    if settings.speed_range[1] == proposals.fastest_speed(told["rate"], told["band"]):
        return "as far as what repeats fastest keeps two frames to a period"
    if list(settings.speed_range) == list(told["speeds"]):
        return "so that the slowest view shows what repeats slowest well enough"
    return "as asked for"


def _refuse_conflicts(settings):
    """Refuses flags that mean nothing with `--videos`."""
    learns_from_labels = METHODS[settings.method].needs_labels
    wrong = {
        "dataset": options.is_given("dataset") and not settings.dataset.startswith(f"{own_videos.NAME}/"),
        "method": learns_from_labels,
        "epochs": settings.epochs != _default("epochs"),
        "split": settings.split != "test",
        **{
            name: getattr(settings, name) != _default(name)
            for name in ("label_fraction", "label_gap", "label_range", "clip_frames")
        },
    }
    why = {
        "dataset": "the videos are the data",
        "method": "it learns from labels, and videos have none",
        "epochs": "use --minutes, or --steps",
        "split": "held-out recordings are --split=test",
        "clip_frames": "use --window",
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        value = text_of(getattr(settings, name))
        raise ValueError(
            f"--{name}={value} does not go with --videos: {why.get(name, 'videos have no labels')}. Leave it out."
        )
    if settings.minutes and settings.steps:
        raise ValueError(
            f"--minutes={settings.minutes:g} and --steps={settings.steps} both say how long to train. Leave one out."
        )


def _with(settings, values):
    """Returns settings with values for what is as it is by default."""
    return dataclasses.replace(settings, **{k: v for k, v in values.items() if getattr(settings, k) == _default(k)})


def _default(name):
    return next(field.default for field in setting_fields() if field.name == name)
