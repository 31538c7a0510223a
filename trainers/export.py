"""Exports the encoder of a trained run as the next numbered SavedModel.

python -m trainers.export --run_dir=runs/quickstart
"""

from simper_tf import export as saved_model
from simper_tf import units
from simper_tf.evaluation import protocols
from trainers import cli, data, evaluate, options, runs

# Training clips that vote on the multiple of the frequency at which features run.
VOTERS = 200


def main():
    runs.adopt_flags()
    with runs.opened() as folder, data.opened() as builder:
        model, _ = evaluate.load_model(folder, builder)
        export(folder, builder, model)


def export(folder, builder, model):
    """Writes `saved_model/<next number>/` of a trained method.

    It answers in Hz and takes float frames in the unit of the data set's clips. Where labels are frequencies, the
    multiple at which features run is that of `protocols.find_octave`; each clip is read by its own pixels where votes
    split, and 10 labelled clips decide where pixels show no line.

    Args:
        folder: Of the run.
        builder: A built TFDS builder.
        model: A method with `encoder` and `encode`.
    """
    band, unit, harmonic = options.pair("band"), data.label_unit(builder), 1.0
    if units.is_frequency(unit):
        harmonic = _harmonic(builder, model, band, unit)
    path = saved_model.export_model(
        model.encoder,
        folder / "saved_model",
        frame_shape=builder.info.features["clip"].shape[1:],
        band=band,
        harmonic=harmonic,
        value_range=data.clip_range(builder) or (0.0, 1.0),
    )
    cli.say(f"SavedModel: {path}.")


def _harmonic(builder, model, band, unit):
    config = options.flags.FLAGS
    train = evaluate.extract(builder, "train", min(config.train_clips or VOTERS, VOTERS), model.encode, pixels=True)
    octave = protocols.find_octave(train)
    if octave.is_common:
        return 1 / octave.divisor
    few = train.take(config.labeled_clips)
    return None if octave.voting >= 1 / 4 else protocols.calibrate_harmonic(few, band, unit)


if __name__ == "__main__":
    options.define()
    cli.run(main)
