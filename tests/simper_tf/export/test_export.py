"""Exported versions: signatures, metadata, files and what an interrupted export leaves."""

import getpass
import json
import pathlib
import resource
import signal
import sys

import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.export import saved_model

# The clips of 40 frames hold two periods of the lower end.
RATE, BAND, FRAME = 20.0, (1.0, 5.0), (12, 12, 1)
ANSWER = {"frequency_hz", "heart_rate_bpm", "confidence"}
OUTPUTS = {
    "serving_default": {*ANSWER, "features"},
    "answer": ANSWER,
    "features": {"features"},
    "frequency_over_time": {*ANSWER, "middle_s"},
}


@pytest.fixture(scope="module")
def encoder(exported):
    return exported[0]


@pytest.fixture(scope="module")
def version(exported):
    return exported[1]


def served(loaded, frames, rate=RATE, suffix=""):
    signature = loaded.signatures["serving_default" + suffix]
    return signature(frames=tf.constant(frames), rate=rates(frames, rate))


def rates(frames, rate=RATE):
    return tf.constant(np.broadcast_to(rate, len(frames)), tf.float32)


def features_of(encoder, clips):
    return encoder(tf.cast(clips, tf.float32) / 255).numpy()


@pytest.mark.slow
def test_all_signatures_are_there_with_their_outputs(loaded):
    assert set(loaded.signatures) == {name + suffix for name in OUTPUTS for suffix in ("", "_float32")} | {"metadata"}
    for name, outputs in OUTPUTS.items():
        for suffix, dtype in (("", tf.uint8), ("_float32", tf.float32)):
            signature = loaded.signatures[name + suffix]
            assert set(signature.structured_outputs) == outputs
            assert signature.structured_input_signature[1]["frames"].dtype == dtype


@pytest.mark.slow
def test_the_light_answer_is_the_same_without_features(loaded, swinging_bars):
    clips = swinging_bars[0]
    whole, light = served(loaded, clips), loaded.signatures["answer"](frames=clips, rate=rates(clips))
    for name in ANSWER:
        np.testing.assert_array_equal(light[name], whole[name])
    np.testing.assert_allclose(whole["heart_rate_bpm"], 60 * whole["frequency_hz"], rtol=1e-6)
    assert sum(values.numpy().nbytes for values in light.values()) == 12 * len(clips)


@pytest.mark.slow
def test_metadata_say_what_every_tensor_is(version, loaded):
    told = json.loads((version / saved_model.METADATA).read_text())
    expected = {
        "method": "simper", "dataset": "µ", "frame_shape": list(FRAME), "band_hz": list(BAND), "harmonic": None,
        "least_rate": 10.0, "least_seconds": 2.0, "value_range": [0.0, 1.0], "max_frames": 222_222, "num_frames": None,
        "answer": "heart_rate_bpm",
    }  # fmt: skip
    assert {name: told[name] for name in expected} == expected
    assert json.loads(loaded.signatures["metadata"]()["json"].numpy()) == told
    for name, signature in loaded.signatures.items():
        if name != "metadata":
            described = told["signatures"][name]
            assert set(described["inputs"]) == set(signature.structured_input_signature[1])
            assert set(described["outputs"]) == set(signature.structured_outputs)
            assert "unit of the labels" not in json.dumps(described)


@pytest.mark.slow
def test_no_file_of_an_export_tells_where_it_was_made(version, tmp_path_factory):
    root, temporary = pathlib.Path(saved_model.__file__).parents[2], str(tmp_path_factory.getbasetemp())
    words = {str(pathlib.Path.home()), "secret_folder", temporary, str(root), sys.prefix, getpass.getuser() + "@"}
    for file in filter(pathlib.Path.is_file, version.rglob("*")):
        content = file.read_bytes()
        assert not [word for word in words if len(word) > 2 and word.encode() in content], file


@pytest.mark.slow
def test_equal_weights_are_equal_bytes_whatever_came_before(encoder, tmp_path, features_alone):
    first = saved_model.export_model(encoder, tmp_path, FRAME, BAND)
    second = saved_model.export_model(saved_model.load_encoder(first), tmp_path, FRAME, BAND)
    files = sorted((first / "variables").iterdir())
    assert len(files) == 2
    for file in files:
        assert file.read_bytes() == (second / "variables" / file.name).read_bytes()


@pytest.mark.slow
def test_features_are_those_of_the_encoder_for_any_clips(loaded, encoder, swinging_bars):
    clips = np.tile(swinging_bars[0], (1, 2, 1, 1, 1))
    features = features_of(encoder, clips)
    np.testing.assert_allclose(loaded.signatures["features"](frames=clips)["features"], features, atol=1e-5)
    for batch, frames in ((1, 40), (6, 80), (2, 73)):
        outputs = served(loaded, clips[:batch, :frames])
        assert outputs["frequency_hz"].shape == outputs["confidence"].shape == (batch,)
        np.testing.assert_allclose(outputs["features"], features_of(encoder, clips[:batch, :frames]), atol=1e-5)


@pytest.mark.slow
def test_bytes_and_floats_are_served_alike(loaded, swinging_bars):
    clips, _ = swinging_bars
    of_bytes, of_floats = served(loaded, clips), served(loaded, clips / np.float32(255), suffix="_float32")
    for name in of_bytes:
        np.testing.assert_allclose(of_floats[name], of_bytes[name], rtol=1e-3, atol=1e-5)
    in_python = [loaded.frequency(tf.constant(frames), rates(frames)) for frames in (clips, clips / np.float32(255))]
    for outputs in in_python:
        np.testing.assert_allclose(outputs["frequency_hz"], of_bytes["frequency_hz"], rtol=1e-3)
    np.testing.assert_allclose(loaded.features(tf.constant(clips))["features"], of_bytes["features"], atol=1e-5)
    by_name = loaded.frequency(frames=tf.constant(clips), rate=rates(clips))
    np.testing.assert_array_equal(by_name["frequency_hz"], in_python[0]["frequency_hz"])


@pytest.mark.slow
def test_each_clip_comes_with_its_own_rate(loaded, swinging_bars):
    clips = swinging_bars[0][:2]
    one = served(loaded, clips, 20.0)
    mixed = served(loaded, clips, [20.0, 10.0])["frequency_hz"]
    assert mixed[0] == one["frequency_hz"][0]
    np.testing.assert_allclose(mixed[1], served(loaded, clips[1:], 10.0)["frequency_hz"][0], rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["serving_default", "serving_default_float32"])
def test_a_refusal_is_read_in_python_too(loaded, name):
    frames = np.zeros((1, 20, *FRAME), np.float32 if name.endswith("float32") else np.uint8)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"`frames` must last 2 s, .* Received: 20 frames at"):
        loaded.signatures[name](frames=tf.constant(frames), rate=rates(frames))


def written(folder):
    """Writes the next version below a folder, and returns its path."""
    with saved_model.next_version(folder) as (unfinished, version):
        assert unfinished.name == f"{version.name}.unfinished"
        unfinished.mkdir(parents=True)
        (unfinished / "mine").touch()
    return version


def test_folders_count_up_from_the_largest_and_keep_the_old(tmp_path):
    # str.isdigit() is true of the second, int() takes the third, and neither is a version to TF Serving.
    others = {"notes", "²", "٣", " 8", "8\n", "9_0", "-9", "+9", "1e3", "9.0"}
    for other in {"7.unfinished", *others}:
        (tmp_path / other).mkdir()
    assert saved_model.newest_version(tmp_path) is None
    assert written(tmp_path) == tmp_path / "1"
    for other in ("6", "10"):
        (tmp_path / other).mkdir()
    assert saved_model.newest_version(tmp_path) == tmp_path / "10"
    assert written(tmp_path) == tmp_path / "11"
    (tmp_path / "7.unfinished").rmdir()
    assert {path.name for path in tmp_path.iterdir()} == {"1", "6", "10", "11", *others}
    assert (tmp_path / "11" / "mine").exists()


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_interrupted_version_leaves_no_folder_behind(tmp_path, error):
    def interrupted():
        with saved_model.next_version(tmp_path) as (unfinished, _):
            unfinished.mkdir()
            raise error("midway")

    with pytest.raises(error, match="midway"):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "saved").write_text("mine")
    with pytest.raises(OSError, match=r"saved/1\.unfinished could not be written: .*saved"):
        written(tmp_path / "saved")
    assert (tmp_path / "saved").read_text() == "mine"


def test_an_encoder_comes_back_trainable_whatever_it_was(tmp_path):
    encoder = small((None, None, 1), widths=(4,))
    encoder.trainable = False
    (tmp_path / "assets.extra").mkdir()
    assert not saved_model.is_version(tmp_path)
    encoder.save(tmp_path / "assets.extra" / "encoder.keras")
    assert saved_model.is_version(tmp_path)
    assert len(saved_model.load_encoder(tmp_path).trainable_variables) == len(encoder.weights) > 0


@pytest.mark.slow
def test_a_full_disk_leaves_nothing_behind_and_names_the_folder(tmp_path, encoder, features_alone):
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"saved/1\.unfinished could not be written: .*File too large"):
            saved_model.export_model(encoder, tmp_path / "saved", FRAME, BAND)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_not_finite_are_not_exported(tmp_path):
    broken = small((None, None, 1), widths=(4, 4), outputs=1)
    broken.trainable_variables[1].assign([np.nan, 0, 0, 0])
    with pytest.raises(ValueError, match=r"The encoder's weights are not finite: frame_conv2d\S*/bias\. Train again"):
        saved_model.export_model(broken, tmp_path, FRAME, BAND)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_encoder_comes_back_equal_and_trainable(version, encoder, swinging_bars):
    clips = tf.constant(swinging_bars[0])
    again = saved_model.load_encoder(version)
    np.testing.assert_allclose(features_of(again, clips), features_of(encoder, clips), atol=1e-6)
    assert len(again.trainable_variables) == len(encoder.trainable_variables) > 0
    again.compile(optimizer="sgd", loss="mse")
    before = [variable.numpy() for variable in again.trainable_variables]
    again.train_on_batch(tf.cast(clips, tf.float32) / 255, np.ones((6, 40), np.float32))
    assert all(np.any(a != b) for a, b in zip(before[-2:], again.trainable_variables[-2:], strict=True))


def test_a_folder_that_is_no_version_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"encoder\.keras does not exist: give the numbered folder"):
        saved_model.load_encoder(tmp_path)
