"""SLF-RPM: two regions of a clip at two strides are to resemble each other, and to tell region and stride."""

import dataclasses

import keras
import tensorflow as tf
from keras import layers

from simper_tf import augment, diagnostics, losses
from simper_tf.methods import heads
from simper_tf.methods.base import Method
from simper_tf.methods.replicas import gather, replicas
from simper_tf.views import Views

# Top, left, bottom, right: the whole frame, and its six parts in two rows of three.
REGIONS = (
    (0.0, 0.0, 1.0, 1.0),
    *((row / 2, column / 3, (row + 1) / 2, (column + 1) / 3) for row in range(2) for column in range(3)),
)


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class RegionViews(Views):
    """Two views of every clip, each at an integer stride and of one of the `REGIONS`, each drawn alike often.

    Calling it maps `(clips, seed)` to `(views, speeds, regions)`: speeds are the strides, 1 to S, and `regions`
    `(B, 2)` int32 numbers in `REGIONS`, which are stretched to the size of the frame. The source cuts seven parts out
    of a face (the whole, forehead, four parts of the cheeks, mouth) by its landmarks; a grid needs no face. Nothing
    else changes the image unless asked to, and random crops are not made at all.

    Attributes:
        num_views: 1 a set.
        speed_range: `(1, S)`, the smallest and the largest stride.

    Raises:
        ValueError: an attribute is out of its range.
    """

    num_views: int = 1
    speed_range: tuple[float, float] = (1.0, 5.0)
    brightness: tuple[float, float] = (1.0, 1.0)
    flip_probability: float = 0.0
    blur_probability: float | tuple[float, float] = 0.0

    def __post_init__(self):
        super().__post_init__()
        slowest, fastest = self.speed_range
        if self.num_views != 1 or slowest != 1 or fastest < 2 or fastest % 1:
            raise ValueError(
                "SLF-RPM takes 1 view a set and the strides (1, S), S a whole number of at least 2. "
                f"Received: num_views={self.num_views}, speed_range={self.speed_range}."
            )

    def draw_times(self, batch_size, num_source_frames, seed):
        """Returns what `Views.draw_times` does; the speeds are whole numbers."""
        stride_seed, start_seed, reverse_seed = tf.unstack(tf.random.experimental.stateless_split(seed, 3))
        strides = 1.0 + _draw_below(stride_seed, [batch_size, 2], self.speed_range[1])
        starts = augment.draw_starts(start_seed, strides, num_source_frames, self.num_frames)
        return self.reversed_at_random(strides, starts, reverse_seed)

    def draw_space(self, shape, seed):
        """Returns what `Views.draw_space` does, and `regions`, whose boxes stand for those of random crops."""
        region_seed, seed = tf.unstack(tf.random.experimental.stateless_split(seed, 2))
        regions = tf.cast(_draw_below(region_seed, shape, len(REGIONS)), tf.int32)
        return {
            **super().draw_space(shape, seed),
            "boxes": tf.gather(tf.constant(REGIONS), regions),
            "regions": regions,
        }

    def apply(self, clips, draws):
        """Makes the views that were drawn; arguments and results are those of `__call__` and of `draw`."""
        return *super().apply(clips, draws), draws["regions"]


@keras.saving.register_keras_serializable("simper_tf")
class SLFRPM(Method):
    """Spatio-temporal self-supervision for pulses, after Wang, Ahn and Kim, AAAI 2022, https://arxiv.org/abs/2107.07695.

    The features of all frames of a view are one vector. `losses.nt_xent` compares what a head makes of it with all
    other clips of the step, on whatever replica, and two linear classifiers tell from it which region and which stride
    it was made with. The loss is the sum of the three. It logs

    * `loss`, and its parts `contrast`, `region` and `stride`: cross-entropies, of which chance scores about
      ln(2 B - 1), ln 7 and ln S;
    * `accuracy`: how often the other view is the nearest of all;
    * `feature_deviation`: see `Method`.

    The head is that of the authors' code: 512, ReLU, `outputs`. The code takes all views from the first frame on;
    here they start and run backwards at random, as for the other methods. It shuffles the two views of a clip but not
    their classes, which are so exchanged for half of the clips; here every view has its own.

    Args:
        encoder, seed: See `Method`.
        views: A `RegionViews`; the heads are built for it, so it cannot be left out.
        temperature: Divides the cosine similarities. The authors have 0.1 for UBFC, the default here, and 1 for
            MAHNOB-HCI and VIPL-HR.
        outputs: Length of the projections; the authors have 2048, and 512 for VIPL-HR.

    Raises:
        ValueError: `temperature` is not positive, or the views are missing or of another kind.
    """

    min_clips = 2

    def __init__(self, encoder, views=None, temperature=0.1, outputs=2048, seed=0, **kwargs):
        if temperature <= 0:
            raise ValueError(f"`temperature` must be positive. Received: {temperature}.")
        length = heads.vector_length("SLFRPM", encoder, views)
        if not isinstance(views, RegionViews):
            raise ValueError(f"`views` must be those that `SLFRPM.views_for` returns. Received: {views}.")
        super().__init__(encoder, views, seed, **kwargs)
        self.temperature = temperature
        self.outputs = outputs
        self.head = heads.head(length, layers.Dense(512, activation="relu"), layers.Dense(outputs))
        self.region_head = heads.head(length, layers.Dense(len(REGIONS)))
        self.stride_head = heads.head(length, layers.Dense(int(views.speed_range[1])))

    @classmethod
    def views_for(cls, num_frames, num_views, speed_range, **changes):
        """Returns views at the strides 1 to S, the largest whole number that SimPer's fastest speed reaches.

        The authors' 5 would alias, or exceed the clip, in several data sets. See `Method.views_for`.

        Raises:
            ValueError: the fastest speed is below 2, or random crops are asked for.
        """
        if "crop_area" in changes:
            raise ValueError(
                "SLF-RPM cuts out one of seven regions in place of a random crop, so `crop_area` means nothing to it. "
                f"Leave it out. Received: {changes['crop_area']}."
            )
        if speed_range[1] < 2:
            raise ValueError(
                "SLF-RPM tells strides apart, 1 to the whole part of the fastest speed, which must be at least 2. "
                f"Received: `speed_range` {speed_range[0]:g} to {speed_range[1]:g}."
            )
        return RegionViews(num_frames, speed_range=(1.0, float(int(speed_range[1]))), **changes)

    def log_names(self):
        return ["loss", "contrast", "region", "stride", "accuracy", "feature_deviation"]

    def compute_logs(self, features, speeds, regions, training=True):
        """Returns the logged scalars, `loss` among them.

        Args:
            features: `(B, 2, L)` or `(B, 2, L, D)`.
            speeds: `(B, 2)` strides, whole numbers from 1 on.
            regions: `(B, 2)` int32 numbers in `REGIONS`.
            training: Whether the heads are in training mode.
        """
        first, second = tf.unstack(heads.project(self.head, features, training), 2, axis=1)
        position = replicas()[1] * tf.shape(first)[0]
        everyone = gather(first), gather(second)
        contrast, accuracy = [
            tf.reduce_mean(values) for values in losses.nt_xent(first, second, self.temperature, everyone, position)
        ]
        strides = tf.cast(tf.round(speeds), tf.int32) - 1
        region, stride = [
            tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(classes, heads.project(head, features, training))
            )
            for head, classes in ((self.region_head, regions), (self.stride_head, strides))
        ]
        return {
            "loss": contrast + region + stride,
            "contrast": contrast,
            "region": region,
            "stride": stride,
            "accuracy": accuracy,
            "feature_deviation": diagnostics.feature_deviation(features),
        }

    def get_config(self):
        return {**super().get_config(), "temperature": self.temperature, "outputs": self.outputs}


def _draw_below(seed, shape, limit):
    """Draws whole numbers from 0 to below a limit, as float32."""
    return tf.floor(limit * tf.random.stateless_uniform(shape, seed))
