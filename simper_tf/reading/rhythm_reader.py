"""What a network that learned without labels says of small gray frames: the chance of every period at every instant.

Windows from 1.5 to 48 s are looked at, each as 64 frames. A period that two lengths of window see is believed most.
"""

from typing import NamedTuple

import cv2
import numpy as np

from simper_tf.reading import rhythm_network
from simper_tf.reading.rhythm_network import NUM_FRAMES, PERIODS, SIDE
from simper_tf.signals import log_lags
from simper_tf.signals.log_lags import STEPS_PER_OCTAVE

# Seconds of the shortest window, and how many there are, each a half octave longer. At most so many of one length.
SHORTEST, SCALES, MOST = 1.5, 11, 24
TOGETHER = 1  # Windows that the network sees at once: two leave the cache of a core.
# A window may be so much longer than the recording, which then fills it.
LEAST_FILLED = 0.85
# Seconds from one instant to the next, and the most instants.
INSTANT, MOST_INSTANTS = 0.1, 400
# What one length of window alone says is worth so much of what two say.
ALONE = 0.8
# Logarithm of the ratio of two tempos that are not the same: the network errs by a step or two of 6 %.
APART = 0.1
# Seconds of all periods that are told apart.
SECONDS = (
    PERIODS[0] * SHORTEST / NUM_FRAMES
    * 2.0 ** (np.arange(len(PERIODS) + STEPS_PER_OCTAVE // 2 * (SCALES - 1)) / STEPS_PER_OCTAVE)
)  # fmt: skip


class Heard(NamedTuple):
    """What the network says of a recording.

    Attributes:
        instants: `(g,)` seconds from its first frame; none where it is too short for any window.
        sums: `(g + 1, periods)` chances of every period, and the two beside it, summed up to each instant.
        counts: `(g + 1, periods)` how many of these instants a window looked at, of a length that tells the period.
        fastest: Hertz above which a cycle has too few frames: halves between them look like cycles.
    """

    instants: np.ndarray
    sums: np.ndarray
    counts: np.ndarray
    fastest: float

    def of(self, hertz: float, start: float, end: float) -> tuple[float, float]:
        """Returns the mean chance of a frequency between two times, and that of the likeliest other one.

        Both are NaN where no window tells the frequency.
        """
        steps = np.log(SECONDS * hertz)
        at = int(np.abs(steps).argmin())
        if not len(self.instants) or abs(steps[at]) > APART or hertz > self.fastest:
            return np.nan, np.nan
        first = min(int(np.searchsorted(self.instants, start)), len(self.instants) - 1)
        last = max(int(np.searchsorted(self.instants, end)), first + 1)
        sums, counts = (part[last] - part[first] for part in (self.sums, self.counts))
        if not counts[at]:
            return np.nan, np.nan
        chances = sums / np.maximum(counts, 1)
        return float(chances[at]), float(chances[np.abs(steps) > APART].max())


def hear(times: np.ndarray, gray: np.ndarray, tell=rhythm_network.told) -> Heard:
    """Asks the network about a recording.

    Args:
        times: `(n,)` seconds, rising.
        gray: `(n, H, W)` gray levels, of which areas are averaged.
        tell: The network, see `rhythm_network.told`.

    Example:
        >>> times = np.arange(300) / 25
        >>> x, y = np.meshgrid(np.arange(32), np.arange(32))
        >>> discs = np.hypot(x - 16 - 8 * np.sin(2 * np.pi * 0.9 * times)[:, None, None], y - 16) < 4
        >>> chance, other = hear(times, 60.0 + 120.0 * discs).of(0.9, 0.0, 12.0)
        >>> chance > 0.5 > other
        True
    """
    instants, chances = chances_of(np.asarray(times, float) - times[0], small(gray), tell)
    seen = np.isfinite(chances)
    near = np.pad(np.where(seen, chances, 0.0), ((1, 0), (1, 1)))
    counts = np.pad(seen, ((1, 0), (0, 0)))
    sums = counts * (near[:, :-2] + near[:, 1:-1] + near[:, 2:])
    fastest = 1 / (log_lags.SHORTEST * float(np.median(np.diff(times))))
    return Heard(instants, np.cumsum(sums, axis=0), np.cumsum(counts, axis=0), fastest)


def small(gray: np.ndarray) -> np.ndarray:
    """Returns `(n, 32, 32)` float32 means over areas of `(n, H, W)` frames."""
    frames = np.asarray(gray, np.float32)
    return np.stack([cv2.resize(frame, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for frame in frames])


def chances_of(times: np.ndarray, frames: np.ndarray, tell=rhythm_network.told) -> tuple[np.ndarray, np.ndarray]:
    """Returns instants and the chance of every period at each, NaN where no window tells it.

    Returns:
        `(g,)` seconds, and `(g, periods)`.
    """
    length = float(times[-1])
    step = max(INSTANT, length / MOST_INSTANTS)
    instants = np.arange(0.0, length, step) + step / 2
    seen = []
    for scale in range(SCALES):
        seconds = SHORTEST * 2.0 ** (scale / 2)
        if length < LEAST_FILLED * seconds:
            break
        seen.append(_of_scale(times, frames, tell, instants, min(seconds, length)))
    if not seen:
        return instants[:0], np.zeros((0, len(SECONDS)))
    return instants, _two_best(np.stack(seen))


def windows_of(times: np.ndarray, frames: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns starts of windows of so many seconds, and the windows, `(w, 64, 32, 32)`.

    Where frames are denser than 64 a window, those of a step are averaged.
    """
    length = float(times[-1])
    number = 1 if length <= 1.01 * seconds else int(min(MOST, np.ceil(2 * (length - seconds) / seconds) + 1))
    starts = np.linspace(0.0, length - seconds, number)
    dense = max(1, round(seconds * (len(times) - 1) / length / NUM_FRAMES))
    steps = seconds * (np.arange(NUM_FRAMES * dense) / (NUM_FRAMES * dense - 1))
    places = np.interp(starts[:, None] + steps, times, np.arange(len(times)))
    near = np.minimum(places.astype(int), len(times) - 2)
    share = (places - near).astype(np.float32)[..., None, None]
    shown, after = frames[near], frames[near + 1]
    shown *= 1 - share
    after *= share
    shown += after
    shown = shown.reshape(number, NUM_FRAMES, dense, *frames.shape[1:])
    return starts, shown.mean(2) if dense > 1 else shown[:, :, 0]


def _of_scale(times, frames, tell, instants, seconds):
    """Chances `(g, periods)` of windows of one length; NaN where they do not see a period or an instant."""
    starts, windows = windows_of(times, frames, seconds)
    total, weight = np.zeros((len(instants), len(PERIODS))), np.full(len(instants), 1e-9)
    for first in range(0, len(windows), TOGETHER):
        for start, chances in zip(starts[first:], tell(windows[first : first + TOGETHER]), strict=False):
            inside = np.flatnonzero((instants >= start) & (instants <= start + seconds))
            place = (instants[inside] - start) / seconds
            near = np.minimum((place * NUM_FRAMES).astype(int), NUM_FRAMES - 1)
            trust = 0.1 + np.sin(np.pi * place) ** 2  # Near its ends a window sees one side alone.
            total[inside] += trust[:, None] * chances[near, :-1]
            weight[inside] += trust
    seen = np.where(weight[:, None] > 1e-6, total / weight[:, None], np.nan)
    offset = STEPS_PER_OCTAVE * np.log2(seconds / SHORTEST)
    steps = np.arange(len(SECONDS)) - offset
    near = np.clip(np.floor(steps + 1e-6).astype(int), 0, len(PERIODS) - 2)
    share = np.clip(steps - near, 0.0, 1.0)
    known = (steps > -0.5) & (steps < len(PERIODS) - 0.5)
    return np.where(known, (1 - share) * seen[:, near] + share * seen[:, near + 1], np.nan)


def _two_best(seen):
    """Mean of the two highest chances of `(scales, g, periods)`, or the only one for a little less; NaN of none."""
    number = np.isfinite(seen).sum(0)
    ranked = -np.sort(-np.nan_to_num(seen, nan=0.0), axis=0)
    second = ranked[1] if len(ranked) > 1 else ranked[0]
    chance = np.where(number > 1, (ranked[0] + second) / 2, ALONE * ranked[0])
    return np.where(number > 0, chance, np.nan)
