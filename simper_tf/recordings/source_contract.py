"""What every recording answers, whatever it is made of: what is known of it, and its frames with their own times."""

import abc
import dataclasses
import math
from collections.abc import Iterator, Sequence

from simper_tf.recordings import video
from simper_tf.recordings.boxes import Box
from simper_tf.utils.errors import RawDataError


@dataclasses.dataclass(frozen=True)
class Info:
    """What is known of a recording before its frames are looked at.

    Attributes:
        rate: Frames, or samples, per second on average.
        seconds: Length; infinite for a camera.
        height, width: Pixels as shown; 1 and 1 for a series.
        bits: Of the file for each pixel of each frame; None for what is not compressed.
        longest_gap: Seconds without a frame above which what lies between is not known; of a series see `gaps.longest`.
        longest_step: Seconds from one frame to the next beyond which some were lost; infinite where none are.
        keys: Times of frames that compression has stored as whole pictures, rising, where that is known.
    """

    rate: float
    seconds: float
    height: int
    width: int
    bits: float | None = None
    longest_gap: float = video.LONGEST_GAP
    longest_step: float = math.inf
    keys: Sequence[float] = ()

    @property
    def of_what(self) -> str:
        """What there are so many of per second, in print: samples of a series, frames of others."""
        return "samples" if (self.height, self.width) == (1, 1) else "frames"


class Source(abc.ABC):
    """A recording that can be read.

    Attributes:
        name: As it is printed.
        has_pictures: Whether its frames are pictures, with a place for a face or a box.
        is_live: Whether each reading of it is another recording.
        notes: What somebody who reads it should know, in sentences, once `info` was asked for.
        names: Of the channels of a series, "" where they have none, once `info` was asked for.
    """

    has_pictures, is_live = True, False
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __init__(self, name: str):
        self.name = name

    @abc.abstractmethod
    def info(self) -> Info:
        """Returns its `Info`.

        Raises:
            RawDataError: it cannot be read.
        """

    def require_pictures(self, what: str, twice: bool = False):
        """Has frames refused, now or when they are read, that are no pictures with levels from 0 to 255 once scaled.

        Args:
            what: What needs them, in print.
            twice: Whether it reads them beside the windows, so that both must be the same recording.

        Raises:
            RawDataError: it has no pictures, or those of a camera cannot be read twice.
        """
        if not self.has_pictures:
            raise RawDataError(self.name, "a series", f"pictures for {what}", f"Leave {what} out.")
        if twice and self.is_live:
            expected = f"a file for {what}, which reads it twice"
            raise RawDataError(self.name, "a camera", expected, f"Record to a file first, or leave {what} out.")

    def size(self) -> int:
        """Returns the bytes of what is held of it."""
        return 0

    def forget(self):
        """Lets go of what was read, so that many files do not fill the memory; it is read again when asked for."""
        return  # Pictures are not held.

    def only(self, start: float, end: float):
        """Has no more of a series read, where that is possible, than what lies between two seconds."""
        return  # Pictures are read as they come.

    @abc.abstractmethod
    def frames(self, start: float, end: float, shape: tuple[int, int], box: Box | None) -> Iterator:
        """Yields `(seconds, frame)` of all frames at `start <= seconds < end`, times rising.

        Args:
            start, end: Seconds from the first frame.
            shape: `(height, width)` of what comes out, `(height, width, C)`; no matter for a series.
            box: `(left, top, width, height)` of what is looked at; None for all.

        Raises:
            RawDataError: it cannot be read.
        """
