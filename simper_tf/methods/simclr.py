"""SimCLR: two views of a clip are to resemble each other more than those of any other clip of the batch."""

import keras
import tensorflow as tf
from keras import layers

from simper_tf import diagnostics, losses
from simper_tf.encoders.norms import BatchNorm
from simper_tf.methods import heads
from simper_tf.methods.base import Method
from simper_tf.methods.replicas import gather, replicas
from simper_tf.views import Views

# Changes of colour in the authors' code, and in that of CVRL.
STRONG_COLORS = {
    "brightness": (0.2, 1.8),
    "contrast": (0.2, 1.8),
    "saturation": (0.2, 1.8),
    "hue": 0.2,
    "jitter_probability": 0.8,
    "gray_probability": 0.2,
}


@keras.saving.register_keras_serializable("simper_tf")
class SimCLR(Method):
    """Contrasts clips by their vectors, after Chen et al., https://arxiv.org/abs/2002.05709.

    Of every clip two views are made at its own speed. The features of all frames of a view are one vector, which a
    head projects; `losses.nt_xent` compares the projections with those of all clips of the step, on whatever replica.
    The head is that of the authors' second version, whose width is that of its input: two hidden layers and an output
    layer, with batch norm over all replicas and views after each, and no biases but those of the first two norms.

    The authors' TensorFlow 2 code adds the losses of the two views as anchors; here it is the mean of the paper, half
    of that. They draw the first weights from a normal distribution of deviation 0.01; with batch norm after every
    layer their scale hardly matters, so Keras's stay.

    It logs `loss`; `accuracy`, how often the other view is the nearest of all; and `feature_deviation`, see `Method`.

    Args:
        encoder, views, seed: See `Method`; the head is built for `views`, which cannot be left out.
        temperature: Divides the cosine similarities; 0.1 is the default of the authors' code.
        outputs: Length of the projections.

    Raises:
        ValueError: `temperature` is not positive, or `views` are missing.
    """

    min_clips = 2

    def __init__(self, encoder, views=None, temperature=0.1, outputs=128, seed=0, **kwargs):
        if temperature <= 0:
            raise ValueError(f"`temperature` must be positive. Received: {temperature}.")
        super().__init__(encoder, views, seed, **kwargs)
        self.temperature = temperature
        self.outputs = outputs
        self.head = self.build_head(heads.vector_length(type(self).__name__, encoder, views))

    @classmethod
    def views_for(cls, num_frames, num_views, speed_range, **changes):
        """Returns two views of each clip at its own speed, with the changes of colour of the authors' code.

        See `Method.views_for`.
        """
        own = {"crop_area": (0.08, 1.0), **STRONG_COLORS, "blur_probability": 0.5}
        return Views(num_frames, 1, (1.0, 1.0), **{**own, **changes})

    def build_head(self, length):
        """Returns the head for vectors of a length."""
        return heads.head(
            length,
            heads.hidden(length, use_bias=False),
            heads.hidden(length, use_bias=False),
            layers.Dense(self.outputs, use_bias=False),
            BatchNorm(momentum=0.9, epsilon=heads.EPSILON, center=False),
        )

    def log_names(self):
        return ["loss", "accuracy", "feature_deviation"]

    def compute_logs(self, features, speeds, training=True):
        """Returns the logged scalars, `loss` among them.

        Args:
            features: `(B, 2, L)` or `(B, 2, L, D)`.
            speeds: `(B, 2)`, unused.
            training: Whether the head is in training mode.
        """
        first, second = tf.unstack(heads.project(self.head, features, training), 2, axis=1)
        position = replicas()[1] * tf.shape(first)[0]
        everyone = gather(first), gather(second)
        found = losses.nt_xent(first, second, self.temperature, everyone, position)
        loss, accuracy = [tf.reduce_mean(values) for values in found]
        return {"loss": loss, "accuracy": accuracy, "feature_deviation": diagnostics.feature_deviation(features)}

    def get_config(self):
        return {**super().get_config(), "temperature": self.temperature, "outputs": self.outputs}
