"""Drawn people whose skin carries a pulse, and what makes it hard to read.

    record = clip_record("train", 17, "turning")  # Clip 17 alone, as it is in the built data set.

Nothing is drawn from a shared stream: a person has a generator seeded by split and number, a clip one seeded by these
and its window, so any clip can be made without those before it.
"""

import typing

import numpy as np

from simper_tf.data import standin_faces
from simper_tf.recordings import face
from simper_tf.utils.ahead import made_ahead

from .disturbance import LOOKS

SIZE = 36  # Pixels a side of a clip.
RATE = 30.0  # Frames per second.
WINDOWS = 10  # Clips of a person.
HEART_RATES = (45.0, 150.0)  # Beats per minute.
CLIPS_AHEAD = 8  # At most so many are kept that nobody has asked for yet.

_SEED = 0  # Any: with another number all people are others.
_SPLITS = {"train": 0, "validation": 1, "test": 2}
_FRAME = 88  # Pixels a side of a frame, of which 72 are cut out and averaged two by two.


class Person(typing.NamedTuple):
    """Traits of a person, the same in all clips."""

    lightness: float  # Of the skin, as a factor.
    pulse: float  # How far the skin's color swings, as a factor of `standin_faces.PULSE_DEPTH`.
    harmonics: tuple[tuple[float, float], ...]  # Of the pulse wave, as `standin_faces.HARMONICS`.
    heart_rate: float  # Beats per minute about which those of the clips lie.
    breathing: float  # Breaths per second.
    motion: tuple[float, ...]  # Hz, two frequencies at which the head moves.
    seed: tuple[int, ...]


def person(split, number):
    """Draws a person of a split; nobody is in two."""
    seed = (_SEED, _SPLITS[split], number)
    rng = np.random.default_rng(seed)
    lightness = rng.uniform(0.4, 1.05)
    low, high = HEART_RATES
    return Person(
        lightness,
        # Melanin takes light away before blood can: the swing fades faster than the skin darkens.
        pulse=lightness**1.5 * rng.uniform(0.7, 1.3),
        harmonics=((0.7, 0.0), (0.7 * rng.uniform(0.3, 0.7), rng.uniform(0, 1.5)), (0.1, rng.uniform(0, 3.0))),
        heart_rate=rng.uniform(low + 15.0, high - 15.0),
        breathing=rng.uniform(0.18, 0.4),
        motion=(rng.uniform(0.2, 0.6), rng.uniform(0.7, 2.2)),
        seed=seed,
    )


def heart(someone, seconds, rng):
    """Draws the heart of a person in a clip: `(T,)` pulse wave in [-1.3, 1.3], and its mean rate in beats per minute.

    The heart rate starts up to 15 beats per minute from the person's own, drifts by up to 4 % over the clip, and rises
    and falls by up to 3 % with each breath.
    """
    mean = someone.heart_rate + rng.uniform(-15.0, 15.0)
    drift, arrhythmia = rng.uniform(-0.02, 0.02), rng.uniform(0.0, 0.03)
    breath = np.sin(2.0 * np.pi * (someone.breathing * seconds + rng.uniform()))
    rates = mean * (1.0 + drift * np.linspace(-1.0, 1.0, len(seconds)) + arrhythmia * breath)
    rates = np.clip(rates, *HEART_RATES)
    step = seconds[1] - seconds[0]
    beats = np.concatenate([[0.0], np.cumsum((rates[1:] + rates[:-1]) / 2.0)]) * step / 60.0 + rng.uniform()
    label = 60.0 * (beats[-1] - beats[0]) / (seconds[-1] - seconds[0])
    return standin_faces.wave(2.0 * np.pi * beats, someone.harmonics), label


def scene(split, index, look):
    """Draws a clip: whose face, what each frame of it shows, and the truth; arguments as in `clip_record`.

    Returns a `standin_faces.Drawing`, its `Moment`s, the `(T,)` pulse wave, the mean heart rate in beats per minute,
    and the generator, for the camera's noise.
    """
    number, window = divmod(index, WINDOWS)
    someone, kind = person(split, number), LOOKS[look]
    # The last number keeps the seeds of clips apart from those of people.
    rng = np.random.default_rng([*someone.seed, window, 1])
    seconds = np.arange(kind.num_frames) / RATE
    wave, heart_rate = heart(someone, seconds, rng)
    drawing = standin_faces.draw(_FRAME, _FRAME, np.random.default_rng([*someone.seed, 2]), someone.lightness)
    return drawing, kind.moments(someone, someone.pulse * wave, seconds, _FRAME, rng), wave, heart_rate, rng


def clip_record(split, index, look):
    """Makes one clip of a split with all that is known about it, in a look of `disturbance.LOOKS`.

    Ten in a row show one person. Returns a dict: `clip` (T, 36, 36, 3) uint8; `rate` (frames per second) and `label`
    (beats per minute, the mean over the clip) as float32; `ppg` (T,) float32; `id`, such as "train-003-07", and
    `subject`, such as "train-003".
    """
    drawing, moments, wave, heart_rate, rng = scene(split, index, look)
    box = cut()
    frames = standin_faces.film(drawing, moments, LOOKS[look].noise, rng)
    number, window = divmod(index, WINDOWS)
    return {
        "clip": np.stack([face.crop(frame, box, SIZE) for frame in frames]),
        "rate": np.float32(RATE),
        "label": np.float32(heart_rate),
        "id": f"{split}-{number:03d}-{window:02d}",
        "subject": f"{split}-{number:03d}",
        "ppg": wave.astype(np.float32),
    }


def cut():
    """Returns the box of a frame that becomes a clip, about where `face.find_face` would put it."""
    side = 2 * SIZE
    return face.Face((_FRAME - side) // 2, (_FRAME - side) // 2, side, side, "centre")


def clip_records(split, count, look):
    """Yields the first clips of a split in order, made ahead by threads: drawing spends its time outside Python."""
    yield from made_ahead(lambda index: clip_record(split, index, look), count, CLIPS_AHEAD)
