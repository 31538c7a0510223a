"""Saliency sampling: a small network magnifies, before any encoder, the part of each frame that matters.

A saliency map pulls the points at which a frame is sampled towards its peaks; where it is flat, the frame stays as it
is. Everything is differentiable, so the map is learned from the encoder's loss. Source: Recasens et al., ECCV 2018,
https://arxiv.org/abs/1809.03355, as Gideon and Stent, ICCV 2021, https://arxiv.org/abs/2111.09748, use it for faces.
They have two terms beside the loss, which keep the map to few places that stay where they are from frame to frame.
"""

import dataclasses

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from simper_tf.encoders import auxiliary_losses
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.norms import NormOptions
from simper_tf.encoders.resnet3d import basic_block, convolution_norm
from simper_tf.encoders.small import convolution
from simper_tf.utils.options import option, takes

# Full width at half maximum of the pull, as a share of the frame: 13 pixels of 128, whose map has 32.
_PULL = 13 / 32


@dataclasses.dataclass(frozen=True)
class SaliencyOptions(NormOptions):
    """Options of a saliency sampler; both weights are 1 in the paper of Gideon and Stent."""

    saliency_entropy_weight: float = option(
        0.0, "Weight of the entropy of the sampler's maps, which keeps them to few places.", low=0, rare=True
    )
    saliency_motion_weight: float = option(
        0.0, "Weight of the change of the sampler's maps from frame to frame.", low=0, rare=True
    )


@takes(SaliencyOptions)
def with_saliency_sampler(encoder: keras.Model, frame_shape: tuple[int, int, int], options) -> keras.Model:
    """Returns an encoder that looks at frames through a saliency sampler of its own.

    The sampler adds the first stage of a ResNet-18, with weights that start at random, and a convolution: 157,569
    trainable parameters at 3 channels. The published pull is a trainable kernel; here it is fixed.

    Args:
        encoder: `keras.Model`, `(B, T, H, W, C)` -> features, whose weights it shares.
        frame_shape: `(H, W, C)` of the clips.
        options: See `SaliencyOptions`.

    Returns:
        `keras.Model` with the inputs and outputs of `encoder`, named after it.

    Raises:
        ValueError: `frame_shape` or `norm` is none, a weight is negative, or the frames are smaller than 5 x 5, whose
            map would be a single point.

    Example:
        >>> encoder = simper_tf.small((None, None, 3))
        >>> simper_tf.encoders.with_saliency_sampler(encoder, (24, 24, 3)).output_shape
        (None, None, 4)
    """
    # Not of NumPy: Keras saves plain numbers alone.
    weights = float(options.saliency_entropy_weight), float(options.saliency_motion_weight)
    clips = clip_input(frame_shape, smallest=5, known=True)
    maps = saliency_network(frame_shape[-1], options.norm)(clips)
    return keras.Model(clips, encoder(SaliencySampler(*weights)(clips, maps)), name=f"saliency_{encoder.name}")


def saliency_network(channels=3, norm="batch"):
    """Returns a network of single frames, clips `(B, T, H, W, C)` -> maps `(B, T, H / 4, W / 4)` that each sum to 1."""
    clips = keras.Input((None, None, None, channels))
    x = layers.ReLU()(convolution_norm(clips, 64, (1, 7, 7), 2, norm))
    # After a ReLU zeros at the rim are never the maximum.
    x = layers.MaxPooling3D((1, 3, 3), (1, 2, 2))(layers.ZeroPadding3D((0, 1, 1))(x))
    for _ in range(2):
        x = basic_block(x, 64, (1, 3, 3), 1, norm)
    # float32 also under a policy of half precision: the points are to move by fractions of a pixel.
    maps = layers.Softmax(axis=(2, 3), dtype="float32")(convolution(1, (1, 1, 1))(x))
    return keras.Model(clips, keras.ops.squeeze(maps, axis=-1), name="saliency")


@keras.saving.register_keras_serializable("simper_tf")
class SaliencySampler(layers.Layer):
    """Samples each frame of `(B, T, H, W, C)` clips more densely where its saliency is high.

    Maps are `(B, T, h, w)` float32, positive, h and w at least 2; where they are flat it returns the clips. Clips are
    float32 under every policy. `entropy_weight` and `motion_weight` are those of the losses `entropy` and `motion` of
    the maps.
    """

    def __init__(self, entropy_weight: float = 0.0, motion_weight: float = 0.0, **kwargs):
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.entropy_weight = entropy_weight
        self.motion_weight = motion_weight

    def call(self, clips, maps):
        for weight, term in ((self.entropy_weight, entropy), (self.motion_weight, motion)):
            if weight:
                auxiliary_losses.add(weight * term(maps))
        return sample(clips, *self.points(maps, *clips.shape[2:4]))

    def points(self, maps, height, width):
        """Returns where pixels are taken from: `(B, T, height, width)` rows and columns, in pixels.

        Each point of the map is drawn to the mean place of the points around it, weighted by their saliency and a
        Gaussian; between them, points are interpolated.
        """
        (pull_y, moment_y), (pull_x, moment_x) = (_pull(size) for size in maps.shape[2:4])
        mass = _apply(pull_y, maps, pull_x)
        places = _apply(moment_y, maps, pull_x) / mass, _apply(pull_y, maps, moment_x) / mass
        up_y, up_x = _interpolation(height, maps.shape[2]), _interpolation(width, maps.shape[3])
        rows, columns = (_apply(up_y, tf.clip_by_value(place, 0.0, 1.0), up_x) for place in places)
        return rows * (height - 1), columns * (width - 1)


def entropy(maps: tf.Tensor) -> tf.Tensor:
    """Returns the mean of -p ln p over the points of `(B, T, h, w)` maps that each sum to 1, as published in code.

    It is a frame's entropy divided by its points: 0 where all is in one, ln(hw) / hw of a flat map.
    """
    return -tf.reduce_mean(tf.math.xlogy(maps, maps))


def motion(maps: tf.Tensor) -> tf.Tensor:
    """Returns the mean square of the change of `(B, T, h, w)` maps from frame to frame; 0 of a single frame."""
    changes = maps[:, 1:] - maps[:, :-1]
    return tf.math.divide_no_nan(tf.reduce_sum(tf.square(changes)), tf.cast(tf.size(changes), maps.dtype))


def sample(clips, rows, columns):
    """Returns `(B, T, H, W, C)` frames read at `(B, T, H, W)` rows and columns in pixels, interpolating linearly."""
    height, width = clips.shape[2:4]
    shape = tf.shape(clips)
    pixels = tf.reshape(clips, [-1, height * width, clips.shape[-1]])
    top = tf.clip_by_value(tf.floor(rows), 0.0, height - 2.0)
    left = tf.clip_by_value(tf.floor(columns), 0.0, width - 2.0)
    first = tf.reshape(tf.cast(top * width + left, tf.int32), [-1, height * width])
    down, right = (tf.reshape(part, [-1, height * width, 1]) for part in (rows - top, columns - left))
    corners = [tf.gather(pixels, first + step, batch_dims=1) for step in (0, 1, width, width + 1)]
    upper = corners[0] + right * (corners[1] - corners[0])
    lower = corners[2] + right * (corners[3] - corners[2])
    return tf.reshape(upper + down * (lower - upper), shape)


def _pull(size):
    """Returns `(size, size)` weights of a map's points around each, and the same times their places in [0, 1]."""
    # Beyond the rim the map goes on with its last value, as far again on either side, and places below 0 and above 1:
    # all is symmetric about each point then, and a flat map moves none.
    points = np.arange(size)
    beyond = np.arange(-size, 2 * size)
    distance = beyond - points[:, None]
    deviation = _PULL * size / np.sqrt(8 * np.log(2))
    weights = np.exp(-0.5 * np.square(distance / deviation)) * (np.abs(distance) <= size)
    nearest = (np.clip(beyond, 0, size - 1)[:, None] == points).astype(float)
    return [tf.constant(w @ nearest, tf.float32) for w in (weights, weights * beyond / (size - 1))]


def _interpolation(size, points):
    """Returns `(size, points)` weights that read `size` values off `points`, ends on ends, linearly in between."""
    places = np.linspace(0, points - 1, size)[:, None]
    return tf.constant(np.maximum(0, 1 - np.abs(places - np.arange(points))), tf.float32)


def _apply(rows, maps, columns):
    return tf.einsum("ih,bthw,jw->btij", rows, maps, columns)
