"""Trained encoder -> SavedModel in physical units, for TF Serving and for any process that has TensorFlow.

saved_model/1/            the numbered folder that TF Serving watches for
  saved_model.pb          signatures, see `export_model`
  assets.extra/           left alone by TF Serving
    encoder.keras         the same encoder for fine-tuning, see `load_encoder`
    head.npz              the head's weights where it has one of its own, for further training
    metadata.json         what the signature `metadata` answers
    tf_serving_warmup_requests  with `warm_up`, see there
"""

import contextlib
import inspect
import json
import os
import pathlib
import re
import shutil
from collections.abc import Mapping, Sequence

import keras
import numpy as np
import tensorflow as tf

import simper_tf
from simper_tf.export import warm_up as requests
from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.export.served_head import HeadModel
from simper_tf.export.served_patterns import PatternModel
from simper_tf.export.served_rhythm import RhythmModel
from simper_tf.utils import files

# The signatures of uint8 frames; those of float32 frames carry the suffix.
FLOAT_SUFFIX = "_float32"
# What TF Serving takes for a version: a number of 64 bits in ASCII.
_VERSION = re.compile("[0-9]{1,18}")
_ENCODER = pathlib.Path("assets.extra", "encoder.keras")
HEAD = pathlib.Path("assets.extra", "head.npz")
METADATA = pathlib.Path("assets.extra", "metadata.json")
_INPUTS = {
    "rate": tf.TensorSpec([None], tf.float32, name="rate"),
    "window_frames": tf.TensorSpec([None], tf.int32, name="window_frames"),
    "hop_frames": tf.TensorSpec([None], tf.int32, name="hop_frames"),
}
# What inputs and outputs are, for clients; one that is not here has the unit of the labels.
_MEANINGS = {
    "frames": "(batch, time, height, width, channels): levels from 0 to 255 as uint8, or floats in value_range; "
    "where that is null, series in any unit, each channel of each clip or window is standardized inside",
    "rate": "(batch): frames per second",
    "window_frames": "(batch): frames of a window, the same for all",
    "hop_frames": "(batch): the same for all, frames from the start of a window to that of the next",
    "frequency_hz": "(batch), over time (batch, windows): hertz",
    "heart_rate_bpm": "as frequency_hz, in beats per minute",
    "temperature_celsius": "(batch, frames): degrees Celsius of the frames that follow",
    "count": "(batch), over time (batch, windows): repetitions in the clip or window",
    "confidence": "(batch), over time (batch, windows): 0 to 1; from 0.5 on something repeats",
    "middle_s": "(batch, windows): seconds from the start of the recording to the middle of the window",
    "features": "(batch, time) or (batch, time, channels): without unit",
}


def export_model(
    encoder: keras.Model,
    folder: str | os.PathLike,
    frame_shape: Sequence[int | None],
    band: tuple[float, float],
    harmonic: float | str | None = None,
    value_range: tuple[float, float] = (0.0, 1.0),
    unit: str = "Hz",
    max_frames: int | None = None,
    facts: Mapping[str, object] | None = None,
    warm_up: bool = False,
    is_overruled: bool = False,
) -> pathlib.Path:
    """Writes an encoder with its readout as the next numbered SavedModel below a folder.

    Signatures, of which batch and time are free:

    * `serving_default`: `frames` (batch, time, H, W, C), `rate` (batch,) -> `frequency_hz`, `confidence`, `features`.
    * `answer`: the same without `features`.
    * `features`: `frames` -> `features`.
    * `frequency_over_time`: answers to windows.
    * `metadata`: nothing -> JSON.

    Frames are uint8; signatures with `_float32` in their name take floats in `value_range`. In Python,
    `tf.saved_model.load(path).frequency(frames, rate)` takes both. `FrequencyModel` says what is refused.

    Args:
        encoder, frame_shape, band, harmonic, value_range, unit, max_frames, is_overruled: As in `FrequencyModel`.
        folder: The folder TF Serving watches. Existing versions stay.
        facts: What else the metadata say, such as the data set, for JSON.
        warm_up: Whether to write `warm_up.FILE`, which needs the extra `serving`.

    Returns:
        Path of the version written. It appears under its number only when it is whole.

    Raises:
        ValueError: an argument is not what it must be, or the weights are not finite: it would answer NaN.
        OSError: the version cannot be written; nothing of it stays.

    Example:
        >>> encoder = simper_tf.small((16, 16, 1))
        >>> path = simper_tf.export_model(encoder, "served", (16, 16, 1), band=(0.5, 4.0))
        >>> path.as_posix()
        'served/1'
    """
    model = FrequencyModel(encoder, frame_shape, band, harmonic, value_range, unit, max_frames, is_overruled)
    return _write(model, encoder, folder, facts or {}, warm_up)


def export_rhythm(
    reader: keras.Model,
    folder: str | os.PathLike,
    frame_shape: Sequence[int],
    band: tuple[float, float],
    multiple: float = 1.0,
    facts: Mapping[str, object] | None = None,
) -> pathlib.Path:
    """Writes a model of `rhythm_scales.over_scales` as the next numbered SavedModel below a folder.

    It answers as one of `export_model`, by the likeliest period in the band, times a multiple in hertz.
    """
    return _write(RhythmModel(reader, frame_shape, band, multiple), reader, folder, facts or {}, warm_up=False)


def export_patterns(
    encoder, folder, frame_shape, known, value_range=(0.0, 1.0), unit="Hz", max_frames=None, facts=None, warm_up=False
) -> pathlib.Path:
    """Writes an encoder whose features are read by `patterns` as the next numbered SavedModel below a folder.

    It answers as one of `export_model`. `known` is what `patterns.learn` returns, with a confidence.
    """
    model = PatternModel(encoder, frame_shape, known, value_range, unit, max_frames)
    return _write(model, encoder, folder, facts or {}, warm_up)


def export_head(
    encoder, folder, frame_shape, head, value_range=(0.0, 1.0), max_frames=None, facts=None, warm_up=False
) -> pathlib.Path:
    """Writes an encoder with a head that was fitted to labels as the next numbered SavedModel below a folder.

    Signatures: `serving_default` (`frames` (batch, time, H, W, C) -> the answer of the task, such as
    `temperature_celsius`, and `features`), `answer`, the same without `features`, and `features`; with `_float32`, of
    floats in `value_range`; and `metadata`. A frequency that a protocol has fitted takes `rate` (batch,) too. Batch is
    free, time is that of the clips that the head was fitted to. Else it is as `export_model`.
    """
    model = HeadModel(encoder, frame_shape, head, value_range, max_frames)
    return _write(model, encoder, folder, facts or {}, warm_up, head.kept)


def _write(model, encoder, folder, facts, warm_up, head=None):
    if warm_up:
        requests.protos()  # Refused before anything is written.
    check_finite(model)
    with next_version(folder) as (unfinished, version):
        signatures = _signatures(model)
        description = json.dumps({**facts, **model.facts(), **described(signatures)}, indent=1, ensure_ascii=False)
        signatures["metadata"] = tf.function(lambda: {"json": tf.constant(description)}).get_concrete_function()
        tf.saved_model.save(model, str(unfinished), signatures=signatures)
        (unfinished / METADATA).parent.mkdir()
        (unfinished / METADATA).write_text(description)
        if warm_up:
            requests.write(unfinished, model.facts(), signatures)
        encoder.save(unfinished / _ENCODER)
        if head:
            np.savez(unfinished / HEAD, **head)
    return version


def check_finite(model):
    """Refuses a `FeaturesModel` that would answer NaN: a ValueError names its weights that are not finite."""
    broken = [variable.name.removesuffix(":0") for variable in model.weights if not np.all(np.isfinite(variable))]
    if broken:
        raise ValueError(f"The encoder's weights are not finite: {', '.join(broken)}. Train again, at a lower rate.")


@contextlib.contextmanager
def next_version(folder: str | pathlib.Path):
    """Lets a block write the next numbered folder below another, which is whole under its number or not there.

    Yields the folder to be made and written, and what becomes of it where the block ends well. Where it cannot be
    written, an OSError, nothing of it stays.
    """
    folder = pathlib.Path(folder)
    newest = newest_version(folder)
    version = folder / str(1 + int(newest.name) if newest else 1)
    # TF Serving loads only folders whose names are numbers, so an unfinished one is never served.
    unfinished = version.with_name(f"{version.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    with files.without_empty(folder):
        try:
            yield unfinished, version
            unfinished.rename(version)
        except (OSError, tf.errors.OpError) as error:
            raise OSError(f"{unfinished} could not be written: {str(error).splitlines()[0]}") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def newest_version(folder: str | pathlib.Path) -> pathlib.Path | None:
    """Returns the path of the highest numbered SavedModel below a folder; None if there is none."""
    versions = [path for path in pathlib.Path(folder).glob("*") if _VERSION.fullmatch(path.name)]
    return max(versions, key=lambda path: int(path.name), default=None)


def find_version(path: str | pathlib.Path) -> pathlib.Path | None:
    """Returns the SavedModel that is meant by the folder of a run, of its `saved_model` or of one version; or None."""
    path = pathlib.Path(path)
    folder = path / "saved_model" if (path / "saved_model").is_dir() else path
    return folder if (folder / "saved_model.pb").exists() else newest_version(folder)


def is_version(path: str | pathlib.Path) -> bool:
    """Returns whether `load_encoder` finds an encoder in a folder."""
    return (pathlib.Path(path) / _ENCODER).exists()


def load_encoder(path: str | os.PathLike) -> keras.Model:
    """Returns the encoder of an exported version as a Keras model, trainable, for fine-tuning.

    It takes floats in [0, 1], as `clips.unit_range` makes of uint8 clips and of series.

    Args:
        path: Path of the version, such as `saved_model/1`.

    Raises:
        FileNotFoundError: this is not a version that `export_model` wrote.

    Example:
        >>> encoder = simper_tf.small1d((1, 1, 1))
        >>> path = simper_tf.export_model(encoder, "series", (1, 1, 1), band=(0.5, 4.0))
        >>> simper_tf.load_encoder(path).count_params() == encoder.count_params()
        True
    """
    file = pathlib.Path(path) / _ENCODER
    if not file.exists():
        raise FileNotFoundError(f"{file} does not exist: give the numbered folder of an exported model.")
    encoder = keras.models.load_model(file)
    encoder.trainable = True  # Whatever it was when it was written.
    return encoder


def _signatures(model):
    """Returns name -> concrete function, and makes each function one of the model's that Python can call."""
    signatures = {}
    for name, (function, others) in model.signatures().items():
        traced, made = tf.function(function, autograph=False), {}
        for dtype, suffix in ((tf.uint8, ""), (tf.float32, FLOAT_SUFFIX)):
            frames = tf.TensorSpec([None, model.num_frames, *model.frame_shape], dtype, name="frames")
            given = frames, *(_INPUTS[other] for other in others)
            signatures[name + suffix] = made[given] = traced.get_concrete_function(*given)
        setattr(model, function.__name__, _calling(function, made))
    return signatures


def _calling(function, made):
    """Returns a `tf.function` with the arguments of another that calls one of its graphs, inputs -> graph.

    `tf.saved_model.save` makes the graphs of all functions of a module anew: of this one that is a call, where that of
    the function itself would be made a second time, encoder and all.
    """
    signature, by_type = inspect.signature(function), {given[0].dtype: graph for given, graph in made.items()}

    def call(*given, **named):
        given = signature.bind(*given, **named).args
        return by_type[given[0].dtype](*given)

    call.__signature__ = signature
    calling = tf.function(call, autograph=False)
    for given in made:
        calling.get_concrete_function(*given)
    return calling


def described(signatures) -> dict[str, object]:
    """Returns what signatures, name -> concrete function, take and answer, and this package's version, for JSON."""

    def meanings(tensors):
        return {
            name: f"{tensor.dtype.name} {_MEANINGS.get(name, '(batch) or (batch, values): in the unit of the labels')}"
            for name, tensor in tensors.items()
        }

    return {
        "simper_tf": simper_tf.__version__,
        "signatures": {
            name: {
                "inputs": meanings({spec.name: spec for spec in function.structured_input_signature[0]}),
                "outputs": meanings(function.structured_outputs),
            }
            for name, function in signatures.items()
        },
    }
