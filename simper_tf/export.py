"""Trained encoder -> SavedModel in physical units, for TF Serving and for any process that has TensorFlow.

saved_model/1/            the numbered folder that TF Serving watches for
  saved_model.pb          signatures, see `export_model`
  assets.extra/           left alone by TF Serving
    encoder.keras         the same encoder for fine-tuning, see `load_encoder`
"""

import pathlib
import shutil

import keras
import tensorflow as tf

from simper_tf import readout, units
from simper_tf.methods.base import unit_range

# The signatures of uint8 frames; those of float32 frames carry the suffix.
FLOAT_SUFFIX = "_float32"
_ENCODER = pathlib.Path("assets.extra", "encoder.keras")


class FrequencyModel(tf.Module):
    """An encoder with its readout: frames and their rate in, Hz out.

    Args:
        encoder: `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.
        frame_shape: `(H, W, C)`.
        band: `(low, high)` in Hz, in which the frequency lies.
        harmonic: The one at which the features run, as `readout.calibrate_harmonic` finds it.
        value_range: `(low, high)` of float frames, in their physical unit, that the encoder was trained to see as 0
            and 1.
    """

    def __init__(self, encoder, frame_shape, band, harmonic=1.0, value_range=(0.0, 1.0)):
        super().__init__()
        self.encoder = encoder
        self.frame_shape = tuple(frame_shape)
        self.band = tuple(band)
        self.harmonic = float(harmonic)
        self.value_range = tuple(map(float, value_range))

    def features(self, frames):
        """Returns `{"features": (B, T) or (B, T, D)}` of `(B, T, H, W, C)` frames."""
        frames = self._checked(frames)
        clips = units.rescale(frames, self.value_range) if frames.dtype.is_floating else unit_range(frames)
        return {"features": tf.cast(self.encoder(clips, training=False), tf.float32)}

    def frequency(self, frames, rate):
        """Returns frequencies in Hz, confidences in [0, 1] and features.

        Args:
            frames: `(B, T, H, W, C)` uint8, or float32 in the value range, such as [0, 1].
            rate: Frames per second, one number or `(B,)`.
        """
        features = self.features(frames)["features"]
        rate = tf.broadcast_to(tf.reshape(rate, [-1]), tf.shape(features)[:1])
        low, high = (edge / self.harmonic for edge in self.band)
        frequency, confidence = readout.fft_frequency(features, rate, (low, high))
        return {"frequency": self.harmonic * frequency, "confidence": confidence, "features": features}

    def _checked(self, frames):
        """Refuses frames of another size in words, inside the graph: a client sees this message."""
        wanted = ", ".join(map(str, self.frame_shape))
        message = f"`frames` must be (batch, time >= 8, {wanted}). Received the shape:"
        shape = tf.shape(frames)
        fits = tf.rank(frames) == 5
        fits = tf.cond(fits, lambda: tf.reduce_all(shape[2:] == self.frame_shape) & (shape[1] >= 8), lambda: False)
        with tf.control_dependencies([tf.debugging.Assert(fits, [message, shape], summarize=8)]):
            return tf.ensure_shape(tf.identity(frames), [None, None, *self.frame_shape])


def export_model(encoder, folder, frame_shape, band, harmonic=1.0, value_range=(0.0, 1.0)):
    """Writes the next numbered SavedModel below a folder.

    Signatures, each with batch and length free: `serving_default` (`frames`, `rate` -> `frequency`, `confidence`,
    `features`) and `features` (`frames` -> `features`) take uint8 frames; `serving_default_float32` and
    `features_float32` take floats in `value_range`. In Python, `tf.saved_model.load(path).frequency(frames, rate)`
    takes either.

    Args:
        encoder, frame_shape, band, harmonic, value_range: As in `FrequencyModel`.
        folder: The folder TF Serving watches. Existing versions stay.

    Returns:
        `pathlib.Path` of the version written. It appears under its number only when it is whole.
    """
    folder = pathlib.Path(folder)
    version = 1 + max((int(path.name) for path in folder.glob("*") if path.name.isdigit()), default=0)
    # TF Serving loads only folders whose names are numbers, so an unfinished one is never served.
    unfinished = folder / f"{version}.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        model, signatures = _signatures(FrequencyModel(encoder, frame_shape, band, harmonic, value_range))
        tf.saved_model.save(model, str(unfinished), signatures=signatures)
        (unfinished / _ENCODER).parent.mkdir()
        encoder.save(unfinished / _ENCODER)
        return unfinished.rename(folder / str(version))
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def load_encoder(path):
    """Returns the encoder of an exported version as a Keras model, trainable, for fine-tuning.

    Args:
        path: Of the version, such as `saved_model/1`.

    Raises:
        FileNotFoundError: this is not a version that `export_model` wrote.
    """
    file = pathlib.Path(path) / _ENCODER
    if not file.exists():
        raise FileNotFoundError(f"{file} does not exist: give the numbered folder of an exported model.")
    return keras.models.load_model(file)


def _signatures(model):
    model.features = tf.function(model.features)
    model.frequency = tf.function(model.frequency)
    signatures = {}
    for dtype, suffix in ((tf.uint8, ""), (tf.float32, FLOAT_SUFFIX)):
        frames = tf.TensorSpec(None, dtype, name="frames")
        rate = tf.TensorSpec(None, tf.float32, name="rate")
        signatures["serving_default" + suffix] = model.frequency.get_concrete_function(frames, rate)
        signatures["features" + suffix] = model.features.get_concrete_function(frames)
    return model, signatures
