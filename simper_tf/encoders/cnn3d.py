"""The 3D CNN of the paper's RotatingDigits and SCAMPS experiments, in two readings of "3D variant of the MNIST CNN"."""

import dataclasses

import keras
from keras import layers

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.norms import NormOptions, norm_option, normalization
from simper_tf.encoders.precision import FULL, space_mean
from simper_tf.encoders.small import Padding, convolution
from simper_tf.utils.options import Options, takes


@takes(NormOptions)
def cnn3d(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns the authors' 3D variant of the MNIST CNN: two blocks of convolution, norm, ReLU and pooling.

    372,227 trainable parameters at 1 channel, 377,987 at 3 (`norm="batch"`). Nothing strides over time, so any
    length works, and a feature sees 9 frames. Before the head, a convolution to one map, stand 128 features a frame.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `NormOptions`. Groups are 8; `affine` is what the authors' pre-training amounts to, as it never
            switches batch norm to training.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)`.

    Raises:
        ValueError: `frame_shape` or `norm` is none, or the frames are smaller than 4 x 4.

    Source: `src/networks.py` of the authors' repository; the order there is convolution, norm, ReLU, pooling.

    Example:
        >>> encoder = simper_tf.cnn3d((28, 28, 1))
        >>> encoder(np.zeros((2, 30, 28, 28, 1), np.float32)).shape
        TensorShape([2, 30])
        >>> encoder.count_params()
        372613
    """
    clips = x = clip_input(frame_shape, smallest=4)  # Halved twice.
    for filters in (64, 128):
        x = layers.Conv3D(filters, (5, 3, 3), padding="same")(x)
        x = layers.ReLU()(normalization(options.norm)(x))
        x = layers.MaxPooling3D((1, 2, 2))(x)
    x = convolution(1, (1, 1, 1), dtype=FULL)(mark(x))
    x = layers.ReLU(dtype=FULL)(normalization(options.norm, groups=1, dtype=FULL)(x))
    return keras.Model(clips, keras.ops.mean(x, axis=(2, 3, 4)), name="cnn3d")


@dataclasses.dataclass(frozen=True)
class DomainBedOptions(Options):
    """Options of `cnn3d_domainbed`, which has group norm in DomainBed."""

    norm: str = norm_option("group")


@takes(DomainBedOptions)
def cnn3d_domainbed(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns the MNIST CNN of DomainBed, which the paper cites, with kernels that reach over five frames.

    Four blocks of convolution, ReLU and norm, in this order, the mean over space and a linear head. 1,847,553
    trainable parameters at 1 channel, 1,853,313 at 3, the head's 129 included: 128 features a frame stand before it. A
    feature sees 17 frames.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `DomainBedOptions`. Groups are 8.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)`.

    Raises:
        ValueError: `frame_shape` or `norm` is none.

    Source: `domainbed/networks.py` of facebookresearch/DomainBed, in two dimensions and without a head.

    Example:
        >>> simper_tf.encoders.cnn3d_domainbed((28, 28, 1)).count_params()
        1847553
    """
    clips = x = clip_input(frame_shape)
    for filters, stride in ((64, 1), (128, 2), (128, 1), (128, 1)):
        # Padded alike on both sides, as in PyTorch; `same` with a stride would pad one more behind.
        x = Padding((2, 1, 1))(x)
        x = layers.Conv3D(filters, (5, 3, 3), (1, stride, stride), activation="relu")(x)
        x = normalization(options.norm, momentum=0.9, epsilon=1e-5)(x)
    x = layers.Dense(1, dtype=FULL)(mark(space_mean(x)))
    return keras.Model(clips, keras.ops.squeeze(x, axis=-1), name="cnn3d_domainbed")
