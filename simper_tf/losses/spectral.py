"""Terms of the power spectra of views: SimPer's frequency prior and the three terms of SiNC."""

import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.signals import spectrum
from simper_tf.utils.replicas import gather


def out_of_band_power(features, speeds, band: tuple[float, float]):
    """Returns the share of each view's power outside the band its speed allows, `(..., V)` float32 in [0, 1].

    The paper names frequency priors as future work. If a clip's frequency is known to lie in `[low, high]`, in cycles
    per frame, that of its view at speed `s` lies in `[low s, high s]`; a feature that runs at the double frequency
    leaves it. The power of a pure sine fills the main lobe of the Hann window, 2/T to either side, which is allowed
    beyond the band: a view that runs at an end of it costs nothing. Nor does a constant, which has no power at all.
    Other arguments are those of `view_power`.
    """
    power, frequencies = view_power(features, speeds)
    lobe = spectrum.HANN_LOBE / features.shape[speeds.shape.rank]
    return share_outside(power, in_band(frequencies, speeds, band, margin=lobe))


def share_outside(power, inside):
    """Returns the share of the power `(..., F)` where `inside`, `(..., F)` bool, is not: `(...)`, 0 without power."""
    outside = tf.where(inside, tf.zeros_like(power), power)
    return tf.reduce_sum(outside, axis=-1) / (tf.reduce_sum(power, axis=-1) + 1e-8)


def view_power(features, speeds):
    """Returns the power of each frequency in the features of views, added over channels.

    Args:
        features: `(..., V, T)` or `(..., V, T, D)` floats, with `speeds` deciding which.
        speeds: `(..., V)`.

    Returns:
        power: `(..., V, F)` float32, with a Hann window.
        frequencies: `(F,)` float32 in cycles per frame.

    Example:
        >>> views = np.sin(2 * np.pi * 0.1 * np.arange(50))[None, None]
        >>> power, frequencies = view_power(views, tf.ones([1, 1]))
        >>> round(float(frequencies[np.argmax(power)]), 2)
        0.1
    """
    features = tf.cast(features, tf.float32)
    if features.shape.rank == speeds.shape.rank + 1:
        features = features[..., None]
    power = spectrum.channel_power(features, padding=4)
    return power, tf.cast(tf.range(tf.shape(power)[-1]), tf.float32) / (4 * features.shape[-2])


def in_band(frequencies, speeds, band: tuple[float, float], margin: float = 0.0):
    """Returns which of `(F,)` frequencies a view may have if its clip lies in a band at speed 1, `(..., V, F)` bool.

    All are in cycles per frame; what lies beyond the band by the margin is still inside.
    """
    low, high = band[0] * speeds[..., None] - margin, band[1] * speeds[..., None] + margin
    return (frequencies >= low) & (frequencies <= high)


def spectral_terms(features: ArrayLike, speeds: ArrayLike, band: tuple[float, float]) -> dict[str, tf.Tensor]:
    """Returns the three terms of SiNC: features are to have one frequency each, in the band, and to fill it together.

    Source: Speth et al., CVPR 2023, https://arxiv.org/abs/2303.07944. `methods.sinc` says where this differs.

    Args:
        features: `(B, V, T)` or `(B, V, T, D)` floats.
        speeds: `(B, V)`.
        band: `(low, high)` in cycles per frame at speed 1.

    Returns:
        A dictionary of float32 scalars: `bandwidth`, the mean share of power outside each view's band, `sparsity`, the
        mean of `sparsity`, and `variance`, the `unevenness` of all replicas.

    Example:
        >>> wave = np.sin(2 * np.pi * 0.1 * np.arange(60))[None, None]
        >>> terms = simper_tf.spectral_terms(wave, np.ones((1, 1), np.float32), band=(0.05, 0.2))
        >>> {name: round(float(term), 2) for name, term in terms.items()}
        {'bandwidth': 0.0, 'sparsity': 0.0, 'variance': 0.08}
    """
    features, speeds = tf.convert_to_tensor(features), tf.convert_to_tensor(speeds, tf.float32)
    power, frequencies = view_power(features, speeds)
    inside = in_band(frequencies, speeds, band)
    return {
        "bandwidth": tf.reduce_mean(share_outside(power, inside)),
        "sparsity": tf.reduce_mean(sparsity(power, frequencies, inside, features.shape[2])),
        "variance": unevenness(power, inside),
    }


def sparsity(power, frequencies, inside, num_frames: int):
    """Returns the share of the power `(..., F)` inside a band that lies away from its highest peak; 0 without any.

    To the peak belongs what lies in the main lobe of the Hann window, 2/T to either side; in the source, 0.1 Hz.
    """
    kept = tf.where(inside, power, 0.0)
    # The highest of all bins may be the flank of a peak outside.
    peaks = tf.gather(frequencies, tf.argmax(kept, axis=-1, output_type=tf.int32))
    # Bins at the very end of the lobe belong to it, whatever rounding says; the next ones lie farther than this.
    away = tf.abs(frequencies - peaks[..., None]) > 1.001 * spectrum.HANN_LOBE / num_frames
    return tf.reduce_sum(tf.where(away, kept, 0.0), axis=-1) / (tf.reduce_sum(kept, axis=-1) + 1e-8)


def unevenness(power, inside):
    """Returns how far the mean spectrum of a batch over all replicas lies from filling its bands evenly, in [0, 1).

    Each of `(B, V, F)` spectra is cut to its band and divided by its sum. The mean of them is compared with the mean of
    spectra that are flat inside the same bands by the squared earth mover's distance: the mean, over the bins of any
    band, of the squared difference of their cumulative sums.
    """
    flat = tf.cast(inside, power.dtype)
    shares, target = [_mean_shares(values) for values in (power * flat, flat)]
    in_any = tf.cast(target > 0, power.dtype)
    squares = tf.square(tf.cumsum(shares - target))
    return tf.math.divide_no_nan(tf.reduce_sum(squares * in_any), tf.reduce_sum(in_any))


def _mean_shares(values):
    """Returns the mean of `(B, V, F)` spectra of sum 1, over all replicas."""
    shares = values / (tf.reduce_sum(values, axis=-1, keepdims=True) + 1e-8)
    return tf.reduce_mean(gather(tf.reduce_mean(shares, axis=1)), axis=0)
