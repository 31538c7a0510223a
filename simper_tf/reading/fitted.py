"""Logistic functions of what is seen, whose coefficients a command of `benchmarks` has fitted and written beside this.

A file holds `{kind: {"bias": number, "weights": {name of what is seen: number}}}`.
"""

import functools
import importlib.resources
import json
from collections.abc import Mapping


@functools.lru_cache(maxsize=4)
def coefficients(name: str) -> dict:
    """Returns the coefficients of a file of this folder."""
    return json.loads(importlib.resources.files("simper_tf.reading").joinpath(name).read_text())


def odds(name: str, kind: str, seen: Mapping[str, float]) -> float:
    """Returns the logarithm of the odds of a kind, by the file that has its coefficients.

    Example:
        >>> sure = coefficients("beats.json").get("sure")
        >>> odds("beats.json", "sure", dict.fromkeys(sure.get("weights"), 0.0)) == sure.get("bias")
        True
    """
    of_kind = coefficients(name)[kind]
    return of_kind["bias"] + sum(weight * seen[each] for each, weight in of_kind["weights"].items())
