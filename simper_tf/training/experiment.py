"""Settings and data -> all that a run works with, put together before anything is trained."""

import dataclasses
from collections.abc import Callable

import keras
import tensorflow as tf

from simper_tf import encoders
from simper_tf.data.built import ClipData
from simper_tf.encoders import precision
from simper_tf.evaluation.tasks import Frequency, Series, Task
from simper_tf.methods import METHODS, Method, TrainingFacts
from simper_tf.training import encoder_weights
from simper_tf.training.settings import Settings, text_of
from simper_tf.utils.standardize import is_series
from simper_tf.utils.units import FEWEST_FRAMES
from simper_tf.views.appearance import UNCHANGED, Appearance
from simper_tf.views.series_appearance import SeriesAppearance
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A method with its data, to be trained or restored.

    Attributes:
        model: The compiled method; its `views` are made on the device, or on the host.
        read, num_examples: What reads the clips of the training split by their numbers, as `ClipData.reader` gives it,
            and how many they are.
        batch_size: Clips a step: those of the settings, or all training clips where these are fewer.
        steps_per_epoch, num_steps: Steps of a pass over them, and of the whole run.
    """

    model: Method
    read: Callable[[tf.data.Dataset], tf.data.Dataset]
    num_examples: int
    batch_size: int
    steps_per_epoch: int
    num_steps: int


def assemble(
    settings: Settings,
    clips: ClipData,
    strategy: tf.distribute.Strategy | None = None,
    weights: encoder_weights.Weights | None = None,
) -> Experiment:
    """Returns the experiment that settings describe.

    Args:
        settings: Settings of the run.
        clips: The data set, built.
        strategy: To train on; None for the one device that evaluation needs.
        weights: What encoder and head begin with, read from `encoder_from`; None for weights made by the seed.

    Raises:
        ValueError: clips, views, encoder, batch, replicas and method do not fit one another; says what to change.
    """
    kind = METHODS[settings.method]
    needs_labels = kind.needs_labels
    if needs_labels:
        clips = clips.hiding_labels() if kind.takes_unlabeled else clips.labeled()
    read, num_examples = clips.reader(settings.train_on, settings.train_clips)
    clip_shape = first_example(read(tf.data.Dataset.range(1)))["clip"].shape
    rates = clips.column("rate", settings.train_on, settings.train_clips)
    views = make_views(settings, clip_shape)
    if needs_labels and isinstance(clips.task, Series):
        # What follows a clip that is played backwards is what came before it.
        views = dataclasses.replace(views, times=dataclasses.replace(views.times, reverse_probability=0.0))
    views.times.check_sampling(settings.band[1], float(rates.min()))
    views.check_length(clip_shape[0])
    precision.check_length(settings.precision, views.num_frames)
    replicas = (strategy or tf.distribute.get_strategy()).num_replicas_in_sync
    batch_size = min(settings.batch_size, num_examples // replicas * replicas)
    if not batch_size:
        raise ValueError(f"{num_examples} training clips are too few for {replicas} replicas. Lower `replicas`.")
    steps_per_epoch = num_examples // batch_size
    num_steps = settings.steps or settings.epochs * steps_per_epoch
    labels = clips.column("label", settings.train_on, settings.train_clips) if needs_labels else None
    facts = TrainingFacts(views, rates, num_examples, batch_size, num_steps, settings.band, labels, clips.task)
    keras.mixed_precision.set_dtype_policy(settings.precision)
    with (strategy or tf.distribute.get_strategy()).scope():
        keras.utils.set_random_seed(settings.seed)  # Only here: building the data has drawn from the same generators.
        encoder = make_encoder(settings, clip_shape[1:])
        if weights is not None:
            # Before a method copies the encoder.
            encoder_weights.assign(encoder, weights.encoder, settings.encoder_from)
        model = make_method(settings, encoder, facts)
        if weights is not None and weights.head:
            encoder_weights.assign_head(model, weights.head, settings.encoder_from)
        model.compile(make_optimizer(settings, steps_per_epoch, num_steps))
    model.check_batch(batch_size)
    return Experiment(model, read, num_examples, batch_size, steps_per_epoch, num_steps)


def task_of(settings: Settings, clips: ClipData) -> Task:
    """Returns the task of a data set, a frequency with the band of the settings."""
    task = clips.task
    return dataclasses.replace(task, band=settings.band) if isinstance(task, Frequency) else task


def check_band(settings: Settings, clips: ClipData):
    """Refuses a band above half the rate of a clip to be predicted, where no frequency can be read: a ValueError."""
    if not isinstance(clips.task, Frequency):
        return
    low, high = settings.band
    slowest = float(clips.column("rate", settings.split, settings.limit(settings.split)).min())
    if high > slowest / 2:
        raise ValueError(
            f"`band={low:g},{high:g}` reaches above half the frame rate of a {settings.split} clip ({slowest:g} / 2 = "
            f"{slowest / 2:g} Hz), where no frequency can be read. Lower its upper end to at most {slowest / 2:g}."
        )


def make_views(settings: Settings, clip_shape: tuple[int, ...]) -> Views:
    """Returns the views of the method, for clips of that shape, `(T, H, W, C)`.

    To take color from gray clips, to change series as pictures, or to leave views too few frames is a ValueError.
    """
    kind, gray = METHODS[settings.method], settings.options_for("appearance").get("gray_probability")
    if gray and clip_shape[-1] != 3:
        raise ValueError(
            f"`gray_probability={gray:g}` takes color away, but the clips have {clip_shape[-1]} "
            "channel(s) and not 3. Leave it out."
        )
    times = kind.times_for(settings.num_views, settings.speed_range, settings.reverse_probability)
    num_frames = SpeedSets(speed_range=settings.speed_range).longest_view(clip_shape[0])
    # A label holds for a whole clip; all other methods see views of one length, so that they can be compared.
    look = _look_of_series(settings) if is_series(clip_shape[1:]) else settings.look()
    num_frames = clip_shape[0] if kind.needs_labels else num_frames
    if num_frames < FEWEST_FRAMES:
        raise ValueError(
            f"`speed_range={text_of(settings.speed_range)}` leaves {num_frames} of {clip_shape[0]} frames for a view, "
            f"which takes {FEWEST_FRAMES}. Lower the fastest speed, or take longer clips."
        )
    return Views(num_frames, times, look, settings.interpolation, settings.split_pixels)


def host_views(model: Method, settings: Settings) -> Views | None:
    """Returns the views that the input pipeline makes of every batch; None where the training step makes them."""
    return model.views if settings.augment_on == "host" else None


def _look_of_series(settings) -> SeriesAppearance | None:
    """Returns how views of series change: not at all for methods whose pictures do not either."""
    look, given = settings.look(), settings.options_for("appearance")
    wrong = [f"`{name}={text_of(value)}`" for name, value in given.items()]
    wrong += [f"`appearance={settings.appearance}`"] * (settings.appearance not in ("own", "none"))
    wrong += [f"`method={settings.method}`"] * bool(isinstance(look, Appearance) and look.regions)
    if wrong:
        raise ValueError(
            f"{wrong[0]} is for pictures, but the clips are series, whose amplitude, offset, noise and drift change. "
            "Leave it out."
        )
    return None if look in (None, UNCHANGED) else SeriesAppearance()


def make_encoder(settings: Settings, frame_shape: tuple[int, int, int]) -> keras.Model:
    """Returns the encoder for frames of `(H, W, C)`."""
    made = encoders.ENCODERS[settings.encoder](frame_shape, **settings.options_for("encoder"))
    if not settings.saliency:
        return made
    return encoders.with_saliency_sampler(made, frame_shape, **settings.options_for("sampler"))


def make_method(settings: Settings, encoder: keras.Model, facts: TrainingFacts) -> Method:
    """Returns the method: what the settings say of its arguments, and what follows from the data of the others."""
    kind = METHODS[settings.method]
    arguments = kind.arguments_for(facts) | settings.options_for("method")
    return kind(encoder, facts.views, seed=settings.seed, **arguments)


def make_optimizer(settings: Settings, steps_per_epoch: int, num_steps: int) -> keras.optimizers.Optimizer:
    """Returns Adam with its schedule: a tenth of the rate after each of some epochs, or a cosine to zero at the end."""
    rate, schedules = settings.learning_rate, keras.optimizers.schedules
    if not settings.decay_epochs:
        return keras.optimizers.Adam(schedules.CosineDecay(rate, max(num_steps, 1)))
    boundaries = [epoch * steps_per_epoch for epoch in settings.decay_epochs]
    rates = [rate * 0.1**k for k in range(len(boundaries) + 1)]
    return keras.optimizers.Adam(schedules.PiecewiseConstantDecay(boundaries, rates))


def first_example(examples: tf.data.Dataset) -> dict:
    """Returns the first example of a data set, as NumPy values."""
    return next(iter(examples.take(1).as_numpy_iterator()))
