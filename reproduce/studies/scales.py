"""Scales: the six data sets of the paper as they are run on two cores, for a test, and as in the paper."""

import dataclasses
import pathlib
from collections.abc import Iterable, Mapping

from reproduce.grid import Run
from reproduce.studies.chosen import PULSE_PRIOR, RATES
from simper_tf.data import building, tfds_builders
from trainers import data

SETS = {
    "rotating_digits": "RotatingDigits",
    "scamps": "SCAMPS",
    "ubfc": "UBFC",
    "pure": "PURE",
    "countix": "Countix",
    "lst": "LST",
}
# Recordings of people that everybody can get; the paper has them not.
REAL = {"phone_ppg": "Phone pulses", "imu_sets": "Sets of exercises"}


@dataclasses.dataclass(frozen=True)
class Setting:
    """Runs of a data set.

    Attributes:
        pretrain: SimPer on it; other methods by their name.
        finetune: Learning from its labels, from random weights unless begun with another run.
        data: What stands in for the data of the paper, in two words; empty for these themselves.
        lengths: Three lengths of clips, in frames, the first that of all other tables.
        rates: Method -> two learning rates of the whole network, see `chosen.RATES`; empty for that of the flagfile.
        standin: Arguments of `trainers.standin` that write its raw files; None where it needs none.
        miniatures: Folder for what these write and what is built of it, below that of the data.
        raw: What has to be got by hand before it can be run; empty for nothing.
        download: What the first run on it gets from the network; empty for nothing.
    """

    pretrain: Run
    finetune: Run
    data: str = ""
    lengths: tuple[int, int, int] = (0, 0, 0)
    rates: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    standin: Mapping[str, object] | None = None
    miniatures: str = "miniatures"
    raw: str = ""
    download: str = ""

    def begun_with(self, source: Run, **changes) -> Run:
        """Returns learning from labels, begun with the encoder of another run.

        Args:
            source: The run.
            **changes: Further flags, which count more than `rates`.
        """
        rate = self.rate(dict(source.changes).get("method", "simper"))
        return self.finetune.but(**{"learning_rate": rate, "own_head": True, **changes}).begun_with(source)

    def rate(self, method: str, after_head: bool = False) -> float | None:
        """Returns a learning rate of the whole network, see `rates`; None for that of the flagfile."""
        rates = self.rates.get(method, self.rates.get("simper"))
        return rates[after_head] if rates else None


@dataclasses.dataclass(frozen=True)
class Scale:
    """One of `SCALES`.

    Attributes:
        name: `smoke`, `small` or `paper`.
        about: What numbers of this scale say; a sentence.
        seeds: Of the runs of a table.
        more_seeds: Table -> those of its runs where they are others.
        never_tuned: Data sets that tables 8, 20 and 21 leave out, as their runs on labels are many.
        sets: Data set of the paper -> its `Setting`.
        fractions: Parts of the training clips, or of their labels, in percent.
        long_sets: Data sets whose runs are long: tables have every second part of them, and 20 and 21 leave them out.
        is_short: Whether tables have two lines of a kind at most.
    """

    name: str
    about: str
    seeds: tuple[int, ...]
    sets: Mapping[str, Setting]
    fractions: tuple[int, ...] = (100, 50, 20, 10, 5)
    is_short: bool = False
    more_seeds: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    never_tuned: tuple[str, ...] = ()
    long_sets: tuple[str, ...] = ()

    def seeds_of(self, table: str) -> tuple[int, ...]:
        """Returns the seeds of the runs of a table."""
        return self.more_seeds.get(table, self.seeds)

    def fractions_of(self, name: str) -> tuple[int, ...]:
        """Returns the parts of a data set."""
        return self.fractions[:: 2 if name in self.long_sets else 1]

    def tuned(self, names: Iterable[str]) -> list[str]:
        """Returns those data sets that tables of fine-tuning have."""
        return [name for name in names if name not in self.never_tuned]

    def untuned(self) -> str:
        """Returns the sentence of a table of fine-tuning about the data sets that it leaves out; empty for none."""
        return "".join(f" {SETS[name]} is left out: tables 5 and 9 have what stands in." for name in self.never_tuned)

    def some(self, kinds: Iterable, most: int = 2) -> list:
        """Returns kinds of lines, such as methods: where tables are short the first and the last, or the last alone.

        Args:
            kinds: All of them.
            most: Of a short table, 1 or 2: one says enough where others would have the very same lines.
        """
        kinds = list(kinds)
        return [kinds[0], kinds[-1]][-most:] if self.is_short and len(kinds) > most else kinds

    def located(self, data_dir: str, manual_dir: str) -> "Scale":
        """Returns the scale with its data in a folder, and raw files in folders of `manual_dir` by data set.

        Miniatures lie in a folder of their own, where nobody takes them for the data that they imitate.
        """
        return dataclasses.replace(
            self, sets={name: _located(setting, name, data_dir, manual_dir) for name, setting in self.sets.items()}
        )

    def title(self, name: str) -> str:
        """Returns the name of a data set in print, with what stands in for it."""
        data = self.sets[name].data
        title = {**SETS, **REAL}[name]
        return f"{title} ({data})" if data else title

    def lacks(self, name: str) -> str:
        """Returns what a located data set of the paper still needs on this machine, empty for nothing."""
        setting = self.sets[name]
        if not setting.raw:
            return ""
        settings = setting.pretrain.settings()
        builder = building.find(*data.builder_class(settings.dataset), settings.data_dir, settings.manual_dir)
        if builder.data_path.exists():
            is_real = not building.is_standin(builder)
            return "" if is_real else f"the data itself: {builder.data_path} is built of a stand-in; delete that folder"
        if tfds_builders.standin_of(settings.manual_dir):
            return f"the data itself: {settings.manual_dir} holds a stand-in"
        return "" if pathlib.Path(settings.manual_dir).is_dir() else setting.raw


def _located(setting, name, data_dir, manual_dir):
    places = {"data_dir": data_dir}
    if setting.standin:
        folder = f"{data_dir}/{setting.miniatures}"
        places = {"data_dir": folder, "manual_dir": f"{folder}/raw/{name}"}
    elif setting.raw:
        places["manual_dir"] = f"{manual_dir}/{name}"
    return dataclasses.replace(
        setting, pretrain=setting.pretrain.but(**places), finetune=setting.finetune.but(**places)
    )


def _small(name, finetune, data, lengths, standin=None, before=None):
    run = Run(f"flags/small/{name}.cfg")
    setting = Setting(
        run.but(**(before or {})), run.but(method="supervised", **finetune), data, lengths, RATES[name], standin
    )
    return dataclasses.replace(setting, finetune=setting.finetune.but(learning_rate=setting.rate("supervised")))


def _raw(name):
    return f"raw files in --manual_dir/{name}: datasets/{name}/README.md says where to get them"


def _paper(name, lengths=(0, 0, 0), download=""):
    raw = "" if download else _raw(name)
    return Setting(
        Run(f"flags/{name}.cfg").but(artifacts=False),
        Run(f"flags/supervised_{name}.cfg").but(method="supervised", artifacts=False),
        lengths=lengths,
        raw=raw,
        download=download,
    )


# Where tables are short: a frame takes EfficientPhys, the sampler and 3-D networks ten times as long as `small`.
FEW_FRAMES = {"clip_frames": 75}
# Of clips, in frames, in table 19.
PAPERS_LENGTHS = {"rotating_digits": (150, 120, 90), "scamps": (600, 450, 300), "lst": (100, 80, 60)}
_DOWNLOADS = {"rotating_digits": "MNIST (11 MB)"}
# The same at the scale of two cores and at that of the paper.
_REAL = {
    name: Setting(
        Run(f"flags/{name}.cfg").but(artifacts=False),
        Run(f"flags/{name}.cfg").but(artifacts=False, method="supervised", head="spectrum"),
        raw=_raw(name),
    )
    for name in REAL
}
_PAPER = {name: _paper(name, PAPERS_LENGTHS.get(name, (0, 0, 0)), _DOWNLOADS.get(name, "")) for name in SETS} | _REAL

# Steps of whole clips at one speed, which take about as long as those of pre-training do.
_FINETUNE = {"head": "spectrum", "steps": 1000}
_DIGITS, _FACES, _MINIATURE = "scikit-learn's digits", "drawn faces", "miniature"
_SMALL = {
    "rotating_digits": _small("rotating_digits", _FINETUNE, _DIGITS, (150, 120, 90)),
    "scamps": _small("scamps", _FINETUNE, _FACES, (300, 225, 150), before={"prior_weight": PULSE_PRIOR}),
    "ubfc": _small("ubfc", _FINETUNE, _FACES, (180, 150, 120)),
    "pure": _small("pure", _FINETUNE, _FACES, (180, 150, 120)),
    "countix": _small("countix", _FINETUNE, _MINIATURE, (0, 0, 0), {"subjects": 60, "seconds": 10}),
    "lst": _small("lst", {**_FINETUNE, "head": "linear"}, _MINIATURE, (100, 80, 60),
        {"subjects": 92, "seconds": 20},  # The paper's 100 days: half of them would leave few windows to train.
    ),
    **_REAL,
}  # fmt: skip


def _smoke(setting):
    """Returns a setting of a few steps on a few clips, to see that everything runs."""
    tiny = {
        "steps": 2, "batch_size": 4, "train_clips": 16, "validation_clips": 4, "test_clips": 6,
        "labeled_clips": 3, "run_eagerly": True,  # A graph takes longer than two steps.
    }  # fmt: skip
    if setting.lengths[0] > 150:  # Faces: half of their frames show as much here.
        setting = dataclasses.replace(setting, lengths=tuple(frames // 2 for frames in setting.lengths))
        tiny["clip_frames"] = setting.lengths[0]
    if setting.standin:  # A split by time needs 25 days; of what more would take minutes to write no run reads a clip.
        few = {**setting.standin, "subjects": 26}
        setting = dataclasses.replace(setting, standin=few, miniatures="miniatures/few")
    return dataclasses.replace(
        setting, pretrain=setting.pretrain.but(**tiny, num_views=2), finetune=setting.finetune.but(**tiny)
    )


# What stands in for real recordings where only a few steps are run.
_FEW = {"phone_ppg": {"subjects": 6, "seconds": 12}, "imu_sets": {"subjects": 24, "seconds": 30}}
_FEW_REAL = {
    name: dataclasses.replace(_smoke(_REAL[name]), raw="", standin=standin, miniatures="miniatures/few")
    for name, standin in _FEW.items()
}
# Seeds of real recordings: two of each of five splits of people, and one of each of three folders of exercises.
_SPLITS_BY_SEEDS = {"phone_ppg": tuple(range(10)), "imu_sets": tuple(range(3))}
# Tables of the small scale that have three seeds.
_THREE_SEEDS = (
    "digits", "quickstart", "mnist", "mnist_spin", "comparison", "noise", "table2", "table4", "table5", "table6",
    "table7", "table10", "table13_digits", "table14", "table15", "table17", "table18", "table22",
    "table3", "table12", "table12_digits", "table13", "table16", "table19", "table9", "table21",
)  # fmt: skip
SCALES = {
    scale.name: scale
    for scale in (
        Scale(
            "smoke", "Two steps on sixteen clips: the numbers say that everything runs, and nothing else.", (0,),
            {name: _smoke(setting) for name, setting in _SMALL.items()} | _FEW_REAL, (100, 50), True,
        ),
        Scale(
            "small", "On what stands in for the data, with a small encoder and few steps on two cores: compare lines "
            "with one another, not with the paper. Labels of frequencies are learned by --head=spectrum, unless a "
            "line says otherwise. The three sets of faces show the same people with the same pulses, in other light "
            "and motion. What is learned without labels on those in place of SCAMPS has the frequency prior, but for "
            "the lines of table 3 without it.",
            (0,), _SMALL,
            more_seeds=dict.fromkeys(_THREE_SEEDS, (0, 1, 2)) | _SPLITS_BY_SEEDS,
            never_tuned=("pure",), long_sets=("scamps",),
        ),
        Scale("paper", "The paper's data, encoders and schedules.", (0, 1, 2), _PAPER, more_seeds=_SPLITS_BY_SEEDS),
    )
}  # fmt: skip
