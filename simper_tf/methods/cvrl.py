"""CVRL: SimCLR of clips whose two views start at different times, seldom far apart."""

import dataclasses

import keras
from keras import layers

from simper_tf.methods import heads
from simper_tf.methods.registry import register
from simper_tf.methods.simclr import STRONG_COLORS, SimCLR, SimCLROptions
from simper_tf.utils.options import option
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import DistantTimes


@dataclasses.dataclass(frozen=True)
class CVRLOptions(SimCLROptions):
    """Options of CVRL."""

    hidden: int = option(2048, "Width of the hidden layers of the head.", low=1, is_flag=False)


@register("cvrl", title="CVRL", reference="Qian et al., CVPR 2021, https://arxiv.org/abs/2008.03800")
class CVRL(SimCLR):
    """Contrasts clips by two views at different times, after Qian et al.

    Loss, vectors, logs and what is said of them are those of `SimCLR`. Its own are the times of the views (see
    `DistantTimes`), their changes of color, the first always blurred and the second seldom, but solarized at times,
    and a head of three hidden layers and a last one without batch norm. Every change is the same for all frames of a
    view. The authors' code adds a decay of the weights to the loss; here that is left to the optimizer.

    Arguments and errors are those of `SimCLR`.

    Example:
        >>> times = simper_tf.CVRL.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.CVRL.appearance)
        >>> model = simper_tf.CVRL(simper_tf.small((8, 8, 3)), views)
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3).
        >>> model.head.output_shape, model.min_clips
        ((None, 128), 2)
    """

    Options = CVRLOptions
    times = DistantTimes
    appearance = Appearance(
        crop_area=(0.3, 1.0),
        crop_aspect=(0.5, 2.0),
        **STRONG_COLORS,
        blur_probability=(1.0, 0.1),
        solarize_probability=(0.0, 0.2),
    )

    def build_head(self, length: int) -> keras.Model:
        layers_of = [heads.hidden(self.options.hidden, momentum=0.997) for _ in range(3)]
        return heads.head(length, layers_of, layers.Dense(self.options.projection))
