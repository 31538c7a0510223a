"""Exports a trained run as the next numbered SavedModel, or its encoder as a file for phones and browsers.

python -m trainers.export --run_dir=runs/quickstart
python -m trainers.export --run_dir=runs/lst --readout=linear_probe
python -m trainers.export --run_dir=runs/quickstart --format=tflite
"""

import trainers.quiet  # noqa: F401  isort: skip
import numpy as np

from simper_tf import encoders
from simper_tf.evaluation import rows, tasks
from simper_tf.export import edge, saved_model
from simper_tf.export.served_head import ServedHead
from simper_tf.methods import METHODS
from simper_tf.training import experiment, run_folder, served
from simper_tf.utils.standardize import is_series
from trainers import cli, evaluate, options

# What an encoder is trained with, and not what it sees.
_OF_LOSSES = ("saliency_entropy_weight", "saliency_motion_weight")


def main():
    """Exports the run in `--run_dir`."""
    settings = options.of_run()
    with evaluate.opened(settings) as (folder, clips):
        model, _ = evaluate.load_model(folder, clips, settings)
        export(folder, clips, model, settings)


def export(folder, clips, model, settings):
    """Writes `saved_model/<next number>/` of a trained method, or its encoder as `--format` has it.

    The model answers as a protocol of evaluation does, in the unit of the labels; see `served.choose`.
    """
    task = experiment.task_of(settings, clips)
    facts, shape, form = facts_of(clips, settings, task), clips.frame_shape, settings.format
    if form != "saved_model":
        path = edge.export_features(
            model.encoder, folder / form, form, shape, clips.num_frames, clips.value_range,
            facts | _reading(folder, task, settings),
        )  # fmt: skip
        cli.say(f"{form}: {path / edge.FILES[form]}.")
        return
    name, fitted = _chosen(folder, task, settings)
    given = {
        "value_range": clips.value_range or (0.0, 1.0),
        "max_frames": settings.max_frames or None,
        "facts": facts | {"readout": name},
        "warm_up": settings.warm_up,
    }
    if name in served.FOURIER:
        given |= _readout(folder, name, fitted)
        path = saved_model.export_model(model.encoder, folder / form, shape, settings.band, unit=task.unit, **given)
    elif name == served.PATTERNS:
        known = run_folder.read_head(folder, name)
        try:
            path = saved_model.export_patterns(model.encoder, folder / form, shape, known, unit=task.unit, **given)
        except LookupError as error:
            raise run_folder.damaged_head(folder, name, f"it lacks {error}") from error
    else:
        head = _head(folder, name, model, task, clips.num_frames)
        path = saved_model.export_head(model.encoder, folder / form, shape, head, **given)
    cli.say(f"SavedModel: {path}. It answers as {name} does.")


def _chosen(folder, task, settings, names=served.SERVED):
    """Returns the protocol as which the model answers, one of some names, and what evaluation has kept of it."""
    readouts = {name: fitted for name, fitted in run_folder.read_readout(folder).items() if name in names}
    try:
        name = served.choose(settings.readout, readouts, task)
        return name, readouts[name]
    except (LookupError, TypeError) as error:
        raise run_folder.damaged_readout(folder, f"{type(error).__name__}: {error}") from error


def _head(folder, name, model, task, num_frames):
    if name == "supervised":
        return ServedHead.own(model, task)
    return ServedHead.fitted(name, run_folder.read_head(folder, name), task, num_frames)


def _readout(folder, name, found):
    try:
        return served.readout_of(name, found)
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise run_folder.damaged_readout(folder, f"{type(error).__name__}: {error}") from error


def _reading(folder, task, settings):
    """Returns how frequencies are read off the features of a file that holds the encoder alone; nothing of others."""
    if not isinstance(task, tasks.Frequency) or METHODS[settings.method].predicts_labels:
        return {}
    name, fitted = _chosen(folder, task, settings, served.FOURIER)
    return {"band_hz": settings.band, "harmonic": _readout(folder, name, fitted)["harmonic"]}


def facts_of(clips, settings, task):
    """Returns what the metadata of an exported model say of how it was made; nothing of the machine."""
    rates = clips.column("rate", "train", settings.train_clips)
    return {
        "method": settings.method,
        "encoder": settings.encoder,
        "dataset": clips.name,
        "config": clips.config,
        "label_unit": task.unit,
        "rates_trained_on": [float(rates.min()), float(rates.max())],
        "clip_seconds": clips.num_frames / float(np.median(rates)),
        "overlap_frames": overlap_of(settings, clips.frame_shape),
        "commit": rows.code_commit(),
    }


def overlap_of(settings, frame_shape):
    """Returns by how many frames pieces of a recording must overlap to either side for features of their own.

    None where no overlap is enough, or nobody knows: what is standardized over a whole window has no pieces, and what
    is known of encoders is known of their defaults.
    """
    given = settings.options_for("encoder") | settings.options_for("sampler")
    given = {name: value for name, value in given.items() if name not in _OF_LOSSES}
    is_known = not is_series(frame_shape) and all(settings.defaults()[name] == value for name, value in given.items())
    return encoders.OVERLAPS.get(settings.encoder) if is_known else None


if __name__ == "__main__":
    options.define()
    cli.run(main, options.groups(options.OF_EXPORT))
