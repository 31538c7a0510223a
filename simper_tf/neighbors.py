"""Frame-wise features -> the labels of the training clips whose features are nearest."""

import numpy as np
import tensorflow as tf

from simper_tf import similarity


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
