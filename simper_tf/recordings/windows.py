"""A stream of frames at their own times -> windows of evenly spaced frames, in the memory of one window."""

import collections
import dataclasses
import math
from collections.abc import Iterable, Iterator

import numpy as np

from simper_tf.recordings import retime
from simper_tf.recordings.source_contract import Info
from simper_tf.signals import filters
from simper_tf.utils.errors import RawDataError

# Periods of the slowest repetition that a window holds, and the fewest that can be told from a drift.
PERIODS, FEWEST_PERIODS = 2.4, 1.8
# Hz in which frequencies are sought unless somebody knows better.
BAND = (0.4, 5.5)
# Frames to a period of the fastest repetition: more only cost time.
FRAMES_A_PERIOD = 8
# Of a window; a readout of less is a guess.
FEWEST_FRAMES = 16
# Inner products of all pairs of frames are held at once, which takes the square of this.
MOST_FRAMES = 4000
# From so many frames of the recording to one of a window on, those around each are averaged.
_MANY = 1.5
# Share of a hop by which the last window must be later than the one before it.
LEAST_NEWS = 0.2


@dataclasses.dataclass(frozen=True)
class Plan:
    """How a recording is cut.

    Attributes:
        rate: Frames per second of the windows.
        length: Frames of a window.
        hop: Frames from the start of one window to that of the next.
        band: `(low, high)` in Hz in which frequencies are sought.
        averages: Whether the recording is so much faster that the frames around each step are averaged.
    """

    rate: float
    length: int
    hop: int
    band: tuple[float, float]
    averages: bool = False


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
    name: str,
    info: Info,
    seconds: float,
    band: tuple[float, float],
    window: float | None = None,
) -> Plan:
    """Proposes windows for a recording: as long as the lowest frequency needs, half of one apart.

    Args:
        name: Of the recording.
        info: What is known of it.
        seconds: How much of it is read.
        band: `(low, high)` in Hz in which frequencies are sought.
        window: Seconds, where somebody wants another.

    Returns:
        A `Plan`; its band ends at half the rate, and begins where the window holds `FEWEST_PERIODS` periods.

    Raises:
        RawDataError: the recording is too short, or too slow, for the band, or the windows hold too many frames.
    """
    rate = min(info.rate, FRAMES_A_PERIOD * band[1])
    wanted = min(window or PERIODS / band[0], seconds)
    length = int(wanted * rate + 1e-6)
    low, high = max(band[0], FEWEST_PERIODS * rate / max(length, 1)), min(band[1], filters.HIGHEST_SHARE * rate)
    if length < FEWEST_FRAMES or low >= high:
        periods = f"{FEWEST_PERIODS} periods of what repeats at {band[0]:g} to {band[1]:g} Hz"
        raise RawDataError(
            name,
            f"{seconds:.2f} s at {info.rate:.4g} {info.of_what} per second",
            f"{FEWEST_FRAMES} {info.of_what} or more and {periods}",
            "Record for longer or faster, or name another `band` or `window`.",
        )
    if length > MOST_FRAMES:
        raise RawDataError(
            name,
            f"windows of {wanted:.4g} s, {length} {info.of_what} at {rate:.4g} per second",
            f"{MOST_FRAMES} {info.of_what} or fewer",
            f"Shorten `window`, or lower the upper end of `band`, which needs fewer {info.of_what} per second.",
        )
    return Plan(rate, length, max(round(wanted / 2 * rate), 1), (low, high), averages(info.rate, rate))


def averages(recorded: float, rate: float) -> bool:
    """Returns whether frames recorded at one rate are averaged around each of those at another, lower one."""
    return recorded >= _MANY * rate


def number(seconds: float, rate: float, length: int, hop: int) -> int:
    """Returns how many windows of `length` frames, one every `hop`, a recording without holes gives, about."""
    return 1 + max(0, math.ceil((seconds * rate - length) / hop - 1e-6))


def cut(timed_frames: Iterable, plan: Plan, longest_gap: float) -> Iterator[Window]:
    """Yields the windows of a recording. Two frames beside one window are held at a time.

    Where the recording shows no frame for longer than `longest_gap` seconds there is no window: the last one before
    ends there, and the first one after begins there.

    Args:
        timed_frames: `(seconds, frame)`, times rising.
        plan: As proposed.
        longest_gap: Seconds.
    """
    if plan.averages:
        timed_frames, longest_gap = averaged(timed_frames, plan.rate), max(longest_gap, 1.5 / plan.rate)
    latest, last, whole_from, given = collections.deque(maxlen=plan.length), -1, 0, -plan.hop
    began = shape = None

    def noting(frames):
        nonlocal began, shape
        for moment, frame in frames:
            began, shape = (moment, frame.shape) if began is None else (began, shape)
            yield moment, frame
        if began is not None:  # The last frame lasts as long as the others.
            yield moment + min(1 / plan.rate, longest_gap), frame

    def window():
        return Window(began + (last + 1 - plan.length) / plan.rate, np.stack(latest), plan.rate)

    def has_news():
        start = last + 1 - plan.length
        return start >= whole_from and start >= given + LEAST_NEWS * plan.hop

    for index, frame in retime.uniform(noting(timed_frames), plan.rate, longest_gap):
        if index != last + 1:
            if has_news():
                yield window()
            whole_from, given = index, index - plan.hop
        latest.append(frame.reshape(shape))  # OpenCV drops an axis of one channel.
        last, start = index, index + 1 - plan.length
        if start >= whole_from and (start - whole_from) % plan.hop == 0:
            given = start
            yield window()
    if has_news():
        yield window()


def at_rate(window: Window, rate: float) -> Window:
    """Returns a window at another rate, to which it is brought as a recording is: interpolated, or averaged.

    Args:
        window: At least two frames.
        rate: Frames per second.
    """
    length = int((len(window.frames) - 1) * rate / window.rate + 1 + 1e-6)
    timed_frames = ((number / window.rate, frame) for number, frame in enumerate(window.frames))
    brought = next(cut(timed_frames, Plan(rate, length, length, BAND, averages(window.rate, rate)), math.inf))
    return dataclasses.replace(brought, start=window.start)


def averaged(timed_frames: Iterable, rate: float) -> Iterator:
    """Yields `(seconds, frame)` at steps of `1 / rate` from the first one on: float32 means of the frames around each.

    The weights are a cubic B-spline of the distance in steps. Its response, the fourth power of a sinc, is 0.9 at an
    eighth of `rate`, the top of the band, and below 0.0004 at whatever folds into the band.

    Args:
        timed_frames: `(seconds, frame)`, times rising. A step without a frame nearer to it than to others is left out.
        rate: Per second.
    """
    sums, began = {}, None  # Step -> sum of weighted frames, sum of weights, whether a frame is nearest to it.
    for moment, frame in timed_frames:
        began = moment if began is None else began
        place = (moment - began) * rate
        for step in sorted(step for step in sums if step <= place - 2):
            yield from _mean(began, rate, step, *sums.pop(step))
        for step in range(max(math.floor(place) - 1, 0), math.floor(place) + 3):
            weight = _spline(abs(place - step))
            total, weights, is_near = sums.get(step, (0, 0.0, False))
            is_near = is_near or abs(place - step) <= 0.5
            sums[step] = total + np.float32(weight) * frame, weights + weight, is_near
    for step in sorted(sums):
        yield from _mean(began, rate, step, *sums[step])


def _mean(began, rate, step, total, weights, is_near):
    if is_near:
        yield began + step / rate, total / np.float32(weights)


def _spline(distance):
    """Returns the cubic B-spline, which is 0 from 2 on."""
    if distance < 1:
        return 2 / 3 - distance**2 + distance**3 / 2
    return max(2 - distance, 0.0) ** 3 / 6
