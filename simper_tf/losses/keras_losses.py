"""The paper's loss and SiNC's as `keras.losses.Loss`, for any model that gives features of ready views.

`y_true` are the speeds of the views and `y_pred` their features, as `Views` and an encoder give them; `compile` and
`fit` then need no method. Over several replicas each compares its own clips alone: methods compare those of all.
"""

import keras
import tensorflow as tf

from simper_tf.losses import info_nce, spectral
from simper_tf.losses.similarity import find_similarity, over_channels
from simper_tf.utils.config import check_number


@keras.saving.register_keras_serializable("simper_tf")
class SimPerLoss(keras.losses.Loss):
    """Generalized InfoNCE of two sets of views of a clip, Algorithm 1 of the paper.

    Calling it takes speeds `(B, 2M)` and features `(B, 2M, T)` or `(B, 2M, T, D)` of two sets of M views, one set after
    the other, and returns the mean over clips.

    Args:
        similarity: A name of `SIMILARITIES`, by which features are compared.
        temperature: Divides the similarities; nu of the paper.
        label_temperature, label_similarity: As of `label_distribution`.
        name, reduction: As of `keras.losses.Loss`.

    Raises:
        ValueError: a similarity is unknown, or a temperature out of its range; called, that speeds do not fit the
            features, or that these are no two sets of at least 2 views.

    Example:
        >>> speeds = np.array([[1.0, 2.0, 1.0, 2.0]])
        >>> features = np.sin(2 * np.pi * 0.05 * speeds[..., None] * np.arange(60))
        >>> loss = simper_tf.SimPerLoss()
        >>> bool(loss(speeds, features) < loss(speeds[:, ::-1], np.repeat(features[:, :1], 4, axis=1)))
        True
    """

    def __init__(
        self, similarity: str = "mxcorr", temperature: float = 1.0, label_temperature: float = 0.1,
        label_similarity: str = "l1", name: str = "simper", reduction: str = "sum_over_batch_size",
    ):  # fmt: skip
        super().__init__(name=name, reduction=reduction)
        find_similarity(similarity)
        info_nce.find_label_similarity(label_similarity)
        check_number("temperature", temperature, 0, above=True)
        check_number("label_temperature", label_temperature, 0)
        self.settings = {
            "similarity": similarity, "temperature": temperature, "label_temperature": label_temperature,
            "label_similarity": label_similarity,
        }  # fmt: skip

    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        given, features = self.settings, tf.convert_to_tensor(y_pred)
        _check_views(y_true, features)
        views = features.shape[1]
        if views < 4 or views % 2:
            raise ValueError(
                "`SimPerLoss` needs two sets of as many views, at least 2 each: features (B, 2M, T) or (B, 2M, T, D). "
                f"Received: features {features.shape}."
            )
        labels = info_nce.label_distribution(
            *tf.split(y_true, 2, axis=1), given["label_temperature"], given["label_similarity"]
        )
        scores = over_channels(find_similarity(given["similarity"]), *tf.split(features, 2, axis=1))
        return info_nce.generalized_info_nce(scores, labels, given["temperature"])

    def get_config(self) -> dict:
        return {"name": self.name, "reduction": self.reduction, **self.settings}


@keras.saving.register_keras_serializable("simper_tf")
class SpectralLoss(keras.losses.Loss):
    """Sum of the three terms of SiNC, see `spectral_terms`: one frequency a view, in the band, all of it in use.

    Calling it takes speeds `(B, V)` and features `(B, V, T)` or `(B, V, T, D)`.

    Args:
        band: `(low, high)` in cycles per frame at speed 1.
        name: As of `keras.losses.Loss`.

    Raises:
        ValueError: called, that speeds do not fit the features.

    Example:
        >>> speeds = np.ones((1, 1))
        >>> inside, outside = np.sin(2 * np.pi * np.array([0.1, 0.3])[:, None, None, None] * np.arange(60))
        >>> loss = simper_tf.SpectralLoss(band=(0.05, 0.2))
        >>> bool(loss(speeds, inside) < loss(speeds, outside))
        True
    """

    def __init__(self, band: tuple[float, float], name: str = "spectral"):
        super().__init__(name=name)
        self.band = tuple(band)

    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        _check_views(y_true, y_pred)
        terms = spectral.spectral_terms(y_pred, y_true, self.band)
        return tf.add_n(list(terms.values()))

    def get_config(self) -> dict:
        return {"name": self.name, "band": self.band}


def _check_views(speeds, features):
    """Refuses, by a ValueError, speeds that are not one for each view."""
    shape = features.shape
    if shape.rank not in (3, 4) or speeds.shape.rank != 2 or not speeds.shape.is_compatible_with(shape[:2]):
        raise ValueError(
            "Each view needs one speed: speeds (B, V) with features (B, V, T) or (B, V, T, D). "
            f"Received: speeds {speeds.shape} with features {shape}."
        )
