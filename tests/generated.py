"""Generated recordings with a known answer: what repeats, and what only looks like it."""

import dataclasses

import numpy as np
from scipy import ndimage

HEIGHT, WIDTH, RATE = 40, 56, 15.0


@dataclasses.dataclass(frozen=True)
class Clip:
    """A recording and its truth.

    Attributes:
        times: `(T,)` seconds.
        frames: `(T, HEIGHT, WIDTH, 1)` uint8.
        hertz: Mean frequency of whatever repeats, the largest mover first; empty for nothing.
        keys: Seconds of its key frames.
    """

    times: np.ndarray
    frames: np.ndarray
    hertz: tuple[float, ...] = ()
    keys: tuple[float, ...] = ()

    def pairs(self):
        """Seconds and frame, one after another."""
        return zip(self.times, self.frames, strict=True)


def clock(seconds, rate=RATE):
    """Times of the frames."""
    return np.arange(round(seconds * rate)) / rate


def texture(rng, height=HEIGHT, width=WIDTH, fine=1.5):
    """Random smooth picture around 110."""
    noise = ndimage.gaussian_filter(rng.normal(size=(height, width)), fine)
    return 110 + 30 * noise / noise.std()


def blobs(times, places, size=4.0, level=90.0):
    """Bright spots that move: `places` is `(T, N, 2)` in pixels, rows first."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    picture = np.zeros((len(times), HEIGHT, WIDTH))
    for spot in np.moveaxis(places, 1, 0):
        away = (rows - spot[:, 0, None, None]) ** 2 + (columns - spot[:, 1, None, None]) ** 2
        picture += level * np.exp(-away / (2 * size**2))
    return picture


def finish(rng, times, pictures, noise=2.0, **truth):
    """Clip of pictures, with sensor noise."""
    frames = pictures + noise * rng.normal(size=pictures.shape)
    return Clip(times, np.clip(np.rint(frames), 0, 255).astype(np.uint8)[..., None], **truth)


def lift(phase, column=28.0, top=8.0, bottom=30.0):
    """Places of a weight that is lifted once a cycle, `(T, 1, 2)`."""
    height = (1 - np.cos(2 * np.pi * phase)) / 2
    return np.stack((bottom + (top - bottom) * height, np.full_like(height, column) + 3 * height), -1)[:, None]


def steady(seed, hertz=0.5, seconds=12.0):
    """A weight lifted at one tempo."""
    return uneven(seed, hertz, seconds, spread=0.0)


def uneven(seed, hertz=0.5, seconds=16.0, spread=0.15):
    """A weight lifted at a tempo that wanders by `spread`."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    wander = ndimage.gaussian_filter1d(rng.normal(size=len(times)), RATE / hertz / 2)
    phase = np.cumsum(np.exp(spread * wander / wander.std())) * hertz / RATE
    phase += rng.uniform()
    mean = (phase[-1] - phase[0]) / (times[-1] - times[0])
    return finish(rng, times, texture(rng) + blobs(times, lift(phase)), hertz=(mean,))


def paused(seed, hertz=0.6, before=5, after=4, rest=6.0):
    """`before` lifts, a rest, `after` lifts."""
    rng = np.random.default_rng(seed)
    times = clock((before + after) / hertz + rest)
    phase = np.minimum(times * hertz, before) + np.maximum(times * hertz - before - rest * hertz, 0)
    return finish(rng, times, texture(rng) + blobs(times, lift(phase)), hertz=(hertz,))


def slow(seed, hertz=0.07, seconds=50.0):
    """Slow motion, near the end of the band."""
    return uneven(seed, hertz, seconds, spread=0.05)


def two_movers(seed, hertz=(0.5, 1.3), seconds=12.0):
    """Two weights beside each other at two tempi."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    places = np.concatenate([lift(times * one, column) for one, column in zip(hertz, (12.0, 44.0), strict=True)], 1)
    return finish(rng, times, texture(rng) + blobs(times, places), hertz=hertz)


def alternating(seed, hertz=0.5, seconds=12.0):
    """Two feet that step in turn, one of them less high: full cycles at `hertz`, steps at twice that."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    phase = times * hertz
    first = lift(np.minimum(2 * (phase % 1), 1), 26.0)
    second = lift(np.maximum(2 * (phase % 1) - 1, 0), 31.0, top=10.0)
    return finish(rng, times, texture(rng) + blobs(times, np.concatenate((first, second), 1)), hertz=(hertz,))


def moving_camera(seed, hertz=0.8, seconds=12.0, reach=1.5):
    """A weight lifted before a camera that is held by hand."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    shake = [ndimage.gaussian_filter1d(rng.normal(size=len(times)), RATE) for _ in range(2)]
    pictures = texture(rng) + blobs(times, lift(times * hertz))
    shifts = reach * np.stack([one / one.std() for one in shake], -1)
    moved = [ndimage.shift(one, by, order=1, mode="nearest") for one, by in zip(pictures, shifts, strict=True)]
    return finish(rng, times, np.array(moved), hertz=(hertz,))


def pan(seed, seconds=12.0, pixels=30.0):
    """A camera that turns slowly, once."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    wide = texture(rng, width=WIDTH + int(pixels) + 2)
    at = pixels * (1 - np.cos(np.pi * times / seconds)) / 2
    pictures = [ndimage.shift(wide, (0, -one), order=1)[:, :WIDTH] for one in at]
    return finish(rng, times, np.array(pictures))


def light(seed, seconds=12.0):
    """Daylight that comes and goes without a rhythm."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    drift = ndimage.gaussian_filter1d(rng.normal(size=len(times)), RATE)
    return finish(rng, times, texture(rng) * (1 + 0.1 * drift / drift.std())[:, None, None])


def one_off(seed, seconds=12.0):
    """Somebody walks through the picture once and lifts something once."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    walk = np.stack((np.full(len(times), 25.0), np.linspace(-8, 64, len(times))), -1)[:, None]
    once = lift(np.clip(times / 2 - rng.uniform(1, 3), 0, 1), 40.0)
    return finish(rng, times, texture(rng) + blobs(times, np.concatenate((walk, once), 1)))


def crowd(seed, seconds=12.0, people=8):
    """Random walkers."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    steps = ndimage.gaussian_filter1d(rng.normal(size=(len(times), people, 2)), RATE / 2, axis=0)
    places = rng.uniform((4, 4), (HEIGHT - 4, WIDTH - 4), (people, 2)) + np.cumsum(steps, 0)
    return finish(rng, times, texture(rng) + blobs(times, places, size=2.5))


def cut_material(seed, pieces=5, seconds=2.4):
    """Pieces of one repetition and a bit, each of another scene."""
    rng = np.random.default_rng(seed)
    times = clock(seconds)
    shots = []
    for _ in range(pieces):
        phase = rng.uniform() + times * rng.uniform(0.4, 0.6)
        shots.append(texture(rng) * rng.uniform(0.6, 1.3) + blobs(times, lift(phase, rng.uniform(10, 46))))
    return finish(rng, clock(pieces * seconds), np.concatenate(shots))


def shuffled(seed):
    """A steady clip, its frames in random order."""
    clip = steady(seed)
    return dataclasses.replace(clip, frames=np.random.default_rng(seed).permutation(clip.frames), hertz=())


def noise(seed, seconds=12.0):
    """A still picture and noise."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    return finish(rng, times, np.repeat(texture(rng)[None], len(times), 0), noise=6.0)


def pumping(seed, seconds=12.0, every=1.0):
    """A still picture whose compression starts anew at each key frame."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    group = np.floor(times / every + 1e-6).astype(int)
    off = np.array([ndimage.gaussian_filter(rng.normal(size=(HEIGHT, WIDTH)), 1.0) for _ in range(group[-1] + 1)])
    fade = np.exp(-3 * (times / every - group))[:, None, None]
    pictures = texture(rng) + 2.0 * fade * (off.mean(0) * 3 + off[group])
    return finish(rng, times, pictures, noise=0.2, keys=tuple(np.arange(group[-1] + 1) * every))


def vibrating(seed, every=12, seconds=12.0, pixels=0.1):
    """A picture that shakes by a tenth of a pixel, once in a whole number of frames."""
    rng, times = np.random.default_rng(seed), clock(seconds)
    still, at = texture(rng), pixels * np.sin(2 * np.pi * np.arange(len(times)) / every)
    pictures = [ndimage.shift(still, (one, 0), order=3, mode="nearest") for one in at]
    return finish(rng, times, np.array(pictures), noise=0.3, hertz=(RATE / every,))


REPEATING = (steady, uneven, paused, slow, two_movers, alternating, moving_camera, vibrating)
NOT_REPEATING = (pan, light, one_off, crowd, cut_material, shuffled, noise, pumping)
