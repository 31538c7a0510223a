"""Clips -> changed clips. Drawing (`draw_*`, stateless) is kept apart from applying (deterministic, by hand testable).

Periodicity-variant: speed. Periodicity-invariant: delay, reversal, crop and resize, flip, blur, brightness, gray.
The cost is moving memory, so passes over the views are merged:

1. `resample` interpolates in time and, with the same kernel and in the same pass, stretches the rows of the crop;
2. `mix_rows` blurs the rows of those views that are blurred at all;
3. `mix_columns` stretches, mirrors, blurs and brightens along the columns by one small matrix a view.
"""

import tensorflow as tf


def draw_speeds(seed, batch_size, num_views, speed_range):
    """Draws `num_views` uniform speeds a clip, in rising order.

    Args:
        seed: `(2,)` integers of a stateless random op.
        batch_size, num_views: B and M.
        speed_range: `(slowest, fastest)`.

    Returns:
        `(B, M)` float32.
    """
    return tf.sort(tf.random.stateless_uniform([batch_size, num_views], seed, *map(float, speed_range)), axis=-1)


def draw_starts(seed, speeds, num_source_frames, num_frames):
    """Draws where each view starts, uniformly over all source times from which it fits (the random delay).

    Args:
        seed: `(2,)` integers of a stateless random op.
        speeds: `(B, V)`.
        num_source_frames: T, of the clip.
        num_frames: L, of the view.

    Returns:
        `(B, V)` float32 in `[0, T - 1 - speed (L - 1)]`, in source frames.
    """
    last = tf.cast(num_source_frames - 1, tf.float32) - speeds * (num_frames - 1)
    return tf.random.stateless_uniform(tf.shape(speeds), seed) * last


def resample(clips, starts, speeds, num_frames, tops=None, bottoms=None):
    """Changes the speed: frame k of a view is the clip at source time `start + k speed`, linearly interpolated.

    Args:
        clips: `(B, T, H, W, C)` uint8 or float.
        starts: `(B, V)` source times of the first frames, in frames.
        speeds: `(B, V)` source frames a step; negative speeds play backwards.
        num_frames: L.
        tops, bottoms: `(B, V)` in [0, 1]: rows to cut out and stretch to the full height, as shares of it between
            the centres of the first and the last row; None for all.

    Returns:
        `(B, V, L, H, W, C)` float32, in the clip's own unit. Keeping times inside the clip is the caller's part:
        beyond one frame off it the view is black.
    """
    batch, frames, height, width, channels = tf.unstack(tf.shape(clips))
    num_views = tf.shape(speeds)[1]
    # One repeated frame on either side keeps times that round past the border inside the image.
    padded = tf.cast(tf.concat([clips[:, :1], clips, clips[:, -1:]], axis=1), tf.float32)
    ends = starts + speeds * (num_frames - 1)
    first, final = [(times + 1.0) / tf.cast(frames + 1, tf.float32) for times in (starts, ends)]
    tops = tf.zeros_like(first) if tops is None else tops
    # The kernel paints black what rounds past the last row.
    bottoms = tf.minimum(tf.ones_like(first) if bottoms is None else bottoms, 1.0 - 1e-6)
    # To this kernel time and rows are the two sides of an image whose "pixels" are whole rows of the clip. It weighs
    # four neighbours in one pass and runs on GPUs, there for floats only; gathering and mixing takes several passes.
    views = tf.image.crop_and_resize(
        tf.reshape(padded, [batch, frames + 2, height, width * channels]),
        boxes=tf.reshape(tf.stack([first, tops, final, bottoms], axis=-1), [-1, 4]),
        box_indices=tf.repeat(tf.range(batch), num_views),
        crop_size=tf.stack([num_frames, height]),
    )
    views = tf.reshape(views, [batch, num_views, num_frames, height, width, channels])
    return tf.ensure_shape(views, [None, speeds.shape[1], num_frames, *clips.shape[2:]])


def draw_boxes(seed, shape, area, aspect):
    """Draws boxes of random area and aspect ratio at random places.

    Args:
        seed: `(2,)` integers of a stateless random op.
        shape: Shape of the draw, `S`.
        area: `(smallest, largest)` share of the frame.
        aspect: `(narrowest, widest)` ratio of width to height, drawn log-uniformly.

    Returns:
        `S + (4,)` float32 `top, left, bottom, right` in [0, 1]. A side that would not fit is cut to the frame.
    """
    areas, aspects, tops, lefts = tf.unstack(tf.random.stateless_uniform(tf.concat([[4], shape], 0), seed))
    areas = area[0] + areas * (area[1] - area[0])
    aspects = aspect[0] * tf.pow(aspect[1] / aspect[0], aspects)
    heights, widths = tf.minimum(tf.sqrt(areas / aspects), 1.0), tf.minimum(tf.sqrt(areas * aspects), 1.0)
    tops, lefts = tops * (1.0 - heights), lefts * (1.0 - widths)
    return tf.stack([tops, lefts, tops + heights, lefts + widths], axis=-1)


def resize_matrix(start, stop, size):
    """Returns the matrix that cuts `[start, stop]` out of a line of pixels and stretches it to the whole line.

    Args:
        start, stop: `(...)` in [0, 1], from the centre of the first pixel to that of the last, the convention of
            `tf.image.crop_and_resize`; `start > stop` mirrors the line.
        size: Number of pixels, before and after.

    Returns:
        `(..., size, size)` float32 bilinear weights, rows summing to 1.
    """
    shares = tf.linspace(0.0, 1.0, size)
    positions = (start[..., None] + shares * (stop - start)[..., None]) * (size - 1)
    return tf.nn.relu(1.0 - tf.abs(positions[..., None] - tf.range(size, dtype=tf.float32)))


def blur_matrix(sigma, size):
    """Returns the matrix that blurs a line of pixels with a Gaussian.

    Args:
        sigma: `(...)` standard deviations in pixels; 0 leaves the line as it is.
        size: Number of pixels.

    Returns:
        `(..., size, size)` float32, rows summing to 1: at the border the kernel's inner part is scaled up.
    """
    pixels = tf.range(size, dtype=tf.float32)
    distance = pixels[:, None] - pixels
    weights = tf.exp(-0.5 * tf.square(distance / tf.maximum(sigma, 1e-3)[..., None, None]))
    return weights / tf.reduce_sum(weights, axis=-1, keepdims=True)


def mix_rows(views, matrices):
    """Replaces the rows of every frame by weighted sums of them.

    Args:
        views: `(N, L, H, W, C)` float32.
        matrices: `(N, H, H)`, one for all frames of a view.

    Returns:
        `(N, L, H, W, C)` float32.
    """
    number, frames, height, width, channels = tf.unstack(tf.shape(views))
    lines = tf.reshape(views, [number, frames, height, width * channels])
    return tf.reshape(tf.matmul(matrices[:, None], lines), tf.shape(views))


def mix_columns(views, matrices):
    """Replaces the columns of every frame by weighted sums of them.

    Args:
        views: `(N, L, H, W, C)` float32, C known.
        matrices: `(N, W, W)`, one for all frames of a view.

    Returns:
        `(N, L, H, W, C)` float32.
    """
    number, frames, height, width, channels = tf.unstack(tf.shape(views))
    # Colours lie between the columns. A larger matrix that keeps them apart costs less than transposing the views.
    apart = tf.eye(views.shape[-1])
    matrices = tf.reshape(tf.einsum("nvw,cd->nvcwd", matrices, apart), [number, width * channels, width * channels])
    lines = tf.reshape(views, [number, frames * height, width * channels])
    return tf.reshape(tf.matmul(lines, matrices, transpose_b=True), tf.shape(views))


def luminance(views):
    """Returns `(..., 3)` RGB as `(..., 3)` gray of the same brightness to the eye (weights of ITU-R BT.601)."""
    gray = tf.reduce_sum(views * tf.constant([0.299, 0.587, 0.114]), axis=-1, keepdims=True)
    return tf.broadcast_to(gray, tf.shape(views))
