"""Clips -> changed clips. Drawing (`draw_*`, stateless) is kept apart from applying (deterministic, by hand testable).

Periodicity-variant: speed. Periodicity-invariant: delay, reversal, crop and resize, flip, blur, brightness, gray.
The cost is moving memory, so passes over the views are merged:

1. `resample` interpolates in time and, with the same kernel and in the same pass, stretches the rows of the crop;
2. `mix_rows` blurs the rows of those views that are blurred at all;
3. `mix_columns` stretches, mirrors and blurs along the columns and mixes the colors, by one matrix a view.
"""

import numpy as np
import tensorflow as tf

# `CropAndResize` paints black what rounds past the border, so boxes keep this share of the side away from it.
INSIDE = 1e-6
# Share of the variance of noise that steady interpolation leaves, see `steadying`.
STEADY_SHARE = 0.75
# Brightness to the eye and two differences of colors, from red, green and blue.
YIQ = ((0.299, 0.587, 0.114), (0.596, -0.274, -0.322), (0.211, -0.523, 0.312))


def draw_speeds(seed, batch_size, num_views, speed_range):
    """Draws `(B, M)` uniform speeds, `num_views` a clip in rising order."""
    return tf.sort(tf.random.stateless_uniform([batch_size, num_views], seed, *map(float, speed_range)), axis=-1)


def draw_starts(seed, speeds, num_source_frames, num_frames):
    """Draws where each view starts, uniformly over all source times from which it fits (the random delay).

    `(B, V)` float32 in `[0, T - 1 - speed (L - 1)]`, in source frames.
    """
    last = tf.cast(num_source_frames - 1, tf.float32) - speeds * (num_frames - 1)
    return tf.random.stateless_uniform(tf.shape(speeds), seed) * last


def resample(clips, starts, speeds, num_frames, tops=None, bottoms=None, steady=False):
    """Changes the speed: frame k of a view is the clip at source time `start + k speed`, linearly interpolated.

    Halfway between two frames their mean has half the variance of the noise, and at a frame nothing is lost: noise
    swells and fades in a rhythm that says how fast a view runs. Where it is to be `steady`, times near a frame are also
    smoothed and those between two sharpened, by just so much that noise is as strong at all of them; see `steadying`.
    Only nearly so before the second and after the last but one frame, as what lies beyond the ends is mirrored. How
    noise of successive frames of a view is correlated, which the speed has a part in, stays as it is.

    Args:
        clips: `(B, T, H, W, C)` uint8 or float.
        starts: `(B, V)` source times of the first frames, in frames.
        speeds: `(B, V)` source frames a step; negative speeds play backwards.
        num_frames: L.
        tops, bottoms: `(B, V)` in [0, 1]: rows to cut out and stretch to the full height, as shares of it between
            the centres of the first and the last row; None for all.
        steady: Whether noise that is independent from frame to frame is as strong at every time.

    Returns:
        `(B, V, L, H, W, C)` float32, in the clip's own unit; sharpened, it may leave the clip's range by a fifth of
        it. Keeping times inside the clip is the caller's part: a view that starts or ends outside is squeezed into
        it, and is not steady.
    """
    if steady:
        clips = tf.cast(clips, tf.float32)
        # Beyond the ends stands what lies as far within.
        around = tf.concat([clips[:, 1:2], clips, clips[:, -2:-1]], axis=1)
        bends = around[:, :-2] + around[:, 2:] - 2.0 * clips
        both = resample(tf.concat([clips, bends], axis=-1), starts, speeds, num_frames, tops, bottoms)
        views, bends = tf.split(both, 2, axis=-1)
        times = starts[..., None] + speeds[..., None] * tf.range(num_frames, dtype=tf.float32)
        return views + steadying(times - tf.floor(times))[..., None, None, None] * bends
    batch, frames, height, width, channels = tf.unstack(tf.shape(clips))
    num_views = tf.shape(speeds)[1]
    last = tf.cast(frames - 1, tf.float32)
    first, final = [
        tf.clip_by_value(t / last, INSIDE, 1 - INSIDE) for t in (starts, starts + speeds * (num_frames - 1))
    ]
    tops = tf.zeros_like(first) if tops is None else tops
    bottoms = tf.minimum(tf.ones_like(first) if bottoms is None else bottoms, 1 - INSIDE)
    # To this kernel time and rows are the two sides of an image whose "pixels" are whole rows of the clip. It weighs
    # four neighbors in one pass and runs on GPUs, there for floats only; gathering and mixing takes several passes.
    views = tf.image.crop_and_resize(
        tf.reshape(tf.cast(clips, tf.float32), [batch, frames, height, width * channels]),
        boxes=tf.reshape(tf.stack([first, tops, final, bottoms], axis=-1), [-1, 4]),
        box_indices=tf.repeat(tf.range(batch), num_views),
        crop_size=tf.stack([num_frames, height]),
    )
    views = tf.reshape(views, [batch, num_views, num_frames, height, width, channels])
    return tf.ensure_shape(views, [None, speeds.shape[1], num_frames, *clips.shape[2:]])


def steadying(phases):
    """Returns how much of the bend of a clip steady interpolation adds to the linear one, for `phases` p in [0, 1].

    Between frames x[0] and x[1], at the share p of the way, linear interpolation weighs x[-1] to x[2] by
    l = (0, 1 - p, p, 0), and the bend x[k - 1] - 2 x[k] + x[k + 1] by d = (1 - p, 3 p - 2, 1 - 3 p, p). Of noise that
    is independent from frame to frame, l + a d leaves the share |l + a d|^2 of the variance. Here a is the smaller
    solution of |l + a d|^2 = `STEADY_SHARE`: above 0 near a frame, which is smoothed, and below halfway between two.
    Whatever a is, weights have sum 1 and their mean at p, so that a straight line stays one.
    """
    uneven = phases * (1.0 - phases)
    # -l d, |d|^2 and what |l|^2 has in excess.
    across, bend, excess = 2.0 - 6.0 * uneven, 6.0 - 20.0 * uneven, 1.0 - 2.0 * uneven - STEADY_SHARE
    return (across - tf.sqrt(tf.square(across) - bend * excess)) / bend


def split_pixels(views, rolls):
    """Hides half of the pixels of the first half of the views, and the others of the second half.

    Views are `(B, V, L, H, W, C)`; `(B,)` rolls in [0, 1) say which half it is. Hidden pixels have the mean of those
    that their frame shows.
    """
    num_views, height, width = views.shape[1], *views.shape[3:5]
    # One board of random halves, read from another place for each clip: drawing one for each takes a loop.
    number = height * width
    board = tf.constant(np.random.default_rng(0).permutation(number) % 2, views.dtype)
    offsets = tf.cast(rolls * number, tf.int32)
    shown = tf.gather(board, (offsets[:, None] + tf.range(number)) % number)
    shown = tf.reshape(shown, [-1, 1, 1, height, width, 1])
    first = np.arange(num_views).reshape(1, -1, 1, 1, 1, 1) < (num_views + 1) // 2
    shown = tf.where(first, shown, 1.0 - shown)
    means = tf.reduce_sum(shown * views, axis=(3, 4), keepdims=True) / tf.reduce_sum(shown, axis=(3, 4), keepdims=True)
    return means + shown * (views - means)


def draw_boxes(seed, shape, area, aspect):
    """Draws boxes of random area and aspect ratio, log-uniform, at random places: a draw of a shape S.

    `S + (4,)` float32 `top, left, bottom, right` in [0, 1]. A side that would not fit is cut to the frame.
    """
    areas, aspects, tops, lefts = tf.unstack(tf.random.stateless_uniform(tf.concat([[4], shape], 0), seed))
    areas = area[0] + areas * (area[1] - area[0])
    aspects = aspect[0] * tf.pow(aspect[1] / aspect[0], aspects)
    heights, widths = tf.minimum(tf.sqrt(areas / aspects), 1.0), tf.minimum(tf.sqrt(areas * aspects), 1.0)
    tops, lefts = tops * (1.0 - heights), lefts * (1.0 - widths)
    return tf.stack([tops, lefts, tops + heights, lefts + widths], axis=-1)


def resize_matrix(start, stop, size):
    """Returns `(..., size, size)` bilinear weights that cut `[start, stop]` out of a line of pixels and stretch it.

    Both are `(...)` in [0, 1], from the centre of the first pixel to that of the last, the convention of
    `tf.image.crop_and_resize`; `start > stop` mirrors the line. Rows sum to 1.
    """
    shares = tf.linspace(0.0, 1.0, size)
    positions = (start[..., None] + shares * (stop - start)[..., None]) * (size - 1)
    return tf.nn.relu(1.0 - tf.abs(positions[..., None] - tf.range(size, dtype=tf.float32)))


def blur_matrix(sigma, size):
    """Returns the `(..., size, size)` matrix that blurs a line of pixels with a Gaussian of `(...)` pixels; 0 is none.

    Rows sum to 1: at the border the kernel's inner part is scaled up.
    """
    pixels = tf.range(size, dtype=tf.float32)
    distance = pixels[:, None] - pixels
    weights = tf.exp(-0.5 * tf.square(distance / tf.maximum(sigma, 1e-3)[..., None, None]))
    return weights / tf.reduce_sum(weights, axis=-1, keepdims=True)


def mix_rows(views, matrices):
    """Replaces the rows of every frame of `(N, L, H, W, C)` views by weighted sums of them, by `(N, H, H)` matrices."""
    number, frames, height, width, channels = tf.unstack(tf.shape(views))
    lines = tf.reshape(views, [number, frames, height, width * channels])
    return tf.reshape(tf.matmul(matrices[:, None], lines), tf.shape(views))


def mix_columns(views, matrices, colors):
    """Replaces columns of `(N, L, H, W, C)` views by weighted sums, `(N, W, W)`, and colors of pixels, `(N, C, C)`."""
    number, frames, height, width, channels = tf.unstack(tf.shape(views))
    # Colors lie between the columns. A larger matrix that mixes both costs less than transposing the views.
    both = tf.reshape(tf.einsum("nvw,ncd->nvcwd", matrices, colors), [number, width * channels, width * channels])
    lines = tf.reshape(views, [number, frames * height, width * channels])
    return tf.reshape(tf.matmul(lines, both, transpose_b=True), tf.shape(views))


def color_matrix(channels, brightness, saturation, hue):
    """Returns `(..., C, C)` float32 that change colors, applied from the left; by brightness alone where C is not 3.

    Saturation, 0 for gray, and hue, in shares of the circle, scale and turn the two color differences of the YIQ space
    (the weights of ITU-R BT.601), which leaves the brightness to the eye as it is. For saturation that is the mix with
    gray of common libraries; their hue is an angle in HSV, for which this is the linear stand-in, free of jumps.
    """
    if channels != 3:
        return brightness[..., None, None] * tf.eye(channels)
    angle = 2 * np.pi * hue
    cosine, sine, zero = saturation * tf.cos(angle), saturation * tf.sin(angle), tf.zeros_like(saturation)
    rows = [[tf.ones_like(zero), zero, zero], [zero, cosine, -sine], [zero, sine, cosine]]
    in_yiq = tf.stack([tf.stack(row, axis=-1) for row in rows], axis=-2)
    to_rgb, to_yiq = [tf.constant(matrix, tf.float32) for matrix in (np.linalg.inv(YIQ), YIQ)]
    return brightness[..., None, None] * (to_rgb @ in_yiq @ to_yiq)


def change_contrast(views, factors):
    """Scales the distance of every pixel from the mean of its view and channel, without cutting to [0, 1]."""
    means = tf.reduce_mean(views, axis=(-4, -3, -2), keepdims=True)
    return means + factors[..., None, None, None, None] * (views - means)
