"""Features before the last layers of an encoder, which make few series of many numbers a frame.

Similarities of series take out their mean and scale, so that outputs trained by them need not keep either. What an
encoder knows of a frame stands in its layer named `FEATURES`, `(B, T, ..., D)`; without a head that is its output.
"""

import keras
from keras import layers

from simper_tf.encoders.precision import FULL

FEATURES = "features"


def mark(x):
    """Returns a symbolic tensor as it is, by a layer of the name `FEATURES`, in float32.

    Example:
        >>> mark(keras.Input((None, 64))).shape
        (None, None, 64)
    """
    return layers.Identity(name=FEATURES, dtype=FULL)(x)


def with_features(encoder: keras.Model) -> keras.Model:
    """Returns an encoder, with the same weights, that returns the features before its head beside its outputs.

    Args:
        encoder: Made of layers, one of which is named `FEATURES`, its own or those of the encoder that comes last in
            it, as behind a saliency sampler.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T, D)` float32, the mean over places where there are any, and the
        outputs.

    Raises:
        ValueError: there is no such layer.

    Example:
        >>> encoder = simper_tf.small((8, 8, 1))
        >>> features, outputs = with_features(encoder).outputs
        >>> features.shape, outputs.shape
        ((None, None, 64), (None, None, 4))
    """
    parts = getattr(encoder, "layers", [])
    marked = [part for part in parts if part.name == FEATURES]
    if marked:
        x = keras.ops.cast(marked[0].output, FULL)
        places = tuple(range(2, len(x.shape) - 1))
        x = keras.ops.mean(x, axis=places) if places else x
        return keras.Model(encoder.input, [x if len(x.shape) > 2 else x[..., None], encoder.output])
    if parts and isinstance(parts[-1], keras.Model):
        return keras.Model(encoder.input, with_features(parts[-1])(parts[-2].output))
    raise ValueError(
        f"The encoder {getattr(encoder, 'name', encoder)} does not say which features come before its head, and a "
        f'linear probe reads those. Name the layer that makes them: name="{FEATURES}".'
    )
