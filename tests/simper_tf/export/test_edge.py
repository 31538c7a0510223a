"""Encoders as files for phones and browsers, run by the interpreters that read them there."""

import getpass
import importlib.util
import json
import pathlib
import sys
import types

import keras
import numpy as np
import pytest
import tensorflow as tf
from processes import done
from special_encoders import KINDS

from simper_tf.encoders import small
from simper_tf.export import edge

FRAME, T = (20, 18, 3), 12
PLAIN = small(FRAME, widths=(4,))
EXPORT = """
import sys
from simper_tf.utils import quiet
quiet.start()
from simper_tf.encoders import small
from simper_tf.export import edge
edge.export_features(small((20, 18, 3), widths=(4,)), sys.argv[2], sys.argv[1], (20, 18, 3), 12)
"""


@pytest.fixture(scope="module", params=edge.FILES)
def form(request):
    """Returns the name of a format whose converter is installed."""
    if request.param == "onnx":
        pytest.importorskip("tf2onnx")
        pytest.importorskip("onnxruntime")
    return request.param


@pytest.fixture(scope="module")
def version(form, tmp_path_factory):
    """Returns the file of a plain encoder, of floats from -60 to 70."""
    folder = tmp_path_factory.mktemp("secret_folder")
    return edge.export_features(PLAIN, folder, form, FRAME, T, (-60.0, 70.0), {"band_hz": (0.4, 5.5)})


@pytest.fixture
def converted(monkeypatch):
    """Puts in place of the converter one that writes three bytes and answers as the encoder does."""
    runs = types.SimpleNamespace(times=1.0, shapes=[])

    def convert(model, encoder, spec):
        def run(frames):
            runs.shapes.append((frames.shape, frames.dtype, frames.min(), frames.max()))
            return runs.times * model.encoded(tf.constant(frames)).numpy()

        return b"abc", run

    monkeypatch.setitem(edge._CONVERTERS, "tflite", convert)
    return runs


def noise(*shape):
    return np.random.default_rng(5).integers(0, 256, (*shape, *FRAME), np.uint8)


def opened(version):
    """Returns a function of frames that runs the one file in a folder that is no metadata."""
    (path,) = (path for path in version.iterdir() if path.suffix != ".json")
    if path.suffix == ".onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(path)
        return lambda frames: session.run(["features"], {"frames": frames})[0]
    runner = tf.lite.Interpreter(str(path)).get_signature_runner()
    return lambda frames: runner(frames=frames)["features"]


def agrees(version, encoder):
    run = opened(version)
    for shape in [(1, T), (3, 2 * T + 1), (2, 8)]:
        expected = encoder(noise(*shape) / np.float32(255)).numpy()
        np.testing.assert_allclose(run(noise(*shape)), expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*tf.lite.Interpreter is deprecated")
@pytest.mark.parametrize("kind", ["physnet", "repnet", "saliency"])
def test_onnx_answers_as_the_encoder_at_any_length(tmp_path, kind):
    pytest.importorskip("tf2onnx")
    pytest.importorskip("onnxruntime")
    encoder = KINDS[kind](FRAME)
    encoder(noise(2, T) / np.float32(255), training=True)  # So that averages of norms are not 0 and 1.
    agrees(edge.export_features(encoder, tmp_path, "onnx", FRAME, T), encoder)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*tf.lite.Interpreter is deprecated")
@pytest.mark.parametrize("kind", ["efficientphys", "saliency"])
def test_tflite_answers_as_the_encoder_at_any_length(tmp_path, kind):
    encoder = KINDS[kind](FRAME)
    encoder(noise(2, T) / np.float32(255), training=True)
    agrees(edge.export_features(encoder, tmp_path, "tflite", FRAME, T), encoder)


@pytest.mark.slow
def test_an_export_prints_nothing_and_warns_of_nothing(form, tmp_path):
    assert done(["-c", EXPORT, form, tmp_path]) == (0, "", "")


@pytest.mark.slow
def test_what_tflite_lacks_is_named(tmp_path):
    pool = keras.layers.AveragePooling3D((2, 1, 1), (1, 1, 1), "same")  # Over time, so that none of images does it.
    corner = keras.layers.Reshape((-1, FRAME[0] * FRAME[1] * FRAME[2]))
    encoder = keras.Sequential([keras.Input((None, *FRAME)), pool, corner])
    message = (
        rf"`format=tflite` cannot hold this encoder, {encoder.name}: it has no AvgPool3D\. Take another `format`\."
    )
    with pytest.raises(ValueError, match=message):
        edge.export_features(encoder, tmp_path, "tflite", FRAME, T)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_frames_are_taken_in_their_unit_at_any_length(version):
    run = opened(version)
    for shape in [(1, T), (3, 2 * T + 1), (2, 8)]:
        clips = noise(*shape) / np.float32(255)
        np.testing.assert_allclose(run(130 * clips - 60), PLAIN(clips), atol=1e-6)
        np.testing.assert_allclose(run(260 * clips - 120), PLAIN(np.clip(2 * clips - 60 / 130, 0, 1)), atol=1e-6)


@pytest.mark.slow
def test_names_types_and_shapes_are_those_of_the_metadata(version, form):
    told = json.loads((version / edge.METADATA).read_text())
    assert (told["band_hz"], told["frame_shape"], told["format"]) == ([0.4, 5.5], list(FRAME), form)
    assert (version.name, {path.name for path in version.iterdir()}) == ("1", {edge.FILES[form], edge.METADATA})
    if form == "onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(version / "model.onnx")
        (frames,), (features,) = session.get_inputs(), session.get_outputs()
        assert (frames.name, frames.type, frames.shape) == ("frames", "tensor(float)", ["batch", "time", *FRAME])
        assert (features.name, features.type, features.shape) == ("features", "tensor(float)", ["batch", "time", 4])
    else:
        interpreter = tf.lite.Interpreter(str(version / "model.tflite"))
        assert interpreter.get_signature_list() == {"serving_default": {"inputs": ["frames"], "outputs": ["features"]}}
        (frames,), (features,) = interpreter.get_input_details(), interpreter.get_output_details()
        assert (frames["dtype"], frames["shape_signature"].tolist()) == (np.float32, [-1, -1, *FRAME])
        assert (features["dtype"], features["shape_signature"].tolist()[-1]) == (np.float32, 4)


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
def test_equal_weights_are_equal_constants_and_files_hide_paths(version, form, tmp_path):
    same = small(FRAME, widths=(4,))
    same.set_weights(PLAIN.get_weights())
    again = edge.export_features(same, tmp_path, form, FRAME, T, (-60.0, 70.0))
    assert constants(version) == constants(again)
    assert sum(map(len, constants(version))) > 4 * PLAIN.count_params() / 2
    root = pathlib.Path(edge.__file__).parents[2]
    words = {str(pathlib.Path.home()), "secret_folder", str(root), sys.prefix, getpass.getuser() + "@"}
    for path in version.iterdir():
        assert not [word for word in words if len(word) > 2 and word.encode() in path.read_bytes()], path


def test_a_file_is_tried_at_two_lengths_over_the_whole_range(tmp_path, converted):
    for value_range, dtype, low, high in ((None, np.uint8, 0, 254), ((-60.0, 70.0), np.float32, -60.0, 69.0)):
        edge.export_features(PLAIN, tmp_path, "tflite", FRAME, T, value_range)
        shapes, dtypes, lows, highs = zip(*converted.shapes, strict=True)
        assert shapes == ((1, 12, *FRAME), (2, 14, *FRAME))
        assert set(dtypes) == {np.dtype(dtype)}
        assert min(lows) == low
        assert high <= max(highs) <= high + 1
        converted.shapes.clear()
    assert {path.name for path in tmp_path.iterdir()} == {"1", "2"}
    assert (tmp_path / "2" / "model.tflite").read_bytes() == b"abc"


def test_metadata_say_what_goes_in_and_out(tmp_path, converted):
    version = edge.export_features(PLAIN, tmp_path, "tflite", FRAME, T, facts={"dataset": "µ"})
    told = json.loads((version / edge.METADATA).read_text())
    described = told.pop("signatures")["features"]
    assert told.pop("simper_tf")
    assert told == {"dataset": "µ", "frame_shape": list(FRAME), "value_range": [0.0, 1.0], "format": "tflite"}
    assert described["inputs"]["frames"].startswith(
        "uint8 (batch, time, height, width, channels): levels from 0 to 255"
    )
    assert described["outputs"] == {"features": "float32 (batch, time) or (batch, time, channels): without unit"}


@pytest.mark.parametrize(("times", "agrees"), [(1 + 9e-5, True), (1 + 1.1e-4, False), (np.nan, False)])
def test_answers_may_differ_by_a_ten_thousandth_of_the_largest(tmp_path, converted, times, agrees):
    converted.times = times
    if agrees:
        edge.export_features(PLAIN, tmp_path, "tflite", FRAME, T)
        return
    message = r"`format=tflite` cannot hold .*, small: the features of 12 frames differ by \S+ where the largest is "
    with pytest.raises(ValueError, match=message):
        edge.export_features(PLAIN, tmp_path, "tflite", FRAME, T)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_half_precision_is_refused_with_the_reason(tmp_path):
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        encoder = small(FRAME, widths=(4,))
    finally:
        keras.mixed_precision.set_dtype_policy("float32")
    with pytest.raises(ValueError, match=r"`format=tflite` cannot hold this encoder, small: .+\. Take another"):
        edge.export_features(encoder, tmp_path, "tflite", FRAME, T)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_export_leaves_nothing_behind(tmp_path, converted, monkeypatch):
    written = pathlib.Path.write_bytes

    def interrupted(path, content):
        written(path, content[:1])
        raise KeyboardInterrupt

    monkeypatch.setattr(pathlib.Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        edge.export_features(PLAIN, tmp_path, "tflite", FRAME, T)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_converter_or_runtime_is_named_with_its_extra(tmp_path, monkeypatch):
    for name in ("tf2onnx", "onnxruntime"):
        with monkeypatch.context() as patch:
            if importlib.util.find_spec("onnxruntime") is None:
                patch.setitem(sys.modules, "onnxruntime", object())
            patch.setitem(sys.modules, name, None)
            message = rf"`format=onnx` needs {name}\. Install it: pip install '\.\[edge\]' in the checkout, or export a"
            with pytest.raises(ValueError, match=message):
                edge.export_features(PLAIN, tmp_path, "onnx", FRAME, T)
    assert list(tmp_path.iterdir()) == []


def test_weights_not_finite_and_unknown_formats_are_refused(tmp_path):
    broken = small(FRAME)
    broken.trainable_variables[1].assign(np.full(16, np.nan))
    with pytest.raises(ValueError, match=r"The encoder's weights are not finite: frame_conv2d\S*/bias\. Train again"):
        edge.export_features(broken, tmp_path, "tflite", FRAME, T)
    with pytest.raises(ValueError, match=r"`form` must be one of onnx, tflite\. Received: 'coreml'\."):
        edge.export_features(small(FRAME), tmp_path, "coreml", FRAME, T)
    assert list(tmp_path.iterdir()) == []
