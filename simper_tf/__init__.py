"""Self-supervised learning of periodic targets: SimPer in TensorFlow and Keras.

`import simper_tf` loads nothing else; every name and every module is loaded when it is first asked for.
"""

import functools
import importlib

__version__ = "0.1.0"

# Where the names that most users need are found; `__init__.pyi` tells editors the same.
_HOMES = {
    "data.recording_clips": ("Recordings",),
    "encoders": ("cnn3d", "small", "small1d"),
    "evaluation.neighbors": ("nearest_neighbor",),
    "evaluation.own_clips": ("evaluate",),
    "export.saved_model": ("export_model", "load_encoder"),
    "losses.info_nce": ("generalized_info_nce", "label_distribution", "label_entropy"),
    "losses.keras_losses": ("SimPerLoss", "SpectralLoss"),
    "losses.similarity": ("joint_cross_correlation", "max_cross_correlation", "npsd_cosine", "npsd_l2"),
    "losses.spectral": ("spectral_terms",),
    "methods": (
        "BYOL", "CVRL", "ContrastPhys", "ContrastPhysPlus", "FrequencyContrast", "MoCo", "Replay", "SLFRPM", "SiNC",
        "SimCLR", "SimPer", "Supervised",
    ),
    "reading.repetitions": ("Repetitions", "read"),
    "signals.octave": ("pixel_frequency", "resolve_octave"),
    "signals.readout": ("fft_frequency",),
    "signals.spectrum": ("pixel_power",),
    "training.from_recordings": ("from_recordings",),
    "views.times": ("SpeedSets",),
    "views.views": ("Views",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}
# What reads files and scores numbers works with any backend of Keras; reading needs none.
_WITHOUT_KERAS = {"commands", "evaluation", "reading", "recordings", "tables", "utils"}

__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME and name not in _modules():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME.get(name, name)
    try:
        if home.partition(".")[0] not in _WITHOUT_KERAS:
            # Keras loads saved models only if their layers have been registered.
            importlib.import_module("simper_tf.encoders")
        module = importlib.import_module(f"simper_tf.{home}")
    except ModuleNotFoundError as error:
        from simper_tf.utils.errors import LEARNING, missing

        if error.name not in LEARNING:
            raise
        raise ImportError(f"simper_tf.{name} learns. {missing([error.name], 'train')}", name=error.name) from error
    return getattr(module, name) if name in _HOME else module


def __dir__():
    return sorted({*(name for name in globals() if name.startswith("__")), *_HOME, *_modules()})


@functools.cache
def _modules():
    import pkgutil  # Loads `inspect`, as long as the rest of a start takes: only where a name is asked for.

    return {module.name for module in pkgutil.iter_modules(__path__)} - {"__main__"}
