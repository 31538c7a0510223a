"""Recordings of drawn faces with a pulse of a known rate and a real shape, without compression."""

import pathlib

import numpy as np

from benchmarks.made_recordings import smooth
from benchmarks.scored import Made
from simper_tf.recordings import standin_faces

RATE, SECONDS, SIDE = 30.0, 30.0, 128
SLOWEST, FASTEST = 48.0, 150.0  # Beats per minute.
NOISE, LIGHT, MOTION = 2.0, 0.03, 1.0  # Gray levels; share of the light; pixels.
# Of the beats' intervals: by breath, and from one beat to the next.
_BREATH, _BREATHS, _BEAT = 0.04, 0.25, 0.02
_DEPTH = 0.01  # Of the green of skin, for a pulse of 1: see `standin_faces.PULSE_DEPTH`.


def make(path: pathlib.Path, strength: float, number: int) -> Made:
    """Writes a recording, all of which follows from its number, but for the strength.

    Args:
        path: Where.
        strength: How far the green of skin goes up and down, as a share of it.
        number: Which.
    """
    random = np.random.default_rng([7, number])
    times = np.arange(round(SECONDS * RATE)) / RATE
    template = drawn_template(random)
    beats = beats_over(times, random)
    pulse = strength / _DEPTH * template[(beats % 1 * len(template)).astype(int)]
    face = standin_faces.draw(SIDE, SIDE, random)
    sway, light = smooth(random, (len(times), 2), 1 / RATE, 1.0), smooth(random, (len(times), 1), 1 / RATE, 4.0)
    moments = [
        standin_faces.Moment(value, tuple(MOTION * place), light=np.float32(1 + LIGHT * bright))
        for value, place, bright in zip(pulse, sway, light, strict=True)
    ]
    np.save(path, np.stack(list(standin_faces.film(face, moments, NOISE, random))))
    return Made(path, times, beats)


def harmonic_of(number: int) -> float:
    """Returns the amplitude of the second harmonic of a recording's pulse over that of the first."""
    random = np.random.default_rng([7, number])
    power = np.abs(np.fft.rfft(drawn_template(random)))
    return float(power[2] / power[1])


def beats_over(times: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns `(T,)` how many beats there have been, of a heart whose intervals vary with the breath and at random."""
    period = 60 / np.exp(random.uniform(*np.log([SLOWEST, FASTEST])))
    moments, breath = [-period * random.uniform()], random.uniform(0, 2 * np.pi)
    while moments[-1] <= times[-1]:
        varied = _BREATH * np.sin(2 * np.pi * _BREATHS * moments[-1] + breath) + _BEAT * random.standard_normal()
        moments.append(moments[-1] + period * (1 + varied))
    return np.interp(times, moments, np.arange(len(moments)))


def drawn_template(random: np.random.Generator, samples: int = 1000) -> np.ndarray:
    """Returns a pulse wave over one beat, `(samples,)` from -1 to 1, of mean about 0.

    A wave in the vessels, its reflection, which is nearly as high in young skin and half a beat later, and a last one:
    three Gaussians (Tang et al., Synthetic photoplethysmogram generation using two Gaussian functions, Scientific
    Reports 10, 2020, which has two).
    """
    phase = np.arange(samples) / samples
    first = random.uniform(0.2, 0.3)
    humps = (
        (first, random.uniform(0.06, 0.09), 1.0),
        (first + random.uniform(0.38, 0.48), random.uniform(0.07, 0.11), random.uniform(0.4, 0.85)),
        (first + 0.72, 0.06, random.uniform(0.0, 0.15)),
    )
    wave = np.zeros(samples)
    for place, width, height in humps:
        away = (phase - place + 0.5) % 1 - 0.5
        wave += height * np.exp(-0.5 * np.square(away / width))
    wave -= wave.mean()
    return 2 * wave / np.ptp(wave)
