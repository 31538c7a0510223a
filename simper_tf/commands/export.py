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
    folder = path / "saved_model" if (path / "saved_model").is_dir() else path
    version = saved_model.newest_version(folder)
    if version is None:
        is_run = (path / "flags.cfg").is_file()
        make = f"python -m trainers.export --run_dir={path}" if is_run else f"simper train 'clips/*.mp4' --out={path}"
        raise ValueError(f"--model={path} holds no exported model. Make one: {make}.")
    told = json.loads((version / saved_model.METADATA).read_text())
    facts = {name: fact for name, fact in told.items() if name not in ("answer", "signatures")}  # The file has its own.
    written = edge.export_features(
        saved_model.load_encoder(version), folder.parent / asked.format, asked.format, facts["frame_shape"], _FRAMES,
        facts=facts,
    )  # fmt: skip
    console.say(f"{asked.format}: {written / edge.FILES[asked.format]}.")
