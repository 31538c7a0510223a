"""What all methods share: batches of clips, or views made of them, in; a step of the optimizer and logs out."""

import keras
import tensorflow as tf

from simper_tf.views import Views


class Method(keras.Model):
    """A way of training an encoder; subclasses say what is minimised in `compute_logs`.

    Compile it with an optimizer only (it brings its loss) and `fit` it on either

    * batches of clips `(B, T, H, W, C)`, uint8 or floats in [0, 1]: the views are then made on the device;
    * pairs `(views, speeds)` as `views` returns them, mapped over a data set on the host. They are told from clips by
      the axis of views, `(B, V, L, H, W, C)`.

    Over several replicas a step computes what one device would compute on the whole batch: views are drawn for all of
    it, what a loss compares across clips is gathered, and gradients are those of the mean over all clips.

    Args:
        encoder: `keras.Model` from `(B, T, H, W, C)` float32 in [0, 1] to `(B, T)` or `(B, T, D)`.
        views: A `Views`; None if only ready views will come.
        seed: Of the views made on the device.

    Attributes:
        needs_labels: Whether batches carry labels, as a last element of shape `(B,)`.
        min_clips: Smallest batch from which there is anything to learn.
    """

    needs_labels = False
    min_clips = 1

    def __init__(self, encoder, views=None, seed=0, **kwargs):
        super().__init__(**kwargs)
        self.encoder = encoder
        self.views = views
        self.seed = seed
        self.trackers = {name: keras.metrics.Mean(name) for name in self.log_names()}
        # XLA has no kernel for the interpolation in `augment.resample`.
        self.supports_jit = False

    @classmethod
    def views_for(cls, num_frames, num_views, speed_range, **changes):
        """Returns the views the method was designed with.

        Args:
            num_frames: L.
            num_views, speed_range: Of SimPer; a method that contrasts whole clips has its own.
            **changes: Attributes of `Views` that are to differ from the method's own.
        """
        return Views(num_frames, num_views, speed_range, **changes)

    def log_names(self):
        """Returns the names of what `compute_logs` returns."""
        return ["loss", "spread"]

    def compute_logs(self, features, *facts):
        """Returns the logged scalars, `loss`, which is minimised, among them.

        Args:
            features: `(B, V, L)` or `(B, V, L, D)`.
            *facts: What came with the views: `(B, V)` speeds, and what else the method's views or data bring.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what it minimises.")

    def check_batch(self, batch_size):
        """Refuses batches the method cannot learn from.

        Args:
            batch_size: Clips a step, over all replicas.

        Raises:
            ValueError: there are too few.
        """
        if batch_size < self.min_clips:
            raise ValueError(
                f"{type(self).__name__} learns from the differences of clips and needs at least {self.min_clips} in a "
                f"batch. Received: {batch_size}. Raise `batch_size`."
            )

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
        gradients, logs = self.compute_gradients(self.draw(data))
        self.optimizer.apply(gradients, self.trainable_variables)
        for name, value in logs.items():
            self.trackers[name].update_state(value)
        return {name: tracker.result() for name, tracker in self.trackers.items()}

    def compute_gradients(self, batch):
        """Returns the gradients of a batch as `draw` returns it, this replica's share of them, and the logs."""
        views, *facts = self.make_views(batch)
        with tf.GradientTape() as tape:
            logs = self.compute_logs(self.encode_views(views, training=True), *facts)
            # The optimizer adds up the replicas' gradients.
            loss = self.optimizer.scale_loss(logs["loss"] / replicas()[0])
        return tape.gradient(loss, self.trainable_variables), logs

    def draw(self, data):
        """Returns `(clips, draws, *labels)` for `make_views`, drawn from the step's own seed; ready views as they are.

        Every replica draws for the whole batch, which costs next to nothing, and keeps its part: so one device and
        eight make the same views.
        """
        clips, *labels = data if isinstance(data, list | tuple) else [data]
        if clips.shape.rank == 6:
            return data
        number, index = replicas()
        batch_size = tf.shape(clips)[0]
        seed = tf.stack([self.seed, tf.cast(self.optimizer.iterations, tf.int32)])
        draws = self.views.draw(number * batch_size, clips.shape[1], seed)
        own = {name: draw[index * batch_size : (index + 1) * batch_size] for name, draw in draws.items()}
        return clips, own, *labels

    def make_views(self, batch):
        """Returns `(views, speeds, ...)` of what `draw` returned."""
        first, *others = batch
        if first.shape.rank == 6:
            return batch
        draws, *labels = others
        return *self.views.apply(first, draws), *labels

    def encode_views(self, views, training, encoder=None):
        """Returns `(B, V, L)` or `(B, V, L, D)` float32 features of `(B, V, L, H, W, C)` views.

        Args:
            views: Floats in [0, 1].
            training: Whether the encoder is in training mode.
            encoder: Another than the method's own.
        """
        encode = encoder or self
        features = encode(tf.reshape(views, tf.concat([[-1], tf.shape(views)[2:]], 0)), training=training)
        return tf.cast(tf.reshape(features, [-1, *views.shape[1:3], *features.shape[2:]]), tf.float32)

    def get_config(self):
        return {
            **super().get_config(),
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "views": keras.saving.serialize_keras_object(self.views),
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config):
        objects = {name: keras.saving.deserialize_keras_object(config[name]) for name in ("encoder", "views")}
        return cls(**{**config, **objects})


def unit_range(clips):
    """Returns clips as float32, uint8 scaled from [0, 255] to [0, 1]."""
    return tf.cast(clips, tf.float32) / (255.0 if clips.dtype == tf.uint8 else 1.0)


def spread(features):
    """Returns the mean standard deviation over time of `(B, V, L)` or `(B, V, L, D)` features; 0 means collapse."""
    return tf.reduce_mean(tf.math.reduce_std(tf.stop_gradient(features), axis=2))


def replicas():
    """Returns how many replicas share the step, and which of them this is; 1 and 0 outside a strategy."""
    context = tf.distribute.get_replica_context()
    return context.num_replicas_in_sync, context.replica_id_in_sync_group


def gather(tensor):
    """Returns the tensors of all replicas one after another, `(N, ...)` -> `(R N, ...)`; gradients flow back."""
    return tf.distribute.get_replica_context().all_gather(tensor, axis=0) if replicas()[0] > 1 else tensor


def assign_everywhere(variables, values):
    """Assigns values that are the same on every replica to variables that the optimizer does not own.

    Args:
        variables: Keras variables.
        values: As many tensors.
    """

    def assign(strategy, variables, values):
        for variable, value in zip(variables, values, strict=True):
            strategy.extended.update(variable, lambda v, new: v.assign(new), args=(value,), group=False)

    tf.distribute.get_replica_context().merge_call(assign, args=([v.value for v in variables], list(values)))
