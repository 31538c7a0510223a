"""Trained encoder -> SavedModel in physical units, for TF Serving and for any process that has TensorFlow.

saved_model/1/            the numbered folder that TF Serving watches for
  saved_model.pb          signatures, see `export_model`
  assets.extra/           left alone by TF Serving
    encoder.keras         the same encoder for fine-tuning, see `load_encoder`
"""

import pathlib
import re
import shutil

import keras
import numpy as np
import tensorflow as tf

from simper_tf.served import FrequencyModel, HeadModel

# The signatures of uint8 frames; those of float32 frames carry the suffix.
FLOAT_SUFFIX = "_float32"
# What TF Serving takes for a version: a number of 64 bits in ASCII.
_VERSION = re.compile("[0-9]{1,18}")
_ENCODER = pathlib.Path("assets.extra", "encoder.keras")


def export_model(encoder, folder, frame_shape, band, harmonic=None, value_range=(0.0, 1.0)) -> pathlib.Path:
    """Writes an encoder with its readout as the next numbered SavedModel below a folder.

    Signatures: `serving_default` (`frames` (batch, time, H, W, C), `rate` (batch,) -> `frequency`, `confidence`,
    `features`) and `features` (`frames` -> `features`) take uint8 frames; `serving_default_float32` and
    `features_float32` take floats in `value_range`. Batch and time are free. In Python,
    `tf.saved_model.load(path).frequency(frames, rate)` takes tensors of either. What is refused, and how, says
    `FrequencyModel`.

    Args:
        encoder, frame_shape, band, harmonic, value_range: As in `FrequencyModel`.
        folder: The folder TF Serving watches. Existing versions stay.

    Returns:
        Path of the version written. It appears under its number only when it is whole.

    Raises:
        ValueError: an argument is not what it must be, or the weights are not finite: it would answer NaN.
        OSError: the version cannot be written; nothing of it stays.
    """
    return _write(FrequencyModel(encoder, frame_shape, band, harmonic, value_range), encoder, folder)


def export_head(method, folder, frame_shape, task, value_range=(0.0, 1.0)) -> pathlib.Path:
    """Writes a method that was trained on labels, with its own head, as the next numbered SavedModel below a folder.

    Signatures: `serving_default` (`frames` (batch, time, H, W, C) -> the answer of the task, such as `frequency_hz`,
    and `features`) and `features`; with `_float32`, of floats in `value_range`. Batch is free, time is that of the
    clips trained on. Returns and raises what `export_model` does.

    Args:
        method: A trained `methods.Supervised`.
        folder: The folder TF Serving watches. Existing versions stay.
        frame_shape, value_range: As in `HeadModel`.
        task: What the labels are.
    """
    return _write(HeadModel(method, frame_shape, task.answer, value_range), method.encoder, folder)


def _write(model, encoder, folder):
    broken = [variable.name.removesuffix(":0") for variable in model.weights if not np.all(np.isfinite(variable))]
    if broken:
        raise ValueError(f"The encoder's weights are not finite: {', '.join(broken)}. Train again, at a lower rate.")
    folder = pathlib.Path(folder)
    newest = newest_version(folder)
    version = 1 + int(newest.name) if newest else 1
    # TF Serving loads only folders whose names are numbers, so an unfinished one is never served.
    unfinished = folder / f"{version}.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        tf.saved_model.save(model, str(unfinished), signatures=_signatures(model))
        (unfinished / _ENCODER).parent.mkdir()
        encoder.save(unfinished / _ENCODER)
        return unfinished.rename(folder / str(version))
    except (OSError, tf.errors.OpError) as error:
        raise OSError(f"{unfinished} could not be written: {str(error).splitlines()[0]}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def newest_version(folder: str | pathlib.Path) -> pathlib.Path | None:
    """Returns the path of the highest numbered SavedModel below a folder; None if there is none."""
    versions = [path for path in pathlib.Path(folder).glob("*") if _VERSION.fullmatch(path.name)]
    return max(versions, key=lambda path: int(path.name), default=None)


def is_version(path: str | pathlib.Path) -> bool:
    """Returns whether `load_encoder` finds an encoder in a folder."""
    return (pathlib.Path(path) / _ENCODER).exists()


def load_encoder(path):
    """Returns the encoder of an exported version as a Keras model, trainable, for fine-tuning.

    Args:
        path: Path of the version, such as `saved_model/1`.

    Raises:
        FileNotFoundError: this is not a version that `export_model` wrote.
    """
    file = pathlib.Path(path) / _ENCODER
    if not file.exists():
        raise FileNotFoundError(f"{file} does not exist: give the numbered folder of an exported model.")
    return keras.models.load_model(file)


def _signatures(model):
    """Returns name -> concrete function, and makes each function one of the model's that Python can call."""
    inputs = {"rate": tf.TensorSpec([None], tf.float32, name="rate")}
    signatures = {}
    for name, (function, others) in model.signatures().items():
        traced = tf.function(function, autograph=False)
        setattr(model, function.__name__, traced)
        for dtype, suffix in ((tf.uint8, ""), (tf.float32, FLOAT_SUFFIX)):
            frames = tf.TensorSpec([None, model.num_frames, *model.frame_shape], dtype, name="frames")
            signatures[name + suffix] = traced.get_concrete_function(frames, *(inputs[other] for other in others))
    return signatures
