import numpy as np

from simper_tf.encoders import frame_mean

RNG = np.random.default_rng(3)


def test_the_mean_of_each_frame_is_all_there_is():
    clips = RNG.uniform(size=(2, 9, 4, 5, 3)).astype(np.float32)
    np.testing.assert_allclose(frame_mean((None, None, 3))(clips), clips.mean(axis=(2, 3, 4)), atol=1e-6)
