"""What generated recordings look like: textures, how they move, and what cameras and codecs make of them.

Stateless TensorFlow ops with GPU kernels, for `synthetic`. Levels are floats from 0 to 255.
"""

import math

import numpy as np
import tensorflow as tf

_BLOCK = 8  # Pixels a side of what codecs transform at once.


def textured(seed, height: int, width: int):
    """Returns a picture of colored noise, coarse and fine, with ellipses and a grating in it.

    Args:
        seed: `(2,)` integers of a stateless random op.
        height, width: Pixels.

    Returns:
        `(height, width, 3)` float32 levels, about 0 to 255.
    """
    seeds = tf.unstack(tf.random.experimental.stateless_split(seed, 9))
    roughness = tf.random.stateless_uniform([], seeds[0], 0.3, 1.0)
    picture = tf.zeros([height, width, 3])
    for octave in range(4):
        cells = [max(height >> (3 - octave), 2), max(width >> (3 - octave), 2)]
        grid = tf.random.stateless_normal([1, *cells, 3], seeds[octave + 1])
        # Its luminance dominates, as in photographs.
        grid = 0.5 * grid + tf.reduce_mean(grid, axis=-1, keepdims=True)
        smooth = tf.image.resize(grid, [height, width], tf.image.ResizeMethod.BILINEAR)[0]
        picture += smooth * tf.pow(roughness, float(octave))
    picture += _grating(seeds[5], height, width) * tf.random.stateless_uniform([], seeds[6], 0.0, 1.0)
    picture = 110.0 + 55.0 * picture / tf.maximum(tf.math.reduce_std(picture), 1e-3)
    for number in range(5):
        shape_seed = tf.random.experimental.stateless_fold_in(seeds[7], number)
        inside = ellipse(shape_seed, height, width, (0.05, 0.25), spread=0.4)
        color = tf.random.stateless_uniform(
            [3], tf.random.experimental.stateless_fold_in(seeds[8], number), 10.0, 245.0
        )
        picture += inside * (color - picture)
    return picture


def ellipse(seed, height: int, width: int, sizes: tuple[float, float], spread: float = 0.1):
    """Returns an ellipse with a soft edge, `(height, width, 1)` in [0, 1].

    Args:
        seed: `(2,)` integers.
        height, width: Pixels.
        sizes: Smallest and largest half axis, as shares of the sides.
        spread: How far its middle may lie from that of the picture, as a share of the sides.
    """
    draws = tf.random.stateless_uniform([4], seed)
    axes = sizes[0] + draws[:2] * (sizes[1] - sizes[0])
    middle = 0.5 + spread * (2 * draws[2:] - 1)
    y, x = _places(height, width)
    distance = tf.sqrt(tf.square((y / height - middle[0]) / axes[0]) + tf.square((x / width - middle[1]) / axes[1]))
    return tf.clip_by_value(8.0 * (1.0 - distance) + 0.5, 0.0, 1.0)[..., None]


def bars(places, angle, half_width: float, height: int, width: int):
    """Returns a bar across the picture for each of some places, with a soft edge.

    Args:
        places: `(N,)` pixels from the middle of the picture to that of the bar.
        angle: Radians between the bar and the vertical.
        half_width: Pixels.
        height, width: Pixels.

    Returns:
        `(N, height, width, 1)` float32 in [0, 1].
    """
    y, x = _places(height, width)
    along = (x - width / 2) * tf.cos(angle) + (y - height / 2) * tf.sin(angle)
    return tf.clip_by_value(half_width + 0.5 - tf.abs(along - places[:, None, None]), 0.0, 1.0)[..., None]


def moved(picture, angles, scales, center, shifts):
    """Returns a picture turned, enlarged and shifted, a frame for each of N movements; reflected at its border.

    Args:
        picture: `(H, W, C)` float32.
        angles: `(N,)` radians.
        scales: `(N,)` factors.
        center: `(2,)` x and y in pixels about which it is turned and enlarged.
        shifts: `(N, 2)` pixels to the right and down.

    Returns:
        `(N, H, W, C)` float32.
    """
    cosines, sines = tf.cos(angles) / scales, tf.sin(angles) / scales
    # Where in the picture each pixel of a frame comes from.
    x, y = center[0] + shifts[:, 0], center[1] + shifts[:, 1]
    zeros = tf.zeros_like(angles)
    rows = [cosines, sines, center[0] - cosines * x - sines * y, -sines, cosines, center[1] + sines * x - cosines * y]
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=tf.repeat(picture[None], tf.shape(angles)[0], axis=0),
        transforms=tf.stack([*rows, zeros, zeros], axis=1),
        output_shape=tf.shape(picture)[:2],
        fill_value=0.0,
        interpolation="BILINEAR",
        fill_mode="REFLECT",
    )


def wandering(seed, count: int, channels: int, step, seconds: float):
    """Returns series that stay alike for some seconds and repeat nothing.

    Args:
        seed: `(2,)` integers.
        count, channels: Of the series.
        step: Seconds from one value to the next.
        seconds: After which a series has forgotten all but 1 / e of itself.

    Returns:
        `(count, channels)` float32 of deviation 1: a first-order autoregression.
    """
    keep = tf.exp(-tf.cast(step, tf.float32) / seconds)
    number = tf.range(count, dtype=tf.float32)
    ages = number[:, None] - number
    weights = tf.where(ages >= 0, tf.pow(keep, tf.maximum(ages, 0.0)), 0.0)
    news = tf.where(number > 0, tf.sqrt(1.0 - tf.square(keep)), 1.0)
    return tf.matmul(weights * news, tf.random.stateless_normal([count, channels], seed))


def compressed(frames, step):
    """Returns frames as codecs leave them that transform blocks of 8 x 8 pixels and round, fine detail more coarsely.

    Args:
        frames: `(N, H, W, C)` float32 levels.
        step: Levels to which the mean of a block is rounded, times 8; the finest detail to 8 times that. Near 0 it
            leaves frames as they are.

    Returns:
        `(N, H, W, C)` float32.
    """
    height, width, channels = frames.shape[1:]
    beyond = [-height % _BLOCK, -width % _BLOCK]
    padded = tf.pad(frames, [[0, 0], [0, beyond[0]], [0, beyond[1]], [0, 0]], "SYMMETRIC")
    rows, columns = padded.shape[1] // _BLOCK, padded.shape[2] // _BLOCK
    blocks = tf.reshape(padded, [-1, rows, _BLOCK, columns, _BLOCK, channels])
    basis = _cosines()
    found = tf.einsum("uy,nayblc,vl->naubvc", basis, blocks, basis)
    detail = np.add.outer(np.arange(_BLOCK), np.arange(_BLOCK)) / (2 * _BLOCK - 2)
    steps = step * tf.reshape(tf.constant(1 + 7 * detail, tf.float32), [1, 1, _BLOCK, 1, _BLOCK, 1])
    found = steps * tf.round(found / steps)
    found = tf.einsum("uy,naubvc,vl->nayblc", basis, found, basis)
    return tf.reshape(found, tf.shape(padded))[:, :height, :width]


def _cosines():
    """Returns the orthonormal `(8, 8)` matrix of the discrete cosine transform."""
    number, place = np.arange(_BLOCK)[:, None], np.arange(_BLOCK)
    matrix = math.sqrt(2 / _BLOCK) * np.cos(np.pi * (2 * place + 1) * number / (2 * _BLOCK))
    matrix[0] /= math.sqrt(2)
    return tf.constant(matrix, tf.float32)


def _grating(seed, height, width):
    draws = tf.random.stateless_uniform([3], seed)
    angle, pixels, phase = math.pi * draws[0], 4.0 + 12.0 * draws[1], 2 * math.pi * draws[2]
    y, x = _places(height, width)
    wave = tf.sin(2 * math.pi * (x * tf.cos(angle) + y * tf.sin(angle)) / pixels + phase)
    return wave[..., None]


def _places(height, width):
    """Returns y, `(H, 1)`, and x, `(1, W)`, of pixels."""
    return tf.range(height, dtype=tf.float32)[:, None], tf.range(width, dtype=tf.float32)[None]
