"""All that a run can be told, once: a frozen dataclass, whose fields are flags at the command line.

What a method, an encoder, the appearance of views or a protocol brings along is found from their own arguments and
kept in `Settings.options`.
"""

import dataclasses
import functools
import hashlib
import itertools
import json
from collections.abc import Collection, Mapping

from simper_tf.encoders import ENCODERS, with_saliency_sampler
from simper_tf.evaluation.protocols import PROTOCOLS
from simper_tf.methods import APPEARANCES, METHODS
from simper_tf.recordings import gaps
from simper_tf.utils.options import Option, options_of
from simper_tf.views.appearance import Appearance
from simper_tf.views.views import INTERPOLATIONS


def _field(default, group, help, choices=None, lower=None, free=False):
    """Returns a field: `free` if it may change between one call and the next, as it does not change the weights."""
    metadata = {"group": group, "help": help, "choices": choices, "lower": lower, "free": free}
    return dataclasses.field(default=default, metadata=metadata)


_run, _data, _train, _views, _read, _serve = [functools.partial(_field, group=name) for name in (
    "the run", "the data", "training", "views", "evaluation", "the exported model")]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a run is made of; flags have the names of the fields, and their help says what they mean."""

    run_dir: str = _run("", help="Folder of the run: flags, checkpoints, results, plots, model.", free=True)
    seed: int = _run(0, help="Decides weights, order and views.")
    overwrite: bool = _run(False, help="Delete what the run's folder holds and train anew.", free=True)
    artifacts: bool = _run(True, help="Draw plots and export a model too, not only result rows.", free=True)
    profile: bool = _run(False, help="Write what the time of 5 early steps goes to into logs/profile.", free=True)
    save_seconds: float = _run(30.0, help="Time between checkpoints.", lower=0.0, free=True)
    dataset: str = _data("rotating_digits/digits", help="Data set as name/config; its folder lies in datasets/.")
    data_dir: str = _data("data", help="Where built data sets are kept.", free=True)
    manual_dir: str = _data("", help="Raw files of data sets that cannot be downloaded.", free=True)
    videos: str = _data("", help="Learn from these recordings, videos or series, without labels, in place of a data "
                        "set: a folder, a file or a 'pattern/**/*.mp4'.")  # fmt: skip
    labels: str = _data("", help="A few labels of --videos, a CSV file of stretches that somebody has counted, by "
                        "which clips are read and scored.", free=True)  # fmt: skip
    window: float = _data(0.0, help="Seconds a clip of --videos; 0 for what is proposed.", lower=0.0)
    hop: float = _data(0.0, help="Seconds from one clip of --videos to the next; 0 for what is proposed.", lower=0.0)
    rate: float = _data(0.0, help="Frames per second of the clips of --videos; 0 for what is proposed.", lower=0.0)
    gaps: str = _data("interpolate", help="Series of --videos in which samples are missing: bridge what is short for "
                      "the band and learn around the rest, or leave them out.", choices=gaps.CHOICES)  # fmt: skip
    size: tuple[int, ...] = _data((), help="Height,width in pixels of clips of --videos; empty for what is proposed.")
    train_clips: int = _data(0, help="Use so many training clips at most; 0 for all.", lower=0)
    data_fraction: float = _data(1.0, help="Share of the training clips that is used; drawn by seed, small in large.")
    label_fraction: float = _data(1.0, help="Share of the training clips used whose labels are known.")
    label_gap: tuple[float, ...] = _data((), help="Hide labels from low to high, in their unit, from training.")
    label_range: tuple[float, ...] = _data((), help="Hide labels outside of low to high, in their unit, from training.")
    clip_frames: int = _data(0, help="Use so many frames at the end of each clip; 0 for all.", lower=0)
    validation_clips: int = _data(0, help="Use so many validation clips at most; 0 for all.", lower=0, free=True)
    test_clips: int = _data(0, help="Use so many test clips at most; 0 for all.", lower=0, free=True)
    method: str = _train("simper", help="What is minimized.", choices=METHODS)
    encoder: str = _train("small", help="Architecture.", choices=ENCODERS)
    saliency: bool = _train(False, help="Look at frames through a learned sampler that magnifies what matters.")
    encoder_from: str = _train("", help="Begin with the encoder of this finished run, or of this saved_model folder.")
    keep_head: bool = _train(
        False, help="Begin with the head of --encoder_from too, trained on labels in the same unit."
    )
    epochs: int = _train(10, help="Passes over the training clips; 0 leaves the encoder as it was made.", lower=0)
    steps: int = _train(0, help="Steps of the optimizer in the whole run; 0 for those of all epochs.", lower=0)
    best_epoch: bool = _train(
        False, help="End with the weights of the epoch whose head is best on validation clips, and not with the last."
    )
    minutes: float = _train(
        0.0,
        help="With --videos: time of training, by which --steps is found; 5 if neither is given.",
        lower=0.0,
        free=True,
    )
    batch_size: int = _train(4, help="Clips a step, over all replicas.", lower=1)
    strategy: str = _train("auto", help="Devices that share a batch: one, those of this machine (mirrored), or those "
                           "of all in TF_CONFIG (multiworker); auto takes what is there.", free=True,
                           choices=("auto", "one", "mirrored", "multiworker"))  # fmt: skip
    replicas: int = _train(
        0, help="Devices of a machine that share a batch; 0 for all GPUs. Without one, parts of the CPU.", lower=0,
        free=True
    )  # fmt: skip
    worker_seconds: float = _train(
        300.0, help="Time that workers wait for one another, at the start and in a step.", lower=1.0, free=True
    )
    learning_rate: float = _train(1e-3, help="Rate of Adam at the start.", lower=0.0)
    decay_epochs: tuple[int, ...] = _train((), help="Divide the rate by 10 after these epochs; empty for a cosine.")
    deterministic: bool = _train(False, help="Only ops that give the same bits every time; slower.")
    run_eagerly: bool = _train(
        False, help="Compute op by op, as Python comes to it, for a debugger or a few steps; no graph is made."
    )
    precision: str = _train("float32", help="Keras policy.", choices=("float32", "mixed_bfloat16"))
    augment_on: str = _train("device", help="Where views are made: in the training step, or in the input pipeline.",
                             choices=("device", "host"))  # fmt: skip
    view_frames: int = _views(0, help="Frames a view; 0 for the most that fit at the fastest speed.", lower=0)
    num_views: int = _views(10, help="Views a set of methods that contrast speeds; the others have one.", lower=2)
    speed_range: tuple[float, float] = _views((0.5, 2.0), help="Slowest and fastest speed of these methods.")
    reverse_probability: float = _views(
        0.5, help="Chance of playing a view backwards; 0 where labels are series.", lower=0.0
    )
    interpolation: str = _views("linear", help="What views show between two frames: their mean, as in the paper, "
                                "or one with noise as strong as at a frame.",
                                choices=INTERPOLATIONS)  # fmt: skip
    appearance: str = _views("own", help="Changes of a view's picture: the method's own, those of another, or none.",
                             choices=("own", *APPEARANCES))  # fmt: skip
    band: tuple[float, float] = _read((0.4, 5.5), help="Lowest and highest frequency of a clip, in Hz.")
    split: str = _read("test", help="Clips that are predicted: choose on validation clips, report on test clips.",
                       choices=("validation", "test"), free=True)  # fmt: skip
    max_frames: int = _serve(
        0,
        help="Frames of all clips of a request, at most; 0 for as many as hold 32 million values.",
        lower=0,
        free=True,
    )
    format: str = _serve("saved_model", help="A SavedModel, or the encoder alone as a file: extra edge.",
                         choices=("saved_model", "onnx", "tflite"), free=True)  # fmt: skip
    warm_up: bool = _serve(False, help="Add requests with which TF Serving warms up: extra serving.", free=True)
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        # Equal settings are the same, however they are written: a run is known by them.
        for field in setting_fields():
            object.__setattr__(self, field.name, _as_kind(getattr(self, field.name), field.default))
        known = {name: option.default for found in owners().values() for each in found.values()
                 for name, option in each.items()}  # fmt: skip
        given = {name: _as_kind(value, known.get(name)) for name, value in self.options.items()}
        object.__setattr__(self, "options", given)
        for field in setting_fields():
            _check(field.name, getattr(self, field.name), field.metadata["choices"], field.metadata["lower"])
        for name in ("band", "speed_range"):
            pair = getattr(self, name)
            if len(pair) != 2 or not 0 < pair[0] <= pair[1] or (name == "band" and pair[0] == pair[1]):
                found = ",".join(f"{number:g}" for number in pair)
                raise ValueError(f"--{name} takes two rising numbers, such as 0.5,2. Found: {found}")
        for name in ("data_fraction", "label_fraction"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"--{name} is a share above 0 and at most 1. Found: {getattr(self, name):g}.")
        for name in ("label_gap", "label_range"):
            pair = tuple(map(float, getattr(self, name)))
            object.__setattr__(self, name, pair)
            if pair and not (len(pair) == 2 and pair[0] < pair[1]):
                raise ValueError(f"--{name} takes two rising numbers, such as 2,3, or none. Found: {text_of(pair)}")
        if any(after <= before for before, after in itertools.pairwise((0, *self.decay_epochs))):
            raise ValueError(f"--decay_epochs takes rising numbers, such as 40,50. Found: {text_of(self.decay_epochs)}")
        if self.steps and not self.epochs:
            raise ValueError(
                f"--steps={self.steps} trains and --epochs=0 does not. Leave one of them out, or take back what a "
                "flagfile has set by --steps=0."
            )
        # What is switched off needs nobody whose it is.
        off = [name for name, value in self.options.items() if value is False and not self._has_owner(name)]
        object.__setattr__(self, "options", {name: v for name, v in self.options.items() if name not in off})
        self._refuse_foreign_options()
        if self.keep_head and not (self.encoder_from and METHODS[self.method].predicts_labels):
            raise ValueError(
                f"--keep_head means nothing with --method={self.method} and --encoder_from={self.encoder_from}. It "
                "takes --method=supervised, and a run or an exported model of that method. Leave it out."
            )
        if self.best_epoch and not METHODS[self.method].predicts_labels:
            raise ValueError(
                f"--best_epoch means nothing with --method={self.method}, which predicts no labels. Leave it out, or "
                "take back what a flagfile has set by --nobest_epoch."
            )
        if self.view_frames and METHODS[self.method].needs_labels:
            raise ValueError(
                f"--view_frames={self.view_frames} means nothing with --method={self.method}, which learns from whole "
                "clips. Leave it out, or take back what a flagfile has set by --view_frames=0."
            )

        for name, back in (("max_frames", "--max_frames=0"), ("warm_up", "--nowarm_up")):
            if getattr(self, name) and self.format != "saved_model":
                raise ValueError(
                    f"--{name} means nothing with --format={self.format}, which is not for a server. Leave it out, or "
                    f"take back what a flagfile has set by {back}."
                )

    def options_for(self, owner: str) -> dict:
        """Returns those of `options` that belong to what is chosen of an owner, one of `owners`."""
        return {name: value for name, value in self.options.items() if name in self._chosen(owner)}

    def limit(self, split: str) -> int:
        """Returns how many clips of a split are used at most; 0 for all."""
        return getattr(self, f"{split}_clips")

    def look(self) -> Appearance | None:
        """Returns the appearance of the views, with the options that are given."""
        kind = METHODS[self.method]
        found = kind.appearance if self.appearance == "own" else APPEARANCES[self.appearance]
        if found is not None:
            found = dataclasses.replace(found, **self.options_for("appearance"))
        return kind.appearance_from(found)

    def resolved(self) -> dict[str, object]:
        """Returns all settings by name, with the options that hold where none is given."""
        return {**self.defaults(), **self._fields(), **self.options}

    def defaults(self) -> dict[str, object]:
        """Returns what holds of each setting where it is not given; None where that follows from the data."""
        found = {}
        for name, option in [each for owner in owners() for each in self._chosen(owner).items()]:
            # An encoder and its sampler may share an option, with a default each.
            found[name] = option.default if found.get(name, option.default) == option.default else None
        look = dataclasses.replace(self, options={}).look()
        found |= {name: getattr(look, name) for name in self._chosen("appearance")}
        return {field.name: field.default for field in setting_fields()} | found

    def as_text(self) -> dict[str, str]:
        """Returns all settings by name, as they are written in `flags.cfg`."""
        given = {**self._fields(), **self.options}
        return {name: text_of(value) for name, value in given.items() if name != "overwrite"}

    def digest(self) -> str:
        """Returns a short hash of what makes up a run's weights, but for its seed."""
        return self.digest_without({*free_names(), "seed"})

    def digest_without(self, left_out: Collection[str]) -> str:
        """Returns a short hash of the settings but for some, given by name."""
        # A default says the same whether it is given or not, and whether there was such a setting at that time or not.
        given = {**self._fields(), **self.options}
        same = {name for name, default in self.defaults().items() if given.get(name) == default}
        counts = {name: value for name, value in self.as_text().items() if name not in {*left_out, *same}}
        return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()[:8]

    def _fields(self):
        return {field.name: getattr(self, field.name) for field in setting_fields()}

    def _chosen(self, owner):
        chosen = {"method": self.method, "encoder": self.encoder}.get(owner)
        if (owner == "appearance" and self.appearance == "none") or (owner == "sampler" and not self.saliency):
            return {}
        fixed = METHODS[self.method].fixed_appearance if owner == "appearance" else ()
        return {name: option for who, found in owners()[owner].items() for name, option in found.items()
                if chosen in (None, who) and name not in fixed}  # fmt: skip

    def _has_owner(self, name):
        return any(name in self._chosen(owner) for owner in owners())

    def _refuse_foreign_options(self):
        for name, value in self.options.items():
            if self._has_owner(name):
                continue
            undo = f"--no{name}" if value is True else f"an empty --{name}="
            where = _where(name)
            raise ValueError(
                f"--{name}={text_of(value)} means nothing with --method={self.method}, --encoder={self.encoder}, "
                f"--{'' if self.saliency else 'no'}saliency and --appearance={self.appearance}. "
                f"{f'It means something with {where}' if where else 'There is no such setting'}. Leave it out, or take "
                f"back what a flagfile has set by {undo}."
            )


def setting_fields() -> list[dataclasses.Field]:
    """Returns the fields of `Settings` that are one setting each."""
    return [field for field in dataclasses.fields(Settings) if field.name != "options"]


def free_names() -> set[str]:
    """Returns the settings that may change between one call and the next on the same run."""
    read = {name for options in owners()["protocol"].values() for name in options}
    return {field.name for field in setting_fields() if field.metadata["free"]} | read


@functools.cache
def owners() -> dict[str, dict[str, dict[str, Option]]]:
    """Returns what brings settings along: kind of owner -> name -> its options by name."""
    return {
        "method": {name: _of_method(kind) for name, kind in METHODS.items()},
        "encoder": {name: options_of(function) for name, function in ENCODERS.items()},
        "sampler": {"saliency": options_of(with_saliency_sampler)},
        "appearance": {"appearance": options_of(Appearance)},
        "protocol": {name: options_of(protocol) for name, (protocol, _) in PROTOCOLS.items()},
    }


def _as_kind(value, default):
    """Returns a value with tuples for lists, and with floats for whole numbers where the default has floats."""
    if isinstance(value, list | tuple):
        return tuple(_as_kind(part, default) for part in value)
    kind = default[0] if isinstance(default, tuple) and default else default
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_whole and isinstance(kind, float) else value


def _check(name, value, choices, lower):
    if choices and value not in choices:
        raise ValueError(f"--{name} takes one of {', '.join(sorted(choices))}. Found: {value}.")
    if lower is not None and value < lower:
        raise ValueError(f"--{name} must be at least {lower}. Found: {value}.")


def _of_method(kind):
    found = {name: option for name, option in options_of(kind).items() if name not in kind.from_data}
    return found | {name: dataclasses.replace(found[name], default=None) for name in kind.defaults_from_data}


def _where(name):
    """Returns in print which flags give an option its meaning; nothing if there is no such option."""
    known = owners()
    flags = [f"--{owner}={who}" for owner in ("method", "encoder")
             for who, options in known[owner].items() if name in options]  # fmt: skip
    flags += ["--saliency"] * (name in known["sampler"]["saliency"])
    if name in known["appearance"]["appearance"]:
        fixed = [f"--method={who}" for who, kind in METHODS.items() if name in kind.fixed_appearance]
        flags.append(f"anything but {' and '.join(['--appearance=none', *fixed])}")
    return " or ".join(flags)


def text_of(value) -> str:
    """Returns a value as it is written at the command line."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
