"""Anybody's recordings as clips to learn from: one length, rate and size for all, in memory that is bounded."""

import functools
import os
import pathlib
from collections.abc import Iterator, Sequence

import numpy as np

from simper_tf.readings import proposals, search, windows
from simper_tf.readings.frames import levels
from simper_tf.readings.sources import Info, Source
from simper_tf.recordings.errors import RawDataError, printable


class Recordings:
    """Videos, and arrays of frames, as clips for training: `model.fit(Recordings("clips/*.mp4"))`.

    Every recording is decoded frame by frame, by the true times of its frames, to one rate, and its whole picture is
    resized to one size, whatever its shape: a picture of another shape is squeezed, and nothing of it is cut away.
    Clips are gray where all recordings are arrays of gray frames, else RGB, in which gray comes three times.

    At most `megabytes` of clips are held: where there are more, as many as fit, drawn evenly from all of them by the
    seed. Keras holds them once more while it trains. `each` yields all of them in the memory of a few.

    Args:
        names: Files, folders and patterns with *, one or several; `.npy` files hold frames `(T, H, W)` or
            `(T, H, W, C)`.
        band: `(low, high)` in Hz in which something repeats; None for 0.4 to 5.5 Hz as far as rate and length show it.
        window: Seconds a clip; None for 2.4 periods of the band's lower end, or as long as recordings are, or for a
            third of a single recording.
        hop: Seconds from the start of a clip to that of the next; None for half a clip, or less where clips are few.
        rate: Frames per second of the clips, and of `.npy` files; None for the median of the recordings, or for 8
            frames to a period of the band's upper end.
        size: `(height, width)` in pixels; None for 24 on the longer side, of the median shape.
        megabytes: Of `clips`, at most.
        seed: Draws clips where not all of them fit.

    Raises:
        ValueError: no recording can be used, or what is asked for does not fit them.

    Attributes:
        sources, infos: The recordings that are used, and what is known of each.
        proposal: The `proposals.Proposal` by which they are cut.
        problems: Errors that name the files that are left out, and why. A recording in which damage shows only on the
            way joins them when it is read, and is left out from there on.
    """

    def __init__(
        self,
        names: str | os.PathLike | Sequence[str | os.PathLike],
        *,
        band: tuple[float, float] | None = None,
        window: float | None = None,
        hop: float | None = None,
        rate: float | None = None,
        size: tuple[int, int] | None = None,
        megabytes: float = 1000.0,
        seed: int = 0,
    ):
        names = [os.fspath(name) for name in ([names] if isinstance(names, str | os.PathLike) else names)]
        if not megabytes > 0:
            raise ValueError(f"`megabytes` must be above 0. Received: {megabytes}.")
        self._megabytes, self._seed = megabytes, seed
        found, self.problems = find(names, rate)
        known = list(self._known(found))
        if not known:
            raise self._nothing(names)
        self.proposal = proposals.propose([info for _, info in known], band, window, hop, rate, size)
        used = [(source, info) for source, info in known if self._fits(source, info)]
        if not used:
            raise self._nothing(names)
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
        return (self.proposal.length, *self.proposal.shape, 3 if any(map(_has_colors, self.sources)) else 1)

    @property
    def clips(self) -> np.ndarray:
        """`(N, T, H, W, C)` uint8 clips, read when they are first asked for; in order, if all of them fit."""
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
        """Yields all clips of a recording, in the memory of two: their start in seconds, and `(T, H, W, C)` uint8.

        Args:
            number: Which of `sources`.
        """
        source, info = self.sources[number], self.infos[number]
        frames = source.frames(0.0, np.inf, self.proposal.shape, None)
        try:
            for window in windows.cut(frames, self.proposal.plan(info), info.longest_gap):
                yield window.start, levels(window.frames, self.clip_shape[-1])
        except RawDataError as error:
            self.problems.append(error)

    @functools.cached_property
    def _held(self):
        """Clips, and of each the number of its recording and its start."""
        most = max(int(self._megabytes * 1e6 / np.prod(self.clip_shape)), 1)
        random = np.random.default_rng(self._seed)
        clips = np.empty((most, *self.clip_shape), np.uint8)  # Takes memory only where clips are put.
        numbers, starts, seen = [], [], 0
        for number in range(len(self.sources)):
            for start, clip in self.each(number):
                place = seen if seen < most else int(random.integers(0, seen + 1))
                seen += 1
                if place < most:
                    clips[place] = clip
                    numbers[place : place + 1], starts[place : place + 1] = [number], [start]
        if not seen:
            raise self._nothing([source.name for source in self.sources])
        return clips[: len(numbers)], numbers, np.array(starts)

    def _known(self, found):
        """Yields the recordings that can be opened, with their `Info`, and notes the others."""
        for source in found:
            try:
                if not source.has_pictures:
                    expected = "a video, or an array of frames (T, H, W) or (T, H, W, C)"
                    raise RawDataError(source.name, "a series", expected, "Leave it out: pictures are learned from.")
                source.require_pictures("training", twice=True)
                yield source, source.info()
            except RawDataError as error:
                self.problems.append(error)

    def _fits(self, source, info):
        why = proposals.unfit(info, self.proposal)
        if why:
            self.problems.append(RawDataError(source.name, *why))
        return not why

    def _nothing(self, names):
        first = f" The first of {len(self.problems)}: {self.problems[0]}" if self.problems else ""
        return ValueError(f"{printable(', '.join(names))}: no recording to learn from.{first}")


def find(names: Sequence[str], rate: float | None = None) -> tuple[list[Source], list[RawDataError]]:
    """Returns the recordings that names stand for, each file once, and what is wrong with others; see `search.find`."""
    found, problems, skipped = search.find(list(names), rate)
    once = {pathlib.Path(source.name).resolve(): source for source in found}
    return list(once.values()), [*problems, *skipped]


def _has_colors(source):
    try:
        _, frame = next(iter(source.frames(0.0, np.inf, (1, 1), None)))
    except RawDataError:
        return False  # It is left out when it is read.
    return frame.shape[-1] != 1
