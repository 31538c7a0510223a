"""Demonstration: the sample recording that comes with the package, read and drawn."""

import pathlib
import shutil

from simper_tf.commands import console, predict, sample
from simper_tf.commands.command_options import Demo, Predict


def demo(asked: Demo):
    """Copies the sample into a folder, reads it there and draws what repeats; says what it wrote.

    Raises:
        OSError: the folder cannot be written.
    """
    folder = pathlib.Path(asked.out)
    folder.mkdir(parents=True, exist_ok=True)
    recording, video = folder / sample.PATH.name, folder / "annotated.mp4"
    shutil.copyfile(sample.PATH, recording)
    console.say(f"Reading {recording}: nine jumping jacks, no two alike, with a rest after the fifth.")
    predict.predict([str(recording)], Predict(video=str(video), out=str(folder)))
    console.say(f"Play {video}: its count runs with the video. Next: simper predict YOUR_VIDEO.mp4")
