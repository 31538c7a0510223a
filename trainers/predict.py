"""Reads how often something repeats in anybody's recordings, with no label, and says so where nothing does.

python -m trainers.predict swing.mp4 videos/ 'clips/**/*.mov' pulse.csv 0

Recordings are video files, folders, patterns, series (.csv, .wav, .edf and others) and numbers of cameras. Answers,
with every repetition, go to CSV and JSON files and to a picture a recording.
"""

import pathlib
import sys

from absl import flags

from simper_tf.commands import answers, predict, readings
from trainers import cli


def main(names):
    """Reads the recordings of that names; ends with 1 where one could not be read."""
    if predict.predict(request(names, flags.FLAGS)):
        sys.exit(1)


def request(names: list[str], config) -> predict.Request:
    """Returns what parsed flags ask for.

    Raises:
        ValueError: a flag has not the form it needs.
    """
    band = _numbers("band", config.band, float, 2) if config.band else None
    if band and not 0 < band[0] < band[1]:
        raise ValueError(f"--band takes two rising numbers in Hz, such as 0.4,5.5. Found: {','.join(config.band)}")
    box = _numbers("crop", config.crop, int, 4) if config.crop else None
    if box and (min(box[:2]) < 0 or min(box[2:]) < 1):
        raise ValueError(f"--crop takes x,y,width,height in pixels. Found: {','.join(config.crop)}")
    end = float("inf") if config.end is None else config.end
    if end <= config.start:
        raise ValueError(f"--end={end:g} must be later than --start={config.start:g}.")
    for name in ("window", "hop", "rate"):
        if config[name].value == 0:
            raise ValueError(f"--{name} must be above 0. Found: 0.")
    if config.hop and not config.window:
        raise ValueError(f"--hop={config.hop:g} means nothing without --window.")
    return predict.Request(
        tuple(names), readings.Wishes(band, config.start, end, box, config.face), config.unit, config.window,
        config.hop, config.rate, config.rate is not None, config.model, config.adapt, config.video, config.report,
        pathlib.Path(config.out),
    )  # fmt: skip


def _numbers(name, texts, kind, count):
    try:
        numbers = tuple(kind(text) for text in texts)
    except ValueError:
        numbers = ()
    if len(numbers) != count:
        raise ValueError(f"--{name} takes {count} numbers with commas between them. Found: {','.join(texts)}")
    return numbers


def define(values=flags.FLAGS):
    """Defines the flags of the command in some `FlagValues`."""

    def number(name, default, told):
        flags.DEFINE_float(name, default, told, 0, flag_values=values)

    flags.DEFINE_list("band", None, "Lowest and highest frequency sought, in Hz; all by default.", flag_values=values)
    number("window", None, "List windows of so many seconds too.")
    number("hop", None, "Seconds from one window to the next; a whole window by default.")
    number("start", 0.0, "Second at which reading starts.")
    number("end", None, "Second at which it ends; a camera is recorded until then, 60 s by default.")
    flags.DEFINE_list(
        "crop", None, "Look only at this part of the pictures: x,y,width,height in pixels.", flag_values=values
    )
    flags.DEFINE_boolean("face", False, "Read the pulse of a face, whatever else moves.", flag_values=values)
    flags.DEFINE_enum("unit", "hz", list(answers.NAMES), "Unit of what is printed and written.", flag_values=values)
    number("rate", None, "Frames or samples per second of files that do not say, or at which a video was filmed.")
    flags.DEFINE_string(
        "model", "", "Read by this exported model too: the folder of a run, or of a saved model. It runs the model's "
        "own graph: name only models of people you trust.", flag_values=values
    )  # fmt: skip
    number("adapt", 0.0, "Train SimPer for so many seconds on each recording, and read by it too.")
    flags.DEFINE_string(
        "video", "", "Write the one recording here, an .mp4 file, with count and phase on its frames.",
        flag_values=values,
    )  # fmt: skip
    flags.DEFINE_boolean(
        "report", False, "Write one HTML page of all recordings too: predictions.html.", flag_values=values
    )
    flags.DEFINE_string("out", "runs/predict", "Folder of what is written.", flag_values=values)


if __name__ == "__main__":
    define()
    cli.run(main, takes="RECORDING...")
