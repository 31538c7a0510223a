"""Template matching: how well rotating digits are read by whoever knows the image and how it moves.

It stands in tables as the best that can be expected of any method.
"""

import functools

import numpy as np

from . import digits

_ANGLES = 180  # Templates, a turn.
_STEP, _PHASES = 0.03, 24  # Hz from one candidate to the next, and phases of each.
_ROUNDS, _ZOOM = 8, 2.5  # Of a finer search around the best candidate.


def frequency(clip, image, spin=False):
    """Returns the frequency, in Hz, at which a clip is most like its image turned by a swing, or a spin.

    The clip is `(T, H, W, C)` gray levels at `digits.RATE`, the image `(H, W, 1)`.
    """
    scores = _scores(clip, image)
    hertz, phases, nearest = _candidates(len(scores), spin)
    best = scores.ravel()[nearest].sum(axis=1).argmax()
    best, width = (hertz[best], phases[best]), np.array([_STEP, 2 * np.pi / _PHASES])
    for _ in range(_ROUNDS):
        near = np.meshgrid(*(value + reach * np.linspace(-1, 1, 7) for value, reach in zip(best, width, strict=True)))
        hertz, phases = map(np.ravel, near)
        likest = _likeness(scores, _places(hertz, phases, len(scores), spin)).argmax()
        best, width = (hertz[likest], phases[likest]), width / _ZOOM
    return best[0]


def turned_back(clip, angles):
    """Returns the image of a clean clip, `(H, W, 1)`: the mean of its frames, each turned back by its angle."""
    return digits.rotate(_gray(clip), -np.asarray(angles)).numpy().mean(axis=0)


def _gray(clip):
    return np.asarray(clip, np.float32).mean(axis=-1, keepdims=True)


def _scores(clip, image):
    """Returns `(T, _ANGLES)`: how like each frame is to the image at each angle, from -pi on."""
    angles = np.linspace(-np.pi, np.pi, _ANGLES, endpoint=False)
    turned = _centered(digits.rotate(np.broadcast_to(np.float32(image), (_ANGLES, *image.shape)), angles).numpy())
    return _centered(_gray(clip)) @ (turned / np.linalg.norm(turned, axis=1, keepdims=True)).T


def _centered(pictures):
    flat = pictures.reshape(len(pictures), -1)
    return flat - flat.mean(axis=1, keepdims=True)


def _likeness(scores, places):
    """Returns `(K,)`, how like a clip is to each of K movements, given by their `_places`."""
    frames, below = np.arange(len(scores)), np.floor(places).astype(int)
    share = places - below
    parts = (1 - share) * scores[frames, below % _ANGLES] + share * scores[frames, (below + 1) % _ANGLES]
    return parts.sum(axis=1)


def _places(hertz, phases, num_frames, spin):
    """Returns `(K, T)` places of the angles of K movements among those of templates; phases are of mid-clip."""
    turned = 2 * np.pi * np.multiply.outer(hertz, np.arange(num_frames) - (num_frames - 1) / 2) / digits.RATE
    turned += phases[:, None]
    angles = turned if spin else digits.AMPLITUDE * np.sin(turned)
    return (angles + np.pi) * (_ANGLES / (2 * np.pi))


@functools.cache
def _candidates(num_frames, spin):
    """Returns movements to begin with, the same for all clips: frequencies, phases, and the score of each frame."""
    hertz = np.arange(digits.FREQUENCIES[0], digits.FREQUENCIES[1] + _STEP, _STEP)
    hertz, phases = np.repeat(hertz, _PHASES), np.tile(2 * np.pi * np.arange(_PHASES) / _PHASES, len(hertz))
    nearest = np.rint(_places(hertz, phases, num_frames, spin)).astype(int) % _ANGLES
    return hertz, phases, nearest + _ANGLES * np.arange(num_frames)
