"""What a camera does to a replay: shake, pan, flicker, noise, and a part of the picture that plays something else."""

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from simper_tf.views.random_parts import Draws, smooth_noise

# Steps of a shake and length of a pan, as shares of the frame.
SHAKES, PANS = (0.0, 0.0, 0.0016, 0.005, 0.01), (0.0, 0.0, 0.03, 0.1)
# Waver of the light, as a share, and its drift; deviation of the noise, of white 1.
FLICKERS, LIGHT_DRIFT, NOISES = (0.0, 0.0, 0.02, 0.06, 0.15), 0.06, (0.0, 0.002, 0.008, 0.024)
# Chance that only a part of the picture repeats.
REGION = 0.3
# Noise is cut out of this many numbers, from places drawn a frame: no op draws normal numbers for every pixel.
BANK = 1 << 16


def draw_disturbances(draws: Draws, num_frames: int) -> dict[str, tf.Tensor]:
    """Draws how the frames of replays are disturbed, by draws of shape `(B, M, 1)`.

    `shifts`, `(B, M, L, 2)` down and right as shares of the frame; `lights`, `(B, M, L)` factors; `noises`, `(B, M,
    1)`; `offsets`, `(B, M, L)` int32 into the bank of noise; `ovals`, `(B, M, 1, 4)` middle and radii of the part that
    repeats, as shares of the frame, of radius 10 where all of it does. A fiftieth of what is behind shows through.
    """
    ramp = tf.linspace(-0.5, 0.5, num_frames)[:, None]
    shake = draws.one_of(*SHAKES)[..., None] * tf.cumsum(draws.normal([num_frames, 2])[:, :, 0], axis=2)
    shifts = shake + draws.one_of(*PANS)[..., None] * draws.normal([2]) * ramp
    light = draws.one_of(*FLICKERS) * smooth_noise(draws, num_frames, 8.0)
    light += LIGHT_DRIFT * draws.normal() * tf.cast(draws.chance(0.4), tf.float32) * ramp[:, 0]
    middle, radii = draws.uniform(0.15, 0.85, [2]), draws.uniform(0.08, 0.35, [2])
    whole = ~draws.chance(REGION)[..., None]
    return {
        "shifts": tf.clip_by_value(shifts, -0.25, 0.25),
        "lights": 1.0 + light,
        "noises": draws.one_of(*NOISES),
        "offsets": tf.cast(draws.uniform(0.0, float(BANK), [num_frames])[:, :, 0], tf.int32),
        "ovals": tf.concat([middle, tf.where(whole, 10.0, radii)], axis=-1),
    }


def disturb(replays: tf.Tensor, behind: tf.Tensor, drawn: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """Applies what `draw_disturbances` returned to `(B, M, L, H, W, C)` floats in [0, 1].

    `behind` is what plays in the rest of the picture.
    """
    dtype = replays.dtype
    drawn = {name: tf.cast(x, dtype) if x.dtype.is_floating else x for name, x in drawn.items()}
    height, width, channels = replays.shape[3:]
    inside = _ovals(drawn["ovals"], height, width)
    views = inside * replays + (1.0 - inside) * behind
    rows, columns = [
        _shifted(drawn["shifts"][..., axis], size) for axis, size in enumerate((height, width))
    ]  # fmt: skip
    views = tf.einsum("bmtij,bmtjwc->bmtiwc", rows, views)
    views = tf.einsum("bmtij,bmthjc->bmthic", columns, views)
    pixels = (drawn["offsets"][..., None] + tf.range(height * width * channels)) % BANK
    bank = tf.constant(np.random.default_rng(0).normal(size=BANK), dtype)
    noise = tf.reshape(tf.gather(bank, pixels), tf.shape(views))
    views = views * drawn["lights"][..., None, None, None] + drawn["noises"][..., None, None, None] * noise
    return tf.clip_by_value(views, 0.0, 1.0)


def _ovals(ovals, height, width):
    """Weights of an oval part with a soft rim, `(B, M, 1, H, W, 1)`."""
    y, x = [(tf.range(size, dtype=ovals.dtype) + 0.5) / size for size in (height, width)]
    down, right, tall, wide = tf.unstack(ovals[..., None, None, :], axis=-1)
    away = ((y[:, None] - down) / tall) ** 2 + ((x - right) / wide) ** 2
    return tf.sigmoid(4.0 * (1.0 - away))[..., None]


def _shifted(shifts, size):
    """Matrices that move a line of pixels by shares of it, `(B, M, L, size, size)`; the border repeats."""
    pixels = tf.range(size, dtype=shifts.dtype)
    sources = tf.clip_by_value(pixels - size * shifts[..., None], 0.0, size - 1.0)
    return tf.nn.relu(1.0 - tf.abs(sources[..., None] - pixels))
