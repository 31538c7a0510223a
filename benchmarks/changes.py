"""Changes of a recording: those that leave its repetitions, and those after which nothing repeats.

Each stands for something that people do with a camera or a file: a lower
rate, flicker, an unsteady hand, a longer cut. Random numbers are the same
at every run.
"""

import dataclasses
import pathlib
import tempfile
from collections.abc import Callable, Iterator

import cv2
import numpy as np
from scipy import ndimage

from simper_tf.commands import mp4
from simper_tf.reading import result
from simper_tf.recordings import video

Frames = list[tuple[float, np.ndarray]]
FASTER = 1.25
# Share by which the tempo goes up and down, and seconds of stillness before and after.
UNEVEN, STILL = 0.15, 3.0
# Parts of a pixel in which pictures are moved.
FINER = 4
# Shares of the picture's width over which a still one is panned.
PANNED = (0.05, 0.1, 0.15, 0.19)


def same(seconds: np.ndarray) -> np.ndarray:
    """Clock of a recording that runs as it was filmed."""
    return seconds


@dataclasses.dataclass(frozen=True)
class Changed:
    """A recording made worse.

    Attributes:
        name: What was done to it.
        frames: Seconds and picture of each frame.
        clock: Seconds in it to seconds as filmed.
        whole: Whether all of what was filmed is in it.
    """

    name: str
    frames: Frames
    clock: Callable[[np.ndarray], np.ndarray] = same
    whole: bool = True

    def as_filmed(self, reading: result.Reading) -> result.Reading:
        """Reading with its answers on the clock of what was filmed."""
        return dataclasses.replace(reading, answers=tuple(map(self._answer, reading.answers)))

    def _answer(self, answer: result.Answer) -> result.Answer:
        spans = self.clock(np.array(answer.repetitions))
        middles = np.mean(answer.repetitions, axis=1)
        slower = float(np.ptp(middles) / np.ptp(self.clock(middles)))
        return dataclasses.replace(
            answer,
            repetitions=tuple(map(tuple, spans.tolist())),
            peaks=tuple(self.clock(np.array(answer.peaks)).tolist()),
            hertz=slower * answer.hertz,
            pairs=answer.pairs and slower * answer.pairs,
        )


def worse(frames: Frames) -> Iterator[Changed]:
    """A recording, and forms of it in which the same repeats."""
    first, last = frames[0][0], frames[-1][0]
    fifth, random = (last - first) / 5, np.random.default_rng(0)
    yield Changed("as it is", frames)
    yield Changed("half the frame rate", frames[::2])
    yield Changed("1.25 times as fast", [(at / FASTER, frame) for at, frame in frames], lambda at: FASTER * at)
    yield uneven(frames)
    yield Changed("without the first fifth", [pair for pair in frames if pair[0] >= first + fifth], whole=False)
    yield Changed("without the last fifth", [pair for pair in frames if pair[0] <= last - fifth], whole=False)
    yield still_around(frames)
    yield Changed("brightness flickers by 3 %", each(frames, lambda frame: (1 + 0.03 * random.normal()) * frame))
    yield Changed("70 % of the size", each(frames, lambda frame: resized(frame, 0.7)))
    yield Changed("turned by 10 degrees", moved(frames, np.zeros((len(frames), 2)), turn=10.0))
    yield Changed("unsteady hand", moved(frames, hand(len(frames), random)))
    yield Changed("slow pan", moved(frames, pan(frames, 0.1)))
    yield Changed("slow zoom by 15 %", moved(frames, np.zeros((len(frames), 2)), np.linspace(1, 1.15, len(frames))))
    yield Changed("as H.264 of quality 33", compressed(frames))


def ended(frames: Frames, period: float) -> Iterator[tuple[str, Frames]]:
    """Names and frames of forms of a recording in which nothing repeats, of the seconds of a repetition."""
    random = np.random.default_rng(0)
    times, pictures = [at for at, _ in frames], [frame for _, frame in frames]
    middle = pictures[len(pictures) // 2]
    order = random.permutation(len(frames))
    still = [(at, middle) for at in times]
    yield "frames in random order", [(at, pictures[index]) for at, index in zip(times, order, strict=True)]
    yield "1.7 repetitions", middle_part(frames, 1.7 * period)
    yield "half a repetition, before and after it still", once(frames, period)
    yield "one frame with noise", each(still, lambda frame: frame + random.normal(0, 4, frame.shape))
    for share in PANNED:
        yield f"one frame under a pan over {share:.0%} of it", moved(still, pan(frames, share))
    yield "one frame in an unsteady hand", moved(still, hand(len(frames), random))


def middle_part(frames: Frames, seconds: float) -> Frames:
    """So many seconds from the middle of a recording."""
    middle = (frames[0][0] + frames[-1][0]) / 2
    return [pair for pair in frames if abs(pair[0] - middle) <= seconds / 2]


def once(frames: Frames, period: float) -> Frames:
    """Half a repetition from the middle of a recording, its first and last picture standing before and after."""
    times = np.array([at for at, _ in frames])
    first = int(np.searchsorted(times, times.mean()))
    last = max(int(np.searchsorted(times, times.mean() + period / 2)) - 1, first)
    return [(at, frames[int(np.clip(index, first, last))][1]) for index, (at, _) in enumerate(frames)]


def each(frames: Frames, change: Callable[[np.ndarray], np.ndarray]) -> Frames:
    """Frames of which every picture is changed, in whole gray levels."""
    return [(at, np.clip(np.rint(change(frame)), 0, 255).astype(np.uint8)) for at, frame in frames]


def uneven(frames: Frames) -> Changed:
    """Recording whose tempo rises and falls by 15 %."""
    first, last = frames[0][0], frames[-1][0]
    turn = (last - first) / (2 * np.pi)

    def clock(seconds):
        return seconds + UNEVEN * turn * np.sin((seconds - first) / turn)

    grid = np.linspace(first, last, 10_000)
    times = np.interp([at for at, _ in frames], clock(grid), grid)
    return Changed(
        "tempo up and down by 15 %", [(float(at), frame) for at, (_, frame) in zip(times, frames, strict=True)], clock
    )


def still_around(frames: Frames) -> Changed:
    """Recording between stretches of stillness."""
    step = float(np.median(np.diff([at for at, _ in frames])))
    first, last, number = frames[0][0], frames[-1][0], round(STILL / step)
    before = [(first + step * index, frames[0][1]) for index in range(number)]
    shift = number * step
    after = [(last + shift + step * (index + 1), frames[-1][1]) for index in range(number)]
    inside = [(at + shift, frame) for at, frame in frames]
    return Changed("3 s still before and after", before + inside + after, lambda at: at - shift)


def hand(number: int, random: np.random.Generator) -> np.ndarray:
    """Path of an unsteady hand, `(number, 2)` pixels of standard deviation 1."""
    path = np.cumsum(random.normal(size=(number, 2)), axis=0)
    path = ndimage.uniform_filter1d(path - ndimage.uniform_filter1d(path, 31, axis=0), 5, axis=0)
    return path / path.std(0)


def pan(frames: Frames, share: float) -> np.ndarray:
    """Path to the right, over a share of the picture's width."""
    width = share * frames[0][1].shape[1]
    return np.outer(np.linspace(-width / 2, width / 2, len(frames)), (0, 1))


def moved(frames: Frames, path: np.ndarray, scale: np.ndarray | float = 1.0, turn: float = 0.0) -> Frames:
    """Frames as a camera sees them that moves along a path in pixels, zooms and is turned by degrees."""
    shifted = []
    for (at, frame), (down, right), zoom in zip(frames, path, np.broadcast_to(scale, len(frames)), strict=True):
        # On a finer grid, so that no blur comes and goes with the parts of a pixel.
        fine = cv2.resize(frame, None, fx=FINER, fy=FINER, interpolation=cv2.INTER_CUBIC)
        height, width = fine.shape[:2]
        matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), turn, float(zoom))
        matrix[:, 2] += FINER * right, FINER * down
        fine = cv2.warpAffine(fine, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        picture = cv2.resize(fine, frame.shape[1::-1], interpolation=cv2.INTER_AREA)
        shifted.append((at, picture.reshape(frame.shape)[inner(frame)]))
    return shifted


def inner(frame: np.ndarray) -> tuple[slice, slice]:
    """Middle 80 % of a picture."""
    return tuple(slice(round(0.1 * size), size - round(0.1 * size)) for size in frame.shape[:2])


def resized(frame: np.ndarray, share: float) -> np.ndarray:
    """Picture of a share of its size."""
    small = cv2.resize(frame, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    return small.reshape(*small.shape[:2], -1)


def compressed(frames: Frames) -> Frames:
    """Frames as H.264 keeps them at a low rate, at their times."""
    height, width, channels = frames[0][1].shape
    height, width = height // 2 * 2, width // 2 * 2
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "worse.mp4")
        with mp4.Writer(path, height, width, {"crf": "33"}) as out:
            for moment, picture in frames:
                colors = np.repeat(picture[:height, :width], 3 // channels, 2)
                out.add(moment, np.ascontiguousarray(colors))
        decoded = [picture[..., :channels] for _, picture in video.decoded(path)]
    return [(moment, picture) for (moment, _), picture in zip(frames, decoded, strict=False)]
