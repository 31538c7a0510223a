"""Self-supervised learning of periodic targets: SimPer in TensorFlow and Keras.

`import simper_tf` loads nothing else; every name and every module is loaded when it is first asked for.
"""

import importlib
import pkgutil

__version__ = "0.1.0"

# Where the names that most users need are found; `__init__.pyi` tells editors the same.
_HOMES = {
    "encoders": ("cnn3d", "small", "small1d"),
    "export": ("export_model", "load_encoder"),
    "losses": ("generalized_info_nce", "label_distribution"),
    "methods": ("SimPer",),
    "neighbors": ("nearest_neighbor",),
    "octave": ("pixel_frequency", "resolve_octave"),
    "readings.clips": ("Recordings",),
    "readout": ("fft_frequency",),
    "similarity": ("max_cross_correlation", "npsd_cosine"),
    "spectrum": ("pixel_power",),
    "times": ("SpeedSets",),
    "views": ("Views",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
_MODULES = {module.name for module in pkgutil.iter_modules(__path__)}
# What reads files and scores numbers works with any backend of Keras, and without one.
_WITHOUT_KERAS = {"files", "metrics", "options", "recordings", "tasks"}

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
