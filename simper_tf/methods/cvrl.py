"""CVRL: SimCLR of clips whose two views start at different times, seldom far apart."""

import dataclasses
import math

import keras
import tensorflow as tf
from keras import layers

from simper_tf.methods import heads
from simper_tf.methods.simclr import STRONG_COLORS, SimCLR
from simper_tf.views import Views


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class DistantViews(Views):
    """Two views of every clip at one speed, whose distance in time is drawn from a falling density.

    Of T frames a view of L frames at speed s can start at M = T - ceil(s (L - 1)). The distance of the two starts is
    drawn with a density proportional to 1 - distance / M, the earlier start evenly among those that remain, and which
    view has it by chance. Source: the temporal sampling of CVRL (power 1), whose authors search the integral of the
    density for the integer that the closed form here gives at once. They repeat clips that are too short for one
    view; here these are refused as everywhere.

    Attributes:
        num_views: 1; there are two sets.
        speed_range: Twice the one speed.

    Raises:
        ValueError: an attribute is out of its range.
    """

    num_views: int = 1
    speed_range: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self):
        super().__post_init__()
        if self.num_views != 1 or self.speed_range[0] != self.speed_range[1]:
            raise ValueError(
                "Views that are told apart by their times are 1 a set, of one speed. "
                f"Received: num_views={self.num_views}, speed_range={self.speed_range}."
            )

    def draw_times(self, batch_size, num_source_frames, seed):
        speed, shape = self.speed_range[0], [batch_size, 1]
        seeds = tf.unstack(tf.random.experimental.stateless_split(seed, 4))
        share, place, order = [tf.random.stateless_uniform(shape, s) for s in seeds[:3]]
        number = float(num_source_frames - math.ceil(speed * (self.num_frames - 1)))
        distances = draw_distances(share, number)
        # A share rounded up to 1 would be one start too far.
        early = tf.minimum(tf.floor(place * (number - distances)), number - distances - 1.0)
        starts = tf.concat([early, early + distances], axis=1)
        starts = tf.where(order < 0.5, starts, starts[:, ::-1])
        return self.reversed_at_random(tf.fill(tf.shape(starts), speed), starts, seeds[3])


def draw_distances(share, number):
    """Returns whole distances d in [0, number - 1] of cumulative density F(d) = 2 d / number - (d / number)^2.

    Args:
        share: Floats in [0, 1), evenly distributed: F is inverted at them and rounded down.
        number: Of starts to choose from.
    """
    return tf.minimum(tf.floor(number * (1.0 - tf.sqrt(1.0 - share))), number - 1.0)


@keras.saving.register_keras_serializable("simper_tf")
class CVRL(SimCLR):
    """Contrasts clips by two views at different times, after Qian et al., https://arxiv.org/abs/2008.03800.

    Loss, vectors, logs and what is said of them are those of `SimCLR`. Its own are the times of the views (see
    `DistantViews`), their changes of colour, the first always blurred and the second seldom, but solarized at times,
    and a head of three hidden layers and a last one without batch norm. Every change is the same for all frames of a
    view. The authors' code adds a decay of the weights to the loss; here that is left to the optimizer.

    Args:
        encoder, views, temperature, outputs, seed: See `SimCLR`.
        hidden: Width of the hidden layers of the head.

    Raises:
        ValueError: `temperature` is not positive, or `views` are missing.
    """

    def __init__(self, encoder, views=None, temperature=0.1, hidden=2048, outputs=128, seed=0, **kwargs):
        self.hidden = hidden
        super().__init__(encoder, views, temperature, outputs, seed, **kwargs)

    @classmethod
    def views_for(cls, num_frames, num_views, speed_range, **changes):
        """Returns two views of each clip at its own speed, with the changes of colour of the authors' code.

        See `Method.views_for`.
        """
        own = {
            "crop_area": (0.3, 1.0),
            "crop_aspect": (0.5, 2.0),
            **STRONG_COLORS,
            "blur_probability": (1.0, 0.1),
            "solarize_probability": (0.0, 0.2),
        }
        return DistantViews(num_frames, **{**own, **changes})

    def build_head(self, length):
        layers_of = [heads.hidden(self.hidden, momentum=0.997) for _ in range(3)]
        return heads.head(length, layers_of, layers.Dense(self.outputs))

    def get_config(self):
        return {**super().get_config(), "hidden": self.hidden}
