"""All that a run can be told, once: a frozen dataclass, whose fields are flags at the command line.

What a method, an encoder, the appearance of views or a protocol brings along is found from their own arguments and
kept in `Settings.options`.
"""

import dataclasses
import functools
import hashlib
import itertools
import json
from collections.abc import Mapping

from simper_tf.appearance import Appearance
from simper_tf.encoders import ENCODERS, with_saliency_sampler
from simper_tf.methods import APPEARANCES, METHODS
from simper_tf.options import Option, options_of
from simper_tf.protocols import PROTOCOLS


def _field(default, group, help, choices=None, lower=None, free=False):
    """Returns a field: `free` if it may change between one call and the next, as it does not change the weights."""
    metadata = {"group": group, "help": help, "choices": choices, "lower": lower, "free": free}
    return dataclasses.field(default=default, metadata=metadata)


_run, _data, _train, _views, _read = [functools.partial(_field, group=name) for name in (
    "the run", "the data", "training", "views", "evaluation")]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a run is made of; flags have the names of the fields, and their help says what they mean."""

    run_dir: str = _run("", help="Folder of the run: flags, checkpoints, results, plots, model.", free=True)
    seed: int = _run(0, help="Decides weights, order and views.")
    overwrite: bool = _run(False, help="Delete what the run's folder holds and start anew.", free=True)
    artifacts: bool = _run(True, help="Draw plots and export a model too, not only result rows.", free=True)
    save_seconds: float = _run(30.0, help="Time between checkpoints.", lower=0.0, free=True)
    dataset: str = _data("rotating_digits/digits", help="Data set as name/config; its folder lies in datasets/.")
    data_dir: str = _data("data", help="Where built data sets are kept.", free=True)
    manual_dir: str = _data("", help="Raw files of data sets that cannot be downloaded.", free=True)
    train_clips: int = _data(0, help="Use so many training clips at most; 0 for all.", lower=0)
    validation_clips: int = _data(0, help="Use so many validation clips at most; 0 for all.", lower=0, free=True)
    test_clips: int = _data(0, help="Use so many test clips at most; 0 for all.", lower=0, free=True)
    method: str = _train("simper", help="What is minimized.", choices=tuple(sorted(METHODS)))
    encoder: str = _train("small", help="Architecture.", choices=tuple(sorted(ENCODERS)))
    saliency: bool = _train(False, help="Look at frames through a learned sampler that magnifies what matters.")
    epochs: int = _train(10, help="Passes over the training clips; 0 leaves the encoder as it was made.", lower=0)
    batch_size: int = _train(4, help="Clips a step, over all replicas.", lower=1)
    replicas: int = _train(
        0, help="Devices that share a batch; 0 for all GPUs. Without one, parts of the CPU.", lower=0, free=True
    )
    learning_rate: float = _train(1e-3, help="Rate of Adam at the start.", lower=0.0)
    decay_epochs: tuple[int, ...] = _train((), help="Divide the rate by 10 after these epochs; empty for a cosine.")
    deterministic: bool = _train(False, help="Only ops that give the same bits every time; slower.")
    precision: str = _train("float32", help="Keras policy.", choices=("float32", "mixed_bfloat16"))
    augment_on: str = _train("device", help="Where views are made: in the training step, or in the input pipeline.",
                             choices=("device", "host"))  # fmt: skip
    view_frames: int = _views(0, help="Frames a view; 0 for the most that fit at the fastest speed.", lower=0)
    num_views: int = _views(10, help="Views a set of methods that contrast speeds; the others have one.", lower=2)
    speed_range: tuple[float, float] = _views((0.5, 2.0), help="Slowest and fastest speed of these methods.")
    reverse_probability: float = _views(0.5, help="Chance of playing a view backwards.", lower=0.0)
    appearance: str = _views("own", help="Changes of a view's picture: the method's own, those of another, or none.",
                             choices=("own", *APPEARANCES))  # fmt: skip
    band: tuple[float, float] = _read((0.4, 5.5), help="Lowest and highest frequency of a clip, in Hz.")
    split: str = _read("test", help="Clips that are predicted: choose on validation clips, report on test clips.",
                       choices=("validation", "test"), free=True)  # fmt: skip
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        for name in ("band", "speed_range"):
            pair = getattr(self, name)
            if len(pair) != 2 or not 0 < pair[0] <= pair[1] or (name == "band" and pair[0] == pair[1]):
                found = ",".join(f"{number:g}" for number in pair)
                raise ValueError(f"--{name} takes two rising numbers, such as 0.5,2. Found: {found}")
        if any(after <= before for before, after in itertools.pairwise((0, *self.decay_epochs))):
            raise ValueError(f"--decay_epochs takes rising numbers, such as 40,50. Found: {_text(self.decay_epochs)}")
        # What is switched off needs nobody whose it is.
        off = [name for name, value in self.options.items() if value is False and not self._has_owner(name)]
        object.__setattr__(self, "options", {name: v for name, v in self.options.items() if name not in off})
        self._refuse_foreign_options()

    def options_for(self, owner: str) -> dict:
        """Returns those of `options` that belong to what is chosen of an owner, one of `owners`."""
        return {name: value for name, value in self.options.items() if name in self._chosen(owner)}

    def as_text(self) -> dict[str, str]:
        """Returns all settings by name, as they are written in `flags.cfg`."""
        fields = {field.name: getattr(self, field.name) for field in setting_fields()}
        return {name: _text(value) for name, value in {**fields, **self.options}.items() if name != "overwrite"}

    def digest(self) -> str:
        """Returns a short hash of what makes up a run's weights, but for its seed."""
        made_by = {name: value for name, value in self.as_text().items() if name not in free_names() | {"seed"}}
        return hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:8]

    def _chosen(self, owner):
        chosen = {"method": self.method, "encoder": self.encoder}.get(owner)
        if (owner == "appearance" and self.appearance == "none") or (owner == "sampler" and not self.saliency):
            return {}
        return {name: option for who, found in owners()[owner].items() for name, option in found.items()
                if chosen in (None, who)}  # fmt: skip

    def _has_owner(self, name):
        return any(name in self._chosen(owner) for owner in owners())

    def _refuse_foreign_options(self):
        for name, value in self.options.items():
            if self._has_owner(name):
                continue
            undo = f"--no{name}" if value is True else f"an empty --{name}="
            known = sorted(who for found in owners().values() for who, options in found.items() if name in options)
            whose = f"It belongs to {', '.join(known)}" if known else "There is no such setting"
            raise ValueError(
                f"--{name}={_text(self.options[name])} means nothing with --method={self.method}, --encoder="
                f"{self.encoder} and --appearance={self.appearance}. {whose}. Leave it out, or take back what a "
                f"flagfile has set by {undo}."
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
        "method": {name: _without(options_of(kind), kind.from_data) for name, kind in METHODS.items()},
        "encoder": {name: options_of(function) for name, function in ENCODERS.items()},
        "sampler": {"saliency": options_of(with_saliency_sampler)},
        "appearance": {"appearance": options_of(Appearance)},
        "protocol": {name: options_of(protocol) for name, (protocol, _) in PROTOCOLS.items()},
    }


def _without(options, names):
    return {name: option for name, option in options.items() if name not in names}


def _text(value):
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
