"""Exports the encoder of a trained run as the next numbered SavedModel.

python -m trainers.export --run_dir=runs/quickstart
"""

from simper_tf import export as saved_model
from simper_tf import units
from simper_tf.evaluation import protocols
from trainers import cli, data, evaluate, options, runs


def main():
    runs.adopt_flags()
    with runs.opened() as folder, data.opened() as builder:
        model, _ = evaluate.load_model(folder, builder)
        export(folder, builder, model)


def export(folder, builder, model):
    """Writes `saved_model/<next number>/` of a trained method.

    It answers in Hz, its harmonic calibrated on the labelled clips where labels are frequencies, and takes float frames
    in the unit of the data set's clips.

    Args:
        folder: Of the run.
        builder: A built TFDS builder.
        model: A method with `encoder` and `encode`.
    """
    band, unit, harmonic = options.pair("band"), data.label_unit(builder), 1.0
    if units.is_frequency(unit):
        few = evaluate.extract(builder, "train", options.flags.FLAGS.labeled_clips, model.encode)
        harmonic = protocols.calibrate_harmonic(few, band, unit)
    path = saved_model.export_model(
        model.encoder,
        folder / "saved_model",
        frame_shape=builder.info.features["clip"].shape[1:],
        band=band,
        harmonic=harmonic,
        value_range=data.clip_range(builder) or (0.0, 1.0),
    )
    cli.say(f"SavedModel: {path}.")


if __name__ == "__main__":
    options.define()
    cli.run(main)
