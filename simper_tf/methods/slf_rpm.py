"""SLF-RPM: two regions of a clip at two strides resemble each other, and tell region and stride."""

import dataclasses

import tensorflow as tf
from keras import layers

from simper_tf.methods import heads
from simper_tf.methods.registry import register
from simper_tf.methods.self_supervised import PriorOptions, SelfSupervised
from simper_tf.methods.simclr import contrast_clips
from simper_tf.utils.options import option
from simper_tf.views.appearance import UNCHANGED
from simper_tf.views.times import Strides

# Top, left, bottom, right: the whole frame, and its six parts in two rows of three. The source cuts seven parts out of
# a face (the whole, forehead, four parts of the cheeks, mouth) by its landmarks; a grid needs no face.
REGIONS = (
    (0.0, 0.0, 1.0, 1.0),
    *((row / 2, column / 3, (row + 1) / 2, (column + 1) / 3) for row in range(2) for column in range(3)),
)


@dataclasses.dataclass(frozen=True)
class SLFRPMOptions(PriorOptions):
    """Options of SLF-RPM.

    The authors have a temperature of 0.1 for UBFC and 1 for MAHNOB-HCI and VIPL-HR, and projections of 2048, for
    VIPL-HR of 512.
    """

    temperature: float = option(0.1, "Divides the similarities.", low=0, above=True)
    projection: int = option(2048, "Length of the projected vectors.", low=1, is_flag=False)


@register(
    "slf_rpm", title="Wang et al. 2022", reference="Wang, Ahn and Kim, AAAI 2022, https://arxiv.org/abs/2107.07695"
)
class SLFRPM(SelfSupervised):
    """Spatio-temporal self-supervision for pulses, after Wang, Ahn and Kim.

    Of every clip two views are made, each at a stride of its own and of one of the regions, which is stretched to the
    size of the frame. The features of all frames of a view are one vector. `simclr.nt_xent` compares what a head
    makes of it with all other clips of the step, on whatever replica, and two linear classifiers tell from it which
    region and which stride it was made with. The loss is the sum of the three. It logs, beside what all methods log,

    * the parts of the loss `contrast`, `region` and `stride`: cross-entropies, of which chance scores about
      ln(2 B - 1), ln 7 and ln S;
    * `accuracy`: how often the other view is the nearest of all.

    The head is that of the authors' code: 512, ReLU, `projection`. The code takes all views from the first frame on;
    here they start and run backwards at random, as for the other methods. It shuffles the two views of a clip but not
    their classes, which are so exchanged for half of the clips; here every view has its own.

    Arguments and errors are those of `Method`. The appearance of `views` has regions, in place of random crops; the
    heads are built for `views`, which cannot be left out.

    Example:
        >>> times = simper_tf.SLFRPM.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.SLFRPM.appearance)
        >>> model = simper_tf.SLFRPM(simper_tf.small((8, 8, 3)), views)
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3).
        >>> model.region_head.output_shape
        (None, 7)
    """

    Options = SLFRPMOptions
    appearance = dataclasses.replace(UNCHANGED, regions=REGIONS)
    fixed_appearance = ("crop_area", "crop_aspect")
    takes_times = Strides
    min_clips = 2

    def __init__(self, encoder, views=None, **given):
        length = heads.vector_length(type(self).__name__, encoder, views)
        if not getattr(views.appearance, "regions", None):
            raise ValueError(
                "SLFRPM tells apart which region of the frame a view shows, but the appearance of `views` has no "
                "`regions`. Make it by SLFRPM.appearance_from(appearance)."
            )
        super().__init__(encoder, views, **given)
        self.head = heads.head(length, layers.Dense(512, activation="relu"), layers.Dense(self.options.projection))
        self.region_head = heads.head(length, layers.Dense(len(views.appearance.regions)))
        self.stride_head = heads.head(length, layers.Dense(views.times.largest))

    @classmethod
    def times_for(cls, num_views, speed_range, reverse_probability=0.5):
        """Returns the strides 1 to S, the largest whole number that the fastest speed, of 2 or more, reaches.

        The authors' 5 would alias, or exceed the clip, in several data sets.
        """
        if speed_range[1] < 2:
            raise ValueError(
                "SLF-RPM tells strides apart, 1 to the whole part of the fastest speed, which must be at least 2. "
                f"Received: `speed_range` {speed_range[0]:g} to {speed_range[1]:g}."
            )
        return Strides(int(speed_range[1]), reverse_probability)

    @classmethod
    def appearance_from(cls, appearance):
        """Returns an appearance whose random crops have given way to regions; see `Method.appearance_from`."""
        kept = {name: getattr(UNCHANGED, name) for name in cls.fixed_appearance}
        return dataclasses.replace(appearance or UNCHANGED, regions=REGIONS, **kept)

    def log_names(self) -> list[str]:
        return [*super().log_names(), "contrast", "region", "stride", "accuracy"]

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        contrast, accuracy = contrast_clips(heads.project(self.head, features, training), self.options.temperature)
        strides = tf.cast(tf.round(batch["speeds"]), tf.int32) - 1
        region, stride = [
            tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(classes, heads.project(head, features, training))
            )
            for head, classes in ((self.region_head, batch["regions"]), (self.stride_head, strides))
        ]
        logs = {"contrast": contrast, "region": region, "stride": stride, "accuracy": accuracy}
        return contrast + region + stride, logs
