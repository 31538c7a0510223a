"""Ways to predict labels from features: `(train, validation, test, task) -> Prediction`.

`train`, `validation` and `test` are `features.Features`. What a protocol chooses, it chooses on the first two.
"""

import functools
from collections.abc import Callable, Collection, Mapping

from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.protocols.baselines import persistence, pixels, skin, training_mean
from simper_tf.evaluation.protocols.floors import FLOORS, IDEAL, of_perfect
from simper_tf.evaluation.protocols.fourier import fft, fft_calibrated, fft_fundamental, fft_resolved
from simper_tf.evaluation.protocols.harmonic import contrast_sum, harmonic_sum, patterns, pixel_patterns
from simper_tf.evaluation.protocols.nearest_neighbor import nearest_neighbor, nearest_spectrum, spectra_1nn
from simper_tf.evaluation.protocols.probes import linear_probe, own_head, probe
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import skin_colors
from simper_tf.utils.options import options_of

# Labels that a nearest neighbor is shown where they are few.
FEW_LABELS = (5, 10, 50)
# Name in the rows -> the protocol, and the kinds of `tasks` it suits.
PROTOCOLS: dict[str, tuple[Callable, tuple[str, ...]]] = {
    "fft_resolved": (fft_resolved, ("frequency",)),
    "fft": (fft, ("frequency",)),
    "fft_fundamental": (fft_fundamental, ("frequency",)),
    "fft_paper": (functools.partial(fft, mode="paper"), ("frequency",)),
    "fft_calibrated": (fft_calibrated, ("frequency",)),
    "patterns": (patterns, ("frequency",)),
    "pixel_patterns": (pixel_patterns, ("frequency",)),
    "harmonic_sum": (harmonic_sum, ("frequency",)),
    "contrast_sum": (contrast_sum, ("frequency",)),
    "pixels": (pixels, ("frequency",)),
    "green": (functools.partial(skin, pulse=skin_colors.green), ("frequency",)),
    "chrom": (functools.partial(skin, pulse=skin_colors.chrom), ("frequency",)),
    "pos": (functools.partial(skin, pulse=skin_colors.pos), ("frequency",)),
    "chrom_fundamental": (functools.partial(skin, pulse=skin_colors.chrom, way="fundamental"), ("frequency",)),
    "pos_fundamental": (functools.partial(skin, pulse=skin_colors.pos, way="fundamental"), ("frequency",)),
    "chrom_harmonics": (functools.partial(skin, pulse=skin_colors.chrom, way="harmonics"), ("frequency",)),
    "pos_harmonics": (functools.partial(skin, pulse=skin_colors.pos, way="harmonics"), ("frequency",)),
    "1nn": (nearest_neighbor, ("frequency", "scalar")),
    "1nn_npsd": (nearest_spectrum, ("frequency", "scalar")),
    "1nn_euclidean": (functools.partial(nearest_neighbor, distance="cosine"), ("frequency", "scalar")),
    **{f"1nn_{number}": (functools.partial(nearest_neighbor, labeled=number), ("frequency",)) for number in FEW_LABELS},
    "spectra_1nn": (spectra_1nn, ("frequency",)),
    "probe": (probe, ("frequency", "scalar")),
    "linear_probe": (linear_probe, ("scalar", "series")),
    "persistence": (persistence, ("series",)),
    "training_mean": (training_mean, ("scalar", "series")),
    "supervised": (own_head, ("frequency", "scalar", "series")),
}
# The readouts of a frequency that are shown first, in words.
TITLES = {
    "fft_resolved": "Fourier transform, octave from the pixels",
    "fft": "Fourier transform",
    "1nn": "nearest neighbor among labeled clips",
    "supervised": "its own head",
    "pixels": "pixels alone, nothing learned",
    "harmonic_sum": "harmonic sum of the pixels, nothing learned",
    "patterns": "harmonic patterns of the features",
    "pixel_patterns": "harmonic patterns of the pixels, no network",
}
# The head of a method, and what tells whether it has stalled where labels are no frequencies.
OF_HEAD = ("supervised", "training_mean")
# Those that read features as many as pixels are: neighbors and probes of hundreds of series take minutes, or memory.
OF_PIXELS = ("patterns", "harmonic_sum", "pixels", "spectra_1nn")
# Those that look at no label of a training clip, and get all of them; the others get those whose labels are known.
WITHOUT_LABELS = ("fft_resolved", "patterns", "pixel_patterns", "contrast_sum")


def predict(
    train: Features,
    validation: Features,
    test: Features,
    task: Task,
    options: Mapping[str, object] | None = None,
    names: Collection[str] | None = None,
) -> dict[str, Prediction]:
    """Predicts the label of every test clip by each protocol that suits the task.

    Args:
        train, validation, test: With what protocols read. Those that look at labels of training clips get those
            alone whose labels are `known`.
        task: What the labels are; a frequency needs its band.
        options: Options of protocols, by name, that differ from their defaults.
        names: Protocols that are asked; None for all, for which features need the extras of the task.

    Raises:
        ValueError: no protocol suits the task, or features lack what its protocols need.
    """
    # Gray clips have no colors, and protocols of a pulse then give no answer.
    missing = [name for name in task.extras if name != "colors" and getattr(test, name) is None]
    if missing and names is None:
        raise ValueError(
            f"Protocols of a {task.kind} need {' and '.join(f'`{name}`' for name in missing)} beside features. Extract "
            "them with `features.functions_of(model, task)`, or call `simper_tf.evaluate`."
        )
    predictions = {}
    for name, (protocol, kinds) in PROTOCOLS.items():
        if task.kind in kinds and (names is None or name in names):
            own = {key: value for key, value in (options or {}).items() if key in options_of(protocol)}
            shown = train if name in WITHOUT_LABELS else train.labeled()
            predictions[name] = protocol(shown, validation, test, task, **own)
    predictions = {name: prediction for name, prediction in predictions.items() if prediction is not None}
    if not predictions:
        raise ValueError(f"No protocol suits labels of the kind {task.kind!r}: name it in `PROTOCOLS`.")
    return predictions
