"""Tables 15 to 18, and our own studies of choices, on validation clips."""

import dataclasses

from trainers.studies import controls, digits, published
from trainers.studies.choosing import changes
from trainers.studies.digits import READOUTS, STEADY, block_of_features, frequency_cells, frequency_titles, noisy
from trainers.studies.features import OF_PULSE, unit
from trainers.studies.scales import SETS, Scale
from trainers.studies.table import Block, Cell, Line, Study
from trainers.studies.ways import OWN, finetuned

# Flag -> values tried in place of that of the scale.
CHOICES = {
    "appearance": ("simper", "none"),
    "interpolation": ("linear", "steady"),
    "kernel_frames": ("1", "5"),
    "outputs": ("1",),
    "temperature": ("0.5", "0.2", "0.1"),
    "label_temperature": ("0", "0.3"),
    "similarity": ("npsd", "npsd_l2", "cosine"),
    "prior_weight": ("1", "10"),
    "flip_probability": ("0.5",),
    "reverse_probability": ("0",),
    "share_spatial": ("true",),
    "precision": ("mixed_bfloat16",),
}
# Readouts of features that are not trained further.
FROZEN = ("fft", "fft_fundamental", "1nn", "1nn_npsd", "probe")

# Data set -> readouts of features that learned without labels, where they are not those of pulses.
_OF_SET = {"rotating_digits": ("fft", "fft_resolved", "1nn"), "countix": ("fft", "1nn"), "lst": ("linear_probe",)}

# What is left out, or done otherwise, of the paper's changes of the picture -> its flags.
PICTURES = {
    "the paper's crops, flips, blur and brightness": {},
    "one draw for all views of a set": {"share_spatial": True},
    "no crops": {"crop_area": "1,1", "crop_aspect": "1,1"},
    "no flips": {"flip_probability": 0},
    "no blur": {"blur_probability": 0},
    "brightness as it is": {"brightness": "1,1"},
}


def variants(table: str, flag: str, values: dict[str, str], about: str):
    """Returns the function that makes a table of values of one flag in pre-training, fine-tuned as in the paper.

    Args:
        table: Such as `table15`.
        flag: Which flag is varied.
        values: Value -> its title, in the order of the paper.
        about: See `Study`.
    """

    def study(scale: Scale) -> Study:
        name = "scamps"
        pretrain = scale.sets[name].pretrain
        after = [(OWN, metric) for metric in ("mae", "mape")]
        before = [("fft_fundamental", "mae"), ("1nn", "mae")]
        readouts = READOUTS | OF_PULSE

        def line(title, value):
            run = finetuned(scale, name, "simper", {flag: value}) if value else scale.sets[name].finetune
            paper = published.value(table, "mape", value or "supervised")
            cells = [Cell(run, *column, paper if column[1] == "mape" else None) for column in after]
            frozen = [Cell(pretrain.but(**{flag: value}), *column) for column in before] if value else [None, None]
            return Line(title, (*cells, *frozen))

        lines = [
            *(line(title, value) for value, title in values.items() if value in scale.some(values)),
            line("supervised", None),
        ]
        titles = [f"fine-tuned: {unit(name, metric)}" for _, metric in after]
        titles += [f"frozen, {readouts[protocol]}: {unit(name, metric)}" for protocol, metric in before]
        block = controls.beside_heads(Block("", tuple(titles), tuple(lines)))
        return Study(table, published.tables()[table]["title"], about, (block,))

    return study


speeds = variants(
    "table15", "speed_range", {each: each.replace(",", " to ") for each in ("0.5,1.5", "0.8,1.8", "0.5,2", "0.5,3")},
    "Speeds of the views. The paper says that they matter little.",
)  # fmt: skip
views = variants(
    "table16", "num_views", {each: f"{each} views" for each in ("3", "5", "10", "20")},
    "Views a set. The paper says that more are better, with little gain beyond 5.",
)  # fmt: skip
similarities = variants(
    "table17", "similarity",
    {"mxcorr": "largest cross-correlation", "npsd": "spectra, cosine", "npsd_l2": "spectra, L2"},
    "How features are compared. The paper says that it matters little.",
)  # fmt: skip


def generalized(scale: Scale) -> Study:
    """Returns table 18: hard labels, which make InfoNCE, against those of the generalized loss."""
    kinds = {"infonce": ("InfoNCE", {"label_temperature": 0}), "generalized": ("generalized", {})}

    def cell(name, line, protocol, changes):
        paper = published.value("table18", line, f"{name} mae") if protocol in ("fft", "linear_probe") else None
        return Cell(scale.sets[name].pretrain.but(**changes), protocol, "mae", paper)

    columns = [(name, protocol) for name in SETS for protocol in _OF_SET.get(name, ("fft", "fft_fundamental", "1nn"))]
    lines = tuple(
        Line(f"SimPer, {title}", tuple(cell(name, line, protocol, changes) for name, protocol in columns))
        for line, (title, changes) in kinds.items()
    )
    titles = {**READOUTS, **OF_PULSE, "fft": "FFT in the band", "1nn": "1-NN", "linear_probe": "linear probe"}
    header = tuple(f"{scale.title(name)}, {titles[protocol]}: {unit(name, 'mae')}" for name, protocol in columns)
    about = "Whether labels of near speeds are near helps. The paper says that it does, on every data set but LST."
    return Study("table18", published.tables()["table18"]["title"], about, (Block("", header, lines),))


def prior(scale: Scale) -> Study:
    """Returns our study of the weight of the frequency prior where something else repeats more strongly."""
    name = "scamps"
    base = dataclasses.replace(scale.sets[name].pretrain, split="validation").but(method="simper")
    runs = {
        f"--prior_weight={weight}": base.but(prior_weight=weight) for weight in scale.some(("0", "0.3", "1", "3", "10"))
    }
    about = (
        "SimPer with the frequency prior at several weights, on validation clips. The band is all that says which "
        "period is meant; the weight that is best by nearest neighbor and probe is that of the tables on pulse."
    )
    return Study("prior", f"Weight of the prior on {scale.title(name)}", about, (_frozen("", name, runs),))


def between_frames(scale: Scale) -> Study:
    """Returns our study of what views show between two frames, with and without crops, where a pulse is sought."""
    kinds = {
        "as in the paper": {},
        "steady": STEADY,
        "no crops": PICTURES["no crops"],
        "no crops, steady": {**PICTURES["no crops"], **STEADY},
    }
    blocks = []
    for name in ("scamps", "ubfc"):
        base = dataclasses.replace(scale.sets[name].pretrain, split="validation").but(method="simper")
        runs = {title: base.but(**kinds[title]) for title in scale.some(kinds)}
        blocks.append(_frozen(scale.title(name), name, runs))
    about = (
        "SimPer with views that mix two frames, as in the paper, and with steady ones, in which noise is as "
        "strong at every time, with and without its crops, on validation clips of pulses. The table "
        "`seeds` asks it of noisy digits."
    )
    return Study("between_frames", "Views between two frames", about, tuple(blocks))


def choices(scale: Scale) -> Study:
    """Returns our study of every choice, one at a time, on validation clips of digits that pixels alone do not read."""
    base = dataclasses.replace(noisy(scale), split="validation").but(**changes("simper"))
    lines = [Line("all as chosen for SimPer", frequency_cells(base))]
    known = base.settings().resolved()  # An encoder may lack an option that another has.
    for flag, values in CHOICES.items():
        if flag not in known:
            continue
        others = digits.variants(base, ({flag: value} for value in scale.some(values, 1)))
        lines += [Line(title, frequency_cells(run)) for title, run in others.items()]
    first = Block("SimPer as chosen", frequency_titles(), tuple(lines))
    paper = dataclasses.replace(noisy(scale), split="validation").but(method="simper")
    runs = {title: paper.but(**PICTURES[title]) for title in scale.some(PICTURES)}
    about = (
        "SimPer with one choice changed at a time, on validation clips. No default was changed by it. The digits are "
        "the noisy ones, since nearly every choice reads clean ones to the resolution of a clip. The other settings "
        "are those chosen for SimPer in the table `finalists`: pictures as they are, and steady views. The second "
        "block says what each of the paper's changes of it costs."
    )
    return Study(
        "choices", "Every choice, one at a time", about, (first, block_of_features("Changes of the picture", runs))
    )


def _frozen(title, name, runs):
    """Returns a block of runs on a data set of pulse, by their titles, read by all of `FROZEN`."""
    columns = tuple(f"{(READOUTS | OF_PULSE)[protocol]}: {unit(name, 'mae')}" for protocol in FROZEN)
    return Block(title, columns, tuple(
        Line(line, tuple(Cell(run, protocol, "mae") for protocol in FROZEN)) for line, run in runs.items()
    ))  # fmt: skip
