"""Settings of a run: a frozen dataclass, whose fields are flags at the command line.

Options of a method, an encoder, an appearance or a protocol are declared there and kept in `Settings.options`.
"""

import dataclasses
import functools
import hashlib
import itertools
import json
import math
from collections.abc import Collection, Mapping

from simper_tf.encoders import ENCODERS, with_saliency_sampler
from simper_tf.evaluation.protocols import PROTOCOLS
from simper_tf.methods import APPEARANCES, METHODS
from simper_tf.training import served
from simper_tf.utils.options import declared, option, options_of, text_of
from simper_tf.utils.units import FEWEST_FRAMES
from simper_tf.views.appearance import Appearance
from simper_tf.views.views import INTERPOLATIONS

# Settings by the heading under which help shows them. What is `free` may change from one call to the next on the same
# run, as it does not change the weights.
_run, _data, _train, _views, _read, _serve = [functools.partial(option, group=name, free=False) for name in (
    "the run", "the data", "training", "views", "evaluation", "the exported model")]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of a run; flags have the names of the fields, and their help says what they mean.

    Attributes:
        options: Values of options that are not the default, by name; see `owners`.

    Raises:
        ValueError: a setting is out of its range, or means nothing with the others.
    """

    run_dir: str = _run("", "Folder of the run: its flags, checkpoints, results, plots and model.", free=True)
    seed: int = _run(0, "Decides first weights, order of clips and views.")
    dataset: str = _data("rotating_digits/digits", "Data set as name/config. Each has a folder in datasets/.")
    data_dir: str = _data("data", "Folder of built data sets.", free=True)
    manual_dir: str = _data("", "Folder of raw files, for data sets that cannot be downloaded.", free=True)
    train_on: str = _data("train", "Splits whose clips train; with validation, none are left to choose settings by.",
                          choices=("train", "train+validation"), rare=True)  # fmt: skip
    train_clips: int = _data(0, "Train on at most so many clips; 0 takes all.", low=0)
    data_fraction: float = _data(1.0, "Train on this share of the clips, drawn by the seed. A larger share holds the "
                                 "clips of a smaller one.", rare=True)  # fmt: skip
    label_fraction: float = _data(1.0, "Share of the training clips whose labels may be used.")
    label_gap: tuple[float, ...] = _data((), "Hide labels from low to high, in their unit, from training.", rare=True)
    label_range: tuple[float, ...] = _data((), "Hide labels outside of low to high, in their unit, from training.",
                                           rare=True)  # fmt: skip
    clip_frames: int = _data(0, "Use the last so many frames of each clip; 0 takes all.", low=0, rare=True)
    method: str = _train("simper", "Method that trains the encoder.", choices=METHODS)
    encoder: str = _train("small", "Architecture of the encoder.", choices=ENCODERS)
    saliency: bool = _train(False, "Put a learned sampler before the encoder, which magnifies what matters.", rare=True)
    encoder_from: str = _train("", "Start from the encoder of this finished run, or of this saved_model folder. It "
                               "runs code: take it from people you trust.")  # fmt: skip
    keep_head: bool = _train(False, "Start from the head of `encoder_from` too, if it was trained on labels of the "
                             "same unit.", rare=True)  # fmt: skip
    epochs: int = _train(10, "Passes over the training clips; 0 leaves the encoder untrained.", low=0)
    steps: int = _train(0, "Steps of the optimizer in the whole run; 0 takes those of all epochs.", low=0)
    best_epoch: bool = _train(False, "Keep the weights of the epoch whose head is best on validation clips, not the "
                              "last ones.", rare=True)  # fmt: skip
    batch_size: int = _train(4, "Clips a step, over all devices together.", low=1)
    learning_rate: float = _train(1e-3, "Learning rate of Adam at the start.", low=0.0)
    decay_epochs: tuple[int, ...] = _train((), "Divide the learning rate by 10 after these epochs; empty takes a "
                                           "cosine to 0.")  # fmt: skip
    precision: str = _train("float32", "Precision of computing, a policy of Keras.",
                            choices=("float32", "mixed_bfloat16"))  # fmt: skip
    strategy: str = _train("auto", "Devices that share a batch: one, all of this machine (mirrored), or those of all "
                           "machines in TF_CONFIG (multiworker); auto takes what is there.", free=True,
                           choices=("auto", "one", "mirrored", "multiworker"))  # fmt: skip
    replicas: int = _train(0, "Devices of a machine that share a batch; 0 takes all GPUs. Without a GPU, parts of the "
                           "CPU.", low=0, free=True, rare=True)  # fmt: skip
    worker_seconds: float = _train(300.0, "Seconds that workers wait for one another, at the start and in a step.",
                                   low=1.0, free=True, rare=True)  # fmt: skip
    overwrite: bool = _train(False, "Delete what the folder of the run holds and start again.", free=True)
    save_seconds: float = _train(30.0, "Seconds between checkpoints.", low=0.0, free=True, rare=True)
    run_eagerly: bool = _train(False, "Run step by step in Python, without a graph, for a debugger.", rare=True)
    augment_on: str = _train("device", "Make views in the training step (device) or in the input pipeline (host).",
                             choices=("device", "host"), rare=True)  # fmt: skip
    num_views: int = _views(10, "Views in each of the two sets of a clip, for methods that compare speeds; others have "
                            "one.", low=2)  # fmt: skip
    speed_range: tuple[float, float] = _views((0.5, 2.0), "Slowest and fastest speed of views, for methods that "
                                              "compare speeds.")  # fmt: skip
    reverse_probability: float = _views(0.5, "Chance of playing a view backwards; 0 where labels are series.", low=0.0,
                                        rare=True)  # fmt: skip
    interpolation: str = _views("linear", "What a view shows between two frames: linear, their mean, as in the paper; "
                                "or steady, with noise as strong as at a frame. Try steady on noisy clips.",
                                choices=INTERPOLATIONS)  # fmt: skip
    split_pixels: bool = _views(False, "Show each of the two sets of views another half of the pixels, so that noise "
                                "which they share does not tell which are alike.", rare=True)  # fmt: skip
    appearance: str = _views("own", "How the picture of a view changes: as the method has it (own), as another one has "
                             "it, or not at all (none).", choices=("own", *APPEARANCES))  # fmt: skip
    band: tuple[float, float] = _read((0.4, 5.5), "Lowest and highest frequency of a clip, in Hz.")
    split: str = _read("test", "Clips to predict: validation to choose settings, test to report.",
                       choices=("validation", "test"), free=True)  # fmt: skip
    validation_clips: int = _read(0, "Use at most so many validation clips; 0 takes all.", low=0, free=True)
    test_clips: int = _read(0, "Use at most so many test clips; 0 takes all.", low=0, free=True)
    own_head: bool = _read(False, "Read clips by the head of the method alone, not by features and pixels too: that "
                           "takes a quarter of the time.", free=True, rare=True)  # fmt: skip
    artifacts: bool = _read(True, "Draw plots and export a model too, not only result rows.", free=True)
    format: str = _serve("saved_model", "Kind of exported model: a SavedModel, or a file with the encoder alone (onnx, "
                         "tflite; install the extra edge).", choices=("saved_model", "onnx", "tflite"),
                         free=True)  # fmt: skip
    readout: str = _serve(served.BEST, "Protocol of evaluation as which the SavedModel answers; best takes that with "
                          "the smallest error on validation clips.", choices=(served.BEST, *served.SERVED),
                          free=True)  # fmt: skip
    max_frames: int = _serve(0, "Most frames of all clips in a request; 0 takes as many as hold 32 million values.",
                             low=0, free=True, rare=True)  # fmt: skip
    warm_up: bool = _serve(False, "Add requests by which TF Serving warms up; install the extra serving.", free=True,
                           rare=True)  # fmt: skip
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        # Equal settings are the same, however they are written: a run is known by them.
        for field in setting_fields():
            object.__setattr__(self, field.name, _as_kind(getattr(self, field.name), field.default))
            _check(field.name, getattr(self, field.name), field.metadata["choices"], field.metadata["low"])
        known = {name: field.default for named in owners().values() for fields in named.values()
                 for name, field in fields.items()}  # fmt: skip
        given = {name: _as_kind(value, known.get(name)) for name, value in self.options.items()}
        # What is switched off needs nobody whose it is.
        off = {name for name, value in given.items() if value is False and not self._has_owner(name)}
        object.__setattr__(self, "options", {name: v for name, v in given.items() if name not in off})
        self._check_pairs()
        self._refuse_foreign_options()
        self._refuse_contradictions()

    def _check_pairs(self):
        for name in ("band", "speed_range"):
            pair = getattr(self, name)
            if len(pair) != 2 or not 0 < pair[0] <= pair[1] < math.inf or (name == "band" and pair[0] == pair[1]):
                given = ",".join(f"{number:g}" for number in pair)
                raise ValueError(f"`{name}` takes two rising numbers, such as 0.5,2. Found: {given}")
        if not 0 <= self.seed < 2**32:  # Keras takes no other.
            raise ValueError(f"`seed` must be at least 0 and below 2**32. Found: {self.seed}.")
        if 0 < self.max_frames < FEWEST_FRAMES:
            raise ValueError(f"`max_frames={self.max_frames}` refuses every clip. Give {FEWEST_FRAMES} or more, or 0.")
        for name in ("data_fraction", "label_fraction"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"`{name}` is a share above 0 and at most 1. Found: {getattr(self, name):g}.")
        for name in ("label_gap", "label_range"):
            pair = tuple(map(float, getattr(self, name)))
            object.__setattr__(self, name, pair)
            if pair and not (len(pair) == 2 and pair[0] < pair[1]):
                raise ValueError(f"`{name}` takes two rising numbers, such as 2,3, or none. Found: {text_of(pair)}")
        if any(after <= before for before, after in itertools.pairwise((0, *self.decay_epochs))):
            raise ValueError(f"`decay_epochs` takes rising numbers, such as 40,50. Found: {text_of(self.decay_epochs)}")

    def _refuse_contradictions(self):
        """Refuses settings that mean nothing with others, by the first of these sentences that applies."""
        kind, by = METHODS[self.method], f"means nothing with `method={self.method}`"
        back = "Leave it out, or take back what a flagfile has set by"
        refusals = {
            f"`steps={self.steps}` trains and `epochs=0` does not. Leave one of them out, or take back what a flagfile "
            "has set by `steps=0`.": self.steps and not self.epochs,
            f"`keep_head` {by} and `encoder_from={self.encoder_from}`. It takes `method=supervised`, and a run or an "
            "exported model of that method. Leave it out.": self.keep_head
            and not (self.encoder_from and kind.predicts_labels),
            f"`best_epoch` {by}, which predicts no labels. {back} `best_epoch=False`.": self.best_epoch
            and not kind.predicts_labels,
            f"`own_head` {by}, which has none. {back} `own_head=False`.": self.own_head and not kind.predicts_labels,
            f"`train_on={self.train_on}` leaves no epoch to choose by. {back} `best_epoch=False`.": self.best_epoch
            and self.train_on != "train",
            f"`train_on={self.train_on}` takes all clips and labels. {back} `train_on=train`.": self.train_on != "train"
            and (self.data_fraction < 1 or self.label_fraction < 1),
        }
        for name, undo, given in (
            ("max_frames", "`max_frames=0`", self.max_frames),
            ("warm_up", "`warm_up=False`", self.warm_up),
            (f"readout={self.readout}", "`readout=best`", self.readout not in (served.BEST, *served.FOURIER)),
        ):
            sentence = f"`{name}` means nothing with `format={self.format}`, which is not for a server. {back} {undo}."
            refusals[sentence] = given and self.format != "saved_model"
        for sentence, applies in refusals.items():
            if applies:
                raise ValueError(sentence)

    def options_for(self, owner: str) -> dict:
        """Returns those of `options` that belong to what is chosen of an owner, one of `owners`."""
        return {name: value for name, value in self.options.items() if name in self._chosen(owner)}

    def limit(self, split: str) -> int:
        """Returns how many clips of a split are used at most; 0 for all."""
        return getattr(self, f"{split}_clips")

    def look(self) -> Appearance | None:
        """Returns the appearance of the views, with the options that are given."""
        kind = METHODS[self.method]
        look = kind.appearance if self.appearance == "own" else APPEARANCES[self.appearance]
        if look is not None:
            look = dataclasses.replace(look, **self.options_for("appearance"))
        return kind.appearance_from(look)

    def resolved(self) -> dict[str, object]:
        """Returns all settings by name, with the options that hold where none is given."""
        return {**self.defaults(), **self._fields(), **self.options}

    def defaults(self) -> dict[str, object]:
        """Returns what holds of each setting where it is not given; None of an option of two defaults."""
        own = {}
        for name, field in [item for owner in owners() for item in self._chosen(owner).items()]:
            # An encoder and its sampler may share an option, with a default each.
            own[name] = field.default if own.get(name, field.default) == field.default else None
        look = dataclasses.replace(self, options={}).look()
        own |= {name: getattr(look, name) for name in self._chosen("appearance")}
        return {field.name: field.default for field in setting_fields()} | own

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
        return {name: field for who, fields in owners()[owner].items() for name, field in fields.items()
                if chosen in (None, who) and name not in fixed}  # fmt: skip

    def _has_owner(self, name):
        return any(name in self._chosen(owner) for owner in owners())

    def _refuse_foreign_options(self):
        for name, value in self.options.items():
            if self._has_owner(name):
                continue
            undo = f"`{name}=False`" if value is True else f"an empty `{name}=`"
            where = _where(name)
            raise ValueError(
                f"`{name}={text_of(value)}` means nothing with `method={self.method}`, `encoder={self.encoder}`, "
                f"`saliency={self.saliency}` and `appearance={self.appearance}`. "
                f"{f'It means something with {where}' if where else 'There is no such setting'}. Leave it out, or take "
                f"back what a flagfile has set by {undo}."
            )


def setting_fields() -> list[dataclasses.Field]:
    """Returns the fields of `Settings` that are one setting each."""
    return declared(Settings)


def free_names() -> set[str]:
    """Returns the settings that may change between one call and the next on the same run."""
    read = {name for options in owners()["protocol"].values() for name in options}
    return {field.name for field in setting_fields() if field.metadata["free"]} | read


@functools.cache
def owners() -> dict[str, dict[str, dict[str, dataclasses.Field]]]:
    """Returns who has options: kind of owner -> name -> the fields of its options by name."""
    return {
        "method": {name: options_of(kind) for name, kind in METHODS.items()},
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


def _check(name, value, choices, low):
    if choices and value not in choices:
        raise ValueError(f"`{name}` takes one of {', '.join(sorted(choices))}. Found: {value}.")
    if low is not None and not low <= value < math.inf:
        raise ValueError(f"`{name}` must be at least {low}{'' if value < low else ' and finite'}. Found: {value}.")


def _where(name):
    """Returns in print which settings give an option its meaning; nothing if there is no such option."""
    known = owners()
    settings = [f"`{owner}={who}`" for owner in ("method", "encoder")
             for who, options in known[owner].items() if name in options]  # fmt: skip
    settings += ["`saliency`"] * (name in known["sampler"]["saliency"])
    if name in known["appearance"]["appearance"]:
        fixed = [f"`method={who}`" for who, kind in METHODS.items() if name in kind.fixed_appearance]
        settings.append(f"anything but {' and '.join(['`appearance=none`', *fixed])}")
    return " or ".join(settings)
