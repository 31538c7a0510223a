"""A recording -> the answers of all its windows, one after another, in the memory of a few."""

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from simper_tf.reading import answers, beats, gram, key_frames, readouts, scores
from simper_tf.recordings import face, gaps, sources, windows
from simper_tf.recordings.errors import RawDataError

# A face is found as well in pictures of this many pixels a side.
_FACE_SIDE = 640
_CAMERA_SECONDS = 60.0  # For which a camera is recorded where no end is named.
# Of a series much faster than its windows, what is fainter is what averaging lets through of what is too fast.
_FAINT = 1e-3
_DRAWN_PADDING = 2  # Bins of a spectrogram to one of a plain transform.
_REMEDY = "Give a part of the recording, such as --start=0 --end=10, or leave them out."


@dataclasses.dataclass(frozen=True)
class Wishes:
    """What somebody wants read of recordings, all of it optional.

    Attributes:
        band: `(low, high)` in Hz in which frequencies are sought.
        window, hop: Seconds; None for what follows from the band.
        start, end: Seconds from the first frame.
        box: `(left, top, width, height)` in pixels that alone are looked at.
        face: Whether to look at the face alone, found on the first frames, and read its pulse too.
    """

    band: tuple[float, float] = windows.BAND
    window: float | None = None
    hop: float | None = None
    start: float = 0.0
    end: float = math.inf
    box: sources.Box | None = None
    face: bool = False


@dataclasses.dataclass(frozen=True)
class Opened:
    """A recording that is ready to be read.

    Attributes:
        source: What is read.
        info: Its `sources.Info`.
        plan: Its windows.
        box: What of its pictures is looked at; None for all.
        shape: `(height, width)` of the frames of the windows.
        wishes: As given.
        notes: What somebody who reads the answers should know, in sentences.
    """

    source: sources.Source
    info: sources.Info
    plan: windows.Plan
    box: sources.Box | None
    shape: tuple[int, int]
    wishes: Wishes
    notes: tuple[str, ...]

    @property
    def num_windows(self) -> int:
        """How many windows there will be, about."""
        plan = self.plan
        return windows.number(_seconds(self.info, self.wishes), plan.rate, plan.length, plan.hop)

    def windows(self) -> Iterator[windows.Window]:
        """Yields the windows of the recording, decoding it once more each time."""
        frames = self.source.frames(self.wishes.start, self.wishes.end, self.shape, self.box)
        return windows.cut(frames, self.plan, self.info.longest_gap)


def prepare(source: sources.Source, wishes: Wishes, shape: tuple[int, int] | None = None) -> Opened:
    """Opens a recording and decides how it is cut.

    Args:
        source: The recording.
        wishes: What is wanted of it.
        shape: `(height, width)` of the frames, for whoever needs a certain one.

    Raises:
        RawDataError: it cannot be read, is too short, or has not what is wanted.
    """
    if wishes.face:
        source.require_pictures("--face", twice=True)
    info = source.info()
    if not math.isfinite(info.seconds) and not math.isfinite(wishes.end):
        wishes = dataclasses.replace(wishes, end=wishes.start + _CAMERA_SECONDS)
    seconds = _seconds(info, wishes)
    if seconds <= 0:
        found = f"{info.seconds:.2f} s, none of them between {wishes.start:g} and {wishes.end:g} s"
        raise RawDataError(source.name, found, "a part that is there", _REMEDY)
    plan = windows.plan(source.name, info, min(seconds, 1e6), wishes.band, wishes.window, wishes.hop)
    if not source.has_pictures:
        info = dataclasses.replace(info, longest_gap=gaps.longest(info, plan.band))
    box, notes = _place(source, info, wishes)
    notes += source.notes
    if plan.band[0] > wishes.band[0] * 1.01:
        notes.append(f"Windows of {plan.length / plan.rate:.2f} s show nothing slower than {plan.band[0]:.2g} Hz.")
    if plan.band[1] < wishes.band[1] * 0.99:
        notes.append(f"{plan.rate:.4g} frames per second show nothing faster than {plan.band[1]:.3g} Hz.")
    if wishes.face and info.bits is not None and info.bits < sources.FEWEST_BITS:
        notes.append(
            f"The file has {info.bits:.2g} bits a pixel: compression of this kind removes what is faint, such as a "
            "pulse that changes the skin by 1 %; record without it to read one."
        )
    return Opened(source, info, plan, box, shape or sources.small_shape(info, box), wishes, tuple(notes))


def read(opened: Opened, more: tuple[Callable, ...] = ()) -> Iterator[answers.Answer]:
    """Yields the answer for each window.

    Args:
        opened: The recording.
        more: Further readouts, functions of a `windows.Window`, its `(T, T)` products and the band to a `Reading`.

    Raises:
        RawDataError: a frame cannot be read, or there is no window at all.
    """
    more = (*more, *(readouts.chrom, readouts.pos) * opened.wishes.face)
    if not opened.source.has_pictures:
        more = (*more, beats.limited)
    found_any, band = False, opened.plan.band
    weights = scores.PICTURES if opened.source.has_pictures else scores.SERIES
    for window in opened.windows():
        found_any = True
        products = gram.of_frames(pooled(window.frames))
        if opened.plan.averages and not opened.source.has_pictures and np.trace(products) < len(products) * _FAINT**2:
            products = np.zeros_like(products)
        found = [own(products, window.rate, band, weights) for own in (readouts.pixels, readouts.selfdistance)]
        found += [other(window, products, band) for other in more]
        found = key_frames.without(found, window, opened.info)
        yield answers.choose(window.start, window.start + window.seconds, found, _course(products, window.rate, band))
    if not found_any:
        length = opened.plan.length / opened.plan.rate
        raise RawDataError(
            opened.source.name,
            "no window without a hole",
            f"{length:.2f} s in which no more than {opened.info.longest_gap:.2g} s are missing",
            "Shorten the windows with --window.",
        )


def unread(opened: Opened, found: Sequence[answers.Answer]) -> tuple[str, ...]:
    """Returns notes on what no window covers, because frames are missing there, and on what repeats but is no answer.

    Args:
        opened: The recording.
        found: Its answers.
    """
    end = min(opened.info.seconds, opened.wishes.end)
    end = end if math.isfinite(opened.info.seconds) else found[-1].end  # A camera ends when it likes.
    missing = end - opened.wishes.start - answers.covered(found)
    if missing < (windows.LEAST_NEWS * opened.plan.hop + 2) / opened.plan.rate:  # What the last window may leave.
        return _unsaid(opened, found)
    gap = opened.info.longest_gap
    hole = f"{missing:.1f} s could not be read: there is no window in which no frame is missing for {gap:.2g} s."
    return (hole, *_unsaid(opened, found))


def _unsaid(opened, found):
    """Returns notes on windows without an answer because what repeats in them is none that is asked for."""
    reasons = {
        "is_faster": f"faster than the band, above {opened.plan.band[1]:.3g} Hz: raise the upper end of --band to "
        "read it.",
        "is_stored": f"with the key frames of the file, every {key_frames.spacing(opened.info.keys):.3g} s, and "
        "little changes between them: that is its compression. Record with less of it.",
    }
    notes = []
    for reason, words in reasons.items():
        number = sum(not each.is_periodic and any(getattr(one, reason) for one in each.readings) for each in found)
        notes += [f"In {number} of {len(found)} windows something repeats {words}"] * bool(number)
    return tuple(notes)


def pooled(frames: np.ndarray) -> np.ndarray:
    """Returns `(T, H, W, C)` frames made smaller, by means of whole cells, to about `sources.LONGEST_SIDE`."""
    cell = max(frames.shape[1:3]) // sources.LONGEST_SIDE
    if cell < 2:
        return frames
    height, width = frames.shape[1] // cell, frames.shape[2] // cell
    cut = frames[:, : height * cell, : width * cell].astype(np.float32)
    return cut.reshape(len(frames), height, cell, width, cell, -1).mean(axis=(2, 4))


def _course(products, rate, band):
    """Returns what is drawn, in single precision and no higher than the band, so that hours of it fit."""
    power = gram.power(products, _DRAWN_PADDING)
    spacing = rate / (_DRAWN_PADDING * len(products))
    kept = min(len(power), math.ceil(1.2 * band[1] / spacing))
    return answers.Course(gram.strongest(products).astype(np.float32), power[:kept].astype(np.float32), spacing)


def _seconds(info, wishes):
    return min(info.seconds, wishes.end) - wishes.start


def _place(source, info, wishes):
    """Returns the box that is looked at, and notes on it."""
    if not source.has_pictures:
        if wishes.box:
            raise RawDataError(source.name, "a series", "pictures for --crop", "Leave --crop out.")
        return None, []
    box = wishes.box
    if box:
        left, top, width, height = box
        if left + width > info.width or top + height > info.height:
            expected = f"a box inside of {info.width} x {info.height} pixels"
            raise RawDataError(source.name, f"--crop={','.join(map(str, box))}", expected, "Correct --crop=x,y,w,h.")
    if not wishes.face:
        return box, []
    found, scale = _face(source, info, wishes)
    notes = [] if found.found == "haar" else ["No face was found in the first frames: their middle is looked at."]
    left, top = box[:2] if box else (0, 0)
    inside = [int(scale * value) for value in (found.left, found.top, found.width, found.height)]
    return (left + inside[0], top + inside[1], *(max(size, 1) for size in inside[2:])), notes


def _face(source, info, wishes):
    width, height = wishes.box[2:] if wishes.box else (info.width, info.height)
    scale = max(1.0, max(height, width) / _FACE_SIDE)
    shape = max(int(height / scale), 1), max(int(width / scale), 1)
    frames = source.frames(wishes.start, wishes.end, shape, wishes.box)
    first = [frame for _, (_, frame) in zip(range(face.NUM_FIRST_FRAMES), frames, strict=False)]
    if not first or first[0].shape[-1] != 3:
        raise RawDataError(source.name, "no frames of three colors", "frames with a face", "Leave --face out.")
    return face.find_face([np.clip(frame, 0, 255).astype(np.uint8) for frame in first]), scale
