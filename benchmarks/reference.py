"""The paper read plainly, for comparison: one view at a time, a query a pixel, similarity row by row.

Nothing here is used by the package. It does the work of `views.views` and `losses.similarity`, in the
order in which the paper tells it and with the building blocks that come to hand first.
"""

import tensorflow as tf

from simper_tf.losses import info_nce
from simper_tf.views import augment


def make_views(clips, seed, num_views, num_frames, speed_range, share_spatial):
    """Returns `(B, 2M, L, H, W, C)` views and `(B, 2M)` speeds of `(B, T, H, W, C)` uint8 clips.

    The views of a set share a draw of space, or have their own, as in `simper_tf.views.views`; each is made alone.
    """
    clips = tf.cast(clips, tf.float32) / 255.0
    speeds = augment.draw_speeds(seed, tf.shape(clips)[0], num_views, speed_range)
    speeds = tf.concat([speeds, speeds], axis=1)
    numbers = tf.range(2 * num_views)

    def views_of_clip(arguments):
        clip, clip_speeds, index = arguments

        def view(arguments):
            speed, time, space = arguments
            return _one_view(clip, speed, tf.stack([seed[0], time]), tf.stack([seed[0], space]), num_frames)

        times = 2000 * index + numbers
        spaces = 2000 * index + 1000 + (numbers // num_views if share_spatial else numbers)
        return tf.map_fn(view, (clip_speeds, times, spaces), fn_output_signature=tf.float32)

    clip_indices = tf.range(tf.shape(clips)[0])
    return tf.map_fn(views_of_clip, (clips, speeds, clip_indices), fn_output_signature=tf.float32), speeds


def similarity_rows(first, second):
    """Returns `(B, M, M)` largest normalized cross-correlations of `(B, M, T)` features, a row at a time."""

    def row(anchor, candidates):
        num_frames = anchor.shape[-1]
        anchor = tf.repeat(anchor[None], tf.shape(candidates)[0], axis=0)
        anchor -= tf.reduce_mean(anchor, axis=1, keepdims=True)
        candidates -= tf.reduce_mean(candidates, axis=1, keepdims=True)
        padding = [[0, 0], [0, num_frames]]
        spectrum = tf.signal.rfft(tf.pad(anchor, padding)) * tf.math.conj(tf.signal.rfft(tf.pad(candidates, padding)))
        norms = tf.norm(anchor, axis=1) * tf.norm(candidates, axis=1)
        return tf.reduce_max(tf.signal.irfft(spectrum), axis=1) / norms

    def matrix(pair):
        return tf.map_fn(lambda anchor: row(anchor, pair[1]), pair[0])

    return tf.map_fn(matrix, (first, second), fn_output_signature=tf.float32)


def loss_rows(features, speeds):
    """Returns the mean SimPer loss of `(B, 2M, T)` features at temperature 1, a clip at a time."""
    first, second = tf.split(features, 2, axis=1)
    labels = info_nce.label_distribution(*tf.split(speeds, 2, axis=1))
    return tf.reduce_mean(info_nce.generalized_info_nce(similarity_rows(first, second), labels))


def change_speeds(clips, speeds, num_frames):
    """Returns the first frames, `(B, V, L, H, W, C)`, of `(B, T, H, W, C)` uint8 clips at `(B, V)` speeds."""

    def views_of_clip(arguments):
        clip, clip_speeds = arguments
        return tf.map_fn(lambda speed: change_speed(clip, speed)[:num_frames], clip_speeds)

    return tf.map_fn(views_of_clip, (tf.cast(clips, tf.float32), speeds), fn_output_signature=tf.float32)


def change_speed(clip, speed):
    """Resamples a whole clip at one speed: a query for every pixel and channel, answered by general interpolation."""
    num_frames = tf.shape(clip)[0]
    length = tf.where(speed > 1, tf.cast(tf.cast(num_frames, tf.float32) / speed, tf.int32), num_frames)
    lines = tf.transpose(clip, [1, 2, 3, 0])
    grid = tf.range(tf.cast(length, tf.float32)) * speed
    grid = tf.broadcast_to(grid, tf.concat([tf.shape(lines)[:3], [length]], 0))
    return tf.transpose(interpolate(grid, 0.0, tf.cast(num_frames - 1, tf.float32), lines), [3, 0, 1, 2])


def interpolate(x, x_first, x_last, y):
    """Linear interpolation on a regular grid as libraries offer it: any batch, NaN kept, ends repeated beyond.

    Args:
        x: `(..., K)` query points.
        x_first, x_last: Ends of the grid.
        y: `(..., N)` values on it.

    Returns:
        `(..., K)`.
    """
    size = tf.cast(tf.shape(y)[-1], tf.float32)
    undefined = tf.math.is_nan(x)
    position = (x - x_first) / (x_last - x_first) * (size - 1.0)
    position = tf.where(undefined, tf.zeros_like(position), position)
    position = tf.clip_by_value(position, 0.0, size - 1.0)
    above = tf.minimum(tf.floor(position) + 1.0, size - 1.0)
    below = tf.maximum(above - 1.0, 0.0)
    weight = position - below
    rank = y.shape.rank - 1
    values_below = tf.gather(y, tf.cast(below, tf.int32), batch_dims=rank)
    values_above = tf.gather(y, tf.cast(above, tf.int32), batch_dims=rank)
    values = weight * values_above + (1.0 - weight) * values_below
    values = tf.where(undefined, x, values)
    values = tf.where(x < x_first, y[..., :1], values)
    return tf.where(x > x_last, y[..., -1:], values)


def _one_view(clip, speed, time_seed, space_seed, num_frames):
    start, backwards = tf.unstack(tf.random.stateless_uniform([2], time_seed))
    seeds = tf.unstack(tf.random.experimental.stateless_split(space_seed, 2))
    brightness, blur, sigma, flip = tf.unstack(tf.random.stateless_uniform([4], seeds[0]))
    clip = change_speed(clip, speed)
    start = tf.cast(start * tf.cast(tf.shape(clip)[0] - num_frames, tf.float32), tf.int32)
    clip = clip[start : start + num_frames]
    clip = tf.cond(backwards < 0.5, lambda: tf.reverse(clip, [0]), lambda: clip)
    box = augment.draw_boxes(seeds[1], [1], (0.5, 1.0), (0.75, 4 / 3))
    size = clip.shape[1:3]
    clip = tf.image.crop_and_resize(clip, tf.repeat(box, num_frames, axis=0), tf.range(num_frames), size)
    clip *= 0.7 + 0.6 * brightness
    clip = tf.cond(blur < 0.2, lambda: _blur(clip, 0.1 + 1.9 * sigma), lambda: clip)
    clip = tf.cond(flip < 0.5, lambda: tf.reverse(clip, [2]), lambda: clip)
    return tf.clip_by_value(tf.ensure_shape(clip, [num_frames, *size, clip.shape[-1]]), 0.0, 1.0)


def _blur(clip, sigma):
    radius = 4
    kernel = tf.exp(-0.5 * tf.square(tf.range(-radius, radius + 1, dtype=tf.float32) / sigma))
    kernel = tf.repeat((kernel / tf.reduce_sum(kernel))[:, None, None, None], clip.shape[-1], axis=2)
    for direction in (kernel, tf.transpose(kernel, [1, 0, 2, 3])):
        clip = tf.nn.depthwise_conv2d(clip, direction, [1, 1, 1, 1], "SAME")
    return clip
