"""Appearance of views: crop, flip, blur and color, which change nothing about time."""

import dataclasses
import functools

import keras
import numpy as np
import tensorflow as tf

from simper_tf.utils.config import Frozen, check_number, check_range
from simper_tf.utils.options import option
from simper_tf.views import augment

RANGES = ("crop_area", "crop_aspect", "brightness", "contrast", "saturation", "blur_sigma")
CHANCES = ("jitter_probability", "flip_probability", "gray_probability", "blur_probability", "solarize_probability")
# Those that may be two, one for each set of views.
PAIRS = ("blur_probability", "solarize_probability")
_rare, _python = functools.partial(option, rare=True), functools.partial(option, is_flag=False)


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class Appearance(Frozen):
    """Random changes of the picture, one draw for all frames of a view.

    The defaults are the paper's augmentations for all methods, with the numbers of the authors' code; but for the loss
    of color that the paper lists among them, for which `gray_probability` is 0.

    A crop of another aspect than the frame does not reach over all of it: only with `crop_aspect` (1.0, 1.0) does the
    share 1 leave the frame as it is; with the default it keeps 0.866 at least. Where views of a set share one draw, as
    the paper's text has it ("frame appearance maximally preserved across negatives"), a set is changed before its views
    part, which takes a third of the time or less; in the authors' code each view has its own.

    Attributes:
        regions: Boxes `(top, left, bottom, right)` as shares of the frame, of which each view shows one in place of a
            random crop; None for random crops. Which it is becomes part of the batch.

    Raises:
        ValueError: an attribute is out of its range.
    """

    crop_area: tuple[float, float] = _rare((0.5, 1.0), "Range of the share of the frame that a random crop keeps.")
    crop_aspect: tuple[float, float] = _rare(
        (0.75, 4 / 3), "Range of the width of a crop over its height, as a factor."
    )
    brightness: tuple[float, float] = _rare((0.7, 1.3), "Range of the factor on all pixels.")
    contrast: tuple[float, float] = _python((1.0, 1.0), "Range of the factor on differences from the mean of a view.")
    saturation: tuple[float, float] = _python((1.0, 1.0), "Range of the factor on colorfulness, of clips in color.")
    hue: float = _python(0.0, "Largest turn of the hue, as a share of the circle, of clips in color.")
    jitter_probability: float = _python(1.0, "Chance of changing brightness, contrast, saturation and hue at all.")
    flip_probability: float = option(0.5, "Chance of mirroring a view left to right.")
    blur_probability: float | tuple[float, float] = _rare(
        0.2, "Chance of a blur, or a pair, one for each set of views."
    )
    blur_sigma: tuple[float, float] = _python((0.1, 2.0), "Range of the deviation of the blur, in pixels.")
    gray_probability: float = option(0.0, "Chance of taking color away, of clips in color.")
    solarize_probability: float | tuple[float, float] = _python(
        0.0, "Chance of inverting bright pixels, or a pair, one for each set of views."
    )
    share_spatial: bool = _rare(False, "Change all views of a set alike, not each by itself.")
    regions: tuple[tuple[float, float, float, float], ...] | None = None

    def __post_init__(self):
        for name in RANGES:
            check_range(name, getattr(self, name))
        check_number("crop_area", self.crop_area[1], 0, 1)
        check_number("hue", self.hue, 0, 0.5)
        for name in CHANCES:
            if np.shape(getattr(self, name)) not in ((), (2,) if name in PAIRS else ()):
                pair = " or a pair of them, one for each set of views" if name in PAIRS else ""
                raise ValueError(f"`{name}` must be one chance{pair}. Received: {getattr(self, name)}.")
            for chance in np.atleast_1d(getattr(self, name)):
                check_number(name, chance, 0, 1)
        if self.regions and tuple(self.crop_area) != (1.0, 1.0):
            raise ValueError(
                "`regions` are shown in place of random crops, so `crop_area` must be (1.0, 1.0). "
                f"Received: {self.crop_area}."
            )
        for top, left, bottom, right in self.regions or ():
            if not (0 <= top < bottom <= 1 and 0 <= left < right <= 1):
                raise ValueError(
                    "`regions` must be boxes (top, left, bottom, right) inside the frame, with 0 <= top < bottom <= 1 "
                    f"and 0 <= left < right <= 1. Received: {(top, left, bottom, right)}."
                )

    def draw(self, batch_size, num_views: int, seed):
        """Draws all that is random about the appearance of a batch of clips with so many views in all.

        Returns a dictionary of `(B, V)` tensors, or `(B, 2)` where a set shares its draw; `boxes` has an axis of 4
        more.
        """
        shape = [batch_size, 2 if self.shares(num_views) else num_views]
        seeds = tf.unstack(tf.random.experimental.stateless_split(seed, 11))
        jittered = _draw_chance(seeds[6], shape, self.jitter_probability)
        gray = _draw_chance(seeds[5], shape, self.gray_probability)
        blurred = _draw_chance(seeds[3], shape, self.blur_probability)
        hues = tf.random.stateless_uniform(shape, seeds[9], -self.hue, self.hue)

        def factors(seed, extent):
            return tf.where(jittered, tf.random.stateless_uniform(shape, seed, *extent), 1.0)

        return {
            **self._draw_boxes(shape, seeds[0]),
            "flips": _draw_chance(seeds[1], shape, self.flip_probability),
            "sigmas": tf.where(blurred, tf.random.stateless_uniform(shape, seeds[2], *self.blur_sigma), 0.0),
            "brightness": factors(seeds[4], self.brightness),
            "contrast": factors(seeds[7], self.contrast),
            # Losing color is saturation 0.
            "saturation": tf.where(gray, 0.0, factors(seeds[8], self.saturation)),
            "hue": tf.where(jittered, hues, 0.0),
            "solarized": _draw_chance(seeds[10], shape, self.solarize_probability),
        }

    def apply(self, clips, starts, steps, num_frames: int, draws, steady: bool = False):
        """Returns views of clips at the times given, `(B, V, L, H, W, C)` float32 in [0, 1], changed as drawn.

        Clips are `(B, T, H, W, C)` uint8, or floats in [0, 1]; times are those of `augment.resample`, whose `steady`
        may leave the range a little.
        """
        num_views = starts.shape[1]
        if not self.shares(num_views):
            return self._change(clips, starts, steps, num_frames, draws, steady)
        # A set is changed as a whole before its views part: work on 2 clips instead of all views.
        still = tf.zeros_like(draws["sigmas"])
        sets = self._change(clips, still, still + 1.0, clips.shape[1], draws)
        starts, steps = [tf.reshape(times, [-1, num_views // 2]) for times in (starts, steps)]
        views = augment.resample(_by_view(sets), starts, steps, num_frames, steady=steady)
        return tf.reshape(views, [-1, num_views, *views.shape[2:]])

    def shares(self, num_views: int) -> bool:
        """Returns whether so many views share draws: sets of one view have nothing to share."""
        return self.share_spatial and num_views > 2

    def _draw_boxes(self, shape, seed):
        if self.regions is None:
            return {"boxes": augment.draw_boxes(seed, shape, self.crop_area, self.crop_aspect)}
        chosen = tf.cast(tf.floor(len(self.regions) * tf.random.stateless_uniform(shape, seed)), tf.int32)
        return {"boxes": tf.gather(tf.constant(self.regions, tf.float32), chosen), "regions": chosen}

    def _change(self, clips, starts, steps, num_frames, draws, steady=False):
        """Returns `(B, V, num_frames, H, W, C)` of the clips at `(B, V)` times, changed as drawn."""
        top, left, bottom, right = tf.unstack(draws["boxes"], axis=-1)
        left, right = [tf.where(draws["flips"], *sides) for sides in ((right, left), (left, right))]
        columns = augment.resize_matrix(left, right, clips.shape[3])
        white = 255.0 if clips.dtype == tf.uint8 else 1.0
        colors = augment.color_matrix(clips.shape[-1], draws["brightness"] / white, draws["saturation"], draws["hue"])
        views = augment.resample(clips, starts, steps, num_frames, top, bottom, steady)
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
            views = tf.nn.relu(views)  # Every pass costs a tenth of all; nothing else is left darker than black.
        if np.any(self.solarize_probability):
            solarized = draws["solarized"][:, :, None, None, None, None] & (views > 0.5)
            views = tf.where(solarized, 1.0 - views, views)
        return views


# Leaves the picture as it is; `dataclasses.replace` adds single changes.
UNCHANGED = Appearance(
    crop_area=(1.0, 1.0),
    crop_aspect=(1.0, 1.0),
    brightness=(1.0, 1.0),
    flip_probability=0.0,
    blur_probability=0.0,
)


def _draw_chance(seed, shape, chance):
    """Draws `(B, V)` booleans by one chance for all, or by a pair of them, one for each half of the views."""
    by_set = np.repeat(np.broadcast_to(np.float32(chance), 2), (shape[1] + 1) // 2)[: shape[1]]
    return tf.random.stateless_uniform(shape, seed) < by_set


def _by_view(tensor):
    return tf.reshape(tensor, [-1, *tensor.shape[2:]])
