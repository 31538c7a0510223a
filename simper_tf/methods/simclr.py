"""SimCLR: the other view of a clip is to be found, by its vector, among the views of all clips of the batch."""

import dataclasses

import keras
import tensorflow as tf
from keras import layers

from simper_tf.encoders.norms import BatchNorm
from simper_tf.methods import heads
from simper_tf.methods.registry import register
from simper_tf.methods.self_supervised import PriorOptions, SelfSupervised
from simper_tf.utils.options import option
from simper_tf.utils.replicas import gather, replicas
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SameSpeed

# Changes of color in the authors' code, and in that of CVRL.
STRONG_COLORS = {
    "brightness": (0.2, 1.8),
    "contrast": (0.2, 1.8),
    "saturation": (0.2, 1.8),
    "hue": 0.2,
    "jitter_probability": 0.8,
    "gray_probability": 0.2,
}


@dataclasses.dataclass(frozen=True)
class SimCLROptions(PriorOptions):
    """Options of SimCLR; its authors' code has the same temperature."""

    temperature: float = option(0.1, "Divides the similarities.", low=0, above=True)
    projection: int = option(128, "Length of the projected vectors.", low=1, is_flag=False)


@register("simclr", title="SimCLR", reference="Chen et al., ICML 2020, https://arxiv.org/abs/2002.05709")
class SimCLR(SelfSupervised):
    """Contrasts clips by their vectors, after Chen et al.

    Of every clip two views are made at its own speed. The features of all frames of a view are one vector, which a
    head projects; `nt_xent` compares the projections with those of all clips of the step, on whatever replica.
    The head is that of the authors' second version, whose width is that of its input: two hidden layers and an output
    layer, with batch norm over all replicas and views after each, and no biases but those of the first two norms.

    The authors' TensorFlow 2 code adds the losses of the two views as anchors; here it is the mean of the paper, half
    of that. They draw the first weights from a normal distribution of deviation 0.01; with batch norm after every
    layer their scale hardly matters, so Keras's stay.

    It logs, beside what all methods log, `accuracy`: how often the other view is the nearest of all.

    Arguments and errors are those of `Method`; the head is built for `views`, which cannot be left out.

    Example:
        >>> times = simper_tf.SimCLR.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.SimCLR.appearance)
        >>> model = simper_tf.SimCLR(simper_tf.small((8, 8, 3)), views)
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3).
        >>> model.head.output_shape
        (None, 128)
    """

    Options = SimCLROptions
    appearance = Appearance(crop_area=(0.08, 1.0), **STRONG_COLORS, blur_probability=0.5)
    takes_times = SameSpeed
    min_clips = 2

    def __init__(self, encoder, views=None, **given):
        super().__init__(encoder, views, **given)
        self.head = self.build_head(heads.vector_length(type(self).__name__, encoder, views))

    def build_head(self, length: int) -> keras.Model:
        """Returns the head for vectors of a length."""
        return heads.head(
            length,
            heads.hidden(length, use_bias=False),
            heads.hidden(length, use_bias=False),
            layers.Dense(self.options.projection, use_bias=False),
            BatchNorm(momentum=0.9, epsilon=heads.EPSILON, center=False),
        )

    def log_names(self) -> list[str]:
        return [*super().log_names(), "accuracy"]

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        loss, accuracy = contrast_clips(heads.project(self.head, features, training), self.options.temperature)
        return loss, {"accuracy": accuracy}


def contrast_clips(vectors, temperature: float):
    """Returns the mean of `nt_xent` over both views, `(B, 2, D)`, of this replica's clips, and the share found."""
    first, second = tf.unstack(vectors, 2, axis=1)
    position = replicas()[1] * tf.shape(first)[0]
    losses, hits = nt_xent(first, second, temperature, (gather(first), gather(second)), position)
    return tf.reduce_mean(losses), tf.reduce_mean(hits)


def nt_xent(a, b, temperature: float, candidates=None, first=0):
    """Returns the normalized temperature-scaled cross-entropy of two views of every clip (eq. 1 of SimCLR).

    An anchor has the other view of its clip to find among both views of all other clips; it is no candidate itself. `a`
    and `b` are `(N, D)` views of the clips at hand, scaled to length 1 here; `candidates` the pair of `(P, D)` views of
    all clips of the step, in which those at hand begin at `first`, or None for these alone.

    Returns `(2N,)` float32 losses of the anchors `a` and then `b`: 0 if there is only one clip and ln(2P - 1) if all
    vectors are the same. The paper's loss is their mean; the authors' code adds the means over `a` and `b`. And `(2N,)`
    float32, 1 where the other view is the nearest of all candidates.

    Source: Chen et al., https://arxiv.org/abs/2002.05709.
    """
    a, b, *others = [tf.math.l2_normalize(tf.cast(x, tf.float32), axis=-1) for x in (a, b, *(candidates or (a, b)))]
    logits = tf.matmul(tf.concat([a, b], axis=0), tf.concat(others, axis=0), transpose_b=True) / temperature
    number, shift = tf.shape(a)[0], tf.shape(others[0])[0]
    own = first + tf.range(number)
    logits -= 1e9 * tf.one_hot(tf.concat([own, own + shift], axis=0), 2 * shift, dtype=logits.dtype)
    return choose(logits, tf.concat([own + shift, own], axis=0))


def choose(logits, targets):
    """Returns the `(N,)` cross-entropy of choosing targets by `(N, P)` logits, and 1 where they are chosen."""
    hits = tf.cast(tf.argmax(logits, axis=-1, output_type=tf.int32) == targets, tf.float32)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits), hits
