"""Anybody's recordings as clips to learn from: one length, rate and size for all, in memory that is bounded."""

import functools
import numbers
import os
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from simper_tf.data import proposals
from simper_tf.recordings import arrays, search, windows
from simper_tf.recordings import gaps as missing
from simper_tf.recordings.pixels import levels
from simper_tf.recordings.source_contract import Info, Source
from simper_tf.utils.errors import RawDataError, printable
from simper_tf.utils.standardize import changes


class Recordings:
    """Videos, series and arrays as clips for training: `model.fit(Recordings("clips/*.mp4"))`.

    Every recording is brought to one rate, by the true times of its frames. Its whole picture is resized to one size: a
    picture of another shape is squeezed, and nothing is cut away. Clips are gray if all recordings are arrays of gray
    frames. Otherwise they are RGB, in which gray comes three times.

    Series become clips whose frames have one pixel, `(T, 1, 1, C)`, float32, each channel in deviations of the whole
    recording. Encoders take any unit, and each clip is standardized on its way to them (`standardize`). All series must
    have as many channels. Among recordings with pictures they are left out. Gaps of at most a quarter of the fastest
    period, or of a single sample, are interpolated; no window spans a longer one, and none is constant.

    At most `megabytes` of clips are held. If there are more, as many as fit are drawn evenly from all by the seed.
    Keras holds them once more while it trains. `each` yields all clips in the memory of a few.

    Args:
        names: Files, folders and patterns with *, one or several; `.npy` files hold frames `(T, H, W)` or
            `(T, H, W, C)`, or a series `(T,)` or `(T, C)`, as `.csv` and `.wav` files do. Or arrays: one with
            recordings along its first axis, `(N, T)`, `(N, T, C)`, `(N, T, H, W)` or `(N, T, H, W, C)`, or a list of
            one recording each, `(T,)`, `(T, C)`, `(T, H, W)` or `(T, H, W, C)`: the number of axes tells series from
            frames. Or what `search.find` has found.
        band: `(low, high)` in Hz in which something repeats; None for 0.4 to 5.5 Hz as far as rate and length show it.
        window: Seconds a clip; None for 2.4 periods of the band's lower end, or as long as recordings are, or for a
            third of a single recording.
        hop: Seconds from the start of a clip to that of the next; None for half a clip, or less where clips are few.
        rate: Frames per second of the clips, and of files that do not say; None for the median of the recordings, or
            for 8 frames to a period of the band's upper end, which series have at most. Of arrays it is the rate they
            have, one number or one for each, and that of the clips is proposed.
        size: `(height, width)` in pixels; None for 24 on the longer side, of the median shape.
        megabytes: Of `clips`, at most.
        seed: Draws clips where not all of them fit.
        gaps: `interpolate`, or `refuse` to leave out series in which a sample is missing.
        time, columns: Of tables that are named the column of the times, and those that are read, by name or number from
            1; the one that is found, and all, by default.
        counted: Called with the recordings for the frequencies in Hz that repeat in each: band, window and speeds of
            views are proposed around them.

    Raises:
        ValueError: no recording can be used, what is asked for does not fit them, or series differ in their channels.

    Attributes:
        sources, infos: The recordings that are used, and what is known of each.
        proposal: The `proposals.Proposal` by which they are cut.
        problems: Errors that name the files that are left out, and why. A recording in which damage shows only on the
            way joins them when it is read, and is left out from there on.
        are_series: Whether the recordings are series.
        table: `time` and `columns` with which they were opened.

    Example:
        >>> pulses = np.sin(2 * np.pi * 1.2 * np.arange(3000) / 50)[None]  # One series of 60 s, 50 samples a second.
        >>> recordings = simper_tf.Recordings(pulses, rate=50.0, window=6.0)
        >>> len(recordings), recordings.clip_shape, recordings.problems
        (73, (264, 1, 1, 1), [])
    """

    def __init__(
        self,
        names: str | os.PathLike | np.ndarray | Sequence[str | os.PathLike | np.ndarray] | search.Found,
        *,
        band: tuple[float, float] | None = None,
        window: float | None = None,
        hop: float | None = None,
        rate: float | Sequence[float] | None = None,
        size: tuple[int, int] | None = None,
        megabytes: float = 1000.0,
        seed: int = 0,
        gaps: str = "interpolate",
        time: str | int = "",
        columns: Sequence[str | int] = (),
        counted: Callable[[Sequence[Source]], Sequence[Sequence[float]]] | None = None,
    ):
        if not megabytes > 0:
            raise ValueError(f"`megabytes` must be above 0. Received: {megabytes}.")
        if gaps not in missing.CHOICES:
            raise ValueError(f"`gaps` must be one of {', '.join(missing.CHOICES)}. Received: {gaps!r}.")
        self._megabytes, self._seed, self._gaps = megabytes, seed, gaps
        found, named, rate = _found(names, rate, time=time, columns=columns)
        self.problems, self.table = found.reasons, found.table
        self.are_series = not any(source.has_pictures for source in found.sources)
        if self.are_series and found.sources and size and tuple(size) != (1, 1):
            raise ValueError(f"`size` is that of pictures, which series have not. Received: {size}. Leave it out.")
        self._counts: dict[str, int] = {}  # Name of a series -> its channels.
        known = list(self._known(found.sources))
        if not known:
            raise self._nothing(named)
        most = windows.FRAMES_A_PERIOD * (band or windows.BAND)[1]
        rate = None if self.are_series and rate and rate > most else rate
        repeats = counted([source for source, _ in known]) if counted else ()
        self.proposal = proposals.propose([info for _, info in known], band, window, hop, rate, size, repeats)
        used = [(source, info) for source, info in known if self._fits(source, info)]
        if not used:
            raise self._nothing(named)
        self._channels = _only([(source.name, self._counts[source.name]) for source, _ in used if self.are_series])
        self.sources: tuple[Source, ...] = tuple(source for source, _ in used)
        self.infos: tuple[Info, ...] = tuple(info for _, info in used)

    @property
    def rate(self) -> float:
        """Frames per second of the clips."""
        return self.proposal.rate

    @property
    def band(self) -> tuple[float, float]:
        """`(low, high)` in Hz that the clips show."""
        return self.proposal.band

    @functools.cached_property
    def clip_shape(self) -> tuple[int, int, int, int]:
        """`(T, H, W, C)` of the clips."""
        if self.are_series:
            return (self.proposal.length, 1, 1, self._channels)
        return (self.proposal.length, *self.proposal.shape, 3 if any(map(_has_colors, self.sources)) else 1)

    @property
    def dtype(self) -> type:
        """Of the clips: uint8 levels, float32 for series."""
        return np.float32 if self.are_series else np.uint8

    @property
    def clips(self) -> np.ndarray:
        """`(N, T, H, W, C)` clips of `dtype`, read when they are first asked for; in order, if all of them fit."""
        return self._held[0]

    @property
    def recordings(self) -> list[str]:
        """Name of the recording that each of the clips comes from."""
        return [self.sources[number].name for number in self._held[1]]

    @property
    def starts(self) -> np.ndarray:
        """`(N,)` float64 seconds from the first frame of its recording to the start of each of the clips."""
        return self._held[2]

    def __len__(self) -> int:
        return len(self.clips)

    def each(self, number: int) -> Iterator[tuple[float, np.ndarray]]:
        """Yields all clips of one of `sources`, in the memory of two: their start in seconds, and `(T, H, W, C)`."""
        source, info = self.sources[number], self.infos[number]
        frames = source.frames(0.0, np.inf, self.proposal.shape, None)
        gap = self.proposal.longest_gap(info) if self.are_series else info.longest_gap
        try:
            for window in windows.cut(frames, self.proposal.plan(info), gap):
                clip = self._clip(window.frames)
                if not self.are_series or changes(clip):  # Else the sensor was off.
                    yield window.start, clip
        except RawDataError as error:
            self.problems.append(error)
        if self.are_series:
            source.forget()

    def _clip(self, frames):
        return np.float32(frames) if self.are_series else levels(frames, self.clip_shape[-1])

    @functools.cached_property
    def _held(self):
        """Clips, and of each the number of its recording and its start."""
        most = max(int(self._megabytes * 1e6 / np.prod(self.clip_shape) / np.dtype(self.dtype).itemsize), 1)
        random = np.random.default_rng(self._seed)
        clips = np.empty((most, *self.clip_shape), self.dtype)  # Takes memory only where clips are put.
        numbers, starts, seen = [], [], 0
        for number, source in enumerate(self.sources):
            before, told = seen, len(self.problems)
            for start, clip in self.each(number):
                place = seen if seen < most else int(random.integers(0, seen + 1))
                seen += 1
                if place < most:
                    clips[place] = clip
                    numbers[place : place + 1], starts[place : place + 1] = [number], [start]
            if seen == before and len(self.problems) == told:
                whole = f"{self.proposal.seconds:.3g} s without one, in which something changes"
                self.problems.append(RawDataError(source.name, "gaps", whole, "Leave it out, or shorten `window`."))
        if not seen:
            raise self._nothing([source.name for source in self.sources])
        return clips[: len(numbers)], numbers, np.array(starts)

    def _known(self, found):
        """Yields the recordings that can be opened, with their `Info`, and notes the others."""
        for source in found:
            try:
                if not self.are_series:
                    self._check_pictures(source)
                else:
                    missing.check(source, self._gaps)
                    self._counts[source.name] = source.channels()
                yield source, source.info()
            except RawDataError as error:
                self.problems.append(error)
            if self.are_series:
                source.forget()

    def _check_pictures(self, source):
        if not source.has_pictures:
            expected = "a video, or an array of frames (T, H, W) or (T, H, W, C)"
            raise RawDataError(source.name, "a series", expected, "Leave it out, or learn from series alone.")
        source.require_pictures("training", twice=True)

    def _fits(self, source, info):
        why = proposals.unfit(info, self.proposal)
        if why:
            self.problems.append(RawDataError(source.name, *why))
        return not why

    def _nothing(self, names):
        if not self.problems:
            return ValueError(f"No recording to learn from. Received: {printable(', '.join(names))}.")
        first = f" The first of {len(self.problems)}:" * (len(self.problems) > 1)
        return ValueError(f"No recording to learn from.{first} {self.problems[0]}")


def _found(names, rate, **table):
    """Returns the `search.Found` of recordings, their names in print, and the rate that clips are to have."""
    if isinstance(names, search.Found):
        return names, [source.name for source in names.sources], rate
    if arrays.are_arrays(names):
        if any(table.values()):
            raise ValueError("`time` and `columns` name columns of files, and arrays have none. Leave them out.")
        return search.Found(arrays.sources(names, rate), [], []), ["the arrays"], None
    if not (rate is None or isinstance(rate, numbers.Real)):
        raise ValueError(f"`rate` must be one number where recordings are named. Received: {rate}.")
    named = [os.fspath(name) for name in ([names] if isinstance(names, str | os.PathLike) else names)]
    return search.find(named, rate, is_fallback=True, **table), named, rate


def _only(counts):
    """Returns the channels that all series have, of their `(name, channels)`; None without any."""
    names = {channels: name for name, channels in reversed(counts)}
    if len(names) > 1:
        (few, first), (many, second) = sorted(names.items())[:2]
        raise ValueError(
            f"All series must have the same number of channels. Found: {few} in {printable(first)}, {many} in "
            f"{printable(second)}. Name files of one kind, or the channels of all by `columns`."
        )
    return next(iter(names), None)


def _has_colors(source):
    try:
        _, frame = next(iter(source.frames(0.0, np.inf, (1, 1), None)))
    except RawDataError:
        return False  # It is left out when it is read.
    return frame.shape[-1] != 1
