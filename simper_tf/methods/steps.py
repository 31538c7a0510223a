"""What happens in a step: batches of clips, or ready views, in; gradients, a move of the optimizer and logs out."""

import keras
import numpy as np
import tensorflow as tf

from simper_tf.encoders import auxiliary_losses
from simper_tf.losses import diagnostics
from simper_tf.methods.batches import known_sizes
from simper_tf.utils.clips import batch_of, check_clips, plain_errors
from simper_tf.utils.replicas import replicas
from simper_tf.views.views import Views, check_views


class Steps(keras.Model):
    """A model that is trained on views of clips: what every `Method` does alike; see there for what it takes.

    Args:
        encoder, views, seed: As `Method`'s.

    Attributes:
        trackers: Name of a log -> the mean of it over an epoch.
    """

    def __init__(self, encoder, views: Views | None, seed: int, **kwargs):
        # Keras would round clips to the policy's half precision before the encoder saw them, and with them a pulse.
        super().__init__(autocast=False, **kwargs)
        self.encoder = encoder
        self.views = views
        self.seed = seed
        self._traced = {}  # Name of a function of Keras -> what the data of its last call looked like.
        self.trackers = {name: keras.metrics.Mean(name) for name in self.log_names()}
        # XLA has no kernel for the interpolation in `augment.resample`.
        self.supports_jit = False

    def fit(self, x=None, y=None, batch_size=None, *args, **kwargs):
        """Trains on clips or ready views; arguments and results are those of `keras.Model.fit`.

        Raises:
            ValueError: the data are none the method can learn from, or in batches it cannot learn from, as far as
                their size is known before.
        """
        x = self._checked(x, "train_function")
        self._check_sizes(*known_sizes(x, batch_size, kwargs.get("validation_split") or 0.0))
        with plain_errors():
            return super().fit(x, y, batch_size, *args, **kwargs)

    def evaluate(self, x=None, *args, return_dict=True, **kwargs):
        """Returns the logs of clips or ready views that nothing is learned from, as a dictionary of means over clips.

        No weight changes, and layers are in inference mode. The views depend on the method's seed and on where in
        which batch a clip stands alone, and are none that a step of training draws. Arguments are those of
        `keras.Model.evaluate`.

        Raises:
            ValueError: the data are none the method can read.
        """
        x = self._checked(x, "test_function")
        with plain_errors():
            return super().evaluate(x, *args, return_dict=return_dict, **kwargs)

    def predict(self, x, *args, **kwargs):
        """Returns the features of clips as an array, batch by batch; arguments are those of `keras.Model.predict`.

        Raises:
            ValueError: the data are none the method can read.
        """
        x = self._checked(x, "predict_function")
        with plain_errors():
            return super().predict(x, *args, **kwargs)

    def train_step(self, data):
        gradients, logs = self.compute_gradients(self.draw(data))
        self.optimizer.apply(gradients, self.trainable_variables)
        return self._track(logs)

    def test_step(self, data):
        # Counts from -1 down: steps of training count from 0 up.
        clips_so_far = next(iter(self.trackers.values())).count
        batch = self.make_views(self.draw(data, -1 - tf.cast(clips_so_far, tf.int32)))
        batch = {**batch, **self.targets(batch, training=False)}
        return self._track(self.compute_logs(batch, training=False), number=tf.shape(batch["views"])[0])

    def predict_step(self, data):
        return self.encode(tf.nest.flatten(data)[0])

    def compute_gradients(self, batch: dict):
        """Returns the gradients of a batch as `draw` returns it, this replica's share of them, and the logs."""
        batch = self.make_views(batch)
        self.before_step()
        batch = {**batch, **self.targets(batch, training=True)}
        with tf.GradientTape() as tape:
            logs = self.compute_logs(batch, training=True)
            # The optimizer adds up the replicas' gradients.
            loss = self.optimizer.scale_loss(logs["loss"] / replicas()[0])
        gradients = tape.gradient(loss, self.trainable_variables)
        self.after_step(batch)
        return gradients, logs

    def compute_logs(self, batch: dict, training: bool) -> dict:
        """Returns all logged scalars of a batch of views and targets, the `loss` among them."""
        with auxiliary_losses.collected() as found:
            features = self.encode_views(batch["views"], training)
        logs = self.logs_of(features, batch, training)
        return {**logs, "loss": tf.add_n([logs["loss"], *found])}

    def logs_of(self, features, batch: dict, training: bool = True) -> dict:
        """Returns all logged scalars of features, the `loss` among them; arguments are those of `loss_and_logs`."""
        loss, logs = self.loss_and_logs(features, batch, training)
        return {"loss": loss, **logs, "feature_deviation": diagnostics.feature_deviation(features)}

    def draw(self, data, step=None) -> dict:
        """Returns `clips`, `draws` and any `labels` for `make_views`, drawn from the step's own seed; or ready views.

        Every replica draws for the whole batch, which costs next to nothing, and keeps its part: so one device and
        eight make the same views.

        Args:
            data: A batch of clips, alone or in a tuple with labels, or a dictionary of ready views.
            step: Number of the step, an integer scalar; None for the next one.

        Raises:
            ValueError: the batch holds neither, or not what comes with it.
        """
        clips, *labels = data if isinstance(data, list | tuple) else [data]
        labels = [label for label in labels if label is not None]  # Keras's own, where there is nothing to say.
        if tf.TensorShape(getattr(clips, "shape", ())).rank == 6:
            clips = {"views": clips}
        if isinstance(clips, dict) and "views" in clips:
            check_views(clips)
            if labels:
                raise ValueError("Labels of ready views belong into their dictionary, as `labels`.")
            return clips
        check_clips(clips, self.frame_shape, known=True)
        self._check_company(labels)
        self._check_length(clips.shape[1])
        number, index = replicas()
        batch_size = tf.shape(clips)[0]
        # The public count stands still while gradients of several steps are added up.
        step = self.optimizer._iterations if step is None else step
        seed = tf.stack([self.seed, tf.cast(step, tf.int32)])
        draws = self.views.of_frames(clips.shape[2:]).draw(number * batch_size, clips.shape[1], seed)
        own = tf.nest.map_structure(lambda draw: draw[index * batch_size : (index + 1) * batch_size], draws)
        return {"clips": clips, "draws": own, **({"labels": labels[0]} if labels else {})}

    def make_views(self, batch: dict) -> dict:
        """Returns the batch of views, with labels if there are any, of what `draw` returned."""
        if "views" in batch:
            return batch
        made = self.views.of_frames(batch["clips"].shape[2:]).apply(batch["clips"], batch["draws"])
        return {**made, **{name: batch[name] for name in ("labels",) if name in batch}}

    def encode_views(self, views, training: bool, encoder=None):
        """Returns `(B, V, L)` or `(B, V, L, D)` float32 features of `(B, V, L, H, W, C)` views.

        Args:
            views: Floats in [0, 1].
            training: Whether the encoder is in training mode.
            encoder: Another than the method's own.
        """
        encode = encoder or self
        features = encode(tf.reshape(views, tf.concat([[-1], tf.shape(views)[2:]], 0)), training=training)
        return tf.cast(tf.reshape(features, [-1, *views.shape[1:3], *features.shape[2:]]), tf.float32)

    def _checked(self, x, function):
        """Returns data for a function of Keras, refused before the first step as far as it can be seen by then."""
        x = batch_of(x)
        spec = getattr(x, "element_spec", None) or tf.nest.map_structure(_form, x)
        if spec != self._traced.get(function):
            # Keras would take clips of another shape into its old graph, whose shapes it then forgets. The other
            # functions stay: `fit` calls its own again after it has evaluated.
            setattr(self, function, None)
            self._traced[function] = spec
        if hasattr(x, "dtype") and np.ndim(x) != 6:
            check_clips(x, self.frame_shape)
        return x

    def _check_sizes(self, whole, last):
        """Refuses batches of so many clips, and a last one of an epoch, of which the method cannot learn."""
        if whole:
            self.check_batch(whole)
        if 0 < last < self.min_clips:
            raise ValueError(
                f"{type(self).__name__} learns from the differences of clips and needs at least {self.min_clips} in a "
                f"batch. Received: batches of {whole}, the last of which has {last}. Change `batch_size`, or leave "
                "clips out."
            )

    def _check_company(self, labels):
        name = type(self).__name__
        if self.views is None:
            raise ValueError(f"{name} has no `views` to make of clips. Give it some, or batches of ready views.")
        if len(labels) > self.needs_labels:
            what = "clips and labels" if self.needs_labels else "clips alone"
            raise ValueError(
                f"{name} learns from {what}. Received: clips with {len(labels)} more array(s). Leave out what is too "
                "much, such as labels: dataset.map(lambda clips, labels: clips)."
            )

    def _check_length(self, num_frames):
        if self.needs_labels and num_frames != self.views.num_frames:
            raise ValueError(
                f"{type(self).__name__} learns from labels, which hold for whole clips: its views must be as long. "
                f"Received: clips of {num_frames} frames and views of {self.views.num_frames}. Cut the clips, or build "
                f"the method with views of `num_frames` {num_frames}."
            )

    def _track(self, logs, number=None):
        for name, value in logs.items():
            self.trackers[name].update_state(value, sample_weight=number)
        return {name: tracker.result() for name, tracker in self.trackers.items()}


def _form(array):
    return np.shape(array)[1:], str(getattr(array, "dtype", None))
