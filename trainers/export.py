"""Exports the encoder of a trained run as the next numbered SavedModel.

python -m trainers.export --run_dir=runs/quickstart
"""

from simper_tf import export as saved_model
from simper_tf import readout
from trainers import cli, data, evaluate, options, runs


def main():
    folder = runs.adopt_flags()
    builder = data.load()
    model, _ = evaluate.load_model(folder, builder)
    export(folder, builder, model)


def export(folder, builder, model):
    """Writes `saved_model/<next number>/` of a trained method, its harmonic calibrated on the labelled clips.

    Args:
        folder: Of the run.
        builder: A built TFDS builder.
        model: A method with `encoder` and `encode`.
    """
    band = options.pair("band")
    few = evaluate.extract(builder, "train", options.flags.FLAGS.labeled_clips, model)
    harmonic = readout.calibrate_harmonic(few.series, few.labels, few.rates, band)
    frame_shape = builder.info.features["clip"].shape[1:]
    path = saved_model.export_model(model.encoder, folder / "saved_model", frame_shape, band, harmonic)
    cli.say(f"SavedModel: {path}.")


if __name__ == "__main__":
    options.define()
    cli.run(main)
