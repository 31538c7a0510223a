"""Series drawn at random, with the truth: something repeats at a known tempo, or nothing does.

Shapes, tempos, rates, lengths, noise and disturbances are drawn by themselves, so that each meets each.
"""

from typing import NamedTuple

import numpy as np
from scipy import signal

from benchmarks import controls

REPEATS = 0.2  # Share that repeats: of what is read in the wild, most does not.
# Hz. Three of four series have a tempo of hearts and movements.
TEMPOS, USUAL = (0.06, 30.0), (0.6, 3.5)
SECONDS = 30.0  # At most, but for what is slow: a stretch of the reader.
CYCLES, MOST_SAMPLES = (4.0, 60.0), 16_000  # Of a series.
SAMPLES = (3.3, 250.0)  # Of a cycle.
WATCHES, WATCH_RATES = 0.25, (1.0, 1.0, 2.0, 4.0)  # Share of series of few samples a second, and these.
SHAPES = ("sine", "harmonics", "pulse", "heart", "finger", "saw", "square", "two tops", "half waves")
# What is sampled so often a second, at such a tempo, is a heart half of the time.
HEARTS, FINE = ("heart", "heart", "finger"), 60.0
# Noise of a band, events at random times and noise of few samples look most like what repeats.
NOTHING = (
    *3 * ("band",), *2 * ("events",), *4 * ("white",), *2 * ("pink",), *2 * ("walk",), "once", "few", "bursts", "chirp",
    "coarse walk", "drift", "steps",
)  # fmt: skip


class Made(NamedTuple):
    """A drawn series.

    Attributes:
        kind: Its shape, or what does not repeat.
        times: `(T,)` seconds.
        values: `(T, C)` numbers.
        marks: `(N,)` seconds at which its cycles begin; none where nothing repeats.
        hertz: Its tempo, the inverse of their mean distance; NaN where nothing repeats.
    """

    kind: str
    times: np.ndarray
    values: np.ndarray
    marks: np.ndarray
    hertz: float


def drawn(random: np.random.Generator) -> Made:
    """Returns a series.

    Args:
        random: Of everything.
    """
    if random.uniform() < WATCHES:
        rate, seconds = float(random.choice(WATCH_RATES)), SECONDS
        hertz = _between(random, 4 / seconds, 0.32 * rate)
    else:
        hertz = _between(random, *(USUAL if random.uniform() < 0.75 else TEMPOS))
        seconds = min(max(_between(random, *CYCLES) / hertz, 5.0), max(SECONDS, 6 / hertz))
        rate = min(max(hertz * _between(random, *SAMPLES), 40 / seconds), MOST_SAMPLES / seconds, 1000.0)
    times = np.arange(0, seconds, 1 / rate)
    repeats = random.uniform() < REPEATS and hertz < 0.32 * rate
    if repeats:
        is_heart = rate > FINE and USUAL[0] < hertz < USUAL[1] and random.uniform() < 0.5
        kind = str(random.choice(HEARTS if is_heart else SHAPES))
        source, marks = _repeating(kind, times, hertz, random)
    else:
        kind, marks = str(random.choice(NOTHING)), np.zeros(0)
        source = _nothing(kind, times, hertz, random)
    source = (source - source.mean()) / max(source.std(), 1e-9)
    values = _seen(source, times, random, 1.5 if repeats else 0.5)
    times, values = _sampled(times, values, random)
    hertz = 1 / float(np.diff(marks).mean()) if repeats else np.nan
    return Made(kind, times - times[0], values, marks - times[0], hertz)


def _between(random, low, high):
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def _repeating(kind, times, hertz, random):
    """Returns `(T,)` values, and the seconds at which their cycles begin; some rest before and after."""
    seconds = float(times[-1])
    number = int(1.6 * seconds * hertz) + 12
    marks = np.cumsum(_intervals(number, hertz, random)) - random.uniform(1, 4) / hertz
    phase = np.interp(times, marks, np.arange(number))
    heights = np.exp(random.choice([0.0, 0.1, 0.3]) * _kept(number + 1, 0.7, random))
    values = _shape(kind, phase % 1, random) * np.interp(phase, np.arange(number + 1), heights)
    first, last = 0.0, seconds
    if random.uniform() < 0.25:
        share = random.uniform(0.5, 0.95)
        first = random.uniform(0, 1 - share) * seconds
        last = first + share * seconds
    inside = np.flatnonzero((times >= first) & (times <= last))
    values[: inside[0]], values[inside[-1] + 1 :] = values[inside[0]], values[inside[-1]]
    within = marks[(marks >= first) & (marks <= last)]
    return values, within if len(within) > 1 else marks[1:]


def _intervals(number, hertz, random):
    """Returns seconds from cycle to cycle: even or uneven, in turn faster and slower as of a heart, drifting."""
    spread = random.choice([0.0, random.uniform(0, 0.03), random.uniform(0.02, 0.08), random.uniform(0.05, 0.13)])
    noise = random.normal(size=number) if random.uniform() < 0.5 else _kept(number, 0.6, random)
    breath = np.sin(2 * np.pi * np.arange(number) / random.uniform(3, 8) + random.uniform(0, 6)) * random.choice([0, 1])
    drift = random.choice([0.0, random.uniform(-0.15, 0.15)]) * np.linspace(-0.5, 0.5, number)
    return np.exp(spread * (noise + breath) / (1 + 0.5 * np.abs(breath).max()) + drift) / hertz


def _kept(number, share, random):
    """Returns noise of deviation 1 of which each keeps a share of the one before."""
    return np.sqrt(1 - share**2) * signal.lfilter([1], [1, -share], random.normal(size=number))


def _shape(kind, phase, random):
    if kind == "harmonics":
        sizes = np.exp(-random.uniform(0.3, 1.5) * np.arange(6)) * random.uniform(0.3, 1, 6)
        return sizes @ np.cos(2 * np.pi * (np.arange(1, 7)[:, None] * phase + random.uniform(size=(6, 1))))
    if kind == "pulse":
        return random.choice([-1, 1]) * _bump(phase, 0.5, _between(random, 0.015, 0.2))
    if kind == "heart":  # As an ECG: a spike between two low waves.
        low, width = random.uniform(-0.3, 0.6, 2), _between(random, 0.008, 0.03)
        dip = random.uniform(0, 0.8) * _bump(phase, 0.5 + 2 * width, width)
        waves = low[0] * _bump(phase, 0.3, 0.035) + low[1] * _bump(phase, 0.75, 0.06)
        return random.choice([-1, 1]) * (_bump(phase, 0.5, width) - dip + waves)
    if kind == "finger":  # As a PPG.
        return _bump(phase, 0.25, 0.09) + random.uniform(0.1, 0.7) * _bump(phase, 0.55, 0.13)
    if kind == "saw":
        return np.interp(phase, [0, random.uniform(0.1, 0.9), 1], [0, 1, 0])
    if kind == "square":
        return (phase < random.uniform(0.15, 0.85)).astype(float)
    if kind == "two tops":
        second = random.uniform(0.2, 0.7) * _bump(phase, random.uniform(0.5, 0.8), 0.08)
        return _bump(phase, 0.2, 0.08) + second
    wave = np.sin(2 * np.pi * phase)
    return wave if kind == "sine" else np.maximum(wave, 0) ** random.uniform(0.5, 2)


def _bump(phase, middle, width):
    return np.exp(-0.5 * ((phase - middle) / width) ** 2)


def _nothing(kind, times, hertz, random):
    """Returns `(T,)` values in which nothing repeats, as fast as a tempo."""
    seconds, size = float(times[-1]), len(times)
    rate, noise = (size - 1) / seconds, random.normal(size=size)
    if kind == "band":  # White noise behind a resonance.
        poles = signal.iirpeak(min(hertz, 0.3 * rate), _between(random, 0.7, 5.0), fs=rate)
        return signal.lfilter(*poles, random.normal(size=2 * size))[size:]
    if kind == "events":  # Alike, at random times.
        gaps = random.gamma(random.uniform(1, 4), size=int(3 * seconds * hertz) + 30)
        marks = np.cumsum(gaps / gaps.mean() / hertz) - random.uniform(0, 3) / hertz
        nearest = np.rint(np.interp(times, marks, np.arange(len(marks)))).astype(int)
        return _bump(times * hertz, marks[nearest] * hertz, random.uniform(0.05, 0.25))
    if kind == "once":
        return _bump(times / seconds, random.uniform(), random.uniform(0.02, 0.3)) + 0.2 * noise
    if kind == "few":  # Two and a half cycles at most.
        span = random.uniform(0.8, 2.5) / hertz
        start = random.uniform(0, max(seconds - span, 0.0))
        inside = (times >= start) & (times < start + span)
        return np.where(inside, _shape(str(random.choice(SHAPES)), times * hertz % 1, random), 0) + 0.2 * noise
    if kind == "pink":
        waves = np.fft.rfft(noise) / np.maximum(np.arange(size // 2 + 1), 1) ** random.uniform(0.3, 1.2)
        return np.fft.irfft(waves, size)
    if kind == "bursts":
        loud = np.interp(times, np.linspace(0, seconds, 12), np.exp(1.2 * random.normal(size=12)))
        return signal.lfilter([1], [1, -random.uniform(0, 0.95)], noise) * loud
    if kind == "chirp":  # It rises by an octave or more.
        return np.sin(np.pi / 2 * hertz * times * 2 ** (random.uniform(1, 3) * times / seconds)) + 0.2 * noise
    return controls.made({"white": "white noise", "walk": "brown noise"}.get(kind, kind), times, random)


def _seen(source, times, random, most_noise):
    """Returns `(T, C)` channels that show a source, with noise, drift, a burst and the steps of a converter."""
    number = int(random.choice([1, 1, 1, 3, 3, 6]))
    noise = random.choice([0.0, random.uniform(0, 0.3), random.uniform(0.2, most_noise)])
    gains = random.choice([-1, 1], number) * random.uniform(0.2, 1, number)
    if number == 6:  # Some channels show other things.
        gains[1:] *= random.uniform(size=5) < 0.5
    gains[0] = np.sign(gains[0])
    drift = random.choice([0.0, 0.0, random.uniform(0, 3)]) * _drift(times, random)
    values = source[:, None] * gains + drift[:, None] + max(noise, 0.01) * random.normal(size=(len(times), number))
    if random.uniform() < 0.12:
        first, length = random.integers(0, max(2 * len(times) // 3, 1)), max(len(times) // 4, 2)
        burst = 2 * _kept(length, 0.9, random)[: len(values) - first]
        values[first : first + length] += burst[:, None]
    if random.uniform() < 0.15:
        step = _between(random, 0.02, 0.7)
        values = step * np.round(values / step)
    return np.clip(values, *np.quantile(values, [0.15, 0.85])) if random.uniform() < 0.05 else values


def _drift(times, random):
    if random.uniform() < 0.5:
        walk = np.cumsum(random.normal(size=len(times)))
        return (walk - walk.mean()) / max(walk.std(), 1e-9)
    knots = np.linspace(0, times[-1], int(random.integers(3, 9)))
    return np.interp(times, knots, random.normal(size=len(knots)))


def _sampled(times, values, random):
    """Returns times with jitter and lost samples, and the values there."""
    if random.uniform() > 0.2:
        return times, values
    moved = times + random.uniform(0, 0.3) * times[1] * random.normal(size=len(times))
    moved = np.maximum.accumulate(moved)
    kept = np.append(True, np.diff(moved) > 1e-9) & (random.uniform(size=len(times)) > random.choice([0.0, 0.05]))
    return moved[kept], values[kept]
