import getpass
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.export import saved_model
from simper_tf.signals import readout

# The clips of 40 frames hold two periods of the lower end.
RATE, BAND, FRAME = 20.0, (1.0, 5.0), (12, 12, 1)
OUTPUTS = {
    "serving_default": {"frequency_hz", "confidence", "features"},
    "answer": {"frequency_hz", "confidence"},
    "features": {"features"},
    "frequency_over_time": {"frequency_hz", "confidence", "middle_s"},
}


@pytest.fixture(scope="module")
def encoder():
    keras.utils.set_random_seed(1)
    return small((None, None, 1), widths=(4, 4), outputs=1)


@pytest.fixture(scope="module")
def version(encoder, tmp_path_factory):
    return saved_model.export_model(encoder, tmp_path_factory.mktemp("saved_model"), FRAME, BAND)


@pytest.fixture(scope="module")
def loaded(version):
    return tf.saved_model.load(version)


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
    for name in ("frequency_hz", "confidence"):
        np.testing.assert_array_equal(light[name], whole[name])
    assert sum(values.numpy().nbytes for values in light.values()) == 8 * len(clips)


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "name", "factor"), [("bpm", "heart_rate_bpm", 60.0), ("count", "count", 40 / RATE)])
def test_answers_come_in_the_unit_of_the_task_too(encoder, swinging_bars, unit, name, factor):
    clips, _ = swinging_bars
    answer = saved_model.FrequencyModel(encoder, FRAME, BAND, unit=unit).answer(tf.constant(clips), rates(clips))
    assert set(answer) == {"frequency_hz", name, "confidence"}
    np.testing.assert_allclose(answer[name], factor * answer["frequency_hz"], rtol=1e-6)


@pytest.mark.slow
def test_the_metadata_say_what_every_tensor_is_and_what_was_given(encoder, tmp_path):
    facts = {"method": "simper", "dataset": "chests"}
    version = saved_model.export_model(encoder, tmp_path, FRAME, BAND, 0.5, (-60.0, 70.0), "bpm", 900, facts)
    found = json.loads((version / saved_model.METADATA).read_text())
    expected = {
        **facts, "frame_shape": list(FRAME), "band_hz": list(BAND), "harmonic": 0.5, "least_rate": 20.0,
        "value_range": [-60.0, 70.0], "max_frames": 900, "num_frames": None, "answer": "heart_rate_bpm",
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    loaded = tf.saved_model.load(version)
    assert json.loads(loaded.signatures["metadata"]()["json"].numpy()) == found
    for name, signature in loaded.signatures.items():
        if name != "metadata":
            told = found["signatures"][name]
            assert set(told["inputs"]) == set(signature.structured_input_signature[1])
            assert set(told["outputs"]) == set(signature.structured_outputs)
            assert "unit of the labels" not in json.dumps(told)


@pytest.mark.slow
def test_no_file_of_an_export_tells_where_it_was_made_and_equal_weights_are_equal_bytes(encoder, tmp_path):
    first, second = [saved_model.export_model(encoder, tmp_path / "secret_folder", FRAME, BAND) for _ in range(2)]
    files = [path.relative_to(first) for path in sorted(first.rglob("*")) if path.is_file()]
    root = pathlib.Path(saved_model.__file__).parents[2]
    words = {str(pathlib.Path.home()), "secret_folder", str(tmp_path), str(root), sys.prefix, getpass.getuser() + "@"}
    for file in files:
        content = (first / file).read_bytes()
        assert not [word for word in words if len(word) > 2 and word.encode() in content], file
    variables = [file for file in files if file.parts[0] == "variables"]
    assert len(variables) == 2
    for file in variables:
        assert (first / file).read_bytes() == (second / file).read_bytes()


@pytest.mark.slow
def test_equal_weights_are_equal_bytes_whatever_was_made_in_the_process_before(version, encoder, tmp_path):
    again = saved_model.export_model(saved_model.load_encoder(version), tmp_path, FRAME, BAND)
    for path in (version / "variables").iterdir():
        assert path.read_bytes() == (again / "variables" / path.name).read_bytes()


@pytest.mark.slow
def test_frequencies_are_those_of_the_bars_and_features_those_of_the_encoder(loaded, encoder, swinging_bars):
    clips, frequencies = swinging_bars
    features, outputs = features_of(encoder, clips), served(loaded, clips)
    np.testing.assert_allclose(outputs["features"], features, atol=1e-5)
    # The slowest swings below the band. Features of 40 frames that nothing was learned for are some 0.1 Hz off.
    np.testing.assert_allclose(outputs["frequency_hz"], np.clip(frequencies, *BAND), atol=0.1)
    np.testing.assert_allclose(loaded.signatures["features"](frames=clips)["features"], features, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("batch", "frames"), [(1, 40), (6, 80), (2, 73)])
def test_any_batch_and_length_is_served(loaded, encoder, swinging_bars, batch, frames):
    clips = np.tile(swinging_bars[0], (1, 2, 1, 1, 1))[:batch, :frames]
    outputs = served(loaded, clips)
    assert outputs["frequency_hz"].shape == outputs["confidence"].shape == (batch,)
    np.testing.assert_allclose(outputs["features"], features_of(encoder, clips), atol=1e-5)


@pytest.mark.slow
def test_floats_are_served_in_the_unit_of_the_data_set(encoder, swinging_bars, tmp_path):
    clips, _ = swinging_bars
    version = saved_model.export_model(encoder, tmp_path, FRAME, BAND, value_range=(-60.0, 70.0))
    celsius = clips / np.float32(255) * 130 - 60
    outputs = served(tf.saved_model.load(version), celsius, suffix="_float32")
    np.testing.assert_allclose(outputs["features"], features_of(encoder, clips), atol=1e-5)
    np.testing.assert_allclose(served(tf.saved_model.load(version), clips)["features"], outputs["features"], atol=1e-5)


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
@pytest.mark.parametrize("harmonic", [1 / 2, 2.0])
def test_a_calibrated_harmonic_is_applied(encoder, swinging_bars, harmonic):
    clips = np.tile(swinging_bars[0], (1, 2, 1, 1, 1))  # Two periods of features that run at half.
    model = saved_model.FrequencyModel(encoder, FRAME, BAND, harmonic)
    expected = readout.harmonic_frequency(features_of(encoder, clips), RATE, BAND, harmonic)
    outputs = model.frequency(tf.constant(clips), rates(clips))
    np.testing.assert_allclose(outputs["frequency_hz"], np.clip(expected, *BAND), rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["serving_default", "serving_default_float32"])
def test_a_refusal_is_read_in_python_too(loaded, name):
    frames = np.zeros((1, 20, *FRAME), np.float32 if name.endswith("float32") else np.uint8)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"`frames` must last 2 s, .* Received: 20 frames at"):
        loaded.signatures[name](frames=tf.constant(frames), rate=rates(frames))


@pytest.mark.slow
def test_folders_count_up_from_the_largest_and_keep_what_is_there(tmp_path, monkeypatch, encoder):
    monkeypatch.setattr(tf.saved_model, "save", lambda model, path, signatures: pathlib.Path(path).mkdir(parents=True))
    # str.isdigit() is true of the second, int() takes the third, and neither is a version to TF Serving.
    others = {"notes", "²", "٣", " 8", "8\n", "9_0", "-9", "+9", "1e3", "9.0"}
    for other in {"7.unfinished", *others}:
        (tmp_path / other).mkdir()
    assert saved_model.export_model(encoder, tmp_path, FRAME, BAND) == tmp_path / "1"
    (tmp_path / "6").mkdir()
    assert saved_model.export_model(encoder, tmp_path, FRAME, BAND) == tmp_path / "7"
    assert {path.name for path in tmp_path.iterdir()} == {"1", "6", "7", *others}


@pytest.mark.slow
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_interrupted_export_leaves_no_folder_behind(tmp_path, monkeypatch, encoder, error):
    def interrupted(self, path):
        assert (path.parent.parent / "saved_model.pb").exists()  # The first half was written.
        raise error("midway")

    monkeypatch.setattr(type(encoder), "save", interrupted)
    with pytest.raises(error, match="midway"):
        saved_model.export_model(encoder, tmp_path, FRAME, BAND)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_full_disk_leaves_nothing_behind_and_names_the_folder(tmp_path, encoder):
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"saved/1\.unfinished could not be written: .*File too large"):
            saved_model.export_model(encoder, tmp_path / "saved", FRAME, BAND)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert list((tmp_path / "saved").iterdir()) == []


@pytest.mark.slow
def test_a_file_in_place_of_the_folder_is_named(tmp_path, encoder):
    (tmp_path / "saved").write_text("mine")
    with pytest.raises(OSError, match=r"saved/1\.unfinished could not be written: .*saved"):
        saved_model.export_model(encoder, tmp_path / "saved", FRAME, BAND)
    assert (tmp_path / "saved").read_text() == "mine"


def test_weights_that_are_not_finite_are_not_exported(tmp_path):
    broken = small((None, None, 1), widths=(4, 4), outputs=1)
    broken.trainable_variables[1].assign([np.nan, 0, 0, 0])
    with pytest.raises(ValueError, match=r"The encoder's weights are not finite: conv3d\S*/bias\. Train again"):
        saved_model.export_model(broken, tmp_path, FRAME, BAND)
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
rate = tf.fill([len(frames)], 20.0)
outputs = tf.saved_model.load(sys.argv[1]).signatures["serving_default"](frames=frames, rate=rate)
np.savez(sys.argv[3], **outputs)
assert not [name for name in sys.modules if name.split(".")[0] == "simper_tf"]
"""


@pytest.mark.slow
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
