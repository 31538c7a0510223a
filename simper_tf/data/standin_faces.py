"""Drawn faces whose skin carries a pulse.

Not pretty, but OpenCV's frontal-face cascade takes them for faces, and the mean color of their skin follows a known
photoplethysmogram (PPG) as real skin does: green most, red least, darker with more blood.
"""

import hashlib
from typing import NamedTuple

import cv2
import numpy as np

PULSE_DEPTH = np.float32([0.4, 1.6, 0.8])  # 8-bit levels of R, G, B for a PPG of 1.
SKIN = np.float32([205.0, 160.0, 130.0])  # 8-bit levels of R, G, B of light skin.
FACE_HEIGHT = 0.5  # Of the frame's height.
# Amplitude and phase in radians of a pulse's harmonics, the first of which is the heart rate itself.
HARMONICS = ((0.75, 0.0), (0.25, 0.8), (0.08, 1.5))


class Look(NamedTuple):
    """Disturbances of the pulse; all zero is clean."""

    noise: float = 2.0  # Standard deviation of the camera's noise, in 8-bit levels.
    motion: float = 1.5  # How far the head sways, in pixels.
    light: float = 0.03  # How much the light drifts, as a fraction.


CLEAN = Look(0.0, 0.0, 0.0)  # No noise, motion or drift: the pulse alone.


class Drawing(NamedTuple):
    """A face at rest; `(H, W, 3)`, `(H, W)` and `(H, W)` float32."""

    image: np.ndarray  # 8-bit levels.
    skin: np.ndarray  # How much of a pixel is skin, in [0, 1].
    gloss: np.ndarray  # How much white light a pixel throws back, in [0, 1].


class Moment(NamedTuple):
    """A face as one frame shows it."""

    pulse: float  # The PPG.
    move: tuple[float, float] = (0.0, 0.0)  # Pixels to the right and down.
    nearness: float = 1.0  # Enlargement about the middle of the frame.
    glare: float = 0.0  # 8-bit levels of white light where it is glossiest; may be negative.
    light: float | np.ndarray = 1.0  # Factor of all channels or `(3,)`; or `(H, W, 1)`, with shade fixed to the frame.


def heart_rate(seed, index):
    """Returns that of the recording of an index, 50 to 130 beats per minute.

    Multiples of the golden ratio, from a random one on, spread evenly however few they are: no two subjects are alike.
    """
    golden = (1.0 + 5.0**0.5) / 2.0
    return 50.0 + 80.0 * ((np.random.default_rng(seed).uniform() + index * golden) % 1.0)


def ppg(heart_rate, seconds, phase=0.0):
    """Returns a pulse wave with two harmonics, about in [-1, 1], at `(T,)` seconds, of so many beats per minute."""
    return wave(2.0 * np.pi * heart_rate / 60.0 * np.asarray(seconds) + phase)


def wave(angle, harmonics=HARMONICS):
    """Returns a pulse wave at angles in radians, once up and down a turn; `harmonics` are like `HARMONICS`."""
    return sum(size * np.sin(k * angle + phase) for k, (size, phase) in enumerate(harmonics, start=1))


def frames(pulse, seconds, height, width, look, seed):
    """Yields a frame for each value of a pulse, `(height, width, 3)` uint8 RGB; the same seed gives the same frames.

    The times in seconds set the sway of the head and the drift of the light. Below a height of about 100 the detector
    no longer finds the face.
    """
    rng = np.random.default_rng(seed)
    face = draw(height, width, rng)
    sway_phase, light_phase = rng.uniform(0.0, 2.0 * np.pi, 2)

    def moment(value, time):
        angle = 2.0 * np.pi * 0.23 * time + sway_phase
        move = look.motion * np.cos(angle), 0.5 * look.motion * np.sin(2.0 * angle)
        return Moment(value, move, light=1.0 + look.light * np.sin(2.0 * np.pi * 0.07 * time + light_phase))

    moments = (moment(value, time) for value, time in zip(pulse, seconds, strict=True))
    yield from film(face, moments, look.noise, rng)


def film(face, moments, noise, rng):
    """Yields a frame for each `Moment` of a `Drawing`, `(H, W, 3)` uint8 RGB, with noise of so many 8-bit levels."""
    depth = face.skin[..., None] * PULSE_DEPTH
    for moment in moments:
        image = face.image - np.float32(moment.pulse) * depth
        if moment.glare:
            image += np.float32(moment.glare) * face.gloss[..., None]
        image = moved(image, moment)
        image *= np.float32(moment.light)
        if noise:
            image += noise * rng.standard_normal(image.shape, dtype=np.float32)
        yield np.rint(np.clip(image, 0.0, 255.0)).astype(np.uint8)


def moved(image, moment):
    """Returns an image of the face, such as its skin, as it lies in the frame at a `Moment`."""
    (right, down), nearness = moment.move, moment.nearness
    if (right, down, nearness) == (0.0, 0.0, 1.0):
        return image
    middle_x, middle_y = (1.0 - nearness) * image.shape[1] / 2.0, (1.0 - nearness) * image.shape[0] / 2.0
    matrix = np.float32([[nearness, 0, right + middle_x], [0, nearness, down + middle_y]])
    return cv2.warpAffine(image, matrix, image.shape[1::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


class Hashed:
    """Passes frames through, and afterwards tells the SHA-256 of all their bytes."""

    def __init__(self, images):
        self._images = images
        self._digest = hashlib.sha256()

    def __iter__(self):
        for image in self._images:
            self._digest.update(np.ascontiguousarray(image))
            yield image

    def hexdigest(self):
        return self._digest.hexdigest()


def draw(height, width, rng, lightness=None):
    """Returns the `Drawing` of a face, whose background, grain and lightness, unless it is given, are random."""
    half = FACE_HEIGHT * height / 2.0
    centre = np.array([width / 2.0, height / 2.0])
    image = np.full((height, width, 3), 90.0, np.float32) + rng.uniform(-15.0, 15.0, 3).astype(np.float32)
    skin = np.zeros((height, width), np.float32)
    drawn = rng.uniform(0.85, 1.05)
    tone = SKIN * np.float32(drawn if lightness is None else lightness)

    def ellipse(target, at, axes, color):
        middle, axes = centre + half * np.array(at), half * np.array(axes)
        as_ints = [tuple(round(16 * v) for v in pair) for pair in (middle, axes)]  # In sixteenths of a pixel.
        cv2.ellipse(target, as_ints[0], as_ints[1], 0, 0, 360, color, -1, cv2.LINE_AA, 4)

    def paint(at, axes, color):
        ellipse(image, at, axes, tuple(float(c) for c in color))

    paint((0, 0), (0.75, 1.0), tone)
    ellipse(skin, (0, 0), (0.75, 1.0), 1.0)
    paint((0, -0.2), (0.1, 0.3), tone * 1.12)  # The bridge of the nose.
    for side in (-0.3, 0.3):
        paint((side, -0.22), (0.22, 0.14), tone * 0.6)  # Socket,
        paint((side, -0.4), (0.2, 0.04), tone * 0.3)  # brow,
        paint((side, -0.2), (0.14, 0.06), (225, 225, 225))  # eye,
        paint((side, -0.2), (0.06, 0.06), (40, 30, 30))  # iris.
        ellipse(skin, (side, -0.2), (0.14, 0.06), 0.0)
    paint((0, 0.18), (0.14, 0.05), tone * 0.7)  # Nostrils.
    paint((0, 0.5), (0.3, 0.08), (150, 70, 75))
    blur = 0.03 * half
    grain = rng.standard_normal((height, width, 3), dtype=np.float32)  # Lets rounding to 8 bits keep the pulse.
    gloss = np.zeros((height, width), np.float32)
    for at, axes in (((0, -0.65), (0.35, 0.12)), ((0, 0.02), (0.08, 0.12)), ((-0.42, 0.1), (0.12, 0.12))):
        ellipse(gloss, at, axes, 1.0)  # Forehead, tip of the nose, a cheek.
    image, skin = (cv2.GaussianBlur(layer, (0, 0), blur) for layer in (image, skin))
    return Drawing(image + 2.0 * grain, skin, cv2.GaussianBlur(gloss, (0, 0), 3.0 * blur))
