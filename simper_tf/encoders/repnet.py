"""RepNet's encoder: a ResNet of single frames and one convolution over time."""

import dataclasses

import keras
from keras import layers

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.frames import PerFrame, clip_input
from simper_tf.encoders.norms import NormOptions, normalization
from simper_tf.encoders.precision import FULL
from simper_tf.utils.options import option, takes


@dataclasses.dataclass(frozen=True)
class RepNetOptions(NormOptions):
    """Options of `repnet`."""

    width: float = option(
        1.0, "Share of the published numbers of channels; a quarter is what two CPU cores can train.", low=1 / 64
    )


@takes(RepNetOptions)
def repnet(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns the convolutional part of RepNet, 512 features a frame, without a head.

    ResNet-50 V2 up to `conv4_block3_out`, a convolution over frames t - 3, t and t + 3, and the maximum over space.
    Weights start at random, as in the paper. 19,351,168 trainable parameters at 3 channels. Any length and size of
    frames works; 112 x 112 is the published size.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `RepNetOptions`: norm `batch`, as published; `group` (8 groups; a frame of the ResNet has its own
            statistics); or `affine`.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T, 512)`, or as many as the width leaves of them.

    Raises:
        ValueError: `frame_shape` or `norm` is none, or so few channels are left that a layer has none.

    Source: Dwibedi et al., CVPR 2020, https://arxiv.org/abs/2006.15418, `repnet/repnet_colab.ipynb` of
    google-research. Its L2 penalty of 1e-6 is left to the weight decay of the optimizer.

    Example:
        >>> simper_tf.encoders.repnet((112, 112, 3)).output_shape
        (None, None, 512)
    """
    clips = clip_input(frame_shape)
    x = PerFrame(_resnet(frame_shape[-1], options.norm, options.width))(layers.Rescaling(2.0, offset=-1.0)(clips))
    filters = round(512 * options.width)
    x = layers.Conv3D(filters, 3, padding="same", dilation_rate=(3, 1, 1), kernel_initializer="he_normal", dtype=FULL)(
        x
    )
    x = layers.ReLU(dtype=FULL)(normalization(options.norm, dtype=FULL)(x))
    return keras.Model(clips, mark(keras.ops.max(x, axis=(2, 3))), name="repnet")


def _resnet(channels, norm, width):
    """Returns the first stages of ResNet-50 V2 with norms of the kind named, and a share of its channels."""
    whole = keras.applications.ResNet50V2(include_top=False, weights=None, input_shape=(None, None, channels))
    stages = keras.Model(whole.input, whole.get_layer("conv4_block3_out").output, name="resnet50v2")

    def fresh(layer):
        if isinstance(layer, layers.BatchNormalization):
            return normalization(norm, momentum=layer.momentum, epsilon=layer.epsilon)
        config = layer.get_config()
        if "filters" in config:
            config["filters"] = round(config["filters"] * width)
        return layer.__class__.from_config(config)

    def call(layer, *tensors, **_):
        return layer(*tensors)  # Without the empty mask that only batch norm takes.

    return keras.models.clone_model(stages, clone_function=fresh, call_function=call)
