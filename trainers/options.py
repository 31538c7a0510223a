"""The flags of all trainers, and what they stand for."""

import dataclasses
import functools

import keras
from absl import flags

from simper_tf import encoders, losses, similarity
from simper_tf.encoders.norms import NORMS
from simper_tf.methods import METHODS, options_of
from simper_tf.times import SpeedSets
from simper_tf.views import Views

ENCODERS = {
    **encoders.ENCODERS,
    "frame_mean": lambda frame_shape, norm: encoders.frame_mean(frame_shape[-1]),
    "small": lambda frame_shape, norm: encoders.small(
        frame_shape[-1], flags.FLAGS.kernel_frames, outputs=flags.FLAGS.outputs
    ),
}


# Flags that may change between one call and the next on the same run: they do not change its weights.
FREE = {"run_dir", "data_dir", "manual_dir", "overwrite", "test_clips", "labeled_clips", "save_seconds", "artifacts"}
# Attributes of `Views` that a flag of their name changes; where it is not given, the method has its own.
APPEARANCE = ("flip_probability", "blur_probability", "gray_probability", "share_spatial")


def define(values=flags.FLAGS):
    """Defines every flag in some `FlagValues`; each trainer calls this before it parses its command line."""
    kinds = flags.DEFINE_string, flags.DEFINE_integer, flags.DEFINE_float, flags.DEFINE_boolean, flags.DEFINE_enum
    text, integer, number, boolean, choice = [functools.partial(kind, flag_values=values) for kind in kinds]
    listed = functools.partial(flags.DEFINE_list, flag_values=values)
    text("run_dir", None, "Folder of the run: flags, checkpoints, results, plots, model.")
    text("dataset", "rotating_digits/digits", "Data set as name/config; a folder of that name lies in datasets/.")
    text("data_dir", "data", "Where built data sets are kept.")
    text("manual_dir", None, "Raw files of data sets that cannot be downloaded.")
    integer("train_clips", 0, "Use only that many training clips; 0 for all.", lower_bound=0)
    integer("test_clips", 0, "Use only that many test clips; 0 for all.", lower_bound=0)
    integer("labeled_clips", 10, "Labelled training clips for the harmonic calibration.", lower_bound=1)
    choice("method", "simper", sorted(METHODS), "What is minimised.")
    choice("encoder", "small", sorted(ENCODERS), "Architecture.")
    boolean("saliency", False, "Look at frames through a learned sampler that magnifies what matters.")
    choice("norm", "batch", NORMS, "Normalisation, of encoders that have one.")
    integer("kernel_frames", 3, "Frames that a feature of the encoder `small` sees, odd.", lower_bound=1)
    integer("outputs", 4, "Series that the encoder `small` gives, D.", lower_bound=1)
    integer("epochs", 10, "Passes over the training clips; 0 leaves the encoder as it was made.", lower_bound=0)
    integer("batch_size", 4, "Clips a step, over all replicas.", lower_bound=1)
    integer("micro_batch", 0, "Clips encoded at once, for SimPer: less memory, the same gradient; 0 for all.", 0)
    integer("replicas", 0, "Devices that share a batch; 0 for all GPUs. Without a GPU, parts of the CPU.", 0)
    number("learning_rate", 1e-3, "Of Adam, at the start.", lower_bound=0.0)
    listed("decay_epochs", [], "Divide the learning rate by 10 after these epochs; empty for a cosine.")
    integer("num_views", 10, "Views a set, M, of SimPer; the other methods have one.", lower_bound=2)
    integer("view_frames", 0, "Frames a view, L; 0 for the most that fit at the fastest speed.", lower_bound=0)
    listed("speed_range", ["0.5", "2"], "Slowest and fastest speed of SimPer.")
    listed("crop_area", None, "Smallest and largest share of the frame that a crop keeps.")
    number("flip_probability", None, "Chance of mirroring a view.", 0.0, 1.0)
    number("reverse_probability", None, "Chance of playing a view backwards.", 0.0, 1.0)
    number("blur_probability", None, "Chance of blurring a view.", 0.0, 1.0)
    number("gray_probability", None, "Chance of taking a view's colour away.", 0.0, 1.0)
    boolean("share_spatial", None, "One spatial draw for all views of a set, or one for each.")
    choice("augment_on", "device", ["device", "host"], "Make views in the training step, or in the input pipeline.")
    choice("similarity", "mxcorr", sorted(similarity.SIMILARITIES), "Of features.")
    number("temperature", None, "Dividing the similarities; where not given, the method's own.", lower_bound=1e-6)
    number("label_temperature", 0.1, "Of the speed distances; 0 for hard labels.", lower_bound=0.0)
    number("momentum", None, "Of the slow copies of MoCo and BYOL; where not given, the method's own.", 0.0, 1.0)
    integer("queue_size", 0, "Keys in the queue of MoCo; 0 for as many as half of the clips.", lower_bound=0)
    choice("label_similarity", "l1", sorted(losses.LABEL_SIMILARITIES), "Of speeds.")
    listed("band", ["0.4", "5.5"], "Lowest and highest frequency of a clip, in Hz.")
    number("prior_weight", 0.0, "Weight of the frequency prior, which keeps features inside the band.", lower_bound=0.0)
    integer("seed", 0, "Of weights, order and views.")
    boolean("deterministic", False, "Only ops that give the same bits every time; slower.")
    choice("precision", "float32", ["float32", "mixed_bfloat16"], "Keras policy.")
    number("save_seconds", 30.0, "Time between checkpoints.", lower_bound=0.0)
    boolean("artifacts", True, "Draw plots and export a model too, not only result rows.")
    boolean("overwrite", False, "Delete what the run folder holds and start anew.")
    flags.mark_flag_as_required("run_dir", flag_values=values)


def values(found=flags.FLAGS):
    """Returns the flags that make up a run, as a dictionary of strings."""
    module = found.flags_by_module_dict()[__name__]
    return {flag.name: _text(flag.value) for flag in module if flag.name != "overwrite" and flag.value is not None}


def pair(name):
    """Returns a flag of two numbers.

    Raises:
        ValueError: it has not two numbers, rising.
    """
    try:
        low, high = map(float, flags.FLAGS[name].value)
    except ValueError:
        low, high = 1.0, 0.0
    if low > high:
        raise ValueError(
            f"--{name} takes two rising numbers, such as 0.5,2. Found: {','.join(flags.FLAGS[name].value)}"
        )
    return low, high


def views(clip_shape):
    """Returns the views of the method the flags name, for clips of that shape, `(T, H, W, C)`.

    Raises:
        ValueError: colour is to be taken from gray clips.
    """
    config = flags.FLAGS
    if config.gray_probability and clip_shape[-1] != 3:
        raise ValueError(
            f"--gray_probability={config.gray_probability:g} takes colour away, but the clips have {clip_shape[-1]} "
            "channel(s) and not 3. Leave the flag out."
        )
    changes = {name: config[name].value for name in APPEARANCE if config[name].value is not None}
    if config.crop_area is not None:
        changes["crop_area"] = pair("crop_area")
    speed_range, kind = pair("speed_range"), METHODS[config.method]
    # A label holds for a whole clip.
    longest = clip_shape[0] if kind.needs_labels else SpeedSets(speed_range=speed_range).longest_view(clip_shape[0])
    reverse = 0.5 if config.reverse_probability is None else config.reverse_probability
    times = kind.times_for(config.num_views, speed_range, reverse)
    num_frames = longest if kind.needs_labels else config.view_frames or longest
    return Views(num_frames, times, dataclasses.replace(kind.appearance, **changes))


def method(encoder, facts):
    """Returns the method the flags describe, for `TrainingFacts`."""
    config = flags.FLAGS
    kind = METHODS[config.method]
    named = [name for name in options_of(kind) if name in config and name not in ("outputs", "band")]
    given = {name: config[name].value for name in named if config[name].value is not None}
    if not config.queue_size:
        given.pop("queue_size", None)
    return kind(encoder, facts.views, seed=config.seed, **{**kind.arguments_for(facts), **given})


def encoder(frame_shape):
    """Returns the encoder the flags describe, for frames of `(H, W, C)`."""
    config = flags.FLAGS
    made = ENCODERS[config.encoder](frame_shape, config.norm)
    return encoders.with_saliency_sampler(made, frame_shape, config.norm) if config.saliency else made


def optimizer(steps_per_epoch):
    """Returns Adam with the schedule the flags describe: a tenth after each of some epochs, or a cosine to zero."""
    config = flags.FLAGS
    rate = config.learning_rate
    if not config.decay_epochs:
        return keras.optimizers.Adam(
            keras.optimizers.schedules.CosineDecay(rate, max(config.epochs * steps_per_epoch, 1))
        )
    if not all(epoch.isdecimal() for epoch in config.decay_epochs):
        raise ValueError(f"--decay_epochs takes whole numbers, such as 40,50. Found: {','.join(config.decay_epochs)}")
    boundaries = [int(epoch) * steps_per_epoch for epoch in config.decay_epochs]
    rates = [rate * 0.1**k for k in range(len(boundaries) + 1)]
    return keras.optimizers.Adam(keras.optimizers.schedules.PiecewiseConstantDecay(boundaries, rates))


def check():
    """Refuses flags that are wrong by themselves, before anything is read or written.

    Raises:
        ValueError: a flag has not the form it needs.
    """
    config = flags.FLAGS
    pair("band"), pair("speed_range"), config.crop_area and pair("crop_area")
    if config.micro_batch and config.method != "simper":
        raise ValueError(
            f"--micro_batch={config.micro_batch} is for --method=simper, whose loss is a mean over clips. "
            f"Found: --method={config.method}. Leave it out."
        )
    optimizer(steps_per_epoch=1)


def _text(value):
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
