"""A recording read as somebody wishes, by every reader that is asked."""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator

import numpy as np

from simper_tf.reading import result
from simper_tf.reading.learned import Learned
from simper_tf.recordings import boxes, face, source_contract
from simper_tf.utils import ahead
from simper_tf.utils.errors import RawDataError

# Pixels of the longer side of the frames that are read, and of the shorter one at least: slopes take two.
LONGEST_SIDE, FEWEST_PIXELS = 80, 2
_FACE_SIDE = 640  # Pixels a side of pictures in which a face is found as well as in larger ones.
_AHEAD = 2**25  # Bytes of frames that are decoded while a stretch is read: it leaves as many for the next.
DRAWN = 3  # Answers that a picture shows.
CAMERA_SECONDS = 60.0  # For which a camera is recorded where no end is named.
# Share by which an encoder may miss a clear answer, or twice that, and leave it clear.
_AGREES = 0.1
# Times that levels of a known format are stretched at most, as 12 bits in 16 need; of others the least span, as a
# share of the largest.
_MOST_STRETCHED, _LEAST_SHARE = 16, 1e-3


@dataclasses.dataclass(frozen=True)
class Wishes:
    """What somebody wants read of recordings, all of it optional.

    Attributes:
        band: `(low, high)` in Hz in which frequencies are sought; None for all that the recording shows.
        start, end: Seconds from the first frame.
        box: `(left, top, width, height)` in whole pixels that alone are looked at.
        face: Whether to read the pulse of a face, whatever else moves.

    Raises:
        ValueError: the band is none, or the box is not in whole pixels.
    """

    band: tuple[float, float] | None = None
    start: float = 0.0
    end: float = math.inf
    box: boxes.Box | None = None
    face: bool = False

    def __post_init__(self):
        if self.band is not None:
            if np.shape(self.band) != (2,) or not 0 < self.band[0] < self.band[1]:
                raise ValueError(f"`band` must be (low, high) in Hz, 0 < low < high. Received: {self.band}.")
            object.__setattr__(self, "band", tuple(self.band))
        # Shares of a picture, as answers have them, are refused: `Done.pixels` turns them into pixels.
        if self.box is not None and not boxes.are_pixels(self.box):
            raise ValueError(f"`crop` must be (left, top, width, height) in whole pixels. Received: {self.box}.")


@dataclasses.dataclass(frozen=True, eq=False)  # Arrays have no one answer to ==.
class Done:
    """A recording that was read.

    Attributes:
        name: As it was named.
        info: Its `source_contract.Info`.
        notes: Sentences on it.
        reading: What repeats in it.
        learned: What an exported model says of it; None where none was asked.
        stills: An `(H, W, C)` uint8 frame of the first repetition of each of the surest answers, or the first frame of
            the recording where there is none; empty for a series.
        channels: Names of the channels of a series.
        view: `(left, top, width, height)` in pixels of the pictures that was looked at; None for all.
    """

    name: str
    info: source_contract.Info
    notes: tuple[str, ...]
    reading: result.Reading
    learned: Learned | None = None
    stills: tuple[np.ndarray, ...] = ()
    channels: tuple[str, ...] = ()
    view: boxes.Box | None = None

    def channel(self, answer: result.Answer) -> str:
        """Name of the channel that an answer was counted in, of several; empty for what they have in common."""
        if answer.channel is None or len(self.channels) < 2:
            return ""
        return self.channels[answer.channel] or f"channel {answer.channel + 1}"

    def pixels(self, answer: result.Answer) -> boxes.Box:
        """Where an answer repeats, in pixels of the whole picture, as `crop` takes them."""
        return answer.box.pixels(boxes.Box(*(self.view or (0, 0, self.info.width, self.info.height))))


def reading_of_source(
    source: source_contract.Source,
    wishes: Wishes = Wishes(),
    progress: Callable[[float], None] | None = None,
    watch: Callable[[float, np.ndarray], None] | None = None,
) -> Done:
    """Reads a recording.

    Args:
        source: The recording.
        wishes: What is wanted of it.
        progress: Called with the seconds that are read, about once a second of the recording.
        watch: Called with the second and the `(H, W, C)` uint8 of each frame of pictures as it is read.

    Raises:
        RawDataError: it cannot be read, is too short, or has not what is wanted.

    Example:
        >>> done = reading_of_source(sources.open_file(pathlib.Path("swing.mp4")))  # doctest: +SKIP
        >>> [answer.hertz for answer in done.reading.clear]  # doctest: +SKIP
        [0.8]
    """
    source.only(wishes.start, wishes.end)
    info = source.info()
    if not math.isfinite(info.seconds) and not math.isfinite(wishes.end):
        wishes = dataclasses.replace(wishes, end=wishes.start + CAMERA_SECONDS)
    if min(info.seconds, wishes.end) <= wishes.start:
        before = f" and before {wishes.end:g} s" if math.isfinite(wishes.end) else ""
        found = f"{info.seconds:.2f} s, nothing after {wishes.start:g} s{before}"
        raise RawDataError(source.name, found, "a part that is there", "Change `start` and `end`, or leave them out.")
    if not source.has_pictures:
        return _of_series(source, info, wishes)
    from simper_tf.reading.films import film_reader  # Takes as long to load as a short series to be read.

    check_box(source, info, wishes.box)
    box, notes = _face_box(source, info, wishes) if wishes.face else (wishes.box, ())
    kept, frames = _Kept(progress, watch), small_frames(source, wishes, info, box)
    if not source.is_live:  # Frames of a camera come at their own time.
        height, width = shape_of(info, box)
        frames = ahead.read_ahead(frames, max(_AHEAD // (3 * height * width), 1))
    frames = kept.watched(frames)
    reading = film_reader.reading_of_frames(
        frames, band=wishes.band, keys=tuple(info.keys), face=wishes.face, longest_step=info.longest_step
    )
    return Done(source.name, info, (*source.notes, *notes, *reading.notes), reading, stills=kept.of(reading), view=box)


def small_frames(
    source: source_contract.Source, wishes: Wishes, info: source_contract.Info, box: boxes.Box | None
) -> Iterator[tuple[float, np.ndarray]]:
    """Yields seconds and `(H, W, C)` uint8 of the small frames that are read, of a box in the pictures or of all."""
    return _levels(functools.partial(source.frames, wishes.start, wishes.end, shape_of(info, box), box))


def with_learned(done: Done, learned: Learned) -> Done:
    """Returns what was read with what an exported model says: it decides nothing, and what contradicts is told.

    A model answers with a frequency whatever it sees. So repetitions decide whether anything repeats. Where the
    model reads another frequency than the surest answer, both are named and the answer is doubtful. Twice its
    frequency is none: the halves of a repetition are often alike.
    """
    clear, notes, reading = done.reading.clear, done.notes, done.reading
    learned = learned.beside(clear[0].hertz) if clear else learned
    if not math.isfinite(learned.hertz):
        pass  # It says nothing.
    elif not clear:
        notes += (f"model reads {learned.hertz:.3g} Hz, but no repetitions were found: it is no answer.",)
    elif all(abs(learned.hertz / (k * clear[0].hertz) - 1) > _AGREES for k in (1, 2)):
        notes += (f"model reads {learned.hertz:.3g} Hz, the repetitions say {clear[0].hertz:.3g} Hz.",)
        doubted = dataclasses.replace(clear[0], confidence=clear[0].confidence / 2, verdict=result.DOUBTFUL)
        answers = tuple(doubted if answer is clear[0] else answer for answer in reading.answers)
        verdict = reading.verdict if len(clear) > 1 else result.DOUBTFUL
        reading = dataclasses.replace(reading, answers=answers, verdict=verdict)
    return dataclasses.replace(done, notes=notes, reading=reading, learned=learned)


def renamed(done: Done, name: str, notes: tuple[str, ...] = ()) -> Done:
    """Returns what was read under another name, with further notes."""
    return dataclasses.replace(done, name=name, notes=(*done.notes, *notes))


def shape_of(info: source_contract.Info, box: boxes.Box | None = None) -> tuple[int, int]:
    """Returns `(height, width)` of the frames that are read of a recording, or of a box in it."""
    width, height = box[2:] if box else (info.width, info.height)
    scale = min(1.0, LONGEST_SIDE / max(height, width))
    return max(round(scale * height), FEWEST_PIXELS), max(round(scale * width), FEWEST_PIXELS)


def check_box(source: source_contract.Source, info: source_contract.Info, box: boxes.Box | None):
    """Raises RawDataError where a box is not inside of the pictures."""
    if box and (box[0] + box[2] > info.width or box[1] + box[3] > info.height):
        expected = f"a box inside of {info.width} x {info.height} pixels"
        raise RawDataError(source.name, f"`crop={','.join(map(str, box))}`", expected, "Correct `crop=x,y,w,h`.")


def _of_series(source, info, wishes):
    if wishes.box or wishes.face:
        what = "`crop`" if wishes.box else "`face`"
        raise RawDataError(source.name, "a series", f"pictures for {what}", f"Leave {what} out.")
    from simper_tf.reading.series import series_reader

    times, values = source.part(wishes.start, wishes.end)
    reading = series_reader.reading_of_samples(times, values, band=wishes.band, names=source.names)
    return Done(source.name, info, (*source.notes, *reading.notes), reading, channels=source.names)


def _face_box(source, info, wishes):
    """Returns the box of the face in the first frames, and a note where none was found."""
    source.require_pictures("`face`", twice=True)
    width, height = wishes.box[2:] if wishes.box else (info.width, info.height)
    scale = max(1.0, max(height, width) / _FACE_SIDE)
    shape = max(int(height / scale), 1), max(int(width / scale), 1)
    frames = source.frames(wishes.start, wishes.end, shape, wishes.box)
    first = [frame for _, (_, frame) in zip(range(face.NUM_FIRST_FRAMES), frames, strict=False)]
    if not first or first[0].shape[-1] != 3:
        raise RawDataError(source.name, "no frames of three colors", "frames with a face", "Leave `face` out.")
    seen = face.find_face([np.clip(frame, 0, 255).astype(np.uint8) for frame in first])
    left, top = wishes.box[:2] if wishes.box else (0, 0)
    inside = [int(scale * value) for value in (seen.left, seen.top, seen.width, seen.height)]
    box = boxes.Box(left + inside[0], top + inside[1], *(max(size, 1) for size in inside[2:]))
    notes = () if seen.found == "haar" else ("No face was found in the first frames: their middle is looked at.",)
    return box, notes


def _levels(frames: Callable[[], Iterator]) -> Iterator[tuple[float, np.ndarray]]:
    """Yields frames as uint8. Floats and 16 bits, which come from files at hand, are read twice for their range."""
    once = frames()
    first = next(once, None)
    if first is None:
        return
    if first[1].dtype == np.uint8:
        yield first
        yield from once
        return
    low, span = _range(frame for _, frame in frames())
    for moment, frame in frames():
        yield moment, np.clip(np.round(255 * (frame - low) / span), 0, 255).astype(np.uint8)


def _range(frames: Iterator[np.ndarray]) -> tuple[float, float]:
    """Returns the lowest level and the span that become 0 to 255: those of the format where it is made use of.

    Single pixels and single frames do not decide. Nothing is stretched so far that faint noise fills the range.
    """
    # Half a percent of pixels may be dead, and one frame of twenty a flash.
    lows, highs = np.percentile([np.percentile(frame, (0.5, 99.5)) for frame in frames], (5, 95), axis=0)
    low, high = float(lows[0]), float(highs[1])
    inside = low >= -0.5 and high <= 255.5
    if inside and high - low >= 255 / _MOST_STRETCHED:
        return 0.0, 255.0
    least = 255 / _MOST_STRETCHED if inside else _LEAST_SHARE * max(abs(low), abs(high))
    span = 1.5 * max(high - low, least, 1e-9)  # Half of it for what few pixels or moments show.
    return (low + high - span) / 2, span


class _Kept:
    """Frames of a recording, of which one every second is kept to be drawn."""

    def __init__(self, progress, watch):
        self._progress, self._watch = progress or (lambda seconds: None), watch or (lambda moment, frame: None)
        self._frames = []

    def watched(self, frames):
        for moment, frame in frames:
            if not self._frames or moment >= self._frames[-1][0] + 1.0:
                self._frames.append((moment, frame.copy()))  # A view would hold all that was decoded with it.
                self._progress(moment)
            self._watch(moment, frame)
            yield moment, frame

    def of(self, reading: result.Reading) -> tuple[np.ndarray, ...]:
        """Returns the frame nearest to the middle of the first repetition of each of the surest answers."""
        if not self._frames:
            return ()
        middles = [sum(answer.repetitions[0]) / 2 for answer in reading.answers[:DRAWN] if answer.repetitions]
        return tuple(min(self._frames, key=lambda kept: abs(kept[0] - at))[1] for at in middles or [0.0])
