"""Encoders as files for phones and browsers, run by the interpreters that read them there."""

import getpass
import importlib.util
import json
import pathlib
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import ENCODERS, small, ts_can, with_saliency_sampler
from simper_tf.export import edge

FRAME, T = (20, 18, 3), 12


def slim(encoder):
    """Returns an encoder of the same layers with an eighth of the filters: converters take long over many weights."""

    def fresh(layer):
        config = layer.get_config()
        return layer.__class__.from_config(
            config | {"filters": max(config["filters"] // 8, 1)} if "filters" in config else config
        )

    return keras.models.clone_model(encoder, clone_function=fresh)


KINDS = {name: lambda make=make: make(FRAME) for name, make in ENCODERS.items()}
KINDS["resnet3d18"] = lambda: slim(ENCODERS["resnet3d18"](FRAME))
# The sums of its group norm round differently in every runtime.
KINDS["cnn3d_domainbed"] = lambda: ENCODERS["cnn3d_domainbed"](FRAME, norm="batch")
KINDS["repnet"] = lambda: ENCODERS["repnet"](FRAME, width=1 / 16)
KINDS["ts_can attention"] = lambda: ts_can(FRAME, attention=True)
KINDS["saliency"] = lambda: with_saliency_sampler(small((None, None, 3)), FRAME)
# Operators that TFLite has not.
REFUSED = {
    ("physnet", "tflite"): r"--format=tflite cannot hold this encoder, physnet: it has no AvgPool3D\. Take another",
    ("repnet", "tflite"): r"--format=tflite cannot hold this encoder, repnet: it has no SpaceToBatchND\. Take another",
}


@pytest.fixture(params=edge.FILES)
def form(request):
    """Returns the name of a format whose converter is installed."""
    if request.param == "onnx":
        pytest.importorskip("tf2onnx")
        pytest.importorskip("onnxruntime")
    return request.param


def noise(*shape):
    return np.random.default_rng(5).integers(0, 256, (*shape, *FRAME), np.uint8)


def made(kind):
    keras.utils.set_random_seed(4)
    encoder = KINDS[kind]()
    encoder(noise(2, T) / np.float32(255), training=True)  # So that averages of norms are not 0 and 1.
    return encoder


def opened(version):
    """Returns a function of frames that runs the one file in a folder that is no metadata."""
    (path,) = (path for path in version.iterdir() if path.suffix != ".json")
    if path.suffix == ".onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(path)
        return lambda frames: session.run(["features"], {"frames": frames})[0]
    runner = tf.lite.Interpreter(str(path)).get_signature_runner()
    return lambda frames: runner(frames=frames)["features"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*tf.lite.Interpreter is deprecated")
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_answers_as_the_encoder_does_or_is_refused_with_what_is_lacking(tmp_path, kind, form):
    encoder = made(kind)
    if (kind, form) in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[kind, form]):
            edge.export_features(encoder, tmp_path, form, FRAME, T)
        assert list(tmp_path.iterdir()) == []
        return
    version = edge.export_features(encoder, tmp_path, form, FRAME, T)
    assert version == tmp_path / "1"
    assert {path.name for path in version.iterdir()} == {edge.FILES[form], "metadata.json"}
    run = opened(version)
    for shape in [(1, T), (3, 2 * T + 1), (2, 8)] if form == "onnx" else [(1, T)]:
        expected = encoder(noise(*shape) / np.float32(255)).numpy()
        np.testing.assert_allclose(run(noise(*shape)), expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*tf.lite.Interpreter is deprecated")
def test_floats_are_taken_in_the_unit_of_the_data_set_and_cut_to_its_range(tmp_path, form):
    encoder, clips = made("small"), noise(1, T) / np.float32(255)
    version = edge.export_features(encoder, tmp_path, form, FRAME, T, (-60.0, 70.0), {"dataset": "ground"})
    run = opened(version)
    np.testing.assert_allclose(run(130 * clips - 60), encoder(clips), atol=1e-6)
    np.testing.assert_allclose(run(260 * clips - 120), encoder(np.clip(2 * clips - 60 / 130, 0, 1)), atol=1e-6)
    found = json.loads((version / edge.METADATA).read_text())
    assert (found["dataset"], found["value_range"], found["format"]) == ("ground", [-60.0, 70.0], form)
    assert found["signatures"]["features"]["inputs"]["frames"].startswith("float32 (batch, time, height, width, chan")


@pytest.mark.slow
def test_names_types_and_shapes_are_those_of_the_metadata(tmp_path, form):
    version = edge.export_features(made("small"), tmp_path, form, FRAME, T, facts={"band_hz": (0.4, 5.5)})
    found = json.loads((version / edge.METADATA).read_text())
    assert (found["band_hz"], found["frame_shape"]) == ([0.4, 5.5], list(FRAME))
    if form == "onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(version / "model.onnx")
        (frames,), (features,) = session.get_inputs(), session.get_outputs()
        assert (frames.name, frames.type, frames.shape) == ("frames", "tensor(uint8)", ["batch", "time", *FRAME])
        assert (features.name, features.type, features.shape) == ("features", "tensor(float)", ["batch", "time", 4])
        assert (found["batch"], found["num_frames"]) == (None, None)
    else:
        interpreter = tf.lite.Interpreter(str(version / "model.tflite"))
        assert interpreter.get_signature_list() == {"serving_default": {"inputs": ["frames"], "outputs": ["features"]}}
        (frames,), (features,) = interpreter.get_input_details(), interpreter.get_output_details()
        assert (frames["dtype"], frames["shape"].tolist()) == (np.uint8, [1, T, *FRAME])
        assert (features["dtype"], features["shape"].tolist()) == (np.float32, [1, T, 4])
        assert (found["batch"], found["num_frames"]) == (1, T)


def constants(version):
    """Returns the bytes of the weights and other constants in a file, sorted.

    In ONNX those of floats: of whole numbers, shapes and places, its converter joins equal ones in some calls and not
    in others.
    """
    if (version / "model.onnx").exists():
        import onnx

        arrays = map(onnx.numpy_helper.to_array, onnx.load(version / "model.onnx").graph.initializer)
        return sorted(array.tobytes() for array in arrays if np.issubdtype(array.dtype, np.floating))
    from tensorflow.lite.tools import flatbuffer_utils

    model = flatbuffer_utils.read_model(str(version / "model.tflite"))
    return sorted(bytes(buffer.data) for buffer in model.buffers if buffer.data is not None)


@pytest.mark.slow
def test_equal_weights_are_equal_bytes_and_no_file_tells_where_it_was_made(tmp_path, form):
    encoder, same = made("efficientphys"), KINDS["efficientphys"]()
    same.set_weights(encoder.get_weights())  # Averages of norms may differ in their last bit, as threads come.
    first, second = (edge.export_features(each, tmp_path / "secret_folder", form, FRAME, T) for each in (encoder, same))
    assert (first.name, second.name) == ("1", "2")
    assert constants(first) == constants(second)
    assert sum(map(len, constants(first))) > 500_000
    root = pathlib.Path(edge.__file__).parents[2]
    words = {str(pathlib.Path.home()), "secret_folder", str(tmp_path), str(root), sys.prefix, getpass.getuser() + "@"}
    for path in first.iterdir():
        assert not [word for word in words if len(word) > 2 and word.encode() in path.read_bytes()], path


@pytest.mark.slow
def test_a_file_that_would_answer_differently_is_not_written(tmp_path, form, monkeypatch):
    def wrong(model, encoder, spec):
        content, run = right(model, encoder, spec)
        return content, lambda frames: run(frames) * np.float32(1.001)

    right = edge._CONVERTERS[form]
    monkeypatch.setitem(edge._CONVERTERS, form, wrong)
    message = rf"--format={form} cannot hold .*, small: the features of 12 frames differ by \S+ where the largest is "
    with pytest.raises(ValueError, match=message):
        edge.export_features(made("small"), tmp_path, form, FRAME, T)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_half_precision_is_refused_with_what_the_interpreter_says(tmp_path, form):
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        encoder = made("small")
    finally:
        keras.mixed_precision.set_dtype_policy("float32")
    with pytest.raises(ValueError, match=rf"--format={form} cannot hold this encoder, small: .+\. Take another"):
        edge.export_features(encoder, tmp_path, form, FRAME, T)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_interrupted_export_leaves_nothing_behind(tmp_path, form, monkeypatch):
    written = pathlib.Path.write_bytes

    def interrupted(path, content):
        written(path, content[:100])
        raise KeyboardInterrupt

    monkeypatch.setattr(pathlib.Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        edge.export_features(made("frame_mean"), tmp_path, form, FRAME, T)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_converter_or_runtime_is_named_with_its_extra(tmp_path, monkeypatch):
    for name in ("tf2onnx", "onnxruntime"):
        with monkeypatch.context() as patch:
            if importlib.util.find_spec("onnxruntime") is None:
                patch.setitem(sys.modules, "onnxruntime", object())
            patch.setitem(sys.modules, name, None)
            message = rf"--format=onnx needs {name}\. Install it: pip install 'simper-tf\[edge\]', or export a saved_mo"
            with pytest.raises(ValueError, match=message):
                edge.export_features(made("frame_mean"), tmp_path, "onnx", FRAME, T)
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_not_finite_and_unknown_formats_are_refused(tmp_path):
    broken = small(FRAME)
    broken.trainable_variables[1].assign(np.full(16, np.nan))
    with pytest.raises(ValueError, match=r"The encoder's weights are not finite: conv3d\S*/bias\. Train again"):
        edge.export_features(broken, tmp_path, "tflite", FRAME, T)
    with pytest.raises(ValueError, match=r"`form` must be one of onnx, tflite\. Received: 'coreml'\."):
        edge.export_features(small(FRAME), tmp_path, "coreml", FRAME, T)
    assert list(tmp_path.iterdir()) == []
