import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small1d

RNG = np.random.default_rng(59)


def series(*shape):
    """Returns `(B, T, 1, 1, C)` numbers for `(B, T, C)`."""
    return tf.constant(RNG.uniform(size=(*shape[:2], 1, 1, shape[2])), tf.float32)


def test_one_output_drops_its_axis_and_channels_are_joined():
    assert small1d((1, 1, 1), outputs=1)(series(2, 9, 1)).shape == (2, 9)
    assert small1d((1, 1, 1), outputs=1, per_channel=True)(series(2, 9, 1)).shape == (2, 9)
    assert small1d((1, 1, 3))(series(2, 9, 3)).shape == (2, 9, 4)
    assert small1d((1, 1, 3), per_channel=True)(series(2, 9, 3)).shape == (2, 9, 12)


def test_by_channel_each_is_encoded_as_if_it_were_alone():
    whole, x = small1d((1, 1, 3), per_channel=True), series(2, 20, 3)
    alone = small1d((1, 1, 1))
    alone.set_weights(whole.get_weights())
    expected = np.concatenate([alone(x[..., k : k + 1]) for k in range(3)], axis=-1)
    np.testing.assert_allclose(whole(x), expected, atol=1e-6)


@pytest.mark.parametrize("per_channel", [False, True])
def test_a_feature_depends_on_twelve_samples_to_either_side(per_channel):
    encoder, x = small1d((1, 1, 2), per_channel=per_channel), tf.Variable(series(1, 40, 2))
    with tf.GradientTape() as tape:
        middle = tf.reduce_sum(tf.square(encoder(x)[0, 20]))
    seen = np.flatnonzero(np.abs(tape.gradient(middle, x).numpy()).sum(axis=(0, 2, 3, 4)))
    assert (seen.min(), seen.max()) == (8, 32)


@pytest.mark.parametrize("kernel_frames", [4, -1, 19])
def test_kernels_that_are_even_or_too_long_are_refused(kernel_frames):
    with pytest.raises(
        ValueError, match=rf"`kernel_frames` must be (odd|at least 1 and at most 17)\. Received: {kernel_frames}\."
    ):
        small1d((1, 1, 1), kernel_frames=kernel_frames)
