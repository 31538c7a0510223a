"""What repeats in one recording, asked from Python: a file, an array or frames -> answers, a table, a picture."""

import dataclasses
import math
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from simper_tf.reading import answers, source_reader
from simper_tf.reading.result import Answer, Span
from simper_tf.recordings import boxes, search, source_contract

if TYPE_CHECKING:
    import pandas
    from PIL import Image

Recording = str | os.PathLike | ArrayLike | Iterable[np.ndarray] | source_contract.Source


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Repetitions(source_reader.Done):
    """What repeats in a recording, as `simper_tf.read` returns it.

    Seconds are those of the recording's own clock. `notes` are sentences on what to know before using the numbers, and
    `reading` holds scenes and unclear answers too. Each equals itself alone, and may be a key.

    Example:
        >>> found = simper_tf.read(np.sin(2 * np.pi * 0.7 * np.arange(0, 12, 0.02)), rate=50)
        >>> [round(answer.hertz, 2) for answer in found.answers], found.verdict
        ([0.7], 'clear')
        >>> print(found)
        0.7 Hz = 42 per minute, 8 repetitions from 0.0 to 11.1 s, clear (0.99)
    """

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What clearly repeats, the surest first; empty where nothing does."""
        return self.reading.clear

    @property
    def verdict(self) -> str:
        """`clear`, `doubtful`, or why there is no answer."""
        return self.reading.verdict

    @property
    def hertz(self) -> float:
        """Frequency of the surest answer in Hz; NaN without one."""
        return self.answers[0].hertz if self.answers else math.nan

    @property
    def count(self) -> int:
        """Repetitions of the surest answer; 0 without one."""
        return len(self.times)

    @property
    def times(self) -> tuple[Span, ...]:
        """Start and end in seconds of every repetition of the surest answer."""
        return self.answers[0].repetitions if self.answers else ()

    def to_frame(self) -> "pandas.DataFrame":
        """Returns a row for each repetition of each answer, with the number of the answer and what it says."""
        import pandas as pd  # Takes a second to load.

        facts = ("hertz", "error", "confidence", "verdict")
        columns = ("answer", "repetition", "start_s", "end_s", "peak_s", "hertz", "error_hz", *facts[2:], "channel")
        rows = [
            (number, repetition, *span, peak, *(getattr(answer, name) for name in facts), self.channel(answer))
            for number, answer in enumerate(self.answers, start=1)
            for repetition, (span, peak) in enumerate(zip(answer.repetitions, answer.peaks, strict=True), start=1)
        ]
        return pd.DataFrame(rows, columns=columns)

    def plot(self, unit: str = "hz") -> "Image.Image":
        """Returns a picture of the three surest answers: the course with every repetition, the tempo, and the place.

        Args:
            unit: Of the tempo: hz, bpm, per_minute or count.
        """
        from simper_tf.reading import drawing

        return drawing.canvas(self, unit).image()

    def __str__(self):
        return "\n".join(answers.lines(self))

    def __repr__(self):
        return f"<Repetitions in {self.name}: {answers.lines(self)[0]}>"


def read(
    recording: Recording, rate: float | None = None, *, band: tuple[float, float] | None = None, start: float = 0.0,
    end: float = math.inf, crop: boxes.Box | None = None, face: bool = False, time: str | int = "",
    columns: Sequence[str | int] = (),
) -> Repetitions:  # fmt: skip
    """Counts what repeats in a recording; nothing is learned, and TensorFlow is not loaded.

    Args:
        recording: Path of a video, of a series or of a folder of pictures; the number of a camera as text; a series
            `(T,)` or `(T, C)`; frames `(T, H, W)` or `(T, H, W, C)`, C 1 or 3, as an array or one after another:
            uint8, uint16, or floats in [0, 1]; or a table of pandas, whose times may be a column or the index.
        rate: Frames or samples per second. They hold against what a file or a table says, as of slow motion.
        band: `(low, high)` in Hz in which frequencies are sought; None for all that the recording shows.
        start, end: Seconds from the first frame, between which it is read.
        crop: `(left, top, width, height)` in pixels that alone are looked at, such as `pixels` of an answer.
        face: Whether to read the pulse of a face, whatever else moves.
        time: Column of a table that holds its times, by name or number from 1; "" where it is looked for.
        columns: Columns of a table that are read; all by default.

    Raises:
        ValueError: it cannot be read, is too short, or is not one recording.

    Example:
        >>> found = simper_tf.read("clip.mp4")  # doctest: +SKIP
        >>> found.hertz, found.count, found.times[0]  # doctest: +SKIP
        (0.666, 9, (0.42, 1.71))
        >>> found.to_frame().groupby("answer").hertz.first()  # doctest: +SKIP
        >>> samples = np.random.default_rng(0).normal(size=(500, 1))
        >>> simper_tf.read(samples, rate=50)
        <Repetitions in array 0: no clear repetition>
    """
    source = _source(recording, rate, time, columns)
    done = source_reader.reading_of_source(source, source_reader.Wishes(band, start, end, crop, face))
    return Repetitions(**vars(done))


def _source(recording, rate, time, columns):
    """Returns the one recording that somebody gave."""
    if isinstance(recording, source_contract.Source):
        return recording
    if not isinstance(recording, str | os.PathLike):
        from simper_tf.recordings import arrays  # With pandas, which takes a second to load.

        if hasattr(recording, "reset_index"):
            return arrays.DataFrame(recording, rate, str(time), [*map(str, columns)])
        array = _array(recording)
        if rate is None:
            raise ValueError("An array needs its samples or frames per second, such as read(array, rate=30).")
        return arrays.sources([array], rate)[0]
    found = search.find([os.fspath(recording)], rate, time=time, columns=columns)
    if len(found.sources) > 1:
        raise ValueError(
            f"`recording` must be one. Found: {len(found.sources)} in {os.fspath(recording)}, such as "
            f"{found.sources[0].name}. Read each by itself."
        )
    if not found.sources:
        raise found.reasons[0]
    return found.sources[0]


def _array(recording):
    if isinstance(recording, list | tuple) and recording and isinstance(recording[0], str | os.PathLike):
        raise ValueError(f"`recording` must be one. Received: {len(recording)} names. Read each by itself.")
    is_none = isinstance(recording, bytes | dict | set) or not isinstance(recording, Iterable)
    is_none |= hasattr(recording, "readline")  # An open file, of which lines would be frames.
    if is_none and not hasattr(recording, "__array__"):
        raise ValueError(
            f"`recording` must be a path, an array, frames or a table. Received: {type(recording).__name__}."
        )
    parts = recording if hasattr(recording, "__array__") else list(recording)
    try:
        return np.asanyarray(parts)
    except ValueError as error:
        shapes = sorted({np.shape(part) for part in parts})
        raise ValueError(f"Frames must have one shape. Found: {', '.join(map(str, shapes))}.") from error
