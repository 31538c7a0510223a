"""Steps of every encoder, beside the same architecture and weights in plain Keras layers.

python -m benchmarks --only='encoder_*'
"""

import functools

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from benchmarks.timing import Row, alternate
from simper_tf.encoders import ENCODERS
from simper_tf.encoders.frames import PerFrame
from simper_tf.encoders.norms import BatchNorm
from simper_tf.encoders.small import FrameConv2D
from simper_tf.encoders.ts_can import TemporalShift

# Encoder -> shape of its clips (frames, height, width, channels), those of views in its flagfile or less where these
# take longer than some seconds, and the two numbers of clips. `frame_mean` has nothing to learn, and no step.
SIZES = {
    "cnn3d": ((75, 28, 28, 1), (2, 4)),
    "cnn3d_domainbed": ((50, 28, 28, 1), (1, 2)),
    "efficientphys": ((90, 36, 36, 3), (2, 4)),
    "linear": ((75, 28, 28, 1), (320, 640)),
    "physnet": ((60, 48, 48, 3), (1, 2)),
    "physnet_sinc": ((60, 48, 48, 3), (1, 2)),
    "repnet": ((20, 64, 64, 3), (1, 2)),
    "resnet3d18": ((16, 48, 48, 3), (1, 2)),
    "small": ((75, 28, 28, 1), (80, 160)),
    "small1d": ((132, 1, 1, 3), (320, 640)),
    "ts_can": ((90, 36, 36, 3), (2, 4)),
}
# Clips on which both are compared, but for the channels.
CHECKED = (2, 6, 16, 16)
# Largest difference of features, and of what a step changes, over their largest or 1; and that of gradients over the
# largest of their tensor. Tensors whose gradients are so much smaller than the largest of all have none but rounding
# errors: biases whose every use is normalized. They have to be as small in both.
OUTPUTS, GRADIENTS, NONE = 1e-5, 1e-4, 1e-4


def step(number, name):
    """Seconds of an encoder's step, forward and backward, and of the plain one; None where both are the same."""
    keras.utils.set_random_seed(0)
    shape = SIZES[name][0]
    encoder = ENCODERS[name](shape[1:])
    clips = tf.random.uniform([number, *shape])
    calls = [gradient_step(encoder, clips)]
    if differs(encoder):
        check(name)
        calls.append(gradient_step(plain(encoder), clips))
    best = alternate(*calls, repeats=5)
    return best[0], best[1] if len(best) > 1 else None


def check(name):
    """Compares a step of an encoder on a few small clips with that of its plain copy.

    Raises:
        ValueError: they do not compute the same.
    """
    shape = (*CHECKED, SIZES[name][0][-1])
    keras.utils.set_random_seed(0)
    encoder = smooth(ENCODERS[name](shape[2:]))
    check_same(encoder, plain(encoder), tf.random.uniform(shape))


def plain(encoder: keras.Model) -> keras.Model:
    """Returns a copy of a model, its weights and seeds included, with each layer of `SWAPS` in its plain form."""
    return _copy(encoder, lambda layer: SWAPS.get(type(layer), type(layer)).from_config(layer.get_config()))


def smooth(encoder: keras.Model) -> keras.Model:
    """Returns a copy of a model with softplus for ReLU, whose gradient jumps where rounding moves a value beyond 0."""

    def swap(layer):
        config = layer.get_config()
        if isinstance(layer, layers.ReLU):
            return layers.Activation("softplus", name=layer.name, dtype=config["dtype"])
        changed = {"activation": "softplus"} if config.get("activation") == "relu" else {}
        return type(layer).from_config({**config, **changed})

    return _copy(encoder, swap)


def differs(encoder: keras.Model) -> bool:
    """Returns whether any layer of a model has a plain form, so that there is something to compare it with."""
    return any(type(layer) in SWAPS for layer in encoder._flatten_layers())


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
    """Takes a step with both, of the same weights, seeds and moving averages, and compares all that it yields.

    Args:
        encoder: A model whose weights the step leaves as they are; moving averages are moved.
        copy: Its `plain` copy, fresh.
        clips: `(B, T, H, W, C)`. A few small ones are best: the more values there are, the likelier rounding decides
            which of two is the largest in max pooling, and leads gradients elsewhere.

    Raises:
        ValueError: features, gradients or what the step has changed differ by more than rounding.
    """
    # Op by op: a graph of two steps takes longer to trace.
    steps = [gradient_step(model, clips).python_function for model in (encoder, copy)]
    (features, gradients), (expected, others) = [step() for step in steps]
    _check("features", features, expected, OUTPUTS * max(1.0, _largest(expected)))
    largest = max(map(_largest, others))
    for variable, mine, other in zip(copy.trainable_variables, gradients, others, strict=True):
        has_some = _largest(other) > NONE * largest
        allowed = GRADIENTS * _largest(other) if has_some else NONE * largest
        _check(f"gradient of {variable.path}", tf.reshape(mine, other.shape), other, allowed)
    for mine, other in zip(encoder.non_trainable_variables, copy.non_trainable_variables, strict=True):
        _check(mine.path, mine, other, OUTPUTS * max(1.0, _largest(other)))


def _largest(values):
    return float(np.max(np.abs(np.asarray(values, np.float64)), initial=0.0))


def _check(what, mine, other, allowed):
    difference = _largest(np.subtract(mine, other, dtype=np.float64))
    if not difference <= allowed:
        raise ValueError(
            f"{what} of the two encoders differ by {difference:.2g}, allowed is {allowed:.2g}: not the same."
        )


def _copy(model, swap):
    """Returns a copy of a model whose layers are what `swap` makes of each, with the values of all its variables."""

    def made(layer):
        if type(layer) is PerFrame and isinstance(layer.layer, keras.Model):
            return PerFrame(_copy(layer.layer, swap), name=layer.name)
        return swap(layer)

    copy = keras.models.clone_model(model, clone_function=made)
    for mine, other in zip(model.variables, copy.variables, strict=True):
        other.assign(tf.reshape(mine, other.shape))
    return copy


class CutShift(layers.Layer):
    """`TemporalShift` as published: thirds are cut out, moved and joined again."""

    def call(self, inputs):
        third = inputs.shape[-1] // 3
        later, earlier, now = tf.split(inputs, [third, third, inputs.shape[-1] - 2 * third], axis=-1)
        later = tf.concat([later[:, 1:], tf.zeros_like(later[:, :1])], axis=1)
        earlier = tf.concat([tf.zeros_like(earlier[:, :1]), earlier[:, :-1]], axis=1)
        return tf.concat([later, earlier, now], axis=-1)


class FlatConv3D(layers.Conv3D):
    """`FrameConv2D` as a convolution over time as well, whose kernel spans one frame."""

    @classmethod
    def from_config(cls, config):
        sizes = {name: (1, *config[name]) for name in ("kernel_size", "strides", "dilation_rate")}
        return cls(**{**config, **sizes})


# Layer of `simper_tf.encoders` -> plain layer that takes the same config and computes the same.
SWAPS = {BatchNorm: layers.BatchNormalization, FrameConv2D: FlatConv3D, TemporalShift: CutShift}
ROWS = {
    f"encoder_{name}": Row(functools.partial(step, name=name), numbers, "clips") for name, (_, numbers) in SIZES.items()
}
