"""Features of encoders that are perfect, and of known faults."""

import numpy as np
import tensorflow as tf

from simper_tf.evaluation.features import Features
from simper_tf.signals import spectrum

RATE = 30.0


def perfect(rng, frequencies, harmonic=1.0, subjects=None):
    """Returns the features of a perfect encoder that runs at 1 / harmonic times the frequency, which pixels show."""
    number = len(frequencies)
    angles = 2 * np.pi * np.asarray(frequencies)[:, None] * np.arange(120) / RATE + rng.uniform(0, 6, (number, 1))
    ids = np.array([f"clip {k}" for k in range(number)])
    rates = np.full(number, RATE, np.float32)
    series = np.sin(angles / harmonic).astype(np.float32)
    courses = np.sin(angles) + 0.7 * np.sin(2 * angles)
    pixels = spectrum.power(courses, spectrum.PIXEL_PADDING).numpy()
    seen = {"pixels": pixels, "cells": courses[..., None]}
    return Features(series, np.asarray(frequencies).astype(np.float32), rates, ids, subjects, **seen)


def sinusoids(rng, frequencies, num_frames):
    """Returns `frequencies.shape + (num_frames,)` float32 sinusoids of random phases, in cycles per frame."""
    phases = rng.uniform(0, 2 * np.pi, np.shape(frequencies))
    angles = 2 * np.pi * np.asarray(frequencies)[..., None] * np.arange(num_frames) + phases[..., None]
    return tf.constant(np.sin(angles), tf.float32)


def of_views(rng, speeds, num_frames=60):
    """Returns the features of a perfect encoder for views of clips of 0.08 cycles per frame, by their speeds."""
    return sinusoids(rng, 0.08 * np.asarray(speeds), num_frames)


def in_hertz(rng, frequencies, num_frames=150, phases=None):
    """Returns `(N, T)` float32 sinusoids at `RATE`, frequencies in Hz, phases random unless given."""
    frequencies = np.asarray(frequencies, float)
    phases = rng.uniform(0, 2 * np.pi, len(frequencies)) if phases is None else phases
    angles = 2 * np.pi * frequencies[:, None] * np.arange(num_frames) / RATE + np.reshape(phases, (-1, 1))
    return np.sin(angles).astype(np.float32)
