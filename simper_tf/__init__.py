"""Self-supervised learning of periodic targets: SimPer in TensorFlow and Keras.

`import simper_tf` loads nothing else; every name and every module is loaded when it is first asked for.
"""

import importlib
import pkgutil

__version__ = "0.1.0"

# Where the names that most users need are found; `__init__.pyi` tells editors the same.
_HOMES = {
    "data.recording_clips": ("Recordings",),
    "encoders": ("cnn3d", "small", "small1d"),
    "evaluation.neighbors": ("nearest_neighbor",),
    "export.saved_model": ("export_model", "load_encoder"),
    "losses.info_nce": ("generalized_info_nce", "label_distribution"),
    "losses.similarity": ("max_cross_correlation", "npsd_cosine"),
    "methods": ("SimPer",),
    "signals.octave": ("pixel_frequency", "resolve_octave"),
    "signals.readout": ("fft_frequency",),
    "signals.spectrum": ("pixel_power",),
    "training.from_recordings": ("from_recordings",),
    "views.times": ("SpeedSets",),
    "views.views": ("Views",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
_MODULES = {module.name for module in pkgutil.iter_modules(__path__)} - {"__main__"}
# What reads files and scores numbers works with any backend of Keras, and without one.
_WITHOUT_KERAS = {"evaluation", "recordings", "utils"}

__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _WITHOUT_KERAS:
        # Keras loads saved models only if their layers have been registered.
        importlib.import_module("simper_tf.encoders")
    module = importlib.import_module(f"simper_tf.{_HOME.get(name, name)}")
    return getattr(module, name) if name in _HOME else module


def __dir__():
    return sorted({*globals(), *_HOME, *_MODULES})
