"""Proposed cuts of recordings into clips to learn from, each number with its reason."""

import dataclasses
import math
import statistics
from collections.abc import Sequence

import numpy as np

from simper_tf.recordings import gaps, windows
from simper_tf.recordings.source_contract import Info
from simper_tf.signals import filters
from simper_tf.utils.units import PERIODS

# Frames to a period of the fastest repetition: at twice the speed there are half of them, above the two that Nyquist
# asks for.
_FEWEST_A_PERIOD = 5
# At less than this speed views hardly differ.
_LEAST_FASTEST = 1.2
# Pixels of the longer side, as far as two cores learn from in minutes; and of the shorter side, at least.
_SIDE, _LEAST_SIDE = 24, 8
# Around what repeats: the band reaches from so much of the lowest frequency to so many times the highest.
_BELOW, _ABOVE = 0.5, 2.0
# Of the slowest repetition a clip holds so many at least; and of a recording a clip takes such a share at most, so that
# there are several.
_FEWEST_REPETITIONS, _SHARE = 2.2, 0.8
# The slowest view shows so many repetitions, as fewer cannot be told from drift, unless speeds would hardly differ.
_REPETITIONS_OF_A_VIEW = 1.6
# Fewer clips are too few to learn from; windows then start nearer to one another, up to an eighth of one.
_ENOUGH, _NEAREST = 64, 8


@dataclasses.dataclass(frozen=True)
class Proposal:
    """Length, rate and size of clips cut from recordings.

    Attributes:
        rate: Frames per second of the clips.
        length: Frames of a clip.
        hop: Frames from the start of a clip to that of the next.
        shape: `(height, width)` of the frames.
        band: `(low, high)` in Hz that clips of this length and rate show.
        speeds: Slowest and fastest speed of the views.
    """

    rate: float
    length: int
    hop: int
    shape: tuple[int, int]
    band: tuple[float, float]
    speeds: tuple[float, float]

    @property
    def seconds(self) -> float:
        """Length of a clip."""
        return self.length / self.rate

    def longest_gap(self, info: Info) -> float:
        """Returns the seconds without a sample of a series up to which it is interpolated; see `gaps.longest`."""
        return gaps.longest(info, self.band)

    def plan(self, info: Info) -> windows.Plan:
        """Returns how a recording is cut."""
        return windows.Plan(self.rate, self.length, self.hop, self.band, windows.averages(info.rate, self.rate))


def fastest_speed(rate: float, band: tuple[float, float]) -> float:
    """Returns the highest speed of a view at which a band in Hz stays below half the rate, to two digits."""
    return int(100 * rate / 2 / band[1]) / 100


def check_room(rate: float, band: tuple[float, float], of_what: str):
    """Raises ValueError where a band leaves no room for faster views at a rate of frames or samples."""
    if fastest_speed(rate, band) < _LEAST_FASTEST:
        low, high = band
        raise ValueError(
            f"`band={low:g},{high:g}` leaves no room for faster views at {rate:.4g} {of_what} per second. Lower its "
            f"upper end to at most {rate / 2 / _LEAST_FASTEST:.3g}."
        )


def propose(
    infos: Sequence[Info],
    band: tuple[float, float] | None = None,
    window: float | None = None,
    hop: float | None = None,
    rate: float | None = None,
    size: tuple[int, int] | None = None,
    repeats: Sequence[Sequence[float]] = (),
) -> Proposal:
    """Proposes how recordings are cut; what is given is taken as it is.

    Args:
        infos: Of the recordings, at least one.
        band: `(low, high)` in Hz in which frequencies are sought.
        window, hop: Seconds.
        rate: Frames per second.
        size: `(height, width)` of the frames.
        repeats: Of each recording the frequencies in Hz that are known to repeat in it: band and window are proposed
            around them. None of all recordings if nobody knows.

    Raises:
        ValueError: what is given does not fit the recordings, or together; or they are too short or slow for anything.
    """
    _check(band, window, hop, rate, size)
    of_what = infos[0].of_what
    known = [hertz for frequencies in repeats for hertz in frequencies]
    bottom, top = band or sought(known)
    rate = rate or frame_rate([info.rate for info in infos], top)
    if band:
        _check_shown(rate, top, of_what)
    else:
        top = min(top, round(rate / _FEWEST_A_PERIOD, 3))  # Faster views would show more of it wrong.
    usable = [info.seconds for info in infos if shows(info, top)] or [max(info.seconds for info in infos)]
    if not window and known and not band:
        window = window_around([info.seconds for info in infos], repeats)
    window = window or window_of_band(usable, bottom, bool(band), 1 / rate)
    length = int(window * rate + 1e-6)
    if not band:
        bottom = max(bottom, math.ceil(1e3 * PERIODS * rate / max(length, 1)) / 1e3)  # So that clips hold its periods.
    _check_clip(window, rate, length, (bottom, top), of_what)
    size = size or picture_size(infos)
    seconds = [max(whole, window) for whole in usable]
    frames = max(round(hop * rate), 1) if hop else hop_frames(seconds, rate, length)
    speeds = view_speeds(rate, (bottom, top), [hertz * length / rate for hertz in known if bottom <= hertz <= top])
    return Proposal(float(rate), length, frames, tuple(size), (float(bottom), float(top)), speeds)


def sought(known: Sequence[float]) -> tuple[float, float]:
    """Returns the band in Hz around what repeats, with room for what others do; where nobody knows, the usual one."""
    if not known:
        return windows.BAND
    return float(f"{_BELOW * min(known):.2g}"), float(f"{_ABOVE * max(known):.2g}")


def frame_rate(rates: Sequence[float], top: float) -> float:
    """Returns frames per second of clips: the median, unless more only cost time.

    Args:
        rates: Frames per second of the recordings.
        top: Hz of the fastest repetition sought.
    """
    return min(statistics.median(rates), windows.FRAMES_A_PERIOD * top)


def window_of_band(seconds: Sequence[float], bottom: float, is_asked: bool, step: float) -> float:
    """Returns seconds of a clip: as the slowest repetition, at `bottom` Hz, needs, or as recordings have.

    A single recording must leave room for other clips. Where the band is asked for, a shorter clip does not do.
    """
    whole = [s / 3 for s in seconds] if len(seconds) == 1 else seconds
    wanted, least = windows.PERIODS / bottom, PERIODS / bottom + step
    fitting = [length for length in whole if length >= least]
    if fitting and min(fitting) >= wanted:
        return wanted
    if len(seconds) == 1 and (fitting or not is_asked):
        return whole[0]
    if fitting:
        return min(fitting)
    if is_asked:
        raise ValueError(
            f"What repeats at {bottom:g} Hz takes clips of {least:.3g} s, but the longest recording has "
            f"{max(seconds):.3g} s{' and must hold three' if len(seconds) == 1 else ''}. Raise the lower end of "
            "`band`, or take longer recordings."
        )
    return statistics.median(whole)


def window_around(seconds: Sequence[float], repeats: Sequence[Sequence[float]]) -> float:
    """Returns seconds of a clip: at these most recordings show what is known to repeat in them."""
    counted = [(whole, min(hertz)) for whole, hertz in zip(seconds, repeats, strict=True) if hertz]
    slowest = min(hertz for _, hertz in counted)
    shares = (0.5,) if len(counted) == 1 else (_SHARE, 1.0)

    def shown(length):
        share, window = length
        most = sum(whole >= window and hertz * window >= _FEWEST_REPETITIONS for whole, hertz in counted)
        return most, -share, window  # Whole recordings only where more of them are shown.

    wanted = windows.PERIODS / _BELOW / slowest
    lengths = [(share, min(wanted, share * whole)) for share in shares for whole, _ in counted]
    return max(lengths, key=shown)[1]


def picture_size(infos: Sequence[Info]) -> tuple[int, int]:
    """Returns `(height, width)` of the frames: of the middle shape of the recordings."""
    shape = math.exp(statistics.median(math.log(info.width / info.height) for info in infos))
    side = min(_SIDE, max(max(info.height, info.width) for info in infos))
    height, width = (side / shape, side) if shape >= 1 else (side, side * shape)
    return max(round(height), min(_LEAST_SIDE, side)), max(round(width), min(_LEAST_SIDE, side))


def hop_frames(seconds: Sequence[float], rate: float, length: int) -> int:
    """Returns frames from clip to clip: half a clip, or less so that there are enough clips."""
    parts = 2
    while parts < _NEAREST and sum(windows.number(s, rate, length, length // parts) for s in seconds) < _ENOUGH:
        parts *= 2
    return max(length // parts, 1)


def view_speeds(rate: float, band: tuple[float, float], repetitions: Sequence[float]) -> tuple[float, float]:
    """Returns the slowest and the fastest speed of views: as far apart as frames and repetitions of a clip allow."""
    fastest = min(2.0, fastest_speed(rate, band))
    if not repetitions:
        return 0.5, fastest
    # A view is as long as a clip at the fastest speed, and shows of that what the slowest speed leaves.
    fitting = max(math.sqrt(min(repetitions) / _REPETITIONS_OF_A_VIEW), _LEAST_FASTEST)
    fastest = round(min(fastest, fitting), 2)
    return round(1 / fastest, 2), fastest


def shows(info: Info, top: float) -> bool:
    """Returns whether a recording has enough frames to show what repeats at `top` Hz."""
    return info.rate * filters.HIGHEST_SHARE * 1.001 >= top


def unfit(info: Info, proposal: Proposal) -> tuple[str, str, str] | None:
    """Returns what is found in a recording that cannot be used, what was expected, and what to do; None if it can."""
    top = proposal.band[1]
    if not shows(info, top):
        return (
            f"{info.rate:.4g} {info.of_what} per second",
            f"{top / filters.HIGHEST_SHARE:.4g} or more, to show what repeats at {top:.3g} Hz",
            "Leave it out, or lower the upper end of `band`.",
        )
    if int(info.seconds * proposal.rate + 1e-6) < proposal.length:
        return f"{info.seconds:.2f} s", f"{proposal.seconds:.2f} s or more", "Leave it out, or shorten `window`."
    return None


def _check_shown(rate, top, of_what):
    if top > filters.HIGHEST_SHARE * rate * 1.001:
        raise ValueError(
            f"`band` up to {top:g} Hz cannot be shown at {rate:.4g} {of_what} per second, only up to "
            f"{filters.HIGHEST_SHARE * rate:.3g} Hz. Lower its upper end, or take faster recordings."
        )


def _check_clip(window, rate, length, band, of_what):
    bottom, top = band
    if bottom * length / rate < PERIODS * 0.99 or length < windows.FEWEST_FRAMES or bottom >= top:
        repeats = f" at {bottom:.3g} to {top:.3g} Hz" if bottom < top else ""
        raise ValueError(
            f"Clips of {window:.3g} s at {rate:.4g} {of_what} per second are too short: a clip needs "
            f"{windows.FEWEST_FRAMES} {of_what} and {PERIODS:g} periods of what repeats{repeats}. "
            "Record for longer or faster, or ask for another `band` or `window`."
        )
    if length > windows.MOST_FRAMES:
        raise ValueError(
            f"Clips of {window:.4g} s at {rate:.4g} {of_what} per second have {length} {of_what}, more than "
            f"{windows.MOST_FRAMES}. Shorten `window`, or lower `rate` or the upper end of `band`."
        )


def _check(band, window, hop, rate, size):
    if band is not None and not (np.shape(band) == (2,) and 0 < band[0] < band[1] < math.inf):
        raise ValueError(f"`band` must be (low, high) in Hz, 0 < low < high. Received: {band}.")
    for name, value in (("window", window), ("hop", hop), ("rate", rate)):
        if value is not None and not 0 < value < math.inf:
            raise ValueError(f"`{name}` must be a number above 0. Received: {value}.")
    if size is not None and not (len(size) == 2 and all(isinstance(s, int | np.integer) and s > 0 for s in size)):
        raise ValueError(f"`size` must be (height, width) in pixels. Received: {size}.")
