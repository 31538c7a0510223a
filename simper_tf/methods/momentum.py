"""What MoCo and BYOL share: a slow copy of the networks that learn, whose vectors are what is to be matched."""

import tensorflow as tf

from simper_tf.methods import heads
from simper_tf.methods.self_supervised import SelfSupervised
from simper_tf.utils.config import check_number
from simper_tf.utils.replicas import assign_everywhere
from simper_tf.views.times import SameSpeed


class MomentumMethod(SelfSupervised):
    """A method with a target: a copy of encoder and head that no gradient reaches.

    At the start of a step every parameter of the target becomes `m * target + (1 - m) * online`. Statistics of batch
    norm are no parameters and are not averaged: the target is in training mode too and uses those of its batch, as in
    both sources. Encoder and head of a new method are equal to their copies.

    Args:
        encoder: See `Method`.
        views: See `Method`.
        head: `keras.Model` from vectors of clips to what is compared; see `heads`.
        momentum: m, the share of the target that stays.
        seed: See `Method`.

    Raises:
        ValueError: `momentum` is out of its range.
    """

    takes_times = SameSpeed

    def __init__(self, encoder, views, head, *, momentum, seed, **kwargs):
        check_number("momentum", momentum, 0, 1)
        super().__init__(encoder, views, seed=seed, **kwargs)
        self.momentum = momentum
        self.head = head
        self.target_encoder = copy_without_gradients(encoder)
        self.target_head = copy_without_gradients(head)

    def current_momentum(self):
        """Returns m of the step that begins."""
        return self.momentum

    def before_step(self):
        """Moves the target's parameters towards those that learn, on all replicas."""
        momentum = self.current_momentum()
        networks = (self.encoder, self.target_encoder), (self.head, self.target_head)
        pairs = [pair for online, target in networks for pair in zip(online.weights, target.weights, strict=True)]
        pairs = [(online.value, target) for online, target in pairs if online.trainable]
        values = [momentum * target.value + (1.0 - momentum) * online for online, target in pairs]
        assign_everywhere([target for _, target in pairs], values)

    def target_vectors(self, views, training=True):
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
