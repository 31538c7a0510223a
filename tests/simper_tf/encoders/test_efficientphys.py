import functools

import keras
import numpy as np
import pytest
from made_clips import uniform

from simper_tf.encoders import efficientphys
from simper_tf.encoders.norms import NORMS

RNG = np.random.default_rng(61)
clips = functools.partial(uniform, RNG)


def test_differences_do_not_cross_from_one_clip_into_the_next():
    encoder, x = efficientphys((10, 10, 3), norm="affine"), clips(3, 9, 10, 10, 3)
    np.testing.assert_allclose(encoder(x)[1:2], encoder(x[1:2]), atol=1e-5)


@pytest.mark.parametrize("norm", NORMS)
def test_a_faint_change_reaches_the_first_convolution_in_full(norm):
    encoder = efficientphys((10, 10, 3), norm=norm)
    scaled = keras.Model(encoder.input, encoder.get_layer(index=2).output)
    faint = 0.5 + 1e-3 * clips(2, 12, 10, 10, 3)
    assert 0.8 < np.std(scaled(faint, training=True)) < 1.2
