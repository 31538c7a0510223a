"""Frozen settings that Keras can save, and refusals of numbers that are out of their range. NaN is in no range."""

import dataclasses
import math
import numbers


class Frozen:
    """Base of frozen dataclasses whose fields are numbers, texts and tuples of them, as JSON can hold."""

    def get_config(self) -> dict:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @classmethod
    def from_config(cls, config):
        return cls(**{name: as_tuple(value) for name, value in config.items()})


def as_tuple(value):
    """Returns a list, and every list in it, as tuples, which JSON does not know; anything else as it is."""
    return tuple(map(as_tuple, value)) if isinstance(value, list) else value


def check_number(name: str, value, low: float, high: float = math.inf, above: bool = False, whole: bool = False):
    """Refuses a number outside of `low` to `high`, both in it but for a `low` that is `above`: a ValueError by name.

    What is no number is refused too, and a fraction of what has to be `whole`.
    """
    if not isinstance(value, numbers.Real):
        raise ValueError(f"`{name}` must be a number. Received: {value!r}.")
    if (low < value if above else low <= value) and value <= high and math.isfinite(value):
        if whole and value % 1:
            raise ValueError(f"`{name}` must be a whole number. Received: {value}.")
        return
    start = f"above {low:g}" if above else f"at least {low:g}"
    end = f"at most {high:.10g}" if math.isfinite(high) else "finite"
    raise ValueError(f"`{name}` must be {start} and {end}. Received: {value}.")


def check_range(name: str, value):
    """Refuses what is no `(low, high)` of positive finite numbers that do not fall: a ValueError by its name."""
    if not hasattr(value, "__len__") or len(value) != 2 or not 0 < value[0] <= value[1] < math.inf:
        raise ValueError(f"`{name}` must be (low, high) with 0 < low <= high, both finite. Received: {value}.")
