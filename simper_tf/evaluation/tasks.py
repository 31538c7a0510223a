"""Kinds of labels: their units and limits, the metrics of their predictions, and the answer of an exported head.

A builder names the task of its data set in its metadata; nothing else asks for the name of a unit.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import ClassVar

from simper_tf.evaluation import metrics


@dataclasses.dataclass(frozen=True)
class FrequencyUnit:
    """A unit in which frequencies are labeled.

    Attributes:
        per_hertz: Seconds that a clip lasts -> what 1 Hz is in this unit.
        answer: Name of the output of an exported head, with its unit.
        extras: What `features.extract` takes from clips of frequencies in this unit.
    """

    per_hertz: Callable
    answer: str
    extras: tuple[str, ...] = ("pixels", "cells")

    def answers(self, hertz, num_frames, rate) -> dict:
        """Returns the outputs of an exported model: frequencies in Hz, and the same in this unit."""
        return {"frequency_hz": hertz, self.answer: hertz * self.per_hertz(num_frames / rate)}


FREQUENCY_UNITS = {
    "Hz": FrequencyUnit(lambda seconds: 1.0, "frequency_hz"),
    # What beats may be a heart, which the color of skin shows.
    "bpm": FrequencyUnit(lambda seconds: 60.0, "heart_rate_bpm", ("pixels", "cells", "colors")),
    "count": FrequencyUnit(lambda seconds: seconds, "count"),  # Repetitions in the clip.
}


@dataclasses.dataclass(frozen=True)
class Task:
    """A kind of label, one of `KINDS`.

    Attributes:
        unit: Unit of the labels, as it is printed.
        lowest, highest: Between which labels lie, in their unit; None for no limit.
    """

    unit: str
    lowest: float | None = None
    highest: float | None = None

    kind: ClassVar[str]
    # Name in a result row -> function of true and predicted values, and its unit; None for that of the labels.
    metrics: ClassVar[Mapping[str, tuple[Callable, str | None]]] = metrics.METRICS
    # What `features.extract` takes from clips beside their features.
    extras: ClassVar[tuple[str, ...]] = ()
    answer: ClassVar[str] = "value"

    def __post_init__(self):
        if not isinstance(self.unit, str) or not self.unit:
            raise ValueError(f"The unit of a label must be a name. Received: {self.unit!r}.")
        low, high = self.limits(1, 1.0)
        if not low < high:
            raise ValueError(f"Labels must lie between two rising numbers. Received: {low:g} and {high:g}.")

    def limits(self, num_frames: int, rate: float) -> tuple[float, float]:
        """Returns between which values the label of a clip of so many frames a second can lie, in its unit."""
        low, high = self._natural_limits(num_frames, rate)
        return (low if self.lowest is None else self.lowest), (high if self.highest is None else self.highest)

    def to_metadata(self) -> dict:
        """Returns what `from_metadata` makes the task of again, for JSON."""
        return {"kind": self.kind, **dataclasses.asdict(self)}

    def _natural_limits(self, num_frames, rate):
        return -math.inf, math.inf


@dataclasses.dataclass(frozen=True)
class Frequency(Task):
    """Frequency of a repetition.

    Attributes:
        unit: A key of `FREQUENCY_UNITS`.
        band: `(low, high)` in Hz in which frequencies lie, for readouts that need to be told; None if it is not known.

    Raises:
        ValueError: the unit is not one of a frequency, or the band is not two rising numbers.

    Example:
        >>> Frequency("bpm", band=(0.6, 3.3)).answer
        'heart_rate_bpm'
    """

    band: tuple[float, float] | None = None
    kind: ClassVar[str] = "frequency"

    def __post_init__(self):
        if self.unit not in FREQUENCY_UNITS:
            raise ValueError(f"A frequency is in one of the units {sorted(FREQUENCY_UNITS)}. Received: {self.unit!r}.")
        super().__post_init__()
        if self.band is not None:
            object.__setattr__(self, "band", tuple(map(float, self.band)))
            if len(self.band) != 2 or not 0 <= self.band[0] < self.band[1] < math.inf:
                raise ValueError(f"`band` must be (low, high) in Hz, 0 <= low < high. Received: {self.band}.")

    @property
    def answer(self) -> str:
        return FREQUENCY_UNITS[self.unit].answer

    @property
    def extras(self) -> tuple[str, ...]:
        return FREQUENCY_UNITS[self.unit].extras

    def per_hertz(self, seconds):
        """Returns the factor from Hz to the unit of labels, of clips that last so many seconds, a number or `(N,)`."""
        return FREQUENCY_UNITS[self.unit].per_hertz(seconds)

    def _natural_limits(self, num_frames, rate):
        # What repeats faster than every second frame cannot be seen.
        return 0.0, float(self.per_hertz(num_frames / rate) * rate / 2)


@dataclasses.dataclass(frozen=True)
class Scalar(Task):
    """One number a clip that is no frequency, such as a blood pressure in mmHg."""

    kind: ClassVar[str] = "scalar"
    extras: ClassVar[tuple[str, ...]] = ("before_head",)


@dataclasses.dataclass(frozen=True)
class Series(Task):
    """A series of numbers a clip, such as the temperatures of the hours that follow it, in the unit of the clips."""

    kind: ClassVar[str] = "series"
    metrics: ClassVar[Mapping[str, tuple[Callable, str | None]]] = metrics.SERIES_METRICS
    extras: ClassVar[tuple[str, ...]] = ("levels", "before_head")

    @property
    def answer(self) -> str:
        return "temperature_celsius" if self.unit == "°C" else "values"


KINDS = {kind.kind: kind for kind in (Frequency, Scalar, Series)}


def from_metadata(metadata) -> Task:
    """Returns the task that `Task.to_metadata` described; a ValueError if it is none."""
    fields = dict(metadata) if isinstance(metadata, Mapping) else {}
    kind = KINDS.get(fields.pop("kind", None))
    if kind is None:
        raise ValueError(f"A task names its kind, one of {sorted(KINDS)}, and its unit. Received: {metadata!r}.")
    try:
        return kind(**fields)
    except TypeError as error:
        raise ValueError(f"A task of the kind {kind.kind!r} cannot be made of {fields}: {error}") from error
