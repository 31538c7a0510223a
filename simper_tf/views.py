"""Clips -> the views that a method contrasts, with their speeds: one function, for `tf.data` and for `train_step`."""

import dataclasses
import math

import keras
import numpy as np
import tensorflow as tf

from simper_tf import augment
from simper_tf.clips import batch_of, check_clips, unit_range


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class Views:
    """Draws two sets of M views of every clip; view i of either set runs at the same speed.

    Calling it maps `(clips, seed)` to `(views, speeds)`. Only stateless random ops are used, so the same seed gives
    the same views on one worker or eight, eager or in a graph, on the host (`dataset.map`) or on the device (inside
    `train_step`), and every op has a GPU kernel. The defaults are the paper's augmentations for all methods, with
    the numbers of the authors' code. A method that wants other times or boxes overrides `draw_times` or `draw_space`.

    Attributes:
        num_frames: L, frames of a view; see `longest_view`.
        num_views: M, views a set.
        speed_range: Slowest and fastest speed, the periodicity-variant augmentation.
        crop_area, crop_aspect: Ranges of the random crop, as shares of the frame and as width over height. The crop
            is stretched back to the size of the frame.
        brightness: Range of the factor on all pixels; what exceeds white is cut.
        contrast: Range of the factor on the distance of each pixel from the mean of its view and channel.
        saturation, hue: Range of the factor on colourfulness, and largest turn of the hue to either side as a share
            of the circle; only for clips of 3 channels.
        jitter_probability: Chance that brightness, contrast, saturation and hue are changed at all.
        flip_probability, reverse_probability: Chances of mirroring left to right and of playing backwards.
        blur_probability, blur_sigma: Chance of a Gaussian blur, or a pair of them, one for each set, and range of its
            deviation in pixels.
        gray_probability: Chance of losing colour; only for clips of 3 channels.
        solarize_probability: Chances, one for each set, of inverting all pixels above half of white.
        share_spatial: Whether all M views of a set share one spatial draw, as the paper's text has it ("frame
            appearance maximally preserved across negatives"), or each has its own, as in the authors' code. Sharing
            takes a third of the time or less: a set is then changed before its views part.

    Raises:
        ValueError: an attribute is out of its range.
    """

    num_frames: int
    num_views: int = 10
    speed_range: tuple[float, float] = (0.5, 2.0)
    crop_area: tuple[float, float] = (0.5, 1.0)
    crop_aspect: tuple[float, float] = (0.75, 4 / 3)
    brightness: tuple[float, float] = (0.7, 1.3)
    contrast: tuple[float, float] = (1.0, 1.0)
    saturation: tuple[float, float] = (1.0, 1.0)
    hue: float = 0.0
    jitter_probability: float = 1.0
    flip_probability: float = 0.5
    reverse_probability: float = 0.5
    blur_probability: float | tuple[float, float] = 0.2
    blur_sigma: tuple[float, float] = (0.1, 2.0)
    gray_probability: float = 0.0
    solarize_probability: tuple[float, float] = (0.0, 0.0)
    share_spatial: bool = False

    def __post_init__(self):
        if self.num_views < 1 or self.num_frames < 8:
            raise ValueError(
                "A clip needs at least 1 view a set, of at least 8 frames. "
                f"Received: num_views={self.num_views}, num_frames={self.num_frames}."
            )
        for name in ("speed_range", "crop_area", "crop_aspect", "brightness", "contrast", "saturation", "blur_sigma"):
            low, high = getattr(self, name)
            if not 0 < low <= high:
                raise ValueError(f"`{name}` must be (low, high) with 0 < low <= high. Received: ({low}, {high}).")
        if self.crop_area[1] > 1:
            raise ValueError(f"`crop_area` is a share of the frame, at most 1. Received: {self.crop_area}.")

    def __call__(self, clips, seed):
        """Returns the views of a batch of clips, and their speeds.

        Args:
            clips: `(B, T, H, W, C)` uint8, or floats already in [0, 1]; or a list of B clips. T, H, W and C must be
                known.
            seed: `(2,)` int32 seed of a stateless random op.

        Returns:
            views: `(B, 2M, L, H, W, C)` float32 in [0, 1]; the first M are one set, the others the second.
            speeds: `(B, 2M)` float32, rising within a set.

        Raises:
            ValueError: they are no clips (see `check_clips`), or shorter than the fastest view needs.
        """
        clips = batch_of(clips)
        check_clips(clips, known=True)
        clips = tf.convert_to_tensor(clips)
        return self.apply(clips, self.draw(tf.shape(clips)[0], clips.shape[1], seed))

    def draw(self, batch_size, num_source_frames, seed):
        """Draws all that is random about the views of a batch, which is little: its parts can then be made alone.

        Args:
            batch_size: B.
            num_source_frames: T.
            seed: `(2,)` int32 seed of a stateless random op.

        Returns:
            A dictionary of `(B, 2M, ...)` tensors for `apply`, `speeds` among them; those of space are `(B, 2, ...)`
            where a set shares its draw.

        Raises:
            ValueError: a clip is shorter than the fastest view needs.
        """
        self.check_length(num_source_frames)
        time_seed, space_seed = tf.unstack(tf.random.experimental.stateless_split(seed, 2))
        return {
            **self.draw_times(batch_size, num_source_frames, time_seed),
            **self.draw_space(tf.stack([batch_size, 2 if self._shares_space else 2 * self.num_views]), space_seed),
        }

    def apply(self, clips, draws):
        """Makes the views that were drawn; arguments and results are those of `__call__` and of `draw`."""
        if clips.dtype != tf.uint8:
            clips = unit_range(clips)  # What lies outside by rounding is cut here, where it is little.
        if not self._shares_space:
            return self._change_space(clips, draws["starts"], draws["steps"], self.num_frames, draws), draws["speeds"]
        # A set is changed as a whole before its views part: work on 2 clips instead of 2M views.
        still = tf.zeros_like(draws["sigmas"])
        sets = self._change_space(clips, still, still + 1.0, clips.shape[1], draws)
        starts, steps = [tf.reshape(draws[name], [-1, self.num_views]) for name in ("starts", "steps")]
        views = augment.resample(_by_view(sets), starts, steps, self.num_frames)
        return tf.reshape(views, [-1, 2 * self.num_views, *views.shape[2:]]), draws["speeds"]

    def check_length(self, num_source_frames):
        """Refuses clips that the fastest view would run out of.

        Args:
            num_source_frames: T.

        Raises:
            ValueError: the fastest view spans more than T frames.
        """
        needed = math.ceil(self.speed_range[1] * (self.num_frames - 1)) + 1
        if needed > num_source_frames:
            raise ValueError(
                f"A view of {self.num_frames} frames at speed {self.speed_range[1]:g} spans {needed} frames, but the "
                f"clips have {num_source_frames}. Shorten the views to at most "
                f"{longest_view(num_source_frames, self.speed_range)} frames or lower the fastest speed."
            )

    def draw_times(self, batch_size, num_source_frames, seed):
        """Returns `(B, 2M)` `speeds`, `steps` (speeds, negative where played backwards) and `starts`, in frames."""
        speed_seed, start_seed, reverse_seed = tf.unstack(tf.random.experimental.stateless_split(seed, 3))
        speeds = augment.draw_speeds(speed_seed, batch_size, self.num_views, self.speed_range)
        speeds = tf.concat([speeds, speeds], axis=1)
        starts = augment.draw_starts(start_seed, speeds, num_source_frames, self.num_frames)
        return self.reversed_at_random(speeds, starts, reverse_seed)

    def reversed_at_random(self, speeds, starts, seed):
        """Returns the times that `draw_times` returns, of which a share runs backwards."""
        backwards = _draw_chance(seed, tf.shape(speeds), self.reverse_probability)
        # A reversed view is a walk through the same frames from the other end.
        ends = starts + speeds * (self.num_frames - 1)
        return {
            "speeds": speeds,
            "steps": tf.where(backwards, -speeds, speeds),
            "starts": tf.where(backwards, ends, starts),
        }

    def draw_space(self, shape, seed):
        """Returns the spatial draws of `shape`: `boxes` `shape + (4,)`, the others one number each.

        Args:
            shape: `(B, 2M)`, or `(B, 2)` where a set shares its draw.
            seed: `(2,)` int32 seed of a stateless random op.
        """
        seeds = tf.unstack(tf.random.experimental.stateless_split(seed, 11))
        jittered = _draw_chance(seeds[6], shape, self.jitter_probability)
        gray = _draw_chance(seeds[5], shape, self.gray_probability)
        blurred = _draw_chance(seeds[3], shape, _by_set(self.blur_probability, shape))
        hues = tf.random.stateless_uniform(shape, seeds[9], -self.hue, self.hue)

        def factors(seed, extent):
            return tf.where(jittered, tf.random.stateless_uniform(shape, seed, *extent), 1.0)

        return {
            "boxes": augment.draw_boxes(seeds[0], shape, self.crop_area, self.crop_aspect),
            "flips": _draw_chance(seeds[1], shape, self.flip_probability),
            "sigmas": tf.where(blurred, tf.random.stateless_uniform(shape, seeds[2], *self.blur_sigma), 0.0),
            "brightness": factors(seeds[4], self.brightness),
            "contrast": factors(seeds[7], self.contrast),
            # Losing colour is saturation 0.
            "saturation": tf.where(gray, 0.0, factors(seeds[8], self.saturation)),
            "hue": tf.where(jittered, hues, 0.0),
            "solarized": _draw_chance(seeds[10], shape, _by_set(self.solarize_probability, shape)),
        }

    def get_config(self):
        return dataclasses.asdict(self)

    @classmethod
    def from_config(cls, config):
        # JSON knows no tuples.
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in config.items()})

    @property
    def _shares_space(self):
        # A set of one view shares nothing, and making the whole clip first would only be longer.
        return self.share_spatial and self.num_views > 1

    def _change_space(self, clips, starts, steps, num_frames, draws):
        """Returns the clips at the times given, changed in all but time.

        Args:
            clips: `(B, T, H, W, C)`.
            starts, steps: `(B, V)`, as `augment.resample` takes them.
            num_frames: Of the result.
            draws: Of `draw_space`, `(B, V, ...)`.

        Returns:
            `(B, V, num_frames, H, W, C)` float32 in [0, 1].
        """
        top, left, bottom, right = tf.unstack(draws["boxes"], axis=-1)
        left, right = [tf.where(draws["flips"], *sides) for sides in ((right, left), (left, right))]
        columns = augment.resize_matrix(left, right, clips.shape[3])
        white = 255.0 if clips.dtype == tf.uint8 else 1.0
        colors = augment.color_matrix(clips.shape[-1], draws["brightness"] / white, draws["saturation"], draws["hue"])
        views = augment.resample(clips, starts, steps, num_frames, top, bottom)
        mixed = self._mix(*map(_by_view, (views, columns, colors, draws["sigmas"])))
        return self._bound(tf.reshape(mixed, tf.shape(views)), draws)

    def _mix(self, views, columns, colors, sigmas):
        """Applies to `(N, L, H, W, C)` views what is linear, the blur included; see `augment.mix_columns`."""
        if np.any(self.blur_probability):
            columns = tf.matmul(augment.blur_matrix(sigmas, views.shape[3]), columns)
            blurred = tf.cast(tf.where(sigmas > 0)[:, 0], tf.int32)
            rows = augment.blur_matrix(tf.gather(sigmas, blurred), views.shape[2])
            changed = augment.mix_rows(tf.gather(views, blurred), rows)
            views = tf.tensor_scatter_nd_update(views, blurred[:, None], changed)
        return augment.mix_columns(views, columns, colors)

    def _bound(self, views, draws):
        """Applies to `(B, V, L, H, W, C)` views the contrast, cuts them to [0, 1] and inverts what is solarized."""
        if self.contrast != (1.0, 1.0):
            views = augment.change_contrast(views, draws["contrast"])
        views = tf.minimum(views, 1.0)
        if self.contrast != (1.0, 1.0) or self.saturation[1] > 1 or self.hue:
            views = tf.nn.relu(views)  # Every pass costs a tenth of all; nothing else can be darker than black.
        if any(self.solarize_probability):
            solarized = draws["solarized"][:, :, None, None, None, None] & (views > 0.5)
            views = tf.where(solarized, 1.0 - views, views)
        return views


def longest_view(num_source_frames, speed_range):
    """Returns L = floor(T / fastest speed), the length at which every view fits into a clip of T frames.

    Where the fastest speed is below 1, L is floor((T - 1) / fastest speed) + 1: more would run past the last frame.
    """
    return int(min(num_source_frames // speed_range[1], (num_source_frames - 1) // speed_range[1] + 1))


def check_sampling(speed_range, highest_frequency, rate):
    """Refuses speeds at which the fastest view would alias.

    Args:
        speed_range: `(slowest, fastest)`.
        highest_frequency: Highest frequency expected in a clip, in Hz.
        rate: Frames per second.

    Raises:
        ValueError: the fastest view of the fastest clip has less than two frames a period.
    """
    if speed_range[1] * highest_frequency > rate / 2:
        raise ValueError(
            f"At speed {speed_range[1]:g} a clip of {highest_frequency:g} Hz runs at "
            f"{speed_range[1] * highest_frequency:g} Hz, above half the frame rate ({rate:g} / 2 = {rate / 2:g} Hz): "
            f"the views would alias. Lower the fastest speed to at most {rate / 2 / highest_frequency:.3g}, or the "
            "highest frequency if the clips are slower."
        )


def _draw_chance(seed, shape, probability):
    return tf.random.stateless_uniform(shape, seed) < probability


def _by_set(chances, shape):
    """Returns one chance for all, or a pair of them, one for each set, as `(shape[1],)`."""
    return tf.repeat(tf.broadcast_to(chances, [2]), shape[1] // 2)


def _by_view(tensor):
    return tf.reshape(tensor, [-1, *tensor.shape[2:]])
