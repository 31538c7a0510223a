"""Disturbances of a pulse: light that changes, heads that move, and the camera's noise."""

import dataclasses

import numpy as np

from simper_tf.data.standin_faces import Moment


@dataclasses.dataclass(frozen=True)
class Look:
    """Look of the clips of a config.

    Attributes:
        num_frames: Frames of a clip.
        pulse: How deep the pulse is, as a factor.
        noise: Standard deviation of the camera's noise, in 8-bit levels of a pixel of a frame.
        light: Standard deviation over a clip of light that walks at random, as a fraction.
        tint: The same of each color by itself, as of a screen nearby.
        breathing: How far light rises and falls with each breath, as a fraction.
        motion: Pixels of a frame, a 44th of the face's height, that the head moves at each of its two frequencies.
        nodding: By what fraction the face comes nearer at the second of them.
        shade: By what fraction light falls off from the middle of the frame to its left end.
        glare: 8-bit levels by which reflections change with the motion.
    """

    num_frames: int = 180
    pulse: float = 1.0
    noise: float = 2.0
    light: float = 0.0
    tint: float = 0.0
    breathing: float = 0.0
    motion: float = 0.0
    nodding: float = 0.0
    shade: float = 0.0
    glare: float = 0.0

    def moments(self, someone, pulse, seconds, side, rng):
        """Returns what the frames of a clip show, a list of `Moment`s.

        Args:
            someone: A `people.Person`.
            pulse: `(T,)` of its skin.
            seconds: `(T,)` times.
            side: Pixels of a square frame.
            rng: NumPy generator.
        """
        slow, fast = (
            np.sin(2.0 * np.pi * (frequency * seconds + phase) + 0.8 * wandering(len(seconds), rng))
            for frequency, phase in zip(someone.motion, rng.uniform(size=2), strict=True)
        )
        # In and out differ, so breath has harmonics.
        breath = np.sin(2.0 * np.pi * (someone.breathing * seconds + rng.uniform()))
        breath = breath + 0.3 * breath**2
        right, down = self.motion * (slow + fast), self.motion * (0.3 * slow + 0.6 * fast)
        light = 1.0 + self.light * wandering(len(seconds), rng)[:, None] + self.breathing * breath[:, None]
        light = light + self.tint * np.stack([wandering(len(seconds), rng) for _ in range(3)], axis=1)
        shade = 1.0 + self.shade * np.linspace(-1.0, 1.0, side)[None, :, None]
        return [
            Moment(
                self.pulse * pulse[k],
                (right[k], down[k]),
                1.0 + self.nodding * fast[k],
                self.glare * (0.5 * slow[k] + fast[k]),
                light[k] * shade,
            )
            for k in range(len(seconds))
        ]


LOOKS = {
    "still": Look(pulse=0.5, noise=2.0, light=0.0016, tint=0.0003),
    "moving": Look(motion=0.7, nodding=0.006, shade=0.1, glare=2.0, light=0.0025, tint=0.0015),
    "long": Look(num_frames=300, pulse=0.7, breathing=0.04, light=0.0015, tint=0.001, motion=0.15, shade=0.2),
}


def wandering(num_frames, rng):
    """Returns `(T,)` of a random walk, shifted and scaled to mean 0 and deviation 1."""
    walk = np.cumsum(rng.standard_normal(num_frames))
    return (walk - walk.mean()) / walk.std()
