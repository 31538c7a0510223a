"""An exported model of series takes them in any unit, standardizes them itself, and refuses what is none."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf import small1d
from simper_tf.export import edge, saved_model
from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.utils.clips import unit_range

pytestmark = pytest.mark.usefixtures("eagerly")
RATE = 40.0


def waves(*hertz, channels=1):
    """Returns `(B, 240, 1, 1, C)` float32 in a large unit."""
    angle = 2 * np.pi * np.array(hertz)[:, None, None] * np.arange(240)[:, None] / RATE + np.arange(channels)
    return np.float32(3e4 + 500 * (np.sin(angle) + 0.8 * np.sin(2 * angle + 1)))[:, :, None, None]


@pytest.fixture(scope="module")
def encoder():
    keras.utils.set_random_seed(2)
    return small1d((1, 1, 2))


@pytest.fixture(scope="module")
def model(encoder):
    return FrequencyModel(encoder, (1, 1, 2), (0.5, 4.0))


def answer(model, frames):
    return model.frequency(tf.constant(frames), tf.constant([RATE] * len(frames), tf.float32))


@pytest.mark.slow
def test_features_are_those_of_the_series_in_whatever_unit(model, encoder):
    frames = waves(1.0, 1.7, channels=2)
    said, other = answer(model, frames), answer(model, frames * np.float32([1e-6, -1e2]) + np.float32([0, 5]))
    np.testing.assert_allclose(said["features"], encoder(unit_range(frames)), atol=1e-5)
    np.testing.assert_allclose(said["frequency_hz"], [1.0, 1.7], atol=0.03)
    np.testing.assert_allclose(other["frequency_hz"], said["frequency_hz"], atol=0.03)
    assert other["confidence"].numpy().min() > 0.5


@pytest.mark.slow
def test_whole_numbers_of_a_byte_are_series_too(model):
    frames = np.uint8(np.round(100 + 50 * (waves(1.3, channels=2) - 3e4) / 1000))
    assert answer(model, frames)["frequency_hz"].numpy() == pytest.approx(1.3, abs=0.03)


@pytest.mark.slow
def test_each_window_of_a_recording_is_standardized_by_itself(model):
    louder = np.concatenate([waves(1.5, channels=2), 1e3 * waves(1.5, channels=2)], axis=1)
    sizes = tf.constant([240]), tf.constant([240])
    said = model.frequency_over_time(tf.constant(louder), tf.constant([RATE]), *sizes)
    np.testing.assert_allclose(said["frequency_hz"], [[1.5, 1.5]], atol=0.03)


@pytest.mark.parametrize(("value", "told"), [(np.nan, "1 NaN or infinite of 480 values"), (np.inf, "1 NaN or inf")])
def test_what_is_not_finite_is_refused(model, value, told):
    wrong = waves(1.0, channels=2)
    wrong[0, 7, 0, 0, 1] = value
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"`frames` must be finite. Received: {told}"):
        answer(model, wrong)


def test_facts_say_that_any_unit_is_taken(model):
    assert model.facts()["value_range"] is None
    assert "series in any unit" in saved_model._MEANINGS["frames"]


@pytest.mark.slow
@pytest.mark.parametrize("form", edge.FILES)
def test_a_file_for_phones_standardizes_too(encoder, form, tmp_path):
    if form == "onnx":
        pytest.importorskip("tf2onnx")
        pytest.importorskip("onnxruntime")
    version = edge.export_features(encoder, tmp_path, form, (1, 1, 2), 240)
    frames = waves(1.0, channels=2)
    if form == "tflite":
        runner = tf.lite.Interpreter(str(version / edge.FILES[form])).get_signature_runner()
        features = runner(frames=frames)["features"]
    else:
        import onnxruntime

        session = onnxruntime.InferenceSession(str(version / edge.FILES[form]), providers=["CPUExecutionProvider"])
        features = session.run(["features"], {"frames": frames})[0]
    np.testing.assert_allclose(features, encoder(unit_range(frames)), atol=1e-4)
