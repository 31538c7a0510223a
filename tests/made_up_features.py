"""Features of encoders that are perfect, and of known faults."""

import numpy as np

from simper_tf import spectrum
from simper_tf.features import Features

RATE = 30.0


def perfect(rng, frequencies, harmonic=1.0, subjects=None):
    """Returns the features of a perfect encoder that runs at 1 / harmonic times the frequency, which pixels show."""
    number = len(frequencies)
    angles = 2 * np.pi * np.asarray(frequencies)[:, None] * np.arange(120) / RATE + rng.uniform(0, 6, (number, 1))
    ids = np.array([f"clip {k}" for k in range(number)])
    rates = np.full(number, RATE, np.float32)
    series = np.sin(angles / harmonic).astype(np.float32)
    pixels = spectrum.power(np.sin(angles) + 0.7 * np.sin(2 * angles), spectrum.PIXEL_PADDING).numpy()
    return Features(series, np.asarray(frequencies).astype(np.float32), rates, ids, subjects, pixels)
