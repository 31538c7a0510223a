"""Features of the clips of one split, by a frozen encoder, with all that protocols compare them with."""

import dataclasses
import functools
from collections.abc import Callable, Mapping

import numpy as np
import tensorflow as tf

from simper_tf.evaluation.tasks import Frequency
from simper_tf.signals import spectrum
from simper_tf.utils.clips import unit_range
from simper_tf.utils.standardize import is_series

# Split -> fields that no protocol reads of it. Controls read test clips, and validation clips are predicted only by
# what can be served.
_UNREAD = {"train": ("colors", "levels", "predicted"), "validation": ("colors", "levels", "cells")}


@dataclasses.dataclass(frozen=True)
class Features:
    """Features of a frozen encoder for one split.

    Attributes:
        series: `(N, T)` or `(N, T, D)` float32.
        labels: `(N,)` float32 in the unit of the task, or `(N, H)` series of such values.
        rates: `(N,)` float32, frames per second.
        ids: `(N,)` strings.
        subjects: `(N,)` strings, people or things of which several clips may be, or None where nobody says.
        pixels: `(N, F)` of `spectrum.pixel_power` of the clips, or None where nobody asked for it.
        cells: `(N, T, P)` courses of pixels on a grid, less the mean of each frame, or None where nobody asked for it.
        contrasts: As `cells`, of frames that are all brought to one contrast first.
        levels: `(N, T)` mean of each frame in the unit of the clips, or None where nobody asked for it.
        colors: `(N, T, 3)` mean R, G and B of each frame, or None where nobody asked for it or clips are gray.
        before_head: `(N, T, D)` float32, features before the encoder's head, or None where nobody asked for them.
        predicted: What the method's own head says, in the shape of the labels; None where it has none.
        known: `(N,)` bool, which labels may be looked at; None for all.
    """

    series: np.ndarray
    labels: np.ndarray
    rates: np.ndarray
    ids: np.ndarray
    subjects: np.ndarray | None = None
    pixels: np.ndarray | None = None
    cells: np.ndarray | None = None
    contrasts: np.ndarray | None = None
    levels: np.ndarray | None = None
    colors: np.ndarray | None = None
    before_head: np.ndarray | None = None
    predicted: np.ndarray | None = None
    known: np.ndarray | None = None

    def per_hertz(self, task):
        """Returns the factor, or `(N,)` factors, from Hz to the unit of a `tasks.Frequency`."""
        return task.per_hertz(self.series.shape[1] / self.rates)

    def once_a_frame(self, task) -> np.ndarray:
        """Returns `(N,)` labels of what repeats once a frame; ones where labels are no frequencies."""
        if not isinstance(task, Frequency):
            return np.ones(len(self.series))
        return np.float64(self.rates) * self.per_hertz(task)

    def take(self, count: int) -> "Features":
        """Returns the features of the first `count` clips."""
        return self.only(slice(count))

    def labeled(self) -> "Features":
        """Returns the features of the clips whose labels may be looked at."""
        return self if self.known is None else self.only(self.known)

    def only(self, clips: np.ndarray | slice) -> "Features":
        """Returns the features of some clips, given by their numbers, a mask or a slice."""
        of_all = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return Features(**{name: values if values is None else values[clips] for name, values in of_all.items()})

    def once(self, key: object, make: Callable[[], object]):
        """Returns what a function makes of these clips, made once for all protocols that ask by the same key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    @functools.cached_property
    def _made(self):
        return {}


def extract(
    functions: Mapping[str, Callable],
    examples: tf.data.Dataset,
    batch_size: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Features:
    """Encodes every example of a data set.

    Args:
        functions: Field of `Features` -> function of `(B, T, H, W, C)` clips; `series`, such as `SimPer.encode`, must
            be one of them. That of `predicted` takes what `series` returns.
        examples: Dictionaries with `clip`, `label`, `rate`, `id` and perhaps `subject`.
        batch_size: Clips encoded at once; the last, partial batch counts too. None for as many as hold 16 million
            values, 1 to 32.
        progress: Called with the number of clips done after each batch, or None.

    Raises:
        ValueError: there is no example, or the features of a clip are not finite (named).
    """
    batch_size = batch_size or batch_size_for(examples.element_spec["clip"].shape.num_elements())
    calls, batches, done = graphs(functions), [], 0
    head = calls.pop("predicted", None)
    for batch in examples.batch(batch_size).prefetch(1):
        found = {name: call(batch["clip"]) for name, call in calls.items()}
        if head:
            found["predicted"] = head(found["series"])
        fields = {name: values.numpy() for name, values in found.items()}
        for name in fields.keys() & {"cells", "contrasts"}:
            # They are the largest: less their means, half precision keeps what matters of them.
            fields[name] = fields[name].astype(np.float16)
        broken = ~np.isfinite(fields["series"]).reshape(len(fields["series"]), -1).all(axis=1)
        if broken.any():
            raise ValueError(f"The features of clip {batch['id'].numpy()[broken][0].decode()} are not finite.")
        fields |= {"labels": batch["label"].numpy(), "rates": batch["rate"].numpy()}
        for name in {"id", "subject"} & set(batch):
            fields[f"{name}s"] = np.char.decode(batch[name].numpy().astype(bytes))
        batches.append(fields)
        done += len(fields["series"])
        if progress:
            progress(done)
    if not batches:
        raise ValueError("The split holds no example.")
    return Features(**{name: np.concatenate([fields[name] for fields in batches]) for name in batches[0]})


def graphs(functions: Mapping[str, Callable]) -> dict[str, Callable]:
    """Returns functions of clips as `extract` calls them: made once for several data sets, none is traced anew."""
    return {
        name: call if isinstance(call, tf.types.experimental.PolymorphicFunction)
        else tf.function(call, reduce_retracing=True, autograph=False)
        for name, call in functions.items()
    }  # fmt: skip


def extras(task, value_range: tuple[float, float] | None = None, frame_shape=(None, None, 1)) -> dict[str, Callable]:
    """Returns the functions of clips that the protocols of a task need beside features, for `extract`.

    `value_range` has the physical values that encoders see as 0 and 1; without one clips are gray levels of uint8. Only
    pictures of 3 channels have colors.
    """
    of_series = is_series(frame_shape)
    # Series come in their unit, or in that share of a range that they have one of.
    low, high = value_range or ((0.0, 1.0) if of_series else (0.0, 255.0))

    def levels(clips):
        shares = tf.cast(clips, tf.float32) if of_series else unit_range(clips)
        return low + (high - low) * tf.reduce_mean(shares, axis=(2, 3, 4))

    def colors(clips):
        return tf.reduce_mean(unit_range(clips), axis=(2, 3))

    def cells(clips):
        series = spectrum.centered(spectrum.pixel_series(clips))
        # Light that changes is the same everywhere; channels of series have nothing in common.
        series = series if of_series else series - tf.reduce_mean(series, axis=1, keepdims=True)
        return tf.linalg.matrix_transpose(series)

    has_colors = frame_shape[-1] == 3 and not of_series
    known = {"pixels": spectrum.pixel_power, "cells": cells, "levels": levels} | (
        {"colors": colors} if has_colors else {}
    )
    return {name: known[name] for name in task.extras if name in known}


def contrasts(clips):
    """Returns what `Features.contrasts` has of `(N, T, H, W, C)` clips, `(N, T, P)`; 0 for series of one pixel."""
    frames = spectrum.pixel_series(clips)
    frames -= tf.reduce_mean(frames, axis=1, keepdims=True)
    frames = tf.math.divide_no_nan(frames, tf.math.reduce_std(frames, axis=1, keepdims=True))
    return tf.linalg.matrix_transpose(spectrum.centered(frames))


def functions_of(model, task, value_range=None, frame_shape=(None, None, 1)) -> dict[str, Callable]:
    """Returns what a method reads off every clip, for `extract`: features, and the `extras` of the task."""
    functions = {"series": model.encode, **extras(task, value_range, frame_shape)}
    if "before_head" in task.extras:
        functions["before_head"] = functools.partial(model.encode, before_head=True)
    return functions | ({"predicted": model.labels_of} if model.predicts_labels else {})


def read_of(functions: Mapping[str, Callable], split: str) -> dict[str, Callable]:
    """Returns those of some functions of which protocols read what they return for `train`, `validation` or `test`."""
    return {name: call for name, call in functions.items() if name not in _UNREAD.get(split, ())}


def batch_size_for(clip_values: int) -> int:
    """Returns how many clips of so many values are encoded at once: as many as hold 16 million, 1 to 32."""
    return min(32, max(1, 2**24 // clip_values))


@dataclasses.dataclass(frozen=True)
class Prediction:
    """Predictions for the test clips, with what was found on the way to them.

    Attributes:
        values: `(N,)` or `(N, H)`, in the unit of the task.
        note: A sentence for whoever reads the results; empty if there is nothing to say.
        found: What was chosen, and what an exported model needs of it, for JSON.
        fitted: Arrays of the protocol's head in `heads.HEADS`, with which an exported model predicts alike.
    """

    values: np.ndarray
    note: str = ""
    found: Mapping = dataclasses.field(default_factory=dict)
    fitted: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
