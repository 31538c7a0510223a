import numpy as np
import oracles
import pytest
import tensorflow as tf
from small_methods import compiled, ready_views

from simper_tf.encoders import small
from simper_tf.methods import METHODS, Replay, SiNC, Supervised
from simper_tf.methods.self_supervised import SelfSupervised

BAND = (0.05, 0.2)
PRIOR = {"prior_weight": 3.0, "prior_band": BAND}
KINDS = {name: kind for name, kind in METHODS.items() if issubclass(kind, SelfSupervised)}
ALL = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def test_every_contrast_takes_a_prior_but_sinc_which_has_its_own():
    assert {*METHODS.values()} - {*KINDS.values()} == {Replay, SiNC, Supervised}


@pytest.mark.slow
@ALL
def test_the_share_outside_the_band_is_added_with_its_weight(kind, swinging_bars):
    settings = PRIOR, {"prior_weight": 0.0}
    model, plain = [compiled(kind, small((None, None, 1), widths=(8,), outputs=1), **prior) for prior in settings]
    batch = ready_views(kind, model.views, swinging_bars[0])
    batch |= model.targets(batch, training=False)
    features = model.encode_views(batch["views"], training=False)
    expected = plain.logs_of(features, batch, training=False)
    logs = model.logs_of(features, batch, training=False)
    speeds = batch["speeds"].numpy()
    assert speeds.shape == features.shape[:2]
    shares = [oracles.out_of_band_power(features[k], speeds[k], BAND) for k in np.ndindex(speeds.shape)]
    assert "prior" not in {*expected, *plain.log_names()}
    assert {*logs} == {*model.log_names()}
    assert float(logs["prior"]) == pytest.approx(np.mean(shares), rel=1e-3)
    assert float(logs["loss"]) == pytest.approx(float(expected["loss"]) + 3 * np.mean(shares), rel=1e-4)
    for name in expected.keys() - {"loss"}:
        assert float(logs[name]) == pytest.approx(float(expected[name]), rel=1e-5, abs=1e-6)


@pytest.mark.slow
def test_constant_features_cost_no_prior_with_finite_gradient():
    model = compiled(KINDS["simclr"], **PRIOR)
    features = tf.fill([3, 2, 16, 2], 0.7)
    with tf.GradientTape() as tape:
        tape.watch(features)
        prior = model.logs_of(features, {"speeds": tf.ones([3, 2])})["prior"]
    assert float(prior) == pytest.approx(0, abs=1e-6)
    assert np.all(np.isfinite(tape.gradient(prior, features)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prior_weight": -2.0, "prior_band": (0.1, 0.2)}, "`prior_weight` must be at least 0 .* Received: -2.0"),
        ({"prior_weight": 1.0, "prior_band": None}, r"prior needs `prior_band`, \(low, high\) in cycles per frame"),
        ({"prior_weight": 1.0, "prior_band": (0.2, 0.1)}, r"`prior_band` must .*low <= high. Received: \(0.2, 0.1\)"),
        ({"prior_weight": 1.0, "prior_band": (-0.1, 0.1)}, r"0 <= low .*Received: \(-0.1, 0.1\)"),
        ({"prior_weight": 1.0, "prior_band": (0.4, 4.0)}, r"cycles per frame.*\(0.4, 4\). If that is in Hz, divide it"),
    ],
)
@ALL
def test_priors_without_a_band_or_out_of_range_are_refused(kind, arguments, message):
    with pytest.raises(ValueError, match=message):
        compiled(kind, **arguments)
