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
        motion: Pixels of a frame, a 44th of the face's height, by which each of two motions of the head goes.
        turns: Whether these are a sway and turns, neither of which repeats, and not sines of its two frequencies.
        nodding: By what fraction the face comes nearer with the second of them.
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
    turns: bool = False
    nodding: float = 0.0
    shade: float = 0.0
    glare: float = 0.0

    def moments(self, someone, pulse, seconds, side, rng):
        """Returns the `Moment`s of a clip of a `Person` with a pulse at `(T,)` seconds; `side` is in pixels."""
        slow, fast = (swaying(seconds, rng), turning(seconds, rng)) if self.turns else _repeating(someone, seconds, rng)
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
    "turning": Look(turns=True, motion=2.5, nodding=0.006, shade=0.1, glare=2.0, light=0.004, tint=0.0012),
    "long": Look(num_frames=300, pulse=0.7, breathing=0.04, light=0.0015, tint=0.001, motion=0.15, shade=0.2),
    "hard": Look(motion=0.7, nodding=0.006, shade=0.1, glare=2.0, light=0.0025, tint=0.0015),
}
SWAY = 0.3  # Hz, above which a sway has little power.
TURNS = 0.4  # Turns a second, on average.
TURN_SECONDS = 0.25  # Half the time in which the middle three quarters of a turn are done.


def wandering(num_frames, rng):
    """Returns `(T,)` of a random walk, shifted and scaled to mean 0 and deviation 1."""
    walk = np.cumsum(rng.standard_normal(num_frames))
    return (walk - walk.mean()) / walk.std()


def swaying(seconds, rng):
    """Returns `(T,)` of smooth noise, shifted and scaled to mean 0 and deviation 1."""
    # Of a longer one, whose ends meet.
    noise = np.fft.rfft(rng.standard_normal(4 * len(seconds)))
    frequencies = np.fft.rfftfreq(4 * len(seconds), seconds[1] - seconds[0])
    sway = np.fft.irfft(noise / np.sqrt(1.0 + (frequencies / SWAY) ** 4))[: len(seconds)]
    return (sway - sway.mean()) / sway.std()


def turning(seconds, rng):
    """Returns `(T,)` of a head that turns at moments of no rhythm, to where a normal draw of deviation 1 says."""
    count = 1 + rng.poisson(TURNS * (seconds[-1] - seconds[0]))
    moments, ways = rng.uniform(seconds[0], seconds[-1], count), np.diff(rng.standard_normal(count + 1))
    return (ways * (1.0 + np.tanh((seconds[:, None] - np.sort(moments)) / TURN_SECONDS)) / 2.0).sum(axis=1)


def _repeating(someone, seconds, rng):
    """Returns two sines `(T,)` of the frequencies of a head, whose phases wander."""
    return [
        np.sin(2.0 * np.pi * (frequency * seconds + phase) + 0.8 * wandering(len(seconds), rng))
        for frequency, phase in zip(someone.motion, rng.uniform(size=2), strict=True)
    ]
