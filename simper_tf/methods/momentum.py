"""A slow copy of the networks that learn, whose vectors are what is to be matched: shared by MoCo and BYOL."""

import dataclasses

import tensorflow as tf

from simper_tf.methods import heads
from simper_tf.methods.self_supervised import PriorOptions, SelfSupervised
from simper_tf.utils.options import option
from simper_tf.utils.replicas import assign_everywhere
from simper_tf.views.times import SameSpeed


@dataclasses.dataclass(frozen=True)
class MomentumOptions(PriorOptions):
    """Options of a method with a slow copy."""

    momentum: float = option(0.99, "Share of the slow copy that stays at every step.", low=0, high=1, is_flag=False)


class MomentumMethod(SelfSupervised):
    """A method with a target: a copy of encoder and head that no gradient reaches.

    At the start of a step every parameter of the target becomes `m * target + (1 - m) * online`. Statistics of batch
    norm are no parameters and are not averaged: the target is in training mode too and uses those of its batch, as in
    both sources. Encoder and head of a new method are equal to their copies.

    Arguments and errors are those of `Method`; the head is built for `views`, which cannot be left out.
    """

    Options = MomentumOptions
    takes_times = SameSpeed

    def __init__(self, encoder, views=None, **given):
        super().__init__(encoder, views, **given)
        self.head = self.build_head(heads.vector_length(type(self).__name__, encoder, views))
        self.target_encoder = copy_without_gradients(encoder)
        self.target_head = copy_without_gradients(self.head)

    def build_head(self, length: int):
        """Returns the head for vectors of a length; see `heads`."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its head is.")

    def current_momentum(self) -> tf.Tensor | float:
        """Returns m of the step that begins."""
        return self.options.momentum

    def before_step(self) -> None:
        """Moves the target's parameters towards those that learn, on all replicas."""
        momentum = self.current_momentum()
        networks = (self.encoder, self.target_encoder), (self.head, self.target_head)
        pairs = [pair for online, target in networks for pair in zip(online.weights, target.weights, strict=True)]
        pairs = [(online.value, target) for online, target in pairs if online.trainable]
        values = [momentum * target.value + (1.0 - momentum) * online for online, target in pairs]
        assign_everywhere([target for _, target in pairs], values)

    def target_vectors(self, views: tf.Tensor, training: bool = True) -> tf.Tensor:
        """Returns the target's `(B, V, P)` float32 vectors of `(B, V, L, H, W, C)` views; constants to the tape."""
        features = self.encode_views(views, training, encoder=self.target_encoder)
        return tf.stop_gradient(heads.project(self.target_head, features, training))


def copy_without_gradients(network):
    """Returns a copy of a `keras.Model`, weights included, none of which an optimizer will touch."""
    copy = type(network).from_config(network.get_config())
    copy.set_weights(network.get_weights())
    # Its variables alone: a batch norm that is itself not trainable would leave training mode.
    for variable in copy.trainable_variables:
        variable.trainable = False
    return copy
