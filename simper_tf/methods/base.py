"""What all methods share: batches of clips, or views made of them, in; a step of the optimizer and logs out."""

import keras
import numpy as np
import tensorflow as tf

from simper_tf.clips import ANY_FRAMES, batch_of, check_clips, check_views, plain_errors, unit_range
from simper_tf.methods.replicas import replicas
from simper_tf.views import Views


class Method(keras.Model):
    """A way of training an encoder; subclasses say what is minimised in `compute_logs`.

    Compile it with an optimizer only (it brings its loss) and `fit` it on either

    * clips `(B, T, H, W, C)`, uint8 or floats in [0, 1], as an array, a list of single clips or a `tf.data.Dataset` of
      batches: the views are then made on the device;
    * a `tf.data.Dataset` of batches `(views, speeds)` as `views` returns them, mapped on the host. They are told from
      clips by the axis of views, `(B, V, L, H, W, C)`.

    `evaluate` takes the same and returns the same logs, as means over clips that nothing is learned from.

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
        self._traced = None  # What the data of the last call looked like.
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
        return ["loss", "feature_deviation"]

    def compute_logs(self, features, *facts, training=True):
        """Returns the logged scalars, `loss`, which is minimised, among them.

        Args:
            features: `(B, V, L)` or `(B, V, L, D)`.
            *facts: What came with the views: `(B, V)` speeds, and what else the method's views or data bring.
            training: Whether heads are in training mode.
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
            clips: `(B, T, H, W, C)` uint8, or floats in [0, 1]; or a list of B clips.

        Returns:
            `(B, T)` or `(B, T, D)` float32.

        Raises:
            ValueError: they are no clips, or none for the encoder; see `check_clips`.
        """
        clips = batch_of(clips)
        check_clips(clips, self.frame_shape)
        return tf.cast(self(unit_range(clips)), tf.float32)

    @property
    def frame_shape(self):
        """`(H, W, C)` that the encoder takes, None for what it leaves open."""
        shape = getattr(self.encoder, "input_shape", None)
        return shape[2:] if shape and len(shape) == 5 else ANY_FRAMES

    def fit(self, x=None, *args, **kwargs):
        """Trains on clips or ready views; arguments and results are those of `keras.Model.fit`.

        Raises:
            ValueError: the data are none the method can learn from.
        """
        x = self._checked(x)
        with plain_errors():
            return super().fit(x, *args, **kwargs)

    def evaluate(self, x=None, *args, return_dict=True, **kwargs):
        """Returns the logs of clips or ready views that nothing is learned from, as a dictionary of means over clips.

        No weight changes, and layers are in inference mode. The views depend on the method's seed and the place of a
        clip alone, and are none that a step of training draws. Arguments are those of `keras.Model.evaluate`.

        Raises:
            ValueError: the data are none the method can read.
        """
        x = self._checked(x)
        with plain_errors():
            return super().evaluate(x, *args, return_dict=return_dict, **kwargs)

    def predict(self, x, *args, **kwargs):
        """Returns the features of clips as an array, batch by batch; arguments are those of `keras.Model.predict`."""
        x = self._checked(x)
        with plain_errors():
            return super().predict(x, *args, **kwargs)

    def train_step(self, data):
        gradients, logs = self.compute_gradients(self.draw(data))
        self.optimizer.apply(gradients, self.trainable_variables)
        return self._track(logs)

    def test_step(self, data):
        # Counts from -1 down: steps of training count from 0 up.
        clips_so_far = next(iter(self.trackers.values())).count
        batch = self.draw(data, -1 - tf.cast(clips_so_far, tf.int32))
        views, *facts = self.with_targets(self.make_views(batch), training=False)
        logs = self.compute_logs(self.encode_views(views, training=False), *facts, training=False)
        return self._track(logs, number=tf.shape(views)[0])

    def predict_step(self, data):
        return self.encode(tf.nest.flatten(data)[0])

    def with_targets(self, made, training):
        """Returns views and facts as `make_views` does, with what else `compute_logs` compares them with.

        Args:
            made: What `make_views` returned.
            training: Whether networks are in training mode.
        """
        return made

    def compute_gradients(self, batch):
        """Returns the gradients of a batch as `draw` returns it, this replica's share of them, and the logs."""
        views, *facts = self.make_views(batch)
        with tf.GradientTape() as tape:
            logs = self.compute_logs(self.encode_views(views, training=True), *facts)
            # The optimizer adds up the replicas' gradients.
            loss = self.optimizer.scale_loss(logs["loss"] / replicas()[0])
        return tape.gradient(loss, self.trainable_variables), logs

    def draw(self, data, step=None):
        """Returns `(clips, draws, *labels)` for `make_views`, drawn from the step's own seed; ready views as they are.

        Every replica draws for the whole batch, which costs next to nothing, and keeps its part: so one device and
        eight make the same views.

        Args:
            data: A batch of clips or of ready views, alone or in a tuple with what comes with them.
            step: Number of the step, an integer scalar; None for that of the optimizer.

        Raises:
            ValueError: the batch holds neither, or not what comes with it.
        """
        clips, *labels = data if isinstance(data, list | tuple) else [data]
        labels = [label for label in labels if label is not None]  # Keras's own, where there is nothing to say.
        if tf.TensorShape(getattr(clips, "shape", ())).rank == 6:
            check_views(clips, labels)
            return data
        check_clips(clips, self.frame_shape, known=True)
        self._check_company(labels)
        number, index = replicas()
        batch_size = tf.shape(clips)[0]
        step = self.optimizer.iterations if step is None else step
        seed = tf.stack([self.seed, tf.cast(step, tf.int32)])
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

    def _checked(self, x):
        """Returns data for `fit` and `evaluate`, refused before the first step as far as it can be seen by then."""
        x = batch_of(x)
        spec = getattr(x, "element_spec", None) or (np.shape(x)[1:], getattr(x, "dtype", None))
        if spec != self._traced:
            # Keras would take clips of another shape into its old graph, whose shapes it then forgets.
            self.train_function = self.test_function = self.predict_function = None
            self._traced = spec
        if hasattr(x, "dtype") and np.ndim(x) != 6:
            check_clips(x, self.frame_shape)
        return x

    def _check_company(self, labels):
        name = type(self).__name__
        if self.views is None:
            raise ValueError(f"{name} has no `views` to make of clips. Give it some, or batches of ready views.")
        if labels and not self.needs_labels:
            raise ValueError(
                f"{name} learns from clips alone. Received: clips with {len(labels)} more array(s), such as labels. "
                "Leave them out: dataset.map(lambda clips, labels: clips)."
            )

    def _track(self, logs, number=None):
        for name, value in logs.items():
            self.trackers[name].update_state(value, sample_weight=number)
        return {name: tracker.result() for name, tracker in self.trackers.items()}

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
