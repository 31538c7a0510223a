"""SimCLR: two views of a clip are to resemble each other more than those of any other clip of the batch."""

from keras import layers

from simper_tf.encoders.norms import BatchNorm
from simper_tf.methods import heads
from simper_tf.methods.contrast import contrast_clips
from simper_tf.methods.registry import register
from simper_tf.methods.self_supervised import SelfSupervised
from simper_tf.utils.config import check_number
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SameSpeed
from simper_tf.views.views import Views

# Changes of color in the authors' code, and in that of CVRL.
STRONG_COLORS = {
    "brightness": (0.2, 1.8),
    "contrast": (0.2, 1.8),
    "saturation": (0.2, 1.8),
    "hue": 0.2,
    "jitter_probability": 0.8,
    "gray_probability": 0.2,
}


@register("simclr", title="SimCLR", reference="Chen et al., ICML 2020, https://arxiv.org/abs/2002.05709")
class SimCLR(SelfSupervised):
    """Contrasts clips by their vectors, after Chen et al.

    Of every clip two views are made at its own speed. The features of all frames of a view are one vector, which a
    head projects; `contrast.nt_xent` compares the projections with those of all clips of the step, on whatever replica.
    The head is that of the authors' second version, whose width is that of its input: two hidden layers and an output
    layer, with batch norm over all replicas and views after each, and no biases but those of the first two norms.

    The authors' TensorFlow 2 code adds the losses of the two views as anchors; here it is the mean of the paper, half
    of that. They draw the first weights from a normal distribution of deviation 0.01; with batch norm after every
    layer their scale hardly matters, so Keras's stay.

    It logs, beside what all methods log, `accuracy`: how often the other view is the nearest of all.

    Args:
        encoder: See `Method`.
        views: See `Method`; the head is built for them, so they cannot be left out.
        temperature: Divides the cosine similarities; 0.1 is the default of the authors' code.
        projection: Length of the projections.
        seed: See `Method`.

    Raises:
        ValueError: a setting is out of its range, or `views` are missing.
    """

    appearance = Appearance(crop_area=(0.08, 1.0), **STRONG_COLORS, blur_probability=0.5)
    takes_times = SameSpeed
    min_clips = 2

    def __init__(
        self,
        encoder,
        views: Views | None = None,
        *,
        temperature: float = 0.1,
        projection: int = 128,
        seed: int = 0,
        **kwargs,
    ):
        check_number("temperature", temperature, 0, above=True)
        check_number("projection", projection, 1)
        super().__init__(encoder, views, seed=seed, **kwargs)
        self.temperature = temperature
        self.projection = projection
        self.head = self.build_head(heads.vector_length(type(self).__name__, encoder, views))

    def build_head(self, length):
        """Returns the head for vectors of a length."""
        return heads.head(
            length,
            heads.hidden(length, use_bias=False),
            heads.hidden(length, use_bias=False),
            layers.Dense(self.projection, use_bias=False),
            BatchNorm(momentum=0.9, epsilon=heads.EPSILON, center=False),
        )

    def log_names(self):
        return [*super().log_names(), "accuracy"]

    def loss_and_logs(self, features, batch, training=True):
        loss, accuracy = contrast_clips(heads.project(self.head, features, training), self.temperature)
        return loss, {"accuracy": accuracy}
