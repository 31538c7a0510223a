"""What every protocol returns."""

import dataclasses
from collections.abc import Mapping

import numpy as np


@dataclasses.dataclass(frozen=True)
class Prediction:
    """Predictions for the test clips, with what was found on the way to them.

    Attributes:
        values: `(N,)` or `(N, H)`, in the unit of the task.
        note: A sentence for whoever reads the results; empty if there is nothing to say.
        found: What an exported model needs to predict alike, for JSON.
    """

    values: np.ndarray
    note: str = ""
    found: Mapping = dataclasses.field(default_factory=dict)
