"""Frame-wise features -> frequencies: by Fourier transform, by nearest neighbour, and up to a harmonic.

The Fourier readout is written in TensorFlow with dynamic shapes, because the exported model runs it too.
"""

import numpy as np
import tensorflow as tf

from simper_tf import similarity

# A pendulum looks the same twice a period, so features may run at a multiple of the frequency, or at a part of it.
HARMONICS = (1 / 3, 1 / 2, 1.0, 2.0, 3.0)


def power_spectrum(features, padding=16, window=True):
    """Returns the power of each frequency, summed over channels.

    Args:
        features: `(..., T)` float series; for channels see `fft_frequency`.
        padding: The series is zero-padded to `padding * T` frames, which makes the bins as many times finer.
        window: Whether to weight with a Hann window, against leakage.

    Returns:
        `(..., padding * T // 2 + 1)` float32; bin k stands for `k / (padding T)` cycles per frame.
    """
    features = tf.cast(features, tf.float32)
    num_frames = tf.shape(features)[-1]
    mean = tf.reduce_mean(features, axis=-1, keepdims=True)
    # What float32 leaves of a constant by subtracting its mean is rounding, not a signal.
    features = tf.where(tf.abs(features - mean) > 1e-6 * tf.abs(mean), features - mean, 0.0)
    if window:
        features *= tf.signal.hann_window(num_frames, periodic=False, dtype=features.dtype)
    spectrum = tf.signal.rfft(features, [padding * num_frames])
    return tf.square(tf.math.real(spectrum)) + tf.square(tf.math.imag(spectrum))


def fft_frequency(features, rate, band, mode="fine"):
    """Reads the frequency of each clip off the spectrum of its features.

    Args:
        features: `(N, T)` or `(N, T, D)` floats; the spectra of D channels are added.
        rate: Frames per second, a number or `(N,)`.
        band: `(low, high)` in Hz in which the peak is sought.
        mode: `fine`: Hann window, 16-fold zero-padding, the peak refined by a parabola through three log powers.
            `paper`: the bare bin of the unpadded transform, whose spacing is `rate / T` Hz. The paper does not state
            its readout; a bare bin is the plainest reading.

    Returns:
        frequency: `(N,)` float32 in Hz. For a constant feature, the lower end of the band.
        confidence: `(N,)` float32 in [0, 1], the share of all power within one main lobe of the peak. 0 for a
            constant feature.

    Raises:
        ValueError: `mode` is unknown.
    """
    if mode not in ("fine", "paper"):
        raise ValueError(f"`mode` must be 'fine' or 'paper'. Received: {mode!r}.")
    fine = mode == "fine"
    power, spacing = _padded_power(features, rate, padding=16 if fine else 1, window=fine)
    num_bins = tf.shape(power)[-1]
    bins = tf.cast(tf.range(num_bins), tf.float32)
    # Tolerance: the end of a band often lies exactly on a bin. In bins, for a band may be a thousand or 1e-5 Hz.
    inside = (bins >= band[0] / spacing - 1e-3) & (bins <= band[1] / spacing + 1e-3)
    peak = tf.argmax(tf.where(inside, power, -1.0), axis=-1, output_type=tf.int32)
    # The main lobe of a Hann window is 2 / T wide on either side; of the bare transform, half of that.
    lobe = tf.abs(bins - tf.cast(peak, tf.float32)[:, None]) <= (32.0 if fine else 1.0)
    total = tf.reduce_sum(power, axis=-1)
    confidence = tf.reduce_sum(tf.where(lobe, power, 0.0), axis=-1) / tf.maximum(total, 1e-12)
    position = tf.cast(peak, tf.float32) + (_parabola(power, peak) if fine else 0.0)
    return position * spacing[:, 0], confidence


def nearest_neighbor(train_features, train_labels, features, distance="mxcorr"):
    """Predicts for each clip the label of the training clip with the nearest features.

    The paper does not define its distance. Distances here compare whole series: `mxcorr` and `npsd` by the
    similarities of the same names, `euclidean` after each series is z-scored over time. The last also compares
    phases: it is off by 0.013 Hz on average for perfect sinusoids, 1,000 of them between 0.5 and 5 Hz, where `mxcorr`
    is off by 0.007.

    Args:
        train_features: `(N, T)` or `(N, T, D)` floats.
        train_labels: `(N,)`.
        features: `(K, T)` or `(K, T, D)` floats.
        distance: A key of `DISTANCES`.

    Returns:
        `(K,)` labels.

    Raises:
        ValueError: `distance` is unknown.
    """
    if distance not in DISTANCES:
        raise ValueError(f"`distance` must be one of {sorted(DISTANCES)}. Received: {distance!r}.")
    train, query = [tf.constant(np.asarray(x, np.float32))[None] for x in (train_features, features)]
    score = tf.function(lambda chunk: similarity.over_channels(DISTANCES[distance], chunk, train))
    # Small chunks: `mxcorr` holds one spectrum a pair, 50 x 1,000 x 151 complex numbers.
    nearest = [tf.argmax(score(query[:, k : k + 50])[0], axis=-1) for k in range(0, query.shape[1], 50)]
    return np.asarray(train_labels)[np.concatenate(nearest)]


# For z-scored series the nearest in the Euclidean sense is the one with the largest cosine.
DISTANCES = {
    "euclidean": similarity.cosine,
    "mxcorr": similarity.max_cross_correlation,
    "npsd": similarity.npsd_cosine,
}


def calibrate_harmonic(features, frequencies, rate, band):
    """Finds which harmonic of the true frequency the features run at, from a few labelled clips.

    For each h of `HARMONICS` the peak is sought in the band that a feature at `frequency / h` can take and h times
    the peak is compared with the truth.

    Args:
        features: `(N, T)` or `(N, T, D)` floats, of the labelled clips.
        frequencies: `(N,)` true frequencies in Hz.
        rate, band: As in `fft_frequency`.

    Returns:
        The h with the smallest mean absolute error; pass it to `harmonic_frequency`.
    """
    errors = [np.mean(np.abs(harmonic_frequency(features, rate, band, h) - frequencies)) for h in HARMONICS]
    return HARMONICS[int(np.argmin(errors))]


def harmonic_frequency(features, rate, band, harmonic):
    """Returns `(N,)` frequencies in Hz of features known to run at `1 / harmonic` times the frequency.

    Arguments are those of `fft_frequency`, and a harmonic of `calibrate_harmonic`.
    """
    return harmonic * fft_frequency(features, rate, (band[0] / harmonic, band[1] / harmonic))[0].numpy()


def _padded_power(features, rate, padding, window):
    features = tf.convert_to_tensor(features)
    if features.shape.rank == 2:
        features = features[..., None]
    power = tf.reduce_sum(power_spectrum(tf.linalg.matrix_transpose(features), padding, window), axis=-2)
    rate = tf.broadcast_to(tf.cast(rate, tf.float32), tf.shape(power)[:1])
    return power, rate[:, None] / tf.cast(padding * tf.shape(features)[1], tf.float32)


def _parabola(power, peak):
    """Returns the offset, in [-1/2, 1/2] bins, of the top of the parabola through three log powers."""
    around = tf.clip_by_value(peak[:, None] + [-1, 0, 1], 0, tf.shape(power)[-1] - 1)
    left, top, right = tf.unstack(tf.math.log(tf.gather(power, around, batch_dims=1) + 1e-30), axis=-1)
    # A flat top (a constant feature) has no curvature: offset 0. A peak at a band's end may lie on a slope: clip.
    offset = tf.math.divide_no_nan(0.5 * (left - right), left - 2.0 * top + right)
    return tf.clip_by_value(offset, -0.5, 0.5)
