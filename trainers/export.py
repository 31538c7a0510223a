"""Exports a trained run as the next numbered SavedModel.

python -m trainers.export --run_dir=runs/quickstart
"""

from simper_tf import encoders, experiment, rows, run_folder, tasks
from simper_tf import export as saved_model
from simper_tf.protocols.fft_resolved import Octave
from trainers import cli, data, evaluate, options


def main():
    """Exports the run in `--run_dir`."""
    settings = options.of_run()
    with run_folder.opened(settings) as folder, data.opened(settings) as clips:
        model, _ = evaluate.load_model(folder, clips, settings)
        export(folder, clips, model, settings)


def export(folder, clips, model, settings):
    """Writes `saved_model/<next number>/` of a trained method.

    A method that predicts labels answers with its own head, in the unit of the labels. The others answer in Hz:
    where labels are frequencies, at the multiple of the frequency that evaluation has found.

    Args:
        folder: Path of the run's folder.
        clips: A `ClipData`.
        model: A trained method.
        settings: Settings of the run.
    """
    value_range, task = clips.value_range or (0.0, 1.0), experiment.task_of(settings, clips)
    given = {
        "max_frames": settings.max_frames or None,
        "facts": facts_of(clips, settings, task),
        "warm_up": settings.warm_up,
    }
    versions, shape = folder / "saved_model", clips.frame_shape
    if model.predicts_labels:
        path = saved_model.export_head(model, versions, shape, task, value_range, **given)
    else:
        is_frequency = isinstance(task, tasks.Frequency)
        harmonic, unit = (_harmonic(folder, task), task.unit) if is_frequency else (1.0, "Hz")
        path = saved_model.export_model(
            model.encoder, versions, shape, settings.band, harmonic, value_range, unit, **given
        )
    cli.say(f"SavedModel: {path}.")


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
        "overlap_frames": encoders.OVERLAPS.get(settings.encoder),
        "commit": rows.code_commit(),
    }


def _harmonic(folder, task):
    """Returns the harmonic of training clips' votes; None where votes split; that of labels where pixels show no line.

    Where there are no labels, None holds for that too.

    Raises:
        ValueError: evaluation has not found it.
    """
    found = run_folder.read_readout(folder)
    try:
        octave = Octave(**found["fft_resolved"]["octave"])
        is_told = octave.shows or isinstance(task, tasks.Unlabeled)
        return octave.harmonic if is_told else float(found["fft_calibrated"]["harmonic"])
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise run_folder.damaged_readout(folder, f"{type(error).__name__}: {error}") from error


if __name__ == "__main__":
    options.define()
    cli.run(main, options.GROUPS)
