"""What all methods share: what a subclass says of itself, the features of clips, and their frequency."""

import keras
import numpy as np
import tensorflow as tf

from simper_tf.methods.registry import arguments_of
from simper_tf.methods.steps import Steps
from simper_tf.methods.training_facts import TrainingFacts
from simper_tf.signals import octave, spectrum
from simper_tf.signals.readout import check_rate
from simper_tf.utils.clips import ANY_FRAMES, batch_of, check_clips, unit_range
from simper_tf.utils.config import as_tuple
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SameSpeed, Times
from simper_tf.views.views import Views

# Clips whose frequencies are read at once.
_CLIPS_AT_ONCE = 32
# Share of the votes from which on all clips of a call are read at one multiple. They may be of three recordings alone:
# two thirds of the votes would be those of two of them against the third.
_AGREED = 0.8


class Method(Steps):
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

    All options of a subclass are keyword-only arguments, kept in attributes of the same names: so it is saved and
    loaded, and so the command line finds its flags.

    Args:
        encoder: `keras.Model` from `(B, T, H, W, C)` float32 in [0, 1] to `(B, T)` or `(B, T, D)`.
        views: The `Views` to make of clips; None if only ready views will come.
        seed: Seed of the views that are made on the device.

    Raises:
        ValueError: the views have other times than the method learns from.

    Attributes:
        registered_name: Its name in `METHODS`.
        title: Its name in print.
        reference: Its source.
        appearance: The `Appearance` of views it was designed with.
        takes_times: The kind of `Times` it learns from.
        needs_labels: Whether it learns from labels, `(B,)` or `(B, N)`.
        takes_unlabeled: Whether it learns from clips without a label too, which is then NaN.
        predicts_labels: Whether it has a head of its own for them, see `Supervised`.
        min_clips: Smallest batch from which there is anything to learn.
        from_data: Options that follow from the data alone, which nobody sets.
        defaults_from_data: Options that follow from the data where nobody sets them.
        fixed_appearance: Fields of `Appearance` that `appearance_from` overrides, so that nobody sets them.
    """

    registered_name = title = reference = ""
    appearance = Appearance()
    takes_times = Times
    needs_labels = False
    takes_unlabeled = False
    predicts_labels = False
    min_clips = 1
    from_data: tuple[str, ...] = ()
    defaults_from_data: tuple[str, ...] = ()
    fixed_appearance: tuple[str, ...] = ()

    def __init__(self, encoder, views: Views | None = None, *, seed: int = 0, **kwargs):
        if views is not None and not isinstance(views.times, self.takes_times):
            raise ValueError(
                f"{type(self).__name__} learns from views at the times of `{type(self).__name__}.times_for`. "
                f"Received: {views.times}."
            )
        super().__init__(encoder, views, seed, **kwargs)

    @classmethod
    def times_for(cls, num_views: int, speed_range: tuple[float, float], reverse_probability: float = 0.5) -> Times:
        """Returns the times of views the method was designed with.

        Args:
            num_views: M, views a set, where the method has several.
            speed_range: Slowest and fastest speed, where the method has several.
            reverse_probability: Chance that a view is played backwards.
        """
        return SameSpeed(reverse_probability)

    @classmethod
    def changes_speed(cls) -> bool:
        """Returns whether clips are played at other speeds than their own."""
        return cls.times_for(2, (0.5, 2.0)).fastest > 1

    @classmethod
    def appearance_from(cls, appearance: Appearance | None) -> Appearance | None:
        """Returns another method's appearance with what this one cannot do without, for comparisons under one."""
        return appearance

    @classmethod
    def arguments_for(cls, facts: TrainingFacts) -> dict:
        """Returns the arguments of the constructor that follow from the data, for whoever does not give them."""
        return {}

    def log_names(self) -> list[str]:
        """Returns the names of all that is logged; a subclass adds those of its own logs."""
        return ["loss", "feature_deviation"]

    def targets(self, batch: dict, training: bool) -> dict:
        """Returns what a batch of views needs beside what it holds, or in place of it: the hook of slow copies.

        Args:
            batch: As `Views` returns it, with `labels` where there are any.
            training: Whether networks are in training mode.
        """
        return {}

    def loss_and_logs(self, features, batch: dict, training: bool = True):
        """Returns the scalar that is minimized, and a dictionary of further scalars to log.

        Args:
            features: `(B, V, L)` or `(B, V, L, D)` float32, of the batch's `views`.
            batch: As `Views` returns it, with `labels` where there are any and with the `targets`.
            training: Whether heads are in training mode.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what it minimizes.")

    def before_step(self):
        """Is called when the views of a step are made and nothing is computed yet: the hook of slow copies."""
        pass  # AutoGraph cannot convert a body of documentation alone, here and below.

    def after_step(self, batch: dict):
        """Is called with the batch and its targets when the gradients of a step are computed: the hook of queues."""
        pass

    def check_batch(self, batch_size: int):
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

    def labels_in(self, batch: dict):
        """Returns the labels of a batch as float32.

        Raises:
            ValueError: there are none.
        """
        if "labels" not in batch:
            raise ValueError(
                f"`{type(self).__name__}` learns from labels, but the batch has none. Give batches (clips, labels)."
            )
        return tf.cast(batch["labels"], tf.float32)

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

    def frequency(self, clips, rate):
        """Reads frequencies off the features, at the multiple that the pixels of these clips show, without a label.

        Clips vote, and what four in five of them say holds for all, as single ones mislead in noise; where they do not
        agree each is read by its own pixels. See `octave.Octave`.

        Args:
            clips: As in `encode`, or a single clip `(T, H, W, C)`.
            rate: Frames per second, a number or `(B,)`.

        Returns:
            `(B,)` float32 in Hz; a float of a single clip.

        Raises:
            ValueError: as `encode`, or the rate is not positive.
        """
        clips = batch_of(clips)
        if np.ndim(clips) == 4:
            return float(self.frequency(np.asarray(clips)[None], rate)[0])
        check_rate(rate, len(clips))
        features, pixels = self._read(clips)
        return octave.find_octave(features, pixels, _AGREED).frequency(features, pixels, np.float32(rate))

    def octave(self, clips) -> octave.Octave:
        """Returns at which multiple of the frequency the features of clips run, by their pixels.

        Printed, it says so in a sentence; its `harmonic` is what `export_model` takes.

        Args:
            clips: As in `encode`.

        Raises:
            ValueError: as `encode`.
        """
        return octave.find_octave(*self._read(batch_of(clips)), _AGREED)

    def _read(self, clips):
        """Returns the features and the pixels' power of clips, a few at a time."""
        parts = [clips[k : k + _CLIPS_AT_ONCE] for k in range(0, len(clips), _CLIPS_AT_ONCE)]
        found = [(self.encode(few), spectrum.pixel_power(few)) for few in parts]
        return tuple(np.concatenate(each) for each in zip(*found, strict=True))

    @property
    def frame_shape(self):
        """`(H, W, C)` that the encoder takes, None for what it leaves open."""
        shape = getattr(self.encoder, "input_shape", None)
        return shape[2:] if shape and len(shape) == 5 else ANY_FRAMES

    def get_config(self):
        return {
            **super().get_config(),
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "views": keras.saving.serialize_keras_object(self.views),
            **{name: getattr(self, name) for name in arguments_of(type(self))},
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config):
        objects = {name: keras.saving.deserialize_keras_object(config[name]) for name in ("encoder", "views")}
        options = {name: as_tuple(config[name]) for name in arguments_of(cls)}
        return cls(**{**config, **options, **objects})
