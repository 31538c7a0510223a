"""Choice of the protocol of evaluation as which an exported model answers."""

import math
from collections.abc import Mapping

from simper_tf.evaluation.fitted_heads import HEADS
from simper_tf.evaluation.protocols import PROTOCOLS
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import readout
from simper_tf.signals.votes import Octave

# Those that read frequencies off a spectrum of features, of clips of any length.
FOURIER = ("fft_resolved", "fft", "fft_fundamental", "fft_calibrated")
# That which reads them by what harmonics look like in the features of training clips.
PATTERNS = "patterns"
# Those that can be served.
SERVED = (*FOURIER, PATTERNS, *HEADS, "supervised")
BEST = "best"
# Key in what is kept of a protocol: its mean absolute error on validation clips.
ERROR = "validation_mae"
# Errors up to this multiple of the smallest are level: then the first of `SERVED` answers, which took fewer labels.
_LEVEL = 1.01


def suiting(task: Task) -> list[str]:
    """Returns the protocols of `SERVED` that predict the label of a task."""
    return [name for name in SERVED if task.kind in PROTOCOLS[name][1]]


def choose(wanted: str, readouts: Mapping[str, Mapping], task: Task) -> str:
    """Returns the protocol by which an exported model answers, of those that evaluation has kept readouts of.

    It is the wanted one of `SERVED`, or by `BEST` the own head of a method that has one, else that with the smallest
    error on validation clips, or within 1 % of it the first of `SERVED`. One that evaluation has not had is a
    ValueError.
    """
    names = [name for name in SERVED if name in readouts]
    if wanted == BEST:
        wanted = _best(names, readouts)
    if wanted not in names:
        raise ValueError(
            f"`readout={wanted}` does not predict labels of the kind {task.kind}, or this run has not evaluated it. It "
            f"can serve {', '.join(names) or 'none'}. Name one of these, or leave `readout` out."
        )
    return wanted


def readout_of(name: str, found: Mapping) -> dict[str, object]:
    """Returns `harmonic` and `is_overruled` of the `FrequencyModel` that answers as a protocol of `FOURIER` does.

    What evaluation has kept of it may be damaged: LookupError, TypeError, ValueError or ArithmeticError.
    """
    if name == "fft_resolved":
        octave = Octave(**found["octave"])
        return {"harmonic": octave.harmonic, "is_overruled": octave.is_overruled}
    harmonics = {"fft": 1.0, "fft_fundamental": readout.FUNDAMENTAL}
    return {"harmonic": float(found["harmonic"]) if name == "fft_calibrated" else harmonics[name]}


def _best(names, readouts):
    if "supervised" in names:
        return "supervised"
    errors = {name: readouts[name][ERROR] for name in names}
    least = min((error for error in errors.values() if math.isfinite(error)), default=math.inf)
    return next((name for name in names if errors[name] <= _LEVEL * least), BEST)
