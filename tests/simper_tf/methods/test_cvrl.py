import numpy as np
import oracles
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.methods import CVRL
from simper_tf.views.times import DistantTimes
from simper_tf.views.views import Views

RNG = np.random.default_rng(61)
TIMES = CVRL.times_for(10, (0.5, 2.0), 0.3)


def test_cvrl_contrasts_views_of_distant_times_as_simclr_does():
    model = built(CVRL, Views(10, TIMES, CVRL.appearance), temperature=0.3, hidden=16, projection=8)
    assert DistantTimes(0.3) == TIMES
    features = tf.constant(RNG.normal(size=(5, 2, 10, 2)), tf.float32)
    vectors = tf.reshape(model.head(tf.reshape(features, [10, 20]), training=True), [5, 2, 8])
    expected, _ = oracles.nt_xent(*np.moveaxis(vectors, 1, 0), 0.3)
    assert float(model.loss_and_logs(features, {})[0]) == pytest.approx(np.mean(expected), rel=1e-4)
