"""Trained encoder -> one file for phones, browsers and boards, where there is no TensorFlow: ONNX, or TFLite (LiteRT).

onnx/1/model.onnx, or tflite/1/model.tflite
onnx/1/metadata.json  what goes in and what comes out, and what the features mean

`keras.Model.export` writes the files. Added are the scaling of frames, pools that TFLite has, the names of free axes in
ONNX, and a check of the answers: Keras has none, and fills TFLite files with operators that phones lack.
"""

import json
import pathlib
import re
import tempfile
import warnings
from collections.abc import Mapping

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from simper_tf.encoders.frames import PerFrame
from simper_tf.export.saved_model import check_finite, described, next_version
from simper_tf.export.served_features import FeaturesModel
from simper_tf.utils import quiet
from simper_tf.utils.units import FEWEST_FRAMES

# Name of a format -> file in the numbered folder.
FILES = {"onnx": "model.onnx", "tflite": "model.tflite"}
METADATA = "metadata.json"
# Share of the largest feature by which a file may answer differently.
TOLERANCE = 1e-4
# Operators of ONNX that its runtimes have had since the end of 2022.
_OPSET = 18
_FLAT = {layers.MaxPooling3D: layers.MaxPooling2D, layers.AveragePooling3D: layers.AveragePooling2D}


def export_features(
    encoder: keras.Model,
    folder: str | pathlib.Path,
    form: str,
    frame_shape: tuple[int, int, int],
    num_frames: int,
    value_range: tuple[float, float] | None = None,
    facts: Mapping[str, object] | None = None,
) -> pathlib.Path:
    """Writes an encoder as a file of one function, `frames` -> `features`, into the next numbered folder.

    `frames` is (batch, time, H, W, C), uint8 or floats; `features` is (batch, time) or (batch, time, D) float32. Batch
    and time are free. Nothing is refused there: floats beyond the value range are cut, and NaN stays.

    Args:
        encoder: `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.
        folder: The folder of the numbered ones. Existing ones stay.
        form: A key of `FILES`.
        frame_shape: `(H, W, C)`.
        num_frames: T, the usual length of clips: the file is tried at it, and at another one.
        value_range: `(low, high)` of frames of floats, the values that the encoder was trained to see as 0 and 1; None
            for frames of uint8 levels from 0 to 255. Series are floats in any unit.
        facts: What else the metadata say, for JSON.

    Returns:
        Path of the numbered folder.

    Raises:
        ValueError: an argument is not what it must be, the weights are not finite, the converter is missing or cannot
            convert the encoder, or the file would answer differently.
        OSError: the folder cannot be written; nothing of it stays.
    """
    if form not in FILES:
        raise ValueError(f"`form` must be one of {', '.join(FILES)}. Received: {form!r}.")
    model = FeaturesModel(encoder, frame_shape, value_range or (0.0, 1.0))
    check_finite(model)
    dtype = tf.float32 if value_range or model.is_series else tf.uint8
    spec = tf.TensorSpec([None, None, *model.frame_shape], dtype, name="frames")
    try:
        content, run = _CONVERTERS[form](model, encoder, spec)
        _check_agreement(model, run, spec, [num_frames, num_frames // 2 + FEWEST_FRAMES])
    except ImportError as error:
        raise ValueError(
            f"`format={form}` needs {error.name}. Install it: pip install '.[edge]' in the checkout, or export a "
            "saved_model."
        ) from error
    except Exception as error:  # Converters and runtimes raise what they like.
        raise ValueError(
            f"`format={form}` cannot hold this encoder, {encoder.name}: {_reason(error)}. Take another `format`."
        ) from error
    limits = {name: value for name, value in model.facts().items() if name not in ("max_frames", "num_frames")}
    function = tf.function(lambda frames: {"features": model.encoded(frames)}, autograph=False)
    metadata = {
        **(facts or {}),
        **limits,
        "format": form,
        **described({"features": function.get_concrete_function(spec)}),
    }
    with next_version(folder) as (unfinished, version):
        unfinished.mkdir(parents=True)
        (unfinished / FILES[form]).write_bytes(content)
        (unfinished / METADATA).write_text(json.dumps(metadata, indent=1, ensure_ascii=False))
    return version


def _to_onnx(model, encoder, spec):
    """Returns the bytes of a file, and a function of frames that runs it."""
    import onnx
    import onnxruntime
    import tf2onnx  # noqa: F401, which Keras calls: missing, it is named here.

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"In the future `np\.object`", FutureWarning)  # Of Keras.
        proto = onnx.load_from_string(_exported(model, encoder, spec, "onnx", opset_version=_OPSET))
    content = _with_named_axes(proto).SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return content, lambda frames: session.run(["features"], {"frames": frames})[0]


def _to_tflite(model, encoder, spec):
    """Returns the bytes of a file, and a function of frames that runs it."""
    builtin = {"supported_ops": [tf.lite.OpsSet.TFLITE_BUILTINS]}
    # Pages on standard error: what counts is raised.
    with quiet.quietly(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*Warning: tf\.lite\.Interpreter is deprecated", UserWarning)
        content = _exported(model, _with_flat_pools(encoder), spec, "litert", target_spec=builtin)
        runner = tf.lite.Interpreter(model_content=content).get_signature_runner()

    def run(frames):
        with quiet.quietly():  # The interpreter says when it begins that it uses XNNPACK.
            return runner(frames=frames)["features"]

    return content, run


_CONVERTERS = {"onnx": _to_onnx, "tflite": _to_tflite}


def _exported(model, encoder, spec, form, **options):
    """Returns the bytes that `keras.Model.export` writes of an encoder behind the scaling of frames."""
    frames = keras.Input(spec.shape[1:], dtype=spec.dtype.name, name=spec.name)
    scaled = layers.Lambda(model.scaled, output_shape=spec.shape[1:], dtype="float32")(frames)
    outputs = {"features": layers.Lambda(lambda features: tf.cast(features, tf.float32))(encoder(scaled))}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.tflite")
        keras.Model(frames, outputs).export(str(path), form, verbose=False, input_signature=[spec], **options)
        return path.read_bytes()


def _with_flat_pools(encoder):
    """Returns a copy of an encoder that pools by frames where not over time: TFLite has pools of images alone."""

    def copy(layer):
        flat = _FLAT.get(type(layer))
        if flat and layer.pool_size[0] == layer.strides[0] == 1:
            return PerFrame(flat(layer.pool_size[1:], layer.strides[1:], layer.padding), name=layer.name)
        return layer.__class__.from_config(layer.get_config())

    copied = keras.models.clone_model(encoder, clone_function=copy, recursive=True)
    copied.set_weights(encoder.get_weights())
    return copied


def _check_agreement(model, run, spec, lengths):
    """Refuses a file that answers differently from the model, for clips of noise that grows brighter."""
    rng = np.random.default_rng(0)
    low, high = (0, 255) if spec.dtype == tf.uint8 else model.value_range or (-1, 1)
    for batch, length in enumerate(lengths, start=1):
        noise = rng.random((batch, length, *model.frame_shape)) * np.linspace(0, 1, length)[:, None, None, None]
        frames = (low + noise * (high - low)).astype(spec.dtype.as_numpy_dtype)
        expected = model.encoded(tf.constant(frames)).numpy()
        difference, largest = np.max(np.abs(run(frames) - expected)), np.max(np.abs(expected))
        if not difference <= TOLERANCE * largest:
            raise ValueError(
                f"the features of {length} frames differ by {difference:.2g} where the largest is {largest:.2g}, by "
                f"more than {TOLERANCE:g} of it"
            )


def _reason(error):
    lacking = sorted(set(re.findall(r"'tf\.(\w+)' op is neither", str(error))))
    if lacking:
        return f"it has no {', '.join(lacking)}"
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def _with_named_axes(proto):
    """Returns an ONNX model whose free axes have names, and that says nothing of what it was made of."""
    proto.graph.ClearField("doc_string")
    for tensor in (*proto.graph.input, *proto.graph.output):
        for name, size in zip(("batch", "time"), tensor.type.tensor_type.shape.dim, strict=False):
            size.dim_param = name
    return proto
