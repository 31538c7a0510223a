"""Pulse from the mean color of skin, frame by frame, by what is known of light and blood. Nothing is learned.

Blood absorbs green most. Light that changes scales all three colors alike, and what skin throws back like a mirror adds
white; CHROM and POS each subtract both, as far as the skin and the light are what they suppose.
"""

import numpy as np

from simper_tf.signals import filters
from simper_tf.signals.pulse import DETREND_LAMBDA, detrend

WINDOW_SECONDS = 1.6  # Of POS (Wang et al., 2017).
_AT_ONCE = 1024  # Windows that are held in memory together.
_PADDING = 21  # Samples by which a band-pass is led in: three times its coefficients.
_USUAL_RATE = 30.0  # At which `DETREND_LAMBDA` has its usual meaning.


def green(colors, rate, band):
    """Returns the mean green, the color that changes most with the pulse, darker where there is more blood.

    Args:
        colors: `(T, 3)` mean of R, G and B in each frame, in any linear unit; T at least 5.
        rate: Frames per second.
        band: `(low, high)` in Hz; unused here.

    Returns:
        `(T,)` float64, without its slow trend. 0 where nothing changes.

    Reference: Verkruysse et al., Remote plethysmographic imaging using ambient light, Optics Express 16(26), 2008.
    """
    return _without_trend(_relative(colors)[:, 1], rate)


def chrom(colors, rate, band):
    """Returns the pulse by CHROM: the difference of two color differences in which white reflections cancel.

    In windows of 1.6 s, each color over its mean there: X = 3 R - 2 G, Y = 1.5 R + G - 1.5 B, both filtered to the
    band; S = X - Y std(X) / std(Y). A change of light is the same in X and in Y. Windows overlap by half, with Hann
    weights.

    Args:
        colors, rate: As in `green`.
        band: `(low, high)` in Hz in which heart rates lie.

    Returns:
        `(T,)` float64, without its slow trend. 0 where nothing changes.

    Reference: de Haan and Jeanne, Robust pulse rate from chrominance-based rPPG, IEEE Trans. Biomed. Eng. 60(10), 2013.
    """
    high = min(band[1], 0.495 * rate)  # A filter cannot end at half the rate itself.

    def of_windows(relative):
        differences = np.moveaxis(relative @ np.array([[3.0, -2.0, 0.0], [1.5, 1.0, -1.5]]).T, 1, 0)
        filtered = filters.butterworth(differences, rate, band[0], high, 3, min(_PADDING, len(differences) - 1))
        x, y = filtered.T
        return x - _ratio(_deviation(x), _deviation(y)) * y

    length = _window_length(len(colors), rate)
    weights = np.hanning(length + 2)[1:-1]
    return _without_trend(_over_windows(colors, of_windows, weights, hop=length // 2), rate)


def pos(colors, rate, band):
    """Returns the pulse by POS: a projection to the plane orthogonal to the skin tone.

    In windows of 1.6 s, one from every frame on, each color over its mean there: X = G - B, Y = G + B - 2 R;
    S = X + Y std(X) / std(Y), less its mean.

    Args:
        colors, rate, band: As in `green`.

    Returns:
        `(T,)` float64, without its slow trend. 0 where nothing changes.

    Reference: Wang et al., Algorithmic principles of remote PPG, IEEE Trans. Biomed. Eng. 64(7), 2017.
    """

    def of_windows(relative):
        x, y = np.moveaxis(relative @ np.array([[0.0, 1.0, -1.0], [-2.0, 1.0, 1.0]]).T, -1, 0)
        course = x + _ratio(_deviation(x), _deviation(y)) * y
        return course - course.mean(axis=1, keepdims=True)

    length = _window_length(len(colors), rate)
    return _without_trend(_over_windows(colors, of_windows, np.ones(length), hop=1), rate)


def _over_windows(colors, of_windows, weights, hop):
    """Returns the weighted mean, `(T,)`, of what a function of `(N, L, 3)` relative colors finds in windows of frames.

    A window begins `hop` frames after the one before it, and the last one ends with the last frame.
    """
    colors = np.asarray(colors, np.float64)
    total, weight = np.zeros(len(colors)), np.zeros(len(colors))
    last = len(colors) - len(weights)
    starts = np.array(sorted({*range(0, last + 1, hop), last}))
    for some in np.array_split(starts, 1 + len(starts) // _AT_ONCE):
        places = some[:, None] + np.arange(len(weights))
        np.add.at(total, places, weights * of_windows(_relative(colors[places])))
        np.add.at(weight, places, np.broadcast_to(weights, places.shape))
    return total / weight


def _window_length(num_frames, rate):
    return min(2 * max(round(WINDOW_SECONDS * rate / 2.0), 1), num_frames)


def _relative(colors):
    """Returns by what share each color, `(..., T, 3)`, lies above its mean; 0 for one that is not there at all."""
    colors = np.asarray(colors, np.float64)
    mean = colors.mean(axis=-2, keepdims=True)
    change = colors - mean
    # What is left of a constant by subtracting its mean is rounding, not a signal.
    return np.divide(change, mean, out=np.zeros_like(change), where=np.abs(change) > 1e-6 * mean)


def _deviation(series):
    return series.std(axis=1, keepdims=True)


def _ratio(x, y):
    return np.divide(x, y, out=np.zeros_like(x), where=y != 0)


def _without_trend(series, rate):
    return detrend(series, DETREND_LAMBDA * (rate / _USUAL_RATE) ** 2)
