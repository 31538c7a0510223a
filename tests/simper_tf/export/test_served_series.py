"""An exported model of series takes them in any unit, standardizes them itself, and refuses what is none."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf import small1d
from simper_tf.export import edge, saved_model
from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.utils.clips import unit_range

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
def version(encoder, tmp_path_factory):
    return saved_model.export_model(encoder, tmp_path_factory.mktemp("v"), (1, 1, 2), (0.5, 4.0))


def answer(version, frames, signature="serving_default_float32"):
    found = tf.saved_model.load(str(version)).signatures[signature]
    said = found(frames=tf.constant(frames), rate=tf.constant([RATE] * len(frames), tf.float32))
    return {name: values.numpy() for name, values in said.items()}


def test_features_are_those_of_the_standardized_series_in_whatever_unit(version, encoder):
    frames = waves(1.0, 1.7, channels=2)
    said, other = answer(version, frames), answer(version, frames * np.float32([1e-6, -1e2]) + np.float32([0, 5]))
    np.testing.assert_allclose(said["features"], encoder(unit_range(frames)), atol=1e-5)
    np.testing.assert_allclose(said["frequency_hz"], [1.0, 1.7], atol=0.03)
    np.testing.assert_allclose(other["frequency_hz"], said["frequency_hz"], atol=0.03)
    assert other["confidence"].min() > 0.5


def test_whole_numbers_of_a_byte_are_series_too(version):
    frames = np.uint8(np.round(100 + 50 * (waves(1.3, channels=2) - 3e4) / 1000))
    assert answer(version, frames, "serving_default")["frequency_hz"] == pytest.approx(1.3, abs=0.03)


def test_each_window_of_a_recording_is_standardized_by_itself(version):
    louder = np.concatenate([waves(1.5, channels=2), 1e3 * waves(1.5, channels=2)], axis=1)
    found = tf.saved_model.load(str(version)).signatures["frequency_over_time_float32"]
    sizes = {name: tf.constant([240]) for name in ("window_frames", "hop_frames")}
    said = found(frames=tf.constant(louder), rate=tf.constant([RATE]), **sizes)
    np.testing.assert_allclose(said["frequency_hz"], [[1.5, 1.5]], atol=0.03)


@pytest.mark.parametrize(("frames", "found"), [(np.nan, "1 NaN or infinite of 480 values"), (np.inf, "1 NaN or inf")])
def test_what_is_not_finite_is_refused(version, frames, found):
    wrong = waves(1.0, channels=2)
    wrong[0, 7, 0, 0, 1] = frames
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"`frames` must be finite. Received: {found}"):
        answer(version, wrong)


def test_metadata_say_that_any_unit_is_taken(version):
    facts = json.loads((version / saved_model.METADATA).read_text())
    assert facts["value_range"] is None
    assert "series in any unit" in facts["signatures"]["serving_default_float32"]["inputs"]["frames"]


def test_a_request_of_series_is_bounded_by_what_encoders_make_of_it(encoder):
    assert FrequencyModel(encoder, (1, 1, 2), (0.5, 4.0)).max_frames == 1_000_000


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
