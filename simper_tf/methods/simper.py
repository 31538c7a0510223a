"""SimPer: views of one clip at several speeds, contrasted with one another by how far apart their speeds are."""

import dataclasses

import keras
import tensorflow as tf

from simper_tf import losses, readout, similarity
from simper_tf.views import Views


@keras.saving.register_keras_serializable("simper_tf")
class SimPer(keras.Model):
    """Self-supervised learning of periodic targets, after Yang et al., https://arxiv.org/abs/2210.03115.

    Compile it with an optimizer only (it brings its loss) and `fit` it on either

    * batches of clips `(B, T, H, W, C)`, uint8, if `views` is given: the views are then made on the device;
    * pairs `(views, speeds)` as `simper_tf.Views` returns them, mapped over a data set on the host, if it is not.

    The loss is a mean over clips: no view is ever compared with one of another clip. It logs

    * `loss`: generalized InfoNCE, plus the weighted prior if there is one;
    * `floor`, `excess`: the entropy of the labels, below which InfoNCE cannot go, and what it lies above it;
    * `prior`: the share of power outside the band, if there is a prior;
    * `spread`: standard deviation of the features over time; falling to 0 means collapse;
    * `rank`, `slope`: how the peak frequency of each view's features follows its known speed, as Spearman's rank
      correlation and as the slope of one logarithm over the other. Both are 1 for perfect features, about 0 for
      useless ones; neither needs a label.

    Args:
        encoder: `keras.Model` from `(B, T, H, W, C)` float32 in [0, 1] to `(B, T)` or `(B, T, D)`.
        views: A `Views`, or None.
        similarity: A function of `simper_tf.similarity`.
        temperature: nu, dividing the similarities.
        label_temperature, label_similarity: See `losses.label_distribution`.
        prior_weight: Weight of the frequency prior; 0 for none.
        prior_band: `(low, high)` in cycles per frame in which clips at speed 1 are known to lie.
        seed: Of the views made on the device.
    """

    def __init__(
        self,
        encoder,
        views=None,
        similarity=similarity.max_cross_correlation,
        temperature=1.0,
        label_temperature=0.1,
        label_similarity="l1",
        prior_weight=0.0,
        prior_band=None,
        seed=0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if temperature <= 0 or label_temperature < 0 or prior_weight < 0:
            raise ValueError(
                "`temperature` must be positive, `label_temperature` and `prior_weight` at least 0. "
                f"Received: {temperature}, {label_temperature}, {prior_weight}."
            )
        if prior_weight and not (prior_band and 0 <= prior_band[0] < prior_band[1]):
            raise ValueError(
                f"A frequency prior needs a band (low, high), in cycles per frame. Received: {prior_band}."
            )
        self.encoder = encoder
        self.views = views
        self.similarity = similarity
        self.temperature = temperature
        self.label_temperature = label_temperature
        self.label_similarity = label_similarity
        self.prior_weight = prior_weight
        self.prior_band = prior_band
        self.seed = seed
        names = ["loss", "floor", "excess", "spread", "rank", "slope"] + ["prior"] * bool(prior_weight)
        self.trackers = {name: keras.metrics.Mean(name) for name in names}
        # XLA has no kernel for the interpolation in `augment.resample`.
        self.supports_jit = views is None

    def build(self, input_shape=None):
        self.built = True

    def call(self, clips, training=False):
        return self.encoder(clips, training=training)

    def encode(self, clips):
        """Returns the features of whole clips.

        Args:
            clips: `(B, T, H, W, C)` uint8, or floats in [0, 1].

        Returns:
            `(B, T)` or `(B, T, D)` float32.
        """
        return tf.cast(self(unit_range(clips)), tf.float32)

    def train_step(self, data):
        views, speeds = self.make_views(data)
        with tf.GradientTape() as tape:
            logs = self.compute_logs(self.encode_views(views, training=True), speeds)
            loss = self.optimizer.scale_loss(logs["loss"])
        variables = self.encoder.trainable_variables
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        for name, value in logs.items():
            self.trackers[name].update_state(value)
        return {name: tracker.result() for name, tracker in self.trackers.items()}

    def make_views(self, data):
        """Returns `(views, speeds)` of a batch, drawing them from the step's own seed where the batch is clips."""
        if self.views is None:
            return data
        context = tf.distribute.get_replica_context()
        draw = tf.cast(self.optimizer.iterations, tf.int32) * context.num_replicas_in_sync
        return self.views(data, tf.stack([self.seed, draw + context.replica_id_in_sync_group]))

    def encode_views(self, views, training):
        """Returns `(B, V, L)` or `(B, V, L, D)` features of `(B, V, L, H, W, C)` views."""
        features = self(tf.reshape(views, tf.concat([[-1], tf.shape(views)[2:]], 0)), training=training)
        return tf.reshape(features, [-1, *views.shape[1:3], *features.shape[2:]])

    def compute_logs(self, features, speeds):
        """Returns the logged scalars, `loss` among them.

        Args:
            features: `(B, 2M, L)` or `(B, 2M, L, D)`, two sets of M views.
            speeds: `(B, 2M)`.
        """
        features = tf.cast(features, tf.float32)
        first, second = tf.split(features, 2, axis=1)
        labels = losses.label_distribution(*tf.split(speeds, 2, axis=1), self.label_temperature, self.label_similarity)
        scores = similarity.over_channels(self.similarity, first, second)
        loss = tf.reduce_mean(losses.generalized_info_nce(scores, labels, self.temperature))
        floor = tf.reduce_mean(losses.label_entropy(labels))
        rank, slope = speed_following(tf.stop_gradient(first), tf.split(speeds, 2, axis=1)[0])
        logs = {
            "loss": loss,
            "floor": floor,
            "excess": loss - floor,
            "spread": tf.reduce_mean(tf.math.reduce_std(tf.stop_gradient(features), axis=2)),
            "rank": rank,
            "slope": slope,
        }
        if self.prior_weight:
            logs["prior"] = tf.reduce_mean(losses.out_of_band_power(features, speeds, self.prior_band))
            logs["loss"] += self.prior_weight * logs["prior"]
        return logs

    def get_config(self):
        return {
            **super().get_config(),
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "views": self.views and dataclasses.asdict(self.views),
            "similarity": keras.saving.serialize_keras_object(self.similarity),
            "temperature": self.temperature,
            "label_temperature": self.label_temperature,
            "label_similarity": self.label_similarity,
            "prior_weight": self.prior_weight,
            "prior_band": self.prior_band,
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        config["encoder"] = keras.saving.deserialize_keras_object(config["encoder"])
        config["similarity"] = keras.saving.deserialize_keras_object(config["similarity"])
        views = config["views"]
        # JSON knows no tuples.
        config["views"] = views and Views(**{k: tuple(v) if isinstance(v, list) else v for k, v in views.items()})
        return cls(**config)


def unit_range(clips):
    """Returns clips as float32, uint8 scaled from [0, 255] to [0, 1]."""
    return tf.cast(clips, tf.float32) / (255.0 if clips.dtype == tf.uint8 else 1.0)


def speed_following(features, speeds):
    """Returns how the peak frequency of the features follows the speeds of the views: a score without labels.

    Args:
        features: `(B, M, L)` or `(B, M, L, D)`.
        speeds: `(B, M)`.

    Returns:
        Two float32 scalars, means over clips: Spearman's rank correlation of speed and peak frequency, and the
        least-squares slope of log frequency over log speed.
    """
    num_views, num_frames = features.shape[1:3]
    series = tf.reshape(features, [-1, *features.shape[2:]])
    peaks, _ = readout.fft_frequency(series, 1.0, (1.0 / num_frames, 0.5))
    x = tf.math.log(speeds)
    y = tf.math.log(tf.reshape(peaks, [-1, num_views]))
    x, y = [v - tf.reduce_mean(v, axis=1, keepdims=True) for v in (x, y)]
    slope = tf.math.divide_no_nan(tf.reduce_sum(x * y, axis=1), tf.reduce_sum(x * x, axis=1))
    ranks = [_centred_ranks(v) for v in (x, y)]
    scale = tf.sqrt(tf.reduce_prod([tf.reduce_sum(tf.square(r), axis=1) for r in ranks], axis=0))
    rank = tf.math.divide_no_nan(tf.reduce_sum(ranks[0] * ranks[1], axis=1), scale)
    return tf.reduce_mean(rank), tf.reduce_mean(slope)


def _centred_ranks(values):
    """Returns `(B, M)` ranks around 0; equal values share one, so that features without any order score 0."""
    differences = values[:, :, None] - values[:, None, :]
    return 0.5 * tf.reduce_sum(tf.sign(differences), axis=2)
