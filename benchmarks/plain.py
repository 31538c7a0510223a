"""Encoders of the same architecture and weights in plain Keras layers alone, and whether both compute the same."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from simper_tf.encoders.norms import BatchNorm
from simper_tf.encoders.repnet import PerFrame

# Largest difference of outputs, and of moving averages; and of gradients over the largest of their tensor.
OUTPUTS, GRADIENTS = 1e-5, 1e-4


def plain(encoder: keras.Model) -> keras.Model:
    """Returns a copy of a model, its weights and seeds included, with each layer of `SWAPS` in its plain form."""
    copy = keras.models.clone_model(encoder, clone_function=_swapped)
    for mine, other in zip(encoder.variables, copy.variables, strict=True):
        other.assign(mine)
    return copy


def differs(encoder: keras.Model) -> bool:
    """Returns whether any layer of a model has a plain form, so that there is something to compare it with."""
    return any(type(layer) in SWAPS for layer in encoder._flatten_layers() if type(layer) is not PerFrame)


def gradient_step(encoder: keras.Model, clips):
    """Returns a graph of the forward and backward pass in training mode: features and gradients."""

    @tf.function(autograph=False)
    def step():
        with tf.GradientTape() as tape:
            features = encoder(clips, training=True)
            value = tf.reduce_sum(tf.square(features))
        return features, tape.gradient(value, encoder.trainable_variables)

    return step


def check_same(encoder: keras.Model, copy: keras.Model, clips):
    """Takes a step with both from the same weights, seeds and moving averages, and compares all that it yields.

    Raises:
        ValueError: features, gradients or what the step has changed differ by more than rounding.
    """
    before = [variable.numpy() for variable in encoder.variables]
    for other, value in zip(copy.variables, before, strict=True):
        other.assign(value)
    (features, gradients), (expected, others) = gradient_step(encoder, clips)(), gradient_step(copy, clips)()
    _check("features", features, expected, OUTPUTS)
    without = {id(bias) for bias in _biases_before_batch_norm(copy)}
    for variable, mine, other in zip(copy.trainable_variables, gradients, others, strict=True):
        if id(variable) not in without:
            _check(f"gradient of {variable.path}", mine, other, GRADIENTS * float(tf.reduce_max(tf.abs(other))))
    for mine, other in zip(encoder.non_trainable_variables, copy.non_trainable_variables, strict=True):
        _check(mine.path, mine, other, OUTPUTS)
    for variable, value in zip(encoder.variables, before, strict=True):
        variable.assign(value)


def _check(what, mine, other, allowed):
    found = float(np.max(np.abs(np.subtract(mine, other, dtype=np.float64)), initial=0.0))
    if not found <= allowed:
        raise ValueError(f"{what} of the two encoders differ by {found:.2g}, allowed is {allowed:.2g}: not the same.")


def _biases_before_batch_norm(model):
    """Yields biases that batch norm takes away again: their gradient is 0 but for rounding."""
    for layer in model._flatten_layers():
        users = [node.operation for node in getattr(layer, "_outbound_nodes", ())]
        biased = getattr(layer, "use_bias", False) and layer.bias is not None
        if biased and users and all(isinstance(user, layers.BatchNormalization) for user in users):
            yield layer.bias


def _swapped(layer):
    swap = SWAPS.get(type(layer))
    return swap(layer) if swap else type(layer).from_config(layer.get_config())


def _per_frame(layer):
    """Returns a wrapper of a plain model: the frames of RepNet's ResNet are images in both."""
    return PerFrame(plain(layer.layer), name=layer.name)


def _batch_norm(layer):
    return layers.BatchNormalization.from_config(layer.get_config())


# Layer of `simper_tf.encoders` -> function that makes the Keras layer in whose place it stands.
SWAPS = {BatchNorm: _batch_norm, PerFrame: _per_frame}
