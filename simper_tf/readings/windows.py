"""A stream of frames at their own times -> windows of evenly spaced frames, in the memory of one window."""

import collections
import dataclasses
from collections.abc import Iterable, Iterator

import numpy as np

from simper_tf.readings.sources import Info
from simper_tf.recordings import retime

# Periods of the slowest repetition that a window holds, and the fewest that can be told from a drift.
PERIODS, FEWEST_PERIODS = 2.4, 1.8
# Frames to a period of the fastest repetition: more only cost time.
_FRAMES_A_PERIOD = 8
# Of a window; a readout of less is a guess.
FEWEST_FRAMES = 16
# Share of a hop by which the last window must be later than the one before it.
_LEAST_NEWS = 0.2


@dataclasses.dataclass(frozen=True)
class Plan:
    """How a recording is cut.

    Attributes:
        rate: Frames per second of the windows.
        length: Frames of a window.
        hop: Frames from the start of one window to that of the next.
        band: `(low, high)` in Hz in which frequencies are sought.
    """

    rate: float
    length: int
    hop: int
    band: tuple[float, float]


@dataclasses.dataclass(frozen=True)
class Window:
    """A part of a recording.

    Attributes:
        start: Seconds from the first frame of the recording.
        frames: `(T, H, W, C)` evenly spaced frames; a series has one pixel.
        rate: Frames per second.
    """

    start: float
    frames: np.ndarray
    rate: float

    @property
    def seconds(self) -> float:
        return len(self.frames) / self.rate


def plan(
    info: Info, seconds: float, band: tuple[float, float], window: float | None = None, hop: float | None = None
) -> Plan:
    """Proposes windows for a recording: as long as the lowest frequency needs, half of one apart.

    Args:
        info: What is known of the recording.
        seconds: How much of it is read.
        band: `(low, high)` in Hz in which frequencies are sought.
        window, hop: Seconds, where somebody wants others.

    Returns:
        A `Plan`; its band ends at half the rate, and begins where the window holds `FEWEST_PERIODS` periods.

    Raises:
        ValueError: the recording is too short, or too slow, for the band.
    """
    rate = min(info.rate, max(_FRAMES_A_PERIOD * band[1], _FRAMES_A_PERIOD * band[0]))
    wanted = min(window or PERIODS / band[0], seconds)
    length = int(wanted * rate + 1e-6)
    low, high = max(band[0], FEWEST_PERIODS * rate / max(length, 1)), min(band[1], 0.45 * rate)
    if length < FEWEST_FRAMES or low >= high:
        raise ValueError(
            f"found {seconds:.2f} s at {info.rate:.4g} frames per second; expected {FEWEST_FRAMES} frames or more and "
            f"{FEWEST_PERIODS} periods of what repeats at {band[0]:g} to {band[1]:g} Hz. Record for longer or faster, "
            "or name another --band or --window."
        )
    return Plan(rate, length, max(round((hop or wanted / 2) * rate), 1), (low, high))


def cut(timed_frames: Iterable, plan: Plan, longest_gap: float) -> Iterator[Window]:
    """Yields the windows of a recording, the last one at its end. Two frames beside one window are held at a time.

    Windows in which the recording shows no frame for longer than `longest_gap` seconds are left out.

    Args:
        timed_frames: `(seconds, frame)`, times rising.
        plan: As proposed.
        longest_gap: Seconds.
    """
    latest, last, whole_from, given = collections.deque(maxlen=plan.length), -1, 0, -plan.hop
    began = shape = None

    def noting(frames):
        nonlocal began, shape
        for moment, frame in frames:
            began, shape = (moment, frame.shape) if began is None else (began, shape)
            yield moment, frame
        if began is not None:  # The last frame lasts as long as the others.
            yield moment + min(1 / plan.rate, longest_gap), frame

    for index, frame in retime.uniform(noting(timed_frames), plan.rate, longest_gap):
        whole_from = whole_from if index == last + 1 else index
        latest.append(frame.reshape(shape))  # OpenCV drops an axis of one channel.
        last, start = index, index + 1 - plan.length
        if start >= whole_from and start % plan.hop == 0:
            given = start
            yield Window(began + start / plan.rate, np.stack(latest), plan.rate)
    start = last + 1 - plan.length
    if start >= whole_from and start >= given + _LEAST_NEWS * plan.hop:
        yield Window(began + start / plan.rate, np.stack(latest), plan.rate)
