"""Every method as a test asks for it, and an encoder by which training and inference differ."""

import contextlib

import keras
import pytest
from small_methods import compiled

from simper_tf.encoders.difference import FrameDifference
from simper_tf.encoders.norms import normalization
from simper_tf.methods import METHODS, SimPer

ALL = pytest.mark.parametrize("kind", METHODS.values(), ids=METHODS)

# What traces a step takes seconds a method: `make test-fast` does it for one.
ALL_SLOW_BUT_ONE = pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] * (kind is not SimPer)) for kind in METHODS.values()],
    ids=METHODS,
)


def normed_encoder():
    """Returns an encoder whose features differ between training and inference."""
    clips = keras.Input((None, 12, 12, 1))
    x = normalization("batch")(keras.layers.Conv3D(4, (1, 3, 3), strides=(1, 4, 4))(clips))
    return keras.Model(clips, keras.layers.Dense(2)(keras.layers.Dropout(0.5)(keras.ops.mean(x, axis=(2, 3)))))


def encoder_of_differences():
    """Returns an encoder of a layer that sees how frames differ."""
    clips = keras.Input((None, 12, 12, 1))
    differences = keras.layers.Reshape((-1, 12 * 12), dtype="float32")(FrameDifference()(clips))
    return keras.Model(clips, keras.layers.Dense(2, dtype="float32")(differences))


@contextlib.contextmanager
def policy(name):
    """Sets the policy of Keras inside."""
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.mixed_precision.set_dtype_policy(before)


def op_by_op(kind, *given, **changes):
    """Returns what `compiled` does, without the seconds that tracing takes, for what is not about graphs."""
    model = compiled(kind, *given, **changes)
    model.run_eagerly = True
    return model


def graph_of_one(kind, *given, **changes):
    """Returns what `compiled` does, SimPer as a graph and others op by op: `two_devices.py` makes their graphs."""
    return compiled(kind, *given, **changes) if kind is SimPer else op_by_op(kind, *given, **changes)


def values(variables):
    """Returns variables as arrays."""
    return [variable.numpy() for variable in variables]
