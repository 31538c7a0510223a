"""Base of all methods: batches of clips, or of ready views, to loss, gradients and logs; readouts of features."""

import dataclasses

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.encoders import auxiliary_losses
from simper_tf.encoders.before_head import with_features
from simper_tf.losses import diagnostics
from simper_tf.methods import batches, contract, frequencies
from simper_tf.methods.training_facts import TrainingFacts
from simper_tf.signals.votes import Octave
from simper_tf.utils.clips import batch_of, check_clips, check_features, frames_of, plain_errors, unit_range
from simper_tf.utils.config import as_tuple
from simper_tf.utils.options import Options
from simper_tf.utils.replicas import replicas
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SameSpeed, Times
from simper_tf.views.views import Views, clips_and_labels


class Method(keras.Model):
    """A way of training an encoder; a subclass says in `loss_and_logs` what is minimized.

    Compile it with an optimizer only (it brings its loss) and `fit` it on either

    * clips `(B, T, H, W, C)`, uint8 or floats in [0, 1], or series `(B, T, 1, 1, C)` in any unit, as an array, a list
      of single clips, `Recordings` or a `tf.data.Dataset` of batches, with labels as a second element where it learns
      from labels: the views are then made on the device;
    * a `tf.data.Dataset` of ready views, made on the host: dictionaries as `views` returns them, with a further entry
      `labels` where it learns from labels.

    `evaluate` takes the same and returns the same logs, as means over clips that nothing is learned from. All methods
    log `loss` and `feature_deviation`, see `diagnostics.feature_deviation`.

    Over several replicas a step computes what one device would compute on the whole batch: views are drawn for all of
    it, what a loss compares across clips is gathered, and gradients are those of the mean over all clips. Encoders of
    one's own take batch norm and dropout from `encoders.norms` and `encoders.dropout` for that: Keras's dropout drops
    the same on every replica.

    Args:
        encoder: `keras.Model` from `(B, T, H, W, C)` float32 in [0, 1] to `(B, T)` or `(B, T, D)`.
        views: The `Views` to make of clips; None if only ready views will come.
        seed: Seed of the views that are made on the device.
        given: Fields of `Options`, and what `keras.Model` takes, such as a name.

    Raises:
        ValueError: an option is out of its range, the encoder or the views are none, or the views have other times
            than the method learns from, or another length than the encoder takes.

    Attributes:
        Options: Dataclass of the options of a subclass.
        options: Those of this method.
        registered_name: Its name in `METHODS`.
        title: Its name in print.
        reference: Its source.
        appearance: The `Appearance` of views it was designed with.
        fixed_appearance: Fields of `Appearance` that `appearance_from` overrides, so that nobody sets them.
        times: The kind of `Times` it was designed with.
        takes_times: The kind it can learn from.
        needs_labels: Whether it learns from labels, `(B,)` or `(B, N)`.
        takes_unlabeled: Whether it learns from clips without a label too, which is then NaN.
        predicts_labels: Whether it has a head of its own for them, see `Supervised`.
        min_clips: Smallest batch from which there is anything to learn.
        trackers: Name of a log -> the mean of it over an epoch.
    """

    Options = Options
    registered_name = title = reference = ""
    appearance = Appearance()
    fixed_appearance: tuple[str, ...] = ()
    times: type[Times] = SameSpeed
    takes_times = Times
    needs_labels = takes_unlabeled = predicts_labels = False
    min_clips = 1

    def __init__(self, encoder: keras.Model, views: Views | None = None, *, seed: int = 0, **given):
        names = {field.name for field in dataclasses.fields(self.Options)} & given.keys()
        options = self.Options(**{name: given.pop(name) for name in names})
        contract.check_parts(type(self), encoder, views, seed)
        # Keras would round clips to the policy's half precision before the encoder saw them, and with them a pulse.
        super().__init__(autocast=False, **given)
        self.encoder, self.views, self.options, self.seed = encoder, views, options, seed
        self.traced = {}  # Name of a function of Keras -> what the data of its last call looked like.
        self.trackers = {name: keras.metrics.Mean(name) for name in self.log_names()}
        # XLA has no kernel for the interpolation in `augment.resample`.
        self.supports_jit = False
        self.built = True  # Its weights are those of its parts: they can be loaded before any clip is seen.

    # What a subclass says of itself.

    @classmethod
    def times_for(cls, num_views: int, speed_range: tuple[float, float], reverse_probability: float = 0.5) -> Times:
        """Returns the times of views the method was designed with; views a set and speeds where it has several."""
        return cls.times(reverse_probability=reverse_probability)

    @classmethod
    def appearance_from(cls, appearance: Appearance | None) -> Appearance | None:
        """Returns another method's appearance with what this one cannot do without, for comparisons under one."""
        return appearance

    @classmethod
    def arguments_for(cls, facts: TrainingFacts) -> dict:
        """Returns the options that follow from the data, for whoever does not give them."""
        return {}

    def log_names(self) -> list[str]:
        """Returns the names of all that is logged; a subclass adds those of its own logs."""
        return ["loss", "feature_deviation"]

    def targets(self, batch: dict, training: bool) -> dict:
        """Returns what a batch of views needs beside what it holds, or in place of it: the hook of slow copies."""
        return {}

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        """Returns the scalar that is minimized, and a dictionary of further scalars to log.

        Args:
            features: `(B, V, L)` or `(B, V, L, D)` float32, of the batch's `views`.
            batch: As `Views` returns it, with `labels` where there are any and with the `targets`.
            training: Whether heads are in training mode.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what it minimizes.")

    def before_step(self) -> None:
        """Is called when the views of a step are made and nothing is computed yet: the hook of slow copies."""
        pass  # AutoGraph cannot convert a body of documentation alone, here and below.

    def after_step(self, batch: dict) -> None:
        """Is called with the batch and its targets when the gradients of a step are computed: the hook of queues."""
        pass

    def check_batch(self, batch_size: int) -> None:
        """Refuses batches of so many clips, over all replicas, that the method cannot learn from, by a ValueError."""
        batches.check_size(self, batch_size)

    # A step.

    def train_step(self, data: object) -> dict:
        """Learns from a batch and returns the logs; data are those of `draw`."""
        gradients, logs = self.compute_gradients(self.draw(data))
        self.optimizer.apply(gradients, self.trainable_variables)
        return self._track(logs)

    def test_step(self, data: object) -> dict:
        # Counts from -1 down: steps of training count from 0 up.
        clips_so_far = next(iter(self.trackers.values())).count
        batch = self.make_views(self.draw(data, -1 - tf.cast(clips_so_far, tf.int32)))
        batch = {**batch, **self.targets(batch, training=False)}
        return self._track(self.compute_logs(batch, training=False), number=tf.shape(batch["views"])[0])

    def predict_step(self, data: object) -> tf.Tensor:
        return self.encode(tf.nest.flatten(data)[0])

    def draw(self, data: object, step: ArrayLike | None = None) -> dict:
        """Returns `clips`, `draws` and any `labels` for `make_views`, drawn from the step's own seed; or ready views.

        Every replica draws for the whole batch, which costs next to nothing, and keeps its part: so one device and
        eight make the same views.

        Args:
            data: A batch of clips, alone or in a tuple with labels, or a dictionary of ready views.
            step: Number of the step, an integer scalar; None for the next one.

        Raises:
            ValueError: the batch holds neither, or not what comes with it.
        """
        clips, labels = clips_and_labels(data)
        if isinstance(clips, dict) and "views" in clips:
            return clips
        check_clips(clips, self.frame_shape, known=True)
        batches.check_company(self, labels, clips.shape[1])
        number, index = replicas()
        batch_size = tf.shape(clips)[0]
        # The public count stands still while gradients of several steps are added up.
        step = self.optimizer._iterations if step is None else step
        seed = tf.stack([self.seed, tf.cast(step, tf.int32)])
        draws = self.views.of_frames(clips.shape[2:]).draw(number * batch_size, clips.shape[1], seed)
        own = tf.nest.map_structure(lambda draw: draw[index * batch_size : (index + 1) * batch_size], draws)
        return {"clips": clips, "draws": own, **({"labels": labels[0]} if labels else {})}

    def compute_gradients(self, batch: dict) -> tuple[list, dict]:
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

    def make_views(self, batch: dict) -> dict:
        """Returns the batch of views, with labels if there are any, of what `draw` returned."""
        if "views" in batch:
            return batch
        made = self.views.of_frames(batch["clips"].shape[2:]).apply(batch["clips"], batch["draws"])
        return {**made, **{name: batch[name] for name in ("labels",) if name in batch}}

    def compute_logs(self, batch: dict, training: bool) -> dict:
        """Returns all logged scalars of a batch of views and targets, the `loss` among them."""
        with auxiliary_losses.collected() as terms:
            features = self.encode_views(batch["views"], training)
        logs = self.logs_of(features, batch, training)
        return {**logs, "loss": tf.add_n([logs["loss"], *terms])}

    def encode_views(self, views: tf.Tensor, training: bool, encoder: keras.Model | None = None) -> tf.Tensor:
        """Returns `(B, V, L)` or `(B, V, L, D)` float32 features of `(B, V, L, H, W, C)` views, floats in [0, 1]."""
        encode = encoder or self
        features = encode(tf.reshape(views, tf.concat([[-1], tf.shape(views)[2:]], 0)), training=training)
        check_features(features, views.shape[2])
        return tf.cast(tf.reshape(features, [-1, *views.shape[1:3], *features.shape[2:]]), tf.float32)

    def logs_of(self, features: tf.Tensor, batch: dict, training: bool = True) -> dict:
        """Returns all logged scalars of features, the `loss` among them; arguments are those of `loss_and_logs`."""
        loss, logs = self.loss_and_logs(features, batch, training)
        contract.check_loss(self, loss)
        return {"loss": loss, **logs, "feature_deviation": diagnostics.feature_deviation(features)}

    def _track(self, logs, number=None):
        contract.check_logs(self, logs)
        for name, value in logs.items():
            self.trackers[name].update_state(value, sample_weight=number)
        return {name: tracker.result() for name, tracker in self.trackers.items()}

    # What Keras calls, and what is read off clips.

    def export(self, *given: object, **named: object) -> None:
        """Is refused with a ValueError: what is served is the encoder with a readout, see `export_model`."""
        contract.refuse_export(self)

    def fit(
        self, x: object = None, y: object = None, batch_size: int | None = None, *args, **kwargs
    ) -> keras.callbacks.History:
        """Trains on clips or ready views; arguments and results are those of `keras.Model.fit`.

        Raises:
            ValueError: the data, a label or a size of batches are none the method can learn from, as far as they are
                known before; a batch comes that replicas cannot share equally; it was compiled with a loss or metrics,
                or clips or classes are given weights.
        """
        contract.check_compiled(self)
        contract.check_weights(self, kwargs)
        x, y = batches.checked(self, x, "train_function"), batches.checked_labels(self, y)
        batches.check_sizes(self, *batches.known_sizes(x, batch_size, kwargs.get("validation_split") or 0.0))
        with plain_errors():
            return super().fit(batches.in_equal_parts(self, x), y, batch_size, *args, **kwargs)

    def evaluate(
        self, x: object = None, y: object = None, batch_size: int | None = None, *args, **kwargs
    ) -> dict[str, float] | list[float]:
        """Returns the logs of clips or ready views that nothing is learned from, as a dictionary of means over clips.

        No weight changes, and layers are in inference mode. The views depend on the method's seed and on where in
        which batch a clip stands alone, and are none that a step of training draws. Arguments are those of
        `keras.Model.evaluate`, and errors those of `fit`; a batch of one clip is taken.
        """
        contract.check_weights(self, kwargs)
        x, y = batches.checked(self, x, "test_function"), batches.checked_labels(self, y)
        batches.check_parts(self, *batches.known_sizes(x, batch_size))
        with plain_errors():
            x = batches.in_equal_parts(self, x)
            return super().evaluate(x, y, batch_size, *args, **{"return_dict": True, **kwargs})

    def predict(self, x: object, *args, **kwargs) -> np.ndarray:
        """Returns the features of clips as an array; arguments are those of `keras.Model.predict`, errors of `fit`."""
        x = batches.checked(self, x, "predict_function")
        with plain_errors():
            return super().predict(x, *args, **kwargs)

    @property
    def metrics(self) -> list[keras.metrics.Metric]:
        return [*self.trackers.values()]  # Keras would keep those of an earlier `compile`.

    def call(self, clips: tf.Tensor, training: bool = False) -> tf.Tensor:
        return self.encoder(unit_range(clips) if tf.as_dtype(clips.dtype).is_integer else clips, training=training)

    def encode(self, clips: ArrayLike, before_head: bool = False) -> tf.Tensor:
        """Returns the features of whole clips.

        Args:
            clips: `(B, T, H, W, C)` uint8, or floats in [0, 1]; or a list of B clips.
            before_head: Whether to return what the encoder's head makes them of, see `encoders.before_head`.

        Returns:
            `(B, T)` or `(B, T, D)` float32.

        Raises:
            ValueError: they are no clips, or none for the encoder, see `check_clips`; it gives no features for every
                frame, or names none before its head.
        """
        clips = batch_of(clips)
        check_clips(clips, self.frame_shape)
        if before_head:
            return with_features(self.encoder)(unit_range(clips), training=False)[0]
        features = self(unit_range(clips))
        check_features(features, clips.shape[1])
        return tf.cast(features, tf.float32)

    def frequency(self, clips: ArrayLike, rate: ArrayLike) -> np.ndarray | float:
        """Reads frequencies off the features, at the multiple that the pixels of these clips show, without a label.

        Clips vote, and what two in three of them say holds for all, as single ones mislead in noise; where they do not
        agree each is read by its own pixels. See `votes.Octave`.

        Args:
            clips: As in `encode`, or a single clip `(T, H, W, C)`.
            rate: Frames per second, a number or `(B,)`.

        Returns:
            `(B,)` float32 in Hz, NaN of a clip in which nothing changes; a float of a single clip.

        Raises:
            ValueError: as `encode`, or the rate is not positive.
        """
        return frequencies.frequency(self.encode, batch_of(clips), rate)

    def octave(self, clips: ArrayLike, lowest: float = 0.0) -> Octave:
        """Returns at which multiple of the frequency the features of clips run, by their pixels.

        Printed, it says so in a sentence; its `harmonic` is what `export_model` takes. Errors are those of `encode`.

        Args:
            clips: As in `encode`.
            lowest: In cycles per frame, below which nothing is sought.
        """
        return frequencies.find_octave(self.encode, batch_of(clips), lowest)

    @property
    def frame_shape(self):
        """`(H, W, C)` that the encoder takes, None for what it leaves open."""
        return frames_of(self.encoder)

    def get_config(self) -> dict:
        parts = {"encoder": self.encoder, "views": self.views, **self.options.get_config()}
        saved = {name: keras.saving.serialize_keras_object(part) for name, part in parts.items()}
        return {**super().get_config(), **saved, "seed": self.seed}

    @classmethod
    def from_config(cls, config):
        names = ("encoder", "views", *(field.name for field in dataclasses.fields(cls.Options)))
        # What is saved as a tuple comes back as a list.
        parts = {name: as_tuple(keras.saving.deserialize_keras_object(config[name])) for name in names}
        return cls(**{**config, **parts})
