"""CVRL: SimCLR of clips whose two views start at different times, seldom far apart."""

from keras import layers

from simper_tf.methods import heads
from simper_tf.methods.registry import register
from simper_tf.methods.simclr import STRONG_COLORS, SimCLR
from simper_tf.utils.config import check_number
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import DistantTimes
from simper_tf.views.views import Views


@register("cvrl", title="CVRL", reference="Qian et al., CVPR 2021, https://arxiv.org/abs/2008.03800")
class CVRL(SimCLR):
    """Contrasts clips by two views at different times, after Qian et al.

    Loss, vectors, logs and what is said of them are those of `SimCLR`. Its own are the times of the views (see
    `DistantTimes`), their changes of color, the first always blurred and the second seldom, but solarized at times,
    and a head of three hidden layers and a last one without batch norm. Every change is the same for all frames of a
    view. The authors' code adds a decay of the weights to the loss; here that is left to the optimizer.

    Args:
        encoder: See `Method`.
        views: See `Method`; the head is built for them, so they cannot be left out.
        temperature: Divides the cosine similarities.
        hidden: Width of the hidden layers of the head.
        projection: Length of the projections.
        seed: See `Method`.

    Raises:
        ValueError: a setting is out of its range, or `views` are missing.
    """

    appearance = Appearance(
        crop_area=(0.3, 1.0),
        crop_aspect=(0.5, 2.0),
        **STRONG_COLORS,
        blur_probability=(1.0, 0.1),
        solarize_probability=(0.0, 0.2),
    )

    def __init__(
        self,
        encoder,
        views: Views | None = None,
        *,
        temperature: float = 0.1,
        hidden: int = 2048,
        projection: int = 128,
        seed: int = 0,
        **kwargs,
    ):
        check_number("hidden", hidden, 1)
        self.hidden = hidden  # First, because the head is built with it.
        super().__init__(encoder, views, temperature=temperature, projection=projection, seed=seed, **kwargs)

    @classmethod
    def times_for(cls, num_views, speed_range, reverse_probability=0.5):
        return DistantTimes(reverse_probability)

    def build_head(self, length):
        layers_of = [heads.hidden(self.hidden, momentum=0.997) for _ in range(3)]
        return heads.head(length, layers_of, layers.Dense(self.projection))
