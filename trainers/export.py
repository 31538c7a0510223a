"""Exports a trained run as the next numbered SavedModel, or its encoder as a file for phones and browsers.

python -m trainers.export --run_dir=runs/quickstart
python -m trainers.export --run_dir=runs/quickstart --format=tflite
"""

import trainers.quiet  # noqa: F401  isort: skip
from simper_tf import encoders
from simper_tf.evaluation import rows, tasks
from simper_tf.export import edge, saved_model
from simper_tf.signals import readout
from simper_tf.signals.octave import Octave
from simper_tf.training import experiment, run_folder
from simper_tf.utils.standardize import is_series
from trainers import cli, data, evaluate, options

# What an encoder is trained with, and not what it sees.
_OF_LOSSES = ("saliency_entropy_weight", "saliency_motion_weight")


def main():
    """Exports the run in `--run_dir`."""
    settings = options.of_run()
    with run_folder.opened(settings) as folder, data.opened(settings) as clips:
        model, _ = evaluate.load_model(folder, clips, settings)
        export(folder, clips, model, settings)


def export(folder, clips, model, settings):
    """Writes `saved_model/<next number>/` of a trained method, or its encoder as `--format` has it.

    A method that predicts labels answers with its own head, in the unit of the labels. The others answer in Hz:
    where labels are frequencies, at the multiple of the frequency that evaluation has found, but for what a frequency
    prior has kept in the band, which is read there.

    Args:
        folder: Path of the run's folder.
        clips: A `ClipData`.
        model: A trained method.
        settings: Settings of the run.
    """
    task = experiment.task_of(settings, clips)
    harmonic, unit = _reading(folder, model, task, settings)
    facts, shape, form = facts_of(clips, settings, task), clips.frame_shape, settings.format
    if form != "saved_model":
        read = {"band_hz": settings.band, "harmonic": harmonic} if unit else {}
        path = edge.export_features(
            model.encoder, folder / form, form, shape, clips.num_frames, clips.value_range, facts | read
        )
        cli.say(f"{form}: {path / edge.FILES[form]}.")
        return
    versions, value_range = folder / form, clips.value_range or (0.0, 1.0)
    given = {"max_frames": settings.max_frames or None, "facts": facts, "warm_up": settings.warm_up}
    if unit:
        path = saved_model.export_model(
            model.encoder, versions, shape, settings.band, harmonic, value_range, unit, **given
        )
    else:
        path = saved_model.export_head(model, versions, shape, task, value_range, **given)
    cli.say(f"SavedModel: {path}.")


def _reading(folder, model, task, settings):
    """Returns the harmonic and unit in which frequencies are read off features; None and None of a head of its own."""
    if model.predicts_labels:
        return None, None
    if not isinstance(task, tasks.Frequency):
        return 1.0, "Hz"
    kept = settings.options.get("prior_weight")
    return readout.FUNDAMENTAL if kept else _harmonic(folder, task), task.unit


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
        "overlap_frames": overlap_of(settings, clips.frame_shape),
        "commit": rows.code_commit(),
    }


def overlap_of(settings, frame_shape):
    """Returns by how many frames pieces of a recording must overlap to either side for features of their own.

    None where no overlap is enough, or nobody knows: what is standardized over a whole window has no pieces, and what
    is known of encoders is known of their defaults.

    Args:
        settings: Of the run.
        frame_shape: `(H, W, C)` of its clips.
    """
    given = settings.options_for("encoder") | settings.options_for("sampler")
    given = {name: value for name, value in given.items() if name not in _OF_LOSSES}
    is_known = not is_series(frame_shape) and all(settings.defaults()[name] == value for name, value in given.items())
    return encoders.OVERLAPS.get(settings.encoder) if is_known else None


def _harmonic(folder, task):
    """Returns the harmonic of training clips' votes; None where votes split; that of labels where pixels show no line.

    Where there are no labels, None holds for that too. Of one's own recordings the harmonic is that of the labels in
    any case, if there are some.

    Raises:
        ValueError: evaluation has not found it.
    """
    readouts = run_folder.read_readout(folder)
    try:
        octave = Octave(**readouts["fft_resolved"]["octave"])
        is_own = isinstance(task, tasks.Unlabeled)
        is_told = "fft_calibrated" not in readouts if is_own else octave.shows
        return octave.harmonic if is_told else float(readouts["fft_calibrated"]["harmonic"])
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise run_folder.damaged_readout(folder, f"{type(error).__name__}: {error}") from error


if __name__ == "__main__":
    options.define()
    cli.run(main, options.groups(options.OF_EXPORT))
