"""The learned reader: what repeats in small gray frames, by a network that learned without labels.

    found = rhythm_reader.read(times, frames)  # (n,) seconds and (n, 32, 32) uint8
    print(found.hertz, found.confidence, found.start, found.end)

Windows from 1.5 to 48 s are looked at, each as 64 frames. A period that two lengths of window see is believed most.
"""

import dataclasses

import numpy as np

from simper_tf.reading import rhythm_network
from simper_tf.reading.rhythm_network import NUM_FRAMES, PERIODS
from simper_tf.signals.log_lags import STEPS_PER_OCTAVE

# Seconds of the shortest window, and how many there are, each a half octave longer. At most so many of one length.
SHORTEST, SCALES, MOST = 1.5, 11, 24
# A window may be so much longer than the recording, which then fills it.
LEAST_FILLED = 0.85
# Seconds from one instant to the next, and the most instants.
INSTANT, MOST_INSTANTS = 0.1, 400
# What one length of window alone says is worth so much of what two say.
ALONE = 0.8
# Chance below which an instant counts against a stretch.
EVEN = 0.3
# The tempo is refined by so much, with so many harmonics.
REFINED, HARMONICS = 0.06, 4
# Where the network hardly ever erred on films it had not learned from: confidence, share of the recording.
SURE, SURE_SHARE = 0.5, 0.3


@dataclasses.dataclass(frozen=True)
class Found:
    """The surest repetition.

    Attributes:
        hertz: Cycles a second.
        confidence: Mean chance in [0, 1] over its stretch.
        start: Seconds at which it begins.
        end: Seconds at which it ends.
        share: Of the recording that it lasts.
    """

    hertz: float
    confidence: float
    start: float
    end: float
    share: float

    @property
    def repetitions(self) -> float:
        """How many it lasts."""
        return self.hertz * (self.end - self.start)

    @property
    def is_sure(self) -> bool:
        """Whether it is as sure, and lasts as long, as answers that hardly ever erred."""
        return self.confidence >= SURE and self.share >= SURE_SHARE


def read(times: np.ndarray, frames: np.ndarray, tell=rhythm_network.told) -> Found | None:
    """Returns the surest repetition; None where the recording is too short for any window.

    Args:
        times: `(n,)` seconds, rising.
        frames: `(n, 32, 32)` gray levels.
        tell: The network, see `rhythm_network.told`.
    """
    times = np.asarray(times, float) - times[0]
    instants, chances = chances_of(times, frames, tell)
    if not len(instants):
        return None
    found = _best_stretch(instants, chances)
    hertz = _refined(times, frames, found)
    return dataclasses.replace(found, hertz=hertz)


def periods(scales: int = SCALES) -> np.ndarray:
    """Returns the seconds of all periods that are told apart."""
    number = len(PERIODS) + STEPS_PER_OCTAVE // 2 * (scales - 1)
    return PERIODS[0] * SHORTEST / NUM_FRAMES * 2.0 ** (np.arange(number) / STEPS_PER_OCTAVE)


def chances_of(times: np.ndarray, frames: np.ndarray, tell=rhythm_network.told) -> tuple[np.ndarray, np.ndarray]:
    """Returns instants and the chance of every period at each.

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
        return instants[:0], np.zeros((0, len(periods())))
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
    shown = (1 - share) * frames[near] + share * frames[near + 1]
    return starts, shown.reshape(number, NUM_FRAMES, dense, *frames.shape[1:]).mean(2)


def _of_scale(times, frames, tell, instants, seconds):
    """Chances `(g, periods)` of windows of one length; NaN where they do not see a period or an instant."""
    starts, windows = windows_of(times, frames, seconds)
    total, weight = np.zeros((len(instants), len(PERIODS))), np.full(len(instants), 1e-9)
    for first in range(0, len(windows), 8):
        for start, told in zip(starts[first:], tell(windows[first : first + 8]), strict=False):
            inside = np.flatnonzero((instants >= start) & (instants <= start + seconds))
            place = (instants[inside] - start) / seconds
            near = np.minimum((place * NUM_FRAMES).astype(int), NUM_FRAMES - 1)
            trust = 0.1 + np.sin(np.pi * place) ** 2  # Near its ends a window sees one side alone.
            total[inside] += trust[:, None] * told[near, :-1]
            weight[inside] += trust
    seen = np.where(weight[:, None] > 1e-6, total / weight[:, None], np.nan)
    offset = STEPS_PER_OCTAVE * np.log2(seconds / SHORTEST)
    steps = np.arange(len(periods())) - offset
    near = np.clip(np.floor(steps + 1e-6).astype(int), 0, len(PERIODS) - 2)
    share = np.clip(steps - near, 0.0, 1.0)
    known = (steps > -0.5) & (steps < len(PERIODS) - 0.5)
    return np.where(known, (1 - share) * seen[:, near] + share * seen[:, near + 1], np.nan)


def _two_best(seen):
    """Mean of the two highest chances of `(scales, g, periods)`, or the only one for a little less."""
    number = np.isfinite(seen).sum(0)
    ranked = -np.sort(-np.nan_to_num(seen, nan=0.0), axis=0)
    second = ranked[1] if len(ranked) > 1 else ranked[0]
    return np.where(number > 1, (ranked[0] + second) / 2, ALONE * ranked[0])


def _best_stretch(instants, chances):
    """The period and stretch in which most speaks for it."""
    near = np.pad(chances, ((0, 0), (1, 1)))
    near = near[:, :-2] + near[:, 1:-1] + near[:, 2:]
    step = instants[1] - instants[0] if len(instants) > 1 else INSTANT
    sums = np.vstack([np.zeros((1, near.shape[1])), np.cumsum(near - EVEN, axis=0)])
    lowest = np.minimum.accumulate(sums, axis=0)
    gains = sums - lowest
    end, best = np.unravel_index(np.argmax(gains), gains.shape)
    end = max(int(end), 1)
    start = min(int(np.argmin(sums[:end, best])), end - 1)
    around = slice(max(best - 2, 0), best + 3)
    weights = chances[start:end, around].sum(0) + 1e-9
    seconds = np.exp(np.average(np.log(periods()[around]), weights=weights))
    first, last = instants[start] - step / 2, instants[end - 1] + step / 2
    confidence = float(np.clip(near[start:end, best].mean(), 0.0, 1.0))
    return Found(1 / seconds, confidence, first, last, (last - first) / (step * len(instants)))


def _refined(times, frames, found):
    """Frequency near that of a stretch at which its pixels have most power, that of harmonics included."""
    inside = (times >= found.start) & (times <= found.end)
    if inside.sum() < 8:
        return found.hertz
    clock = times[inside]
    pixels = frames[inside].reshape(inside.sum(), -1).astype(np.float32)
    pixels = _without_slow(clock, pixels)
    step = 1 / (8 * max(clock[-1] - clock[0], 1e-6))
    number = int(np.ceil(REFINED * found.hertz / step))
    tried = found.hertz + step * np.arange(-number, number + 1)
    tried = tried[np.abs(tried / found.hertz - 1) <= REFINED + 1e-9]
    window = np.hanning(len(clock) + 2)[1:-1]
    powers = sum(_power(clock, window[:, None] * pixels, order * tried) for order in range(1, HARMONICS + 1))
    return float(tried[np.argmax(powers)])


def _without_slow(clock, pixels):
    """Pixels without their straight lines over time."""
    lines = np.stack([np.ones_like(clock), clock - clock.mean()], 1)
    return pixels - lines @ np.linalg.lstsq(lines, pixels, rcond=None)[0]


def _power(clock, pixels, hertz):
    """Power of all pixels together at each frequency."""
    waves = np.exp(-2j * np.pi * np.outer(hertz, clock)).astype(np.complex64)
    return (np.abs(waves @ pixels) ** 2).sum(1)
