"""SimPer's loss: weights of labels from the distance of speeds, and generalized InfoNCE."""

import tensorflow as tf
from numpy.typing import ArrayLike

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


def label_distribution(
    speeds_x: ArrayLike, speeds_y: ArrayLike, temperature: float = 0.1, label_similarity: str = "l1"
) -> tf.Tensor:
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

    Raises:
        ValueError: the label similarity is unknown.

    Example:
        >>> simper_tf.label_distribution([1.0], [1.0, 1.1, 2.0]).numpy().round(2)
        array([[0.73, 0.27, 0.  ]], dtype=float32)
    """
    distance = tf.abs(tf.cast(speeds_x, tf.float32)[..., :, None] - tf.cast(speeds_y, tf.float32)[..., None, :])
    if temperature == 0:
        return tf.one_hot(tf.argmin(distance, axis=-1), distance.shape[-1])
    return tf.nn.softmax(find_label_similarity(label_similarity)(distance, temperature), axis=-1)


def find_label_similarity(name: str):
    """Returns the function of a name of `LABEL_SIMILARITIES`; another name is a ValueError."""
    if name not in LABEL_SIMILARITIES:
        raise ValueError(f"`label_similarity` must be one of {sorted(LABEL_SIMILARITIES)}. Received: {name!r}.")
    return LABEL_SIMILARITIES[name]


def generalized_info_nce(similarities: ArrayLike, labels: ArrayLike, temperature: float = 1.0) -> tf.Tensor:
    """Returns the cross-entropy between label and feature similarities (eq. 2 of the paper).

    Args:
        similarities: `(..., M, N)` scores of anchors against candidates.
        labels: `(..., M, N)` rows of `label_distribution`.
        temperature: nu of the paper, which leaves its value open. With scores in [0, 1] and nu = 1 the loss cannot
            fall far: at M = 10 from ln 10 = 2.30 to about 1.79.

    Returns:
        `(...)` float32, the mean over the M anchors (the paper prints the sum). Never below `label_entropy`.

    Example:
        >>> labels = simper_tf.label_distribution([1.0, 2.0], [1.0, 2.0])
        >>> like, unlike = np.eye(2), 1 - np.eye(2)
        >>> bool(simper_tf.generalized_info_nce(like, labels) < simper_tf.generalized_info_nce(unlike, labels))
        True
    """
    logits = tf.cast(similarities, tf.float32) / temperature
    return -tf.reduce_mean(tf.reduce_sum(labels * tf.nn.log_softmax(logits, axis=-1), axis=-1), axis=-1)


def label_entropy(labels: ArrayLike) -> tf.Tensor:
    """Returns the mean entropy of the rows of `labels`, in nats, below which no loss can go.

    Args:
        labels: `(..., M, N)` rows of `label_distribution`.

    Returns:
        `(...)` float32.

    Example:
        >>> float(simper_tf.label_entropy([[1.0, 0.0], [0.5, 0.5]]))  # Half of ln 2.
        0.3465735912322998
    """
    labels = tf.cast(labels, tf.float32)
    return -tf.reduce_mean(tf.reduce_sum(tf.math.xlogy(labels, labels), axis=-1), axis=-1)
