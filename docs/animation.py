"""Animation of the README: the sample recording beside the feature that SimPer learns from it, and the count.

python -m docs.animation
"""

import io
import pathlib

import cv2
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import simper_tf
from docs import sample
from simper_tf.commands import annotated
from simper_tf.reading import answers, drawing, source_reader
from simper_tf.recordings import sources

PATH = pathlib.Path(__file__).with_name("animation.gif")
STEPS = 100  # Of training.
EVERY = 3  # Frames of the recording from one picture to the next.
_COLORS = 64  # Of the palette.
_SIZE, _DOTS = (7.6, 2.4), 100  # Inches, and pixels to an inch.


def write(path: pathlib.Path = PATH):
    """Writes the animation, a GIF that repeats for ever."""
    frames = list(sample.frames())
    (answer,) = source_reader.reading_of_source(sources.Video(sample.PATH)).reading.clear
    drawn = _Drawing([moment for moment, _ in frames], feature(trained(), [frame for _, frame in frames]), answer)
    shots = [drawn.at(moment, frame) for moment, frame in frames[::EVERY]]
    palette = shots[len(shots) // 4].quantize(_COLORS)
    first, *others = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in shots]
    pause = round(1000 * EVERY / sample.RATE)
    first.save(path, save_all=True, append_images=others, duration=pause, loop=0, optimize=True)


def trained():
    """Returns SimPer, trained on the sample."""
    model = simper_tf.from_recordings(sample.PATH)
    model.fit(steps=STEPS)
    return model


def feature(model, frames: list[np.ndarray]) -> np.ndarray:
    """Returns the learned feature that changes most, a number for each frame."""
    _, height, width, _ = model.recordings.clip_shape
    small = [cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA) for frame in frames]
    series = np.reshape(model.method.encode(np.stack(small)[None]), (len(frames), -1))
    return series[:, series.std(axis=0).argmax()]


class _Drawing:
    """Draws frame, feature and count at a moment."""

    def __init__(self, times, course, answer):
        self._times, self._answer = np.array(times), answer
        self._series = course * np.sign(course.max() + course.min() - 2 * np.median(course))  # Up from its rest.
        self._figure = Figure(figsize=_SIZE, dpi=_DOTS)
        self._still = self._figure.add_axes((0.0, 0.0, 0.421, 1.0))
        self._still.set_axis_off()
        self._axes = self._figure.add_axes((0.475, 0.2, 0.51, 0.48))
        self._axes.set_xlabel("time (s)")
        self._axes.set_ylabel("learned feature")
        self._axes.set_yticks([])
        self._axes.spines[["top", "right"]].set_visible(False)
        self._axes.plot(self._times, self._series, color="0.8", linewidth=1)
        self._count = self._figure.text(0.475, 0.79, "", fontsize=26, fontweight="bold", color=drawing.COLORS[0])
        self._figure.text(0.985, 0.81, answers.said(answer).partition(",")[0], fontsize=11, ha="right")
        self._pause = self._figure.text(0.53, 0.81, "", fontsize=14, color=drawing.COLORS[1])
        self._moving = []

    def at(self, moment: float, frame: np.ndarray) -> Image.Image:
        """Returns the picture of a moment in seconds, at which the recording shows a frame."""
        for artist in self._moving:
            artist.remove()
        past = self._times <= moment
        complete = [span for span in self._answer.repetitions if span[1] <= moment]
        self._moving = [
            self._still.imshow(frame),
            *self._axes.plot(self._times[past], self._series[past], color=drawing.COLORS[0], linewidth=2),
            self._axes.axvline(moment, color=drawing.COLORS[1], linewidth=1.5),
            *(
                self._axes.axvspan(*span, color=drawing.COLORS[0], alpha=0.25 if number % 2 else 0.12, linewidth=0)
                for number, span in enumerate(complete)
            ),
        ]
        self._count.set_text(f"{annotated.counted(self._answer, moment)[0]}")
        rests = any(start <= moment < end for start, end in self._answer.pauses)
        self._pause.set_text("pause" if rests else "")
        stored = io.BytesIO()
        self._figure.savefig(stored, format="png", dpi=_DOTS)
        return Image.open(stored).convert("RGB")


if __name__ == "__main__":
    write()
