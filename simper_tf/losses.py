"""From similarities and known speeds to the loss of SimPer and its frequency prior; then those of other methods."""

import tensorflow as tf

from simper_tf import spectrum

# How alike two views should be, from the distance of their speeds and a temperature: logits of a softmax, which is
# hard where the temperature goes to 0 and flat where it grows. Any monotone fall will do; the paper leaves it open.
LABEL_SIMILARITIES = {
    "l1": lambda distance, temperature: -distance / temperature,
    "l2": lambda distance, temperature: -tf.square(distance) / temperature,
    # The floor keeps the derivative finite; speeds are data, but they may come from a learned warp.
    "sqrt": lambda distance, temperature: -tf.sqrt(tf.maximum(distance, 1e-12)) / temperature,
    # The paper's literal example, 1/|ds|, made finite where speeds agree. It is large enough for a softmax as it is:
    # dividing it too would put all mass on the nearest speed.
    "inverse": lambda distance, temperature: 1.0 / (distance + temperature),
}


def label_distribution(speeds_x, speeds_y, temperature=0.1, label_similarity="l1"):
    """Returns for each view of one set how much it should resemble each view of the other.

    Args:
        speeds_x: `(..., M)` speeds of the anchors.
        speeds_y: `(..., N)` speeds of the candidates.
        temperature: Divides the label similarities before the softmax; of `inverse` it is the distance added below the
            line, 1/(|ds| + temperature), and nothing is divided. 0 stands for its limit, hard labels: all mass on the
            candidate of the nearest speed, which makes `generalized_info_nce` the plain InfoNCE.
        label_similarity: A name of `LABEL_SIMILARITIES`.

    Returns:
        `(..., M, N)` float32; each row sums to 1. Source: eq. 2 of the paper; the authors' code uses `l1` at 0.1.
    """
    distance = tf.abs(tf.cast(speeds_x, tf.float32)[..., :, None] - tf.cast(speeds_y, tf.float32)[..., None, :])
    if temperature == 0:
        return tf.one_hot(tf.argmin(distance, axis=-1), distance.shape[-1])
    return tf.nn.softmax(LABEL_SIMILARITIES[label_similarity](distance, temperature), axis=-1)


def generalized_info_nce(similarities, labels, temperature=1.0):
    """Returns the cross-entropy between label and feature similarities (eq. 2 of the paper).

    Args:
        similarities: `(..., M, N)` scores of anchors against candidates.
        labels: `(..., M, N)` rows of `label_distribution`.
        temperature: nu of the paper, which leaves its value open. With scores in [0, 1] and nu = 1 the loss cannot
            fall far: at M = 10 from ln 10 = 2.30 to about 1.79.

    Returns:
        `(...)` float32, the mean over the M anchors (the paper prints the sum). Never below `label_entropy`.
    """
    logits = tf.cast(similarities, tf.float32) / temperature
    return -tf.reduce_mean(tf.reduce_sum(labels * tf.nn.log_softmax(logits, axis=-1), axis=-1), axis=-1)


def label_entropy(labels):
    """Returns the mean entropy of the rows of `labels`, in nats, below which no loss can go.

    Args:
        labels: `(..., M, N)` rows of `label_distribution`.

    Returns:
        `(...)` float32.
    """
    return -tf.reduce_mean(tf.reduce_sum(tf.math.xlogy(labels, labels), axis=-1), axis=-1)


def out_of_band_power(features, speeds, band):
    """Returns the share of each view's power that lies outside the band its speed allows.

    The paper names frequency priors as future work. If a clip's frequency is known to lie in `[low, high]`, that of
    its view at speed `s` lies in `[low s, high s]`; a feature that runs at the double frequency leaves it. The power of
    a pure sine fills the main lobe of the Hann window, 2/T to either side, which is allowed beyond the band: a view
    that runs at an end of it costs nothing.

    Args:
        features: `(..., V, T)` or `(..., V, T, D)` floats, with `speeds` deciding which.
        speeds: `(..., V)`.
        band: `(low, high)` in cycles per frame at speed 1.

    Returns:
        `(..., V)` float32 in [0, 1]; 0 for a constant feature, which has no power at all.
    """
    features = tf.cast(features, tf.float32)
    if features.shape.rank == speeds.shape.rank + 1:
        features = features[..., None]
    num_frames = features.shape[-2]
    power = spectrum.channel_power(features, padding=4)
    frequencies = tf.cast(tf.range(tf.shape(power)[-1]), tf.float32) / (4 * num_frames)
    lobe = spectrum.HANN_LOBE / num_frames
    low, high = band[0] * speeds[..., None] - lobe, band[1] * speeds[..., None] + lobe
    outside = tf.cast((frequencies < low) | (frequencies > high), tf.float32)
    return tf.reduce_sum(power * outside, axis=-1) / (tf.reduce_sum(power, axis=-1) + 1e-8)


def nt_xent(a, b, temperature, candidates=None, first=0):
    """Returns the normalized temperature-scaled cross-entropy of two views of every clip (eq. 1 of SimCLR).

    An anchor has the other view of its clip to find among both views of all other clips; it is no candidate itself.
    The vectors are scaled to length 1 here.

    Args:
        a, b: `(N, D)` first and second views of the clips at hand.
        temperature: Divides the cosine similarities.
        candidates: Pair of `(P, D)`, the two views of all clips of the step, those at hand among them; None for
            `(a, b)`.
        first: Where among the candidates the clips at hand begin.

    Returns:
        losses: `(2N,)` float32, of the anchors `a` and then `b`; 0 if there is only one clip and ln(2P - 1) if all
            vectors are the same. The paper's loss is their mean; the authors' code adds the means over `a` and `b`.
        found: `(2N,)` float32, 1 where the other view is the nearest of all candidates.

    Source: Chen et al., https://arxiv.org/abs/2002.05709.
    """
    a, b, *others = [tf.math.l2_normalize(tf.cast(x, tf.float32), axis=-1) for x in (a, b, *(candidates or (a, b)))]
    logits = tf.matmul(tf.concat([a, b], axis=0), tf.concat(others, axis=0), transpose_b=True) / temperature
    number, shift = tf.shape(a)[0], tf.shape(others[0])[0]
    own = first + tf.range(number)
    logits -= 1e9 * tf.one_hot(tf.concat([own, own + shift], axis=0), 2 * shift, dtype=logits.dtype)
    return _choice(logits, tf.concat([own + shift, own], axis=0))


def queue_nce(queries, keys, queue, temperature):
    """Returns the cross-entropy of finding each query's key among the keys of earlier steps (eq. 1 of MoCo).

    Args:
        queries, keys: `(N, D)`; scaled to length 1 here.
        queue: `(K, D)` vectors of length 1, none of which is right for any query.
        temperature: Divides the cosine similarities.

    Returns:
        losses: `(N,)` float32; ln(K + 1) if all vectors are the same.
        found: `(N,)` float32, 1 where the key is nearer than all of the queue.

    Source: He et al., https://arxiv.org/abs/1911.05722.
    """
    queries, keys = [tf.math.l2_normalize(tf.cast(x, tf.float32), axis=-1) for x in (queries, keys)]
    right = tf.reduce_sum(queries * keys, axis=-1, keepdims=True)
    wrong = tf.matmul(queries, queue, transpose_b=True)
    # The key comes last: where all are equal, it does not count as found.
    logits = tf.concat([wrong, right], axis=-1) / temperature
    return _choice(logits, tf.fill([tf.shape(queries)[0]], tf.shape(queue)[0]))


def direction_distance(predictions, targets):
    """Returns the squared distance of two vectors scaled to length 1, which is 2 - 2 cos of the angle between them.

    Args:
        predictions, targets: `(..., D)`.

    Returns:
        `(...)` float32 in [0, 4]. Source: eq. 2 of BYOL, Grill et al., https://arxiv.org/abs/2006.07733.
    """
    predictions, targets = [tf.math.l2_normalize(tf.cast(x, tf.float32), axis=-1) for x in (predictions, targets)]
    return tf.reduce_sum(tf.math.squared_difference(predictions, targets), axis=-1)


def _choice(logits, targets):
    """Returns the cross-entropy of choosing `(N,)` targets by `(N, P)` logits, and 1 where they are chosen."""
    found = tf.cast(tf.argmax(logits, axis=-1, output_type=tf.int32) == targets, tf.float32)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits), found


def psd_distance(x, y, band=None):
    """Returns how far the power spectra of two sets of series lie apart, whatever their phases.

    Each spectrum is cut to the band and divided by its sum; the distance of two is their mean squared difference, as
    Gideon and Stent, https://arxiv.org/abs/2111.09748, have it.

    Args:
        x: `(..., V, T)` floats.
        y: `(..., W, T)` floats.
        band: `(low, high)` in cycles per frame, both included; by default everything but the mean.

    Returns:
        `(...)` float32, the mean over all V W pairs, at most 2 over the number of frequencies. A constant series has
        the spectrum 0.

    Raises:
        ValueError: the band is none in cycles per frame, or fewer than two frequencies lie in it: all spectra would be
            the same.
    """
    x, y = [_unit_sum_psd(series, band) for series in (x, y)]
    return tf.reduce_mean(tf.square(x[..., :, None, :] - y[..., None, :, :]), axis=(-3, -2, -1))


def _unit_sum_psd(series, band):
    power = spectrum.power_in_band(tf.convert_to_tensor(series), band, fewest=2)
    return power / (tf.reduce_sum(power, axis=-1, keepdims=True) + 1e-8)
