"""Frequencies that an exported model reads in the windows of a recording, beside the repetitions that are found."""

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from simper_tf.recordings import gaps, windows
from simper_tf.recordings.boxes import Box
from simper_tf.recordings.source_contract import Info, Source


@dataclasses.dataclass(frozen=True)
class Learned:
    """A frequency that an exported model reads.

    Attributes:
        hertz: Median over its windows, NaN without any.
        windows: How many windows it read.
        band: `(low, high)` in Hz in which it reads; None if it does not say.
    """

    hertz: float
    windows: int
    band: tuple[float, float] | None = None

    def beside(self, hertz: float) -> "Learned":
        """Returns it without an answer where what repeats, at `hertz`, lies outside of its band."""
        inside = self.band is None or self.band[0] <= hertz <= self.band[1]
        return self if inside else dataclasses.replace(self, hertz=math.nan)


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a recording, cut into windows of one length and rate.

    Attributes:
        source: The recording.
        info: Its `Info`.
        start, end: Seconds from the first frame.
        box: What of its pictures is looked at; None for all.
        plan: Its windows.
    """

    source: Source
    info: Info
    start: float
    end: float
    box: Box | None
    plan: windows.Plan

    def windows(self, shape: tuple[int, int]) -> Iterator[windows.Window]:
        """Yields windows of frames of a `(height, width)`."""
        frames = self.source.frames(self.start, self.end, shape, self.box)
        yield from windows.cut(frames, self.plan, self.info.longest_gap)


def planned(
    source: Source, info: Info, start: float = 0.0, end: float = math.inf, box: Box | None = None,
    band: tuple[float, float] | None = None, window: float | None = None,
) -> Part:  # fmt: skip
    """Returns a part of a recording with windows for a model.

    Args:
        source: The recording.
        info: Its `Info`.
        start, end: Seconds from the first frame.
        box: What of its pictures is looked at; None for all.
        band: `(low, high)` in Hz; None for the default of windows.
        window: Seconds, None for what the band needs.

    Raises:
        RawDataError: the part is too short for the band.
    """
    seconds = min(info.seconds, end) - start
    # Of a camera, without end: 11 days.
    plan = windows.plan(source.name, info, min(seconds, 1e6), band or windows.BAND, window)
    if not source.has_pictures:
        info = dataclasses.replace(info, longest_gap=gaps.longest(info, plan.band))
    return Part(source, info, start, end, box, plan)


def median(hertz: list[float], band: tuple[float, float] | None = None) -> Learned:
    """Returns the answer of a model to all windows."""
    kept = [number for number in hertz if math.isfinite(number) and number > 0]
    return Learned(float(np.median(kept)) if kept else math.nan, len(hertz), band)
