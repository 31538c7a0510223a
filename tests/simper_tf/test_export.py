import os
import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf import export, readout
from simper_tf.encoders import small

RATE, BAND, FRAME = 20.0, (0.4, 5.0), (12, 12, 1)
SIGNATURES = {"serving_default", "features", "serving_default_float32", "features_float32"}


@pytest.fixture(scope="module")
def encoder():
    keras.utils.set_random_seed(1)
    return small(widths=(4, 4), outputs=1)


@pytest.fixture(scope="module")
def version(encoder, tmp_path_factory):
    return export.export_model(encoder, tmp_path_factory.mktemp("saved_model"), FRAME, BAND)


@pytest.fixture(scope="module")
def loaded(version):
    return tf.saved_model.load(version)


def served(loaded, frames, rate=RATE, suffix=""):
    signature = loaded.signatures["serving_default" + suffix]
    return signature(frames=tf.constant(frames), rate=tf.constant(rate, tf.float32))


def features_of(encoder, clips):
    return encoder(tf.cast(clips, tf.float32) / 255).numpy()


def test_all_four_signatures_are_there_with_their_outputs(loaded):
    assert set(loaded.signatures) == SIGNATURES
    for name, signature in loaded.signatures.items():
        outputs = {"features"} if name.startswith("features") else {"frequency", "confidence", "features"}
        assert set(signature.structured_outputs) == outputs
        frames = signature.structured_input_signature[1]["frames"]
        assert frames.dtype == (tf.float32 if name.endswith("float32") else tf.uint8)


def test_frequencies_are_those_of_the_readout(loaded, encoder, swinging_bars):
    clips, _ = swinging_bars
    features = features_of(encoder, clips)
    frequency, confidence = readout.fft_frequency(features, RATE, BAND)
    outputs = served(loaded, clips)
    np.testing.assert_allclose(outputs["features"], features, atol=1e-5)
    np.testing.assert_allclose(outputs["frequency"], frequency, rtol=1e-3)
    np.testing.assert_allclose(outputs["confidence"], confidence, atol=1e-3)
    np.testing.assert_allclose(loaded.signatures["features"](frames=clips)["features"], features, atol=1e-5)


@pytest.mark.parametrize(("batch", "frames"), [(1, 40), (6, 8), (2, 33)])
def test_any_batch_and_length_is_served(loaded, encoder, swinging_bars, batch, frames):
    clips = swinging_bars[0][:batch, :frames]
    outputs = served(loaded, clips)
    assert outputs["frequency"].shape == outputs["confidence"].shape == (batch,)
    np.testing.assert_allclose(outputs["features"], features_of(encoder, clips), atol=1e-5)


def test_floats_are_served_in_the_unit_of_the_data_set(encoder, swinging_bars, tmp_path):
    clips, _ = swinging_bars
    version = export.export_model(encoder, tmp_path, FRAME, BAND, value_range=(-60.0, 70.0))
    celsius = clips / np.float32(255) * 130 - 60
    outputs = served(tf.saved_model.load(version), celsius, suffix="_float32")
    np.testing.assert_allclose(outputs["features"], features_of(encoder, clips), atol=1e-5)
    np.testing.assert_allclose(served(tf.saved_model.load(version), clips)["features"], outputs["features"], atol=1e-5)


def test_bytes_and_floats_are_served_alike(loaded, swinging_bars):
    clips, _ = swinging_bars
    of_bytes, of_floats = served(loaded, clips), served(loaded, clips / np.float32(255), suffix="_float32")
    for name in of_bytes:
        np.testing.assert_allclose(of_floats[name], of_bytes[name], rtol=1e-3, atol=1e-5)
    in_python = [loaded.frequency(tf.constant(frames), RATE) for frames in (clips, clips / np.float32(255))]
    for outputs in in_python:
        np.testing.assert_allclose(outputs["frequency"], of_bytes["frequency"], rtol=1e-3)
    np.testing.assert_allclose(loaded.features(tf.constant(clips))["features"], of_bytes["features"], atol=1e-5)


def test_each_clip_may_come_with_its_own_rate(loaded, swinging_bars):
    clips = swinging_bars[0][:2]
    one, each = served(loaded, clips, 20.0), served(loaded, clips, [20.0, 20.0])
    np.testing.assert_allclose(each["frequency"], one["frequency"])
    mixed = served(loaded, clips, [20.0, 10.0])["frequency"]
    assert mixed[0] == one["frequency"][0]
    np.testing.assert_allclose(mixed[1], served(loaded, clips[1:], 10.0)["frequency"][0], rtol=1e-6)


@pytest.mark.parametrize("harmonic", [1 / 2, 2.0])
def test_a_calibrated_harmonic_is_applied(encoder, swinging_bars, harmonic):
    clips, _ = swinging_bars
    model = export.FrequencyModel(encoder, FRAME, BAND, harmonic)
    expected = readout.harmonic_frequency(features_of(encoder, clips), RATE, BAND, harmonic)
    np.testing.assert_allclose(model.frequency(tf.constant(clips), RATE)["frequency"], expected, rtol=1e-3)


@pytest.mark.parametrize("shape", [(40, 12, 12, 1), (1, 40, 12, 12, 3), (1, 40, 11, 12, 1), (1, 7, 12, 12, 1)], ids=str)
@pytest.mark.parametrize("suffix", ["", "_float32"])
def test_frames_of_another_shape_are_refused_in_words(loaded, shape, suffix):
    frames = np.zeros(shape, np.float32 if suffix else np.uint8)
    message = r"`frames` must be \(batch, time >= 8, 12, 12, 1\)\. Received the shape:"
    for name, inputs in (("serving_default", {"rate": tf.constant(RATE)}), ("features", {})):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            loaded.signatures[name + suffix](frames=tf.constant(frames), **inputs)


def test_folders_count_up_from_the_largest_and_keep_what_is_there(tmp_path, monkeypatch, encoder):
    monkeypatch.setattr(tf.saved_model, "save", lambda model, path, signatures: pathlib.Path(path).mkdir(parents=True))
    for other in ("notes", "7.unfinished"):
        (tmp_path / other).mkdir()
    assert export.export_model(encoder, tmp_path, FRAME, BAND) == tmp_path / "1"
    (tmp_path / "6").mkdir()
    assert export.export_model(encoder, tmp_path, FRAME, BAND) == tmp_path / "7"
    assert {path.name for path in tmp_path.iterdir()} == {"1", "6", "7", "notes"}


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_interrupted_export_leaves_no_folder_behind(tmp_path, monkeypatch, encoder, error):
    def interrupted(self, path):
        assert (path.parent.parent / "saved_model.pb").exists()  # The first half was written.
        raise error("midway")

    monkeypatch.setattr(type(encoder), "save", interrupted)
    with pytest.raises(error, match="midway"):
        export.export_model(encoder, tmp_path, FRAME, BAND)
    assert list(tmp_path.iterdir()) == []


ALONE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "simper_tf":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
try:
    import simper_tf
except ImportError:
    pass
else:
    raise AssertionError("simper_tf can be imported here")

import numpy as np
import tensorflow as tf

frames = np.load(sys.argv[2])
outputs = tf.saved_model.load(sys.argv[1]).signatures["serving_default"](frames=frames, rate=tf.constant(20.0))
np.savez(sys.argv[3], **outputs)
assert not [name for name in sys.modules if name.split(".")[0] == "simper_tf"]
"""


def test_a_process_without_this_package_serves_the_same(version, loaded, swinging_bars, tmp_path):
    clips, _ = swinging_bars
    np.save(tmp_path / "clips.npy", clips)
    command = [sys.executable, "-I", "-c", ALONE, str(version), str(tmp_path / "clips.npy"), str(tmp_path / "out.npz")]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    expected = served(loaded, clips)
    outputs = np.load(tmp_path / "out.npz")
    assert set(outputs) == set(expected)
    for name in expected:
        np.testing.assert_allclose(outputs[name], expected[name], rtol=1e-3, atol=1e-5)


def test_the_encoder_comes_back_equal_and_trainable(version, encoder, swinging_bars):
    clips = tf.constant(swinging_bars[0])
    again = export.load_encoder(version)
    np.testing.assert_allclose(features_of(again, clips), features_of(encoder, clips), atol=1e-6)
    assert len(again.trainable_variables) == len(encoder.trainable_variables) > 0
    again.compile(optimizer="sgd", loss="mse")
    before = [variable.numpy() for variable in again.trainable_variables]
    again.train_on_batch(tf.cast(clips, tf.float32) / 255, np.ones((6, 40), np.float32))
    assert all(np.any(a != b) for a, b in zip(before[-2:], again.trainable_variables[-2:], strict=True))


def test_a_folder_that_is_no_version_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"encoder\.keras does not exist: give the numbered folder"):
        export.load_encoder(tmp_path)
