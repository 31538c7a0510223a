"""Times of views in a clip: where each starts, how fast it runs, and whether it runs backwards."""

import dataclasses
import math

import keras
import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.utils.config import Frozen, check_number, check_range
from simper_tf.utils.units import FEWEST_FRAMES
from simper_tf.views import augment


class Times(Frozen):
    """Base: two views of each clip at its own speed, each starting anywhere. Subclasses are frozen dataclasses.

    A subclass has a field `reverse_probability`, the chance that a view is played backwards, and overrides
    `draw_speeds`, `draw_starts` or both.

    Attributes:
        num_views_in_all: V, views of one clip. Where there are more than one, the first half is one set and the second
            half the other.
        fastest: Highest speed that a view may have.
    """

    num_views_in_all = 2
    fastest = 1.0

    def __post_init__(self):
        check_number("reverse_probability", self.reverse_probability, 0, 1)

    def draw(
        self, batch_size: int | tf.Tensor, num_source_frames: int, num_frames: int, seed: ArrayLike
    ) -> dict[str, tf.Tensor]:
        """Draws the times of the views of a batch.

        Args:
            batch_size: B.
            num_source_frames: T, frames of a clip.
            num_frames: L, frames of a view.
            seed: `(2,)` int32 seed of a stateless random op.

        Returns:
            A dictionary of `(B, V)` float32 `speeds`, `steps` (the speeds, negative where a view runs backwards) and
            `starts` (in frames of the clip), and of what else the subclass draws.

        Raises:
            ValueError: a clip is shorter than the fastest view needs.
        """
        self.check_length(num_source_frames, num_frames)
        speed_seed, start_seed, reverse_seed = tf.unstack(tf.random.experimental.stateless_split(seed, 3))
        speeds = self.draw_speeds(batch_size, speed_seed)
        starts = self.draw_starts(speeds, num_source_frames, num_frames, start_seed)
        backwards = tf.random.stateless_uniform(tf.shape(speeds), reverse_seed) < self.reverse_probability
        # A reversed view is a walk through the same frames from the other end.
        ends = starts + speeds * (num_frames - 1)
        return {
            "speeds": speeds,
            "steps": tf.where(backwards, -speeds, speeds),
            "starts": tf.where(backwards, ends, starts),
        }

    def draw_speeds(self, batch_size: int | tf.Tensor, seed: ArrayLike) -> tf.Tensor:
        """Returns `(B, V)` float32 speeds; arguments as in `draw`."""
        return tf.ones([batch_size, self.num_views_in_all])

    def draw_starts(self, speeds: tf.Tensor, num_source_frames: int, num_frames: int, seed: ArrayLike) -> tf.Tensor:
        """Returns `(B, V)` float32 starts of views that run forwards; arguments as in `draw`."""
        return augment.draw_starts(seed, speeds, num_source_frames, num_frames)

    def longest_view(self, num_source_frames: int) -> int:
        """Returns L = floor(T / fastest speed), the length at which every view fits into a clip of T frames.

        Where the fastest speed is below 1, L is floor((T - 1) / fastest speed) + 1: more would run past the last frame.
        """
        return int(min(num_source_frames // self.fastest, (num_source_frames - 1) // self.fastest + 1))

    def check_length(self, num_source_frames: int, num_frames: int) -> None:
        """Refuses clips of fewer frames than the fastest view spans, with a ValueError."""
        needed = math.ceil(self.fastest * (num_frames - 1)) + 1
        if needed > num_source_frames:
            longest = self.longest_view(num_source_frames)
            remedy = f"Shorten the views to at most {longest} frames or lower the fastest speed."
            raise ValueError(
                f"A view of {num_frames} frames at speed {self.fastest:g} spans {needed} frames, but the clips have "
                f"{num_source_frames}. {remedy if longest >= FEWEST_FRAMES else 'Give longer clips.'}"
            )

    def check_sampling(self, highest_frequency: float, rate: float) -> None:
        """Refuses speeds at which the fastest view of the highest frequency, in Hz, would alias, with a ValueError."""
        highest = self.fastest * highest_frequency
        if highest > rate / 2:
            raise ValueError(
                f"At speed {self.fastest:g} a clip of {highest_frequency:g} Hz runs at {highest:g} Hz, above half the "
                f"frame rate ({rate:g} / 2 = {rate / 2:g} Hz): the views would alias. Lower the fastest speed to at "
                f"most {rate / 2 / highest_frequency:.3g}, or the highest frequency if the clips are slower."
            )


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class SpeedSets(Times):
    """Two sets of M views; view i of either set runs at the same speed: the times of SimPer.

    Attributes:
        num_views: M, views a set.
        speed_range: Slowest and fastest speed, drawn evenly; speeds rise within a set.
        reverse_probability: Chance that a view is played backwards.

    Raises:
        ValueError: an attribute is out of its range.

    Example:
        >>> simper_tf.SpeedSets(num_views=5, speed_range=(0.5, 2.0)).longest_view(150)
        75
    """

    num_views: int = 10
    speed_range: tuple[float, float] = (0.5, 2.0)
    reverse_probability: float = 0.5

    def __post_init__(self):
        super().__post_init__()
        check_number("num_views", self.num_views, 1, whole=True)
        check_range("speed_range", self.speed_range)

    @property
    def num_views_in_all(self):
        return 2 * self.num_views

    @property
    def fastest(self):
        return float(self.speed_range[1])

    def draw_speeds(self, batch_size: int | tf.Tensor, seed: ArrayLike) -> tf.Tensor:
        speeds = augment.draw_speeds(seed, batch_size, self.num_views, self.speed_range)
        return tf.concat([speeds, speeds], axis=1)


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class SameSpeed(Times):
    """Two views at the clip's own speed, each starting anywhere."""

    reverse_probability: float = 0.5


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class WholeClip(Times):
    """One view at the clip's own speed, for labels that hold for the clip as it is."""

    reverse_probability: float = 0.5
    num_views_in_all = 1


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class DistantTimes(SameSpeed):
    """Two views at the clip's own speed, whose distance in time is drawn from a falling density.

    Of T frames a view of L frames can start at N = T - L + 1 frames. The distance of the two starts is drawn with a
    density proportional to 1 - distance / N, the earlier start evenly among those that remain, and which view has it by
    chance. Source: the temporal sampling of CVRL (power 1), whose authors search the integral of the density for the
    integer that the closed form here gives at once. They repeat clips that are too short for one view; here these are
    refused as everywhere.
    """

    def draw_starts(self, speeds: tf.Tensor, num_source_frames: int, num_frames: int, seed: ArrayLike) -> tf.Tensor:
        seeds = tf.unstack(tf.random.experimental.stateless_split(seed, 3))
        share, place, order = [tf.random.stateless_uniform([tf.shape(speeds)[0], 1], s) for s in seeds]
        number = float(num_source_frames - num_frames + 1)
        distances = draw_distances(share, number)
        # A share rounded up to 1 would be one start too far.
        early = tf.minimum(tf.floor(place * (number - distances)), number - distances - 1.0)
        starts = tf.concat([early, early + distances], axis=1)
        return tf.where(order < 0.5, starts, starts[:, ::-1])


def draw_distances(share, number):
    """Returns whole distances d in [0, number - 1] of cumulative density F(d) = 2 d / number - (d / number)^2.

    F is inverted at shares in [0, 1), evenly distributed, and rounded down.
    """
    return tf.minimum(tf.floor(number * (1.0 - tf.sqrt(1.0 - share))), number - 1.0)


class WindowedTimes(Times):
    """Base: times that also say where to cut windows out of the features. A subclass has a field `num_windows`.

    Its draws have a further entry `windows`, `(B, num_sources, num_windows)` float32 in [0, 1): shares of the way that
    a window can be moved along the features.

    Attributes:
        num_sources: How many things windows are cut out of, each with places of its own.
    """

    num_sources = 1

    def __post_init__(self):
        super().__post_init__()
        check_number("num_windows", self.num_windows, 1, whole=True)

    def draw(self, batch_size, num_source_frames, num_frames, seed):
        window_seed = tf.random.experimental.stateless_fold_in(seed, 1)
        windows = tf.random.stateless_uniform([batch_size, self.num_sources, self.num_windows], window_seed)
        return {**super().draw(batch_size, num_source_frames, num_frames, seed), "windows": windows}


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class CutClip(WindowedTimes):
    """One view at the clip's own speed, and where to cut `num_windows` windows out of each series of its features."""

    num_windows: int = 4
    reverse_probability: float = 0.5
    num_views_in_all = 1


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class StretchedTimes(WindowedTimes):
    """Two views, the second faster than the first, and where to cut windows out of their features.

    Windows are those of the anchor, the positive and the negative.

    Attributes:
        speed_range: Slowest and fastest speed of the second view. The first has speed 1.
        num_windows: Windows each of the anchor, the positive and the negative.
        reverse_probability: Chance that a view is played backwards.

    Raises:
        ValueError: an attribute is out of its range.
    """

    speed_range: tuple[float, float] = (1.25, 1.5)
    num_windows: int = 4
    reverse_probability: float = 0.5
    num_sources = 3

    def __post_init__(self):
        super().__post_init__()
        check_range("speed_range", self.speed_range)
        check_number("speed_range", self.speed_range[0], 1, above=True)

    @property
    def fastest(self):
        return float(self.speed_range[1])

    def draw_speeds(self, batch_size: int | tf.Tensor, seed: ArrayLike) -> tf.Tensor:
        faster = augment.draw_speeds(seed, batch_size, 1, self.speed_range)
        return tf.concat([tf.ones_like(faster), faster], axis=1)


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class Strides(Times):
    """Two views, each at a whole speed from 1 to the largest, drawn alike often.

    Attributes:
        largest: S, a whole number of at least 2.
        reverse_probability: Chance that a view is played backwards.

    Raises:
        ValueError: an attribute is out of its range.
    """

    largest: int = 5
    reverse_probability: float = 0.5

    def __post_init__(self):
        super().__post_init__()
        check_number("largest", self.largest, 2, whole=True)

    @property
    def fastest(self):
        return float(self.largest)

    def draw_speeds(self, batch_size: int | tf.Tensor, seed: ArrayLike) -> tf.Tensor:
        return 1.0 + tf.floor(self.largest * tf.random.stateless_uniform([batch_size, 2], seed))
