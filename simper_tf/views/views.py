"""Clips -> the views that a method contrasts: which times, and which appearance, are two parts put together here."""

import dataclasses
from collections.abc import Mapping, Sequence

import keras
import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.utils.clips import batch_of, check_clips, unit_range
from simper_tf.utils.config import Frozen, check_number
from simper_tf.utils.standardize import is_series
from simper_tf.utils.units import FEWEST_FRAMES
from simper_tf.views import augment
from simper_tf.views.appearance import UNCHANGED, Appearance
from simper_tf.views.series_appearance import SeriesAppearance
from simper_tf.views.times import SpeedSets, Times

# What is drawn of times for making views alone; all else that is drawn of them belongs to the batch.
WHERE = ("starts", "steps")
# What a view shows between two frames of its clip; see `augment.resample`.
INTERPOLATIONS = ("linear", "steady")


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class Views(Frozen):
    """Makes random views of clips, one function for `tf.data` and for `train_step`.

    Only stateless random ops are used, so the same seed gives the same views on one worker or eight, eager or in a
    graph, on the host (`dataset.map`) or on the device (inside `train_step`), and every op has a GPU kernel.

    Attributes:
        num_frames: L, frames of a view; see `Times.longest_view`.
        times: Which frames of a clip a view shows. The default is SimPer's: two sets of views at several speeds.
        appearance: How the picture changes; None changes nothing. For series, `(B, T, 1, 1, C)`, a `SeriesAppearance`,
            which takes the place of the default by itself.
        interpolation: What a view shows between two frames: `linear`, their mean, weighted, as in the paper; `steady`,
            smoothed near a frame and sharpened between two, so that noise is as strong at all times and does not swell
            and fade by the speed.
        split_pixels: Show the first set of views a random half of the pixels of each clip, and the second set the
            other half; the rest of a frame is the mean of what it shows. Noise of single pixels is then of no use
            for telling which views are alike.

    Raises:
        ValueError: a view has fewer than 8 frames, or there is no such interpolation.

    Example:
        >>> views = simper_tf.Views(20, simper_tf.SpeedSets(num_views=3))
        >>> batch = views(np.zeros((2, 40, 16, 16, 1), np.uint8), seed=(0, 1))
        >>> batch["views"].shape, batch["speeds"].shape
        (TensorShape([2, 6, 20, 16, 16, 1]), TensorShape([2, 6]))
    """

    num_frames: int
    times: Times = SpeedSets()
    appearance: Appearance | SeriesAppearance | None = Appearance()
    interpolation: str = "linear"
    split_pixels: bool = False

    def __post_init__(self):
        check_number("num_frames", self.num_frames, FEWEST_FRAMES, whole=True)
        if self.interpolation not in INTERPOLATIONS:
            known = ", ".join(INTERPOLATIONS)
            raise ValueError(f"`interpolation` must be one of {known}. Received: {self.interpolation!r}.")

    def __call__(self, clips: ArrayLike, seed: ArrayLike) -> dict[str, tf.Tensor]:
        """Returns the views of a batch of clips, with what is known of them.

        Args:
            clips: `(B, T, H, W, C)` uint8, or floats already in [0, 1]; or a list of B clips. T, H, W and C must be
                known.
            seed: A whole number, or the `(2,)` int32 seed of a stateless random op.

        Returns:
            A dictionary, the batch that methods learn from: `views`, `(B, V, L, H, W, C)` float32 in [0, 1]; `speeds`,
            `(B, V)` float32; and, where times or appearance draw them, `windows` and `regions`.

        Raises:
            ValueError: they are no clips (see `check_clips`), shorter than the fastest view needs, or none that the
                appearance is for (see `of_frames`).
        """
        clips = batch_of(clips)
        check_clips(clips, known=True)
        clips, views = tf.convert_to_tensor(clips), self.of_frames(clips.shape[2:])
        seed = seed if tf.convert_to_tensor(seed).shape.rank else (0, seed)
        return views.apply(clips, views.draw(tf.shape(clips)[0], clips.shape[1], seed))

    def of_frames(self, frame_shape: Sequence[int | None]) -> "Views":
        """Returns the views for clips of `(H, W, C)` frames: default changes of pictures are no changes of series.

        Another appearance of pictures does not go with series, nor the other way round.
        """
        look = self.appearance
        if self.split_pixels and is_series(frame_shape):
            raise ValueError(f"`split_pixels` needs frames of many pixels. Received: frames of {tuple(frame_shape)}.")
        if look is None or is_series(frame_shape) == isinstance(look, SeriesAppearance):
            return self
        if look in (Appearance(), UNCHANGED):
            return dataclasses.replace(self, appearance=SeriesAppearance() if look == Appearance() else None)
        what, other = ("series", "SeriesAppearance()") if is_series(frame_shape) else ("pictures", "Appearance()")
        raise ValueError(
            f"{type(look).__name__} changes {'pictures' if what == 'series' else 'series'}, but the clips are {what}, "
            f"frames of {tuple(frame_shape)}. Give `appearance={other}`, or None."
        )

    def draw(self, batch_size: int | tf.Tensor, num_source_frames: int, seed: ArrayLike) -> dict[str, dict]:
        """Draws all that is random about the views of a batch, which is little: its parts can then be made alone.

        Returns a dictionary of the draws of `times` and of `appearance`, tensors whose first axis is B, for `apply`.
        Clips that are shorter than the fastest view needs are a ValueError.
        """
        time_seed, space_seed = tf.unstack(tf.random.experimental.stateless_split(seed, 2))
        draws = {"times": self.times.draw(batch_size, num_source_frames, self.num_frames, time_seed)}
        if self.appearance is not None:
            draws["appearance"] = self.appearance.draw(batch_size, self.times.num_views_in_all, space_seed)
        if self.split_pixels:
            split_seed = tf.random.experimental.stateless_fold_in(seed, 2)
            draws["split"] = {"rolls": tf.random.stateless_uniform([batch_size], split_seed)}
        return draws

    def apply(self, clips: tf.Tensor, draws: Mapping[str, dict]) -> dict[str, tf.Tensor]:
        """Makes the views that were drawn; arguments and results are those of `__call__` and of `draw`."""
        times, look = draws["times"], draws.get("appearance", {})
        where, steady = (times["starts"], times["steps"], self.num_frames), self.interpolation == "steady"
        if clips.dtype != tf.uint8 or not isinstance(self.appearance, Appearance):
            clips = unit_range(clips)  # What lies outside by rounding is cut here, where it is little.
        if self.appearance is None:
            views = augment.resample(clips, *where, steady=steady)
        else:
            views = self.appearance.apply(clips, *where, look, steady)
        if steady:  # What is sharpened may leave it, where it is nearly black or white.
            views = tf.clip_by_value(views, 0.0, 1.0)
        if self.split_pixels:
            views = augment.split_pixels(views, draws["split"]["rolls"])
        known = {name: draw for name, draw in times.items() if name not in WHERE}
        return {"views": views, **known, **{name: look[name] for name in ("regions",) if name in look}}

    def check_length(self, num_source_frames: int) -> None:
        """Refuses clips that the fastest view would run out of; see `Times.check_length`."""
        self.times.check_length(num_source_frames, self.num_frames)

    def get_config(self) -> dict:
        parts = {name: keras.saving.serialize_keras_object(getattr(self, name)) for name in ("times", "appearance")}
        return {**super().get_config(), **parts}

    @classmethod
    def from_config(cls, config):
        parts = {name: keras.saving.deserialize_keras_object(config[name]) for name in ("times", "appearance")}
        return cls(**{**config, **parts})


def clips_and_labels(data):
    """Returns the clips of a batch and a list of what comes with them; ready views as their dictionary, and no list.

    Ready views that lack what belongs to them, or have labels beside them, are refused.
    """
    clips, *labels = data if isinstance(data, list | tuple) else [data]
    labels = [label for label in labels if label is not None]  # Keras's own, where there is nothing to say.
    if tf.TensorShape(getattr(clips, "shape", ())).rank == 6:
        clips = {"views": clips}
    if isinstance(clips, dict) and "views" in clips:
        check_views(clips)
        if labels:
            raise ValueError("Labels of ready views belong into their dictionary, as `labels`.")
    return clips, labels


def check_views(batch):
    """Refuses ready views that are none: without speeds, of bytes, or of other axes."""
    views = batch["views"]
    if "speeds" not in batch:
        raise ValueError(
            "Ready views come with their speeds, in a dictionary of `views`, `speeds` and what else `Views` returns. "
            f"Received: {', '.join(sorted(batch))}."
        )
    if len(views.shape) != 6 or not tf.as_dtype(views.dtype).is_floating:
        raise ValueError(
            "Ready views must be floats (batch, views, time, height, width, channels), as `Views` returns them. "
            f"Received: {tf.as_dtype(views.dtype).name} of shape {tuple(views.shape)}."
        )
