import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small

FRAME = (None, None, 1)
RNG = np.random.default_rng(53)


def clips(*shape):
    return tf.constant(RNG.uniform(size=shape), tf.float32)


@pytest.mark.parametrize(("channels", "kernel_frames", "outputs"), [(1, 1, 1), (3, 3, 4)])
def test_parameters_are_those_of_its_layers(channels, kernel_frames, outputs):
    convolutions = (9 * channels * 16 + 16) + (9 * 16 * 32 + 32) + (9 * 32 * 32 + 32)
    expected = convolutions + (kernel_frames * 32 * 64 + 64) + (64 * outputs + outputs)
    assert small((None, None, channels), kernel_frames=kernel_frames, outputs=outputs).count_params() == expected


def test_one_output_drops_the_axis():
    assert small(FRAME, outputs=1)(clips(2, 9, 8, 8, 1)).shape == (2, 9)
    assert small(FRAME)(clips(2, 9, 8, 8, 1)).shape == (2, 9, 4)


@pytest.mark.parametrize("kernel_frames", [1, 3])
@pytest.mark.parametrize("delay", [1, 3])
def test_delaying_the_clip_delays_the_features_inside(kernel_frames, delay):
    encoder, x = small(FRAME, kernel_frames=kernel_frames), clips(1, 24, 8, 8, 1)
    features, delayed = encoder(x[:, delay:]), encoder(x[:, :-delay])
    np.testing.assert_allclose(features[:, 1 : -1 - delay], delayed[:, 1 + delay : -1], atol=1e-5, rtol=1e-4)


def test_one_frame_is_blind_to_the_order_of_frames():
    x, order = clips(2, 12, 8, 8, 1), RNG.permutation(12)
    one_frame, over_time = small(FRAME, kernel_frames=1), small(FRAME)
    np.testing.assert_allclose(one_frame(tf.gather(x, order, axis=1)), one_frame(x).numpy()[:, order], atol=1e-6)
    assert np.abs(over_time(tf.gather(x, order, axis=1)) - over_time(x).numpy()[:, order]).max() > 1e-4


def test_a_still_clip_has_constant_features_up_to_its_ends():
    still = tf.repeat(clips(2, 1, 8, 8, 1), 9, axis=1)
    features = small(FRAME)(still).numpy()
    np.testing.assert_allclose(features, np.repeat(features[:, 4:5], 9, axis=1), atol=1e-6)


def test_an_even_number_of_frames_is_refused():
    with pytest.raises(ValueError, match=r"`kernel_frames` must be odd. Received: 4."):
        small(FRAME, kernel_frames=4)
