"""An exported model's encoder, written again as a file for phones and browsers."""

import json
import pathlib

from simper_tf.commands import console
from simper_tf.commands.command_options import Export
from simper_tf.utils import quiet

_FRAMES = 64  # Of the clip at which the file is tried.


def export(asked: Export):
    """Writes the encoder of an exported model as `--format` has it, beside the model.

    Raises:
        ValueError: there is no model, or the format cannot hold its encoder.
        OSError: the file cannot be written.
    """
    quiet.start()
    from simper_tf.export import edge, saved_model

    path = pathlib.Path(asked.model)
    version = saved_model.find_version(path)
    if version is None:
        is_run = (path / "flags.cfg").is_file()
        make = f"python -m trainers.export --run_dir={path}" if is_run else f"simper train 'clips/*.mp4' --out={path}"
        raise ValueError(f"--model={path} holds no exported model. Make one: {make}.")
    try:
        metadata, encoder = json.loads((version / saved_model.METADATA).read_text()), saved_model.load_encoder(version)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--model={path}: {version} is damaged, or not written by this package: {str(error).splitlines()[0]}. "
            "Train or export again."
        ) from error
    if "period_shares" in metadata and asked.format == "tflite":
        raise ValueError(
            f"--format=tflite cannot hold the network of films in {path}: clips of any length are too much for it. "
            "Take --format=onnx."
        )
    folder = version.parent.parent if version.name.isdecimal() else version.parent
    own = ("answer", "signatures")  # Of the SavedModel; the file has others.
    facts = {name: fact for name, fact in metadata.items() if name not in own}
    written = edge.export_features(
        encoder, folder / asked.format, asked.format, facts["frame_shape"], _FRAMES, facts=facts
    )
    console.say(f"{asked.format}: {written / edge.FILES[asked.format]}.")
