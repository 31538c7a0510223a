"""Self-supervised learning of periodic targets: SimPer in TensorFlow and Keras."""

try:
    import keras
except ModuleNotFoundError as error:  # Keras loads its backend at once, and that may not be installed.
    if error.name == "keras":
        raise
    raise ImportError(
        f"Keras could not load its backend ({error}). simper_tf needs KERAS_BACKEND=tensorflow."
    ) from error

if keras.backend.backend() != "tensorflow":
    raise ImportError(
        f"simper_tf computes with TensorFlow, but Keras is set to the backend {keras.backend.backend()!r}. Set the "
        "environment variable KERAS_BACKEND=tensorflow, or change ~/.keras/keras.json, and start Python again."
    )

from simper_tf.encoders import cnn3d, small
from simper_tf.export import export_model, load_encoder
from simper_tf.losses import generalized_info_nce, label_distribution
from simper_tf.methods import SimPer
from simper_tf.neighbors import nearest_neighbor
from simper_tf.readout import fft_frequency, pixel_frequency, resolve_octave
from simper_tf.similarity import max_cross_correlation, npsd_cosine
from simper_tf.spectrum import pixel_power
from simper_tf.times import SpeedSets
from simper_tf.views import Views

__all__ = [
    "SimPer",
    "SpeedSets",
    "Views",
    "cnn3d",
    "export_model",
    "fft_frequency",
    "generalized_info_nce",
    "label_distribution",
    "load_encoder",
    "max_cross_correlation",
    "nearest_neighbor",
    "npsd_cosine",
    "pixel_frequency",
    "pixel_power",
    "resolve_octave",
    "small",
]
