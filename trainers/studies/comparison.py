"""Our comparison on digits: every method with and without the prior, by every readout, beside what learns nothing."""

import dataclasses

from simper_tf.methods import METHODS
from trainers.studies import published
from trainers.studies.choosing import WITH_MORE_CLIPS, changes, chosen, steps_in_the_time_of
from trainers.studies.digits import (
    DIGITS,
    MORE_CLIPS,
    OF_FEATURES,
    PRIOR,
    STEADY,
    WIDE,
    block_of_features,
    digits,
    frequency_cells,
    frequency_titles,
    has_option,
    is_told_the_band,
    named,
    pixels,
    self_supervised,
)
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Line, Study

# Kinds of digits of the comparison; the paper has the first.
DATA = ("digits", "digits_spin", "digits_noisy_middle")
METRICS = {"mae": "MAE (Hz)", "mape": "MAPE (%)"}
# Five epochs of the clips: a tenth of the rate after the third and after the fourth, as the paper has after 12 and 16.
PAPERS_DECAY = {"steps": 1250, "decay_epochs": "3,4"}
# Scale -> the largest batches: a step with 64 takes up to four of SimPer's as chosen. At the shortest scale there are
# no 64 clips, and the paper's batches are of 64 anyway.
LARGEST = {"smoke": {"batch_size": "16"}, "small": {"batch_size": "64"}}


def comparison(scale: Scale) -> Study:
    """Returns every method without the prior on clean, spinning and noisy digits, by every readout."""
    blocks = _by_kind(scale, scale.some(DATA), "without the prior", _without_the_prior)
    about = (
        "Every method with the same encoder and clips and its own views, without the frequency prior, as in the "
        f"paper; those that learn from labels take steps of their own, and were not tuned. {_settings_chosen(scale)} "
        f"{_of_small(scale)}"
        "Methods that are told the band by their own loss say so; a wide band, 0.2 to 7.5 Hz, tells little: faster "
        "than that, views of twice the speed show no motion at 30 frames a second. Controls have learned nothing: what "
        "they reach is no merit of any training, and on clean digits it is nearly all there is to reach. The paper's "
        "numbers are of its table 2."
    )
    return Study("comparison", "Methods side by side", about, tuple(blocks))


def largest_batches(scale: Scale) -> Study:
    """Returns the methods that gain from batches of 64 on the same digits, in as many steps."""
    kinds = scale.some(DATA, 1) if scale.name in LARGEST else ()
    blocks = [block for config in kinds for block in _largest_batches(scale, config)]
    about = (
        "As the table `comparison`, with batches of 64 for three methods that contrast clips: 16 times the clips of "
        "SimPer's, in up to four times the seconds, so that they stand in a table of their own. "
        f"{_settings_chosen(scale)}"
    )
    return Study("largest_batches", "Methods side by side, batches of 64", about, tuple(blocks))


def with_prior(scale: Scale) -> Study:
    """Returns every method with the prior on the same digits, by every readout, and the prior alone."""
    about = (
        "Every method with the frequency prior (weight 10, not tuned here), which tells the band to all that have it, "
        f"and the prior alone; else as the table `comparison`. {_settings_chosen(scale)} A wide band, 0.2 to 7.5 Hz, "
        "tells little."
    )
    blocks = _by_kind(scale, scale.some(DATA, 1), "with the prior", _with_the_prior)
    return Study("comparison_prior", "Methods side by side, all told the band", about, tuple(blocks))


def equal_seconds(scale: Scale) -> Study:
    """Returns the four best methods, SiNC and the pixels on the same digits, in the time that SimPer takes."""
    blocks = [block for config in scale.some(DATA, 1) for block in _equal_seconds(scale, config)]
    about = (
        "The four methods that were best on validation clips of noisy digits, and SiNC, in as many steps as they make "
        "in the time that SimPer takes for its own, by `benchmarks.costs` on two cores; none has the prior. Methods "
        "that are told the band by their own loss have a line with a wide one (0.2 to 7.5 Hz) too, and SimPer one with "
        "fewer views of more clips, contrasted across clips, see the table `losses`. Methods that play clips faster "
        "have lines with either way to mix two frames, as in the paper or steady, see the table `seeds`; both have the "
        "steps of the one that was chosen. The column of seconds is of runs that shared the machine with others: steps "
        f"are counted by what they cost alone. {_settings_chosen(scale)}"
    )
    return Study("equal_seconds", "Methods side by side at equal seconds", about, tuple(blocks))


def _by_kind(scale, kinds, words, lines):
    """Returns a block for each kind of digits and metric, of the titles and runs that a function yields."""
    blocks = []
    for config in kinds:
        base = digits(scale, config)
        for metric, name in METRICS.items():
            made = [Line(title, _cells(run, metric)) for title, run in lines(scale, base)]
            made.append(pixels(base, metric))
            blocks.append(Block(f"{DIGITS[config]}, {words}: {name}", frequency_titles(name), tuple(made)))
    return blocks


def _largest_batches(scale, config):
    """Returns blocks of the methods that gain from batches of 64, which take longer than all else."""
    kinds, largest = scale.some(("simclr", "frequency_contrast", "contrast_phys")), LARGEST[scale.name]
    runs = {named(name): _chosen(scale, digits(scale, config), name).but(**largest) for name in kinds}
    return [block_of_features(f"{DIGITS[config]}: {words}", runs, metric, words) for metric, words in METRICS.items()]


def _without_the_prior(scale, base):
    """Yields the title and the run of each line that is not told the band by a prior: the paper's setting."""
    methods = scale.some(self_supervised())
    for name in methods:
        yield named(name), _chosen(scale, base, name)
    for name in methods:
        if is_told_the_band(name):
            yield f"{METHODS[name].title}, wide band", _chosen(scale, base, name).but(**WIDE)
    yield "SimPer with the paper's crops, flips, blur and brightness", base.but(method="simper", appearance="simper")
    labeled = scale.sets["rotating_digits"].finetune.but(dataset=base.settings().dataset)
    yield "supervised, the published head", labeled.but(head="linear")
    yield "supervised, phase-free head", labeled.but(head="spectrum")
    plain = labeled.but(head="spectrum", appearance="none")
    yield "supervised, phase-free head, pictures left as they are", plain
    if scale.name == "small":  # That of the paper has it from its flagfile.
        yield "supervised, the published head, decay as in the paper", labeled.but(head="linear", **PAPERS_DECAY)
        yield (
            "supervised, phase-free head, pictures left as they are, decay as in the paper",
            plain.but(**PAPERS_DECAY),
        )
    part = _chosen(scale, base, "contrast_phys").but(method="contrast_phys_plus", label_fraction=0.1)
    yield f"{METHODS['contrast_phys_plus'].title}, a tenth of the labels", part
    yield "control: encoder untrained", base.but(steps=0, epochs=0)
    yield "control: mean of each frame", base.but(steps=0, epochs=0, encoder="frame_mean")


def _with_the_prior(scale, base):
    """Yields the title and the run of each line that a prior tells the band."""
    for name in scale.some(self_supervised()):
        if has_option(name, "prior_weight"):
            yield f"{METHODS[name].title} + prior", _chosen(scale, base, name).but(**PRIOR)
    # Its bandwidth term is the prior.
    yield named("sinc"), _chosen(scale, base, "sinc")
    simper = _chosen(scale, base, "simper")
    yield "prior alone", simper.but(contrast_weight=0, **PRIOR)
    yield "prior alone, wide band", simper.but(contrast_weight=0, **PRIOR, **WIDE)
    yield "SimPer + prior, wide band", simper.but(**PRIOR, **WIDE)


def _chosen(scale, base, name):
    """Returns a run of a method with the settings that were chosen for it, at the scale of the paper with its own."""
    return base.but(method=name, **({} if scale.name == "paper" else changes(name)))


def _settings_chosen(scale):
    """Returns in a sentence what settings differ from those of the scale."""
    if scale.name == "paper":
        return "Settings are those of the paper."
    said = {METHODS[name].title: " ".join(f"--{k}={v}" for k, v in changes(name).items()) for name in self_supervised()}
    each = "; ".join(f"{title} {flags}" for title, flags in said.items() if flags)
    return (
        "Settings are those of the scale but for what was chosen for each method on validation clips of noisy digits, "
        f"see the tables `settings` and `finalists`: {each}; the others have none that was better. Rates fall along a "
        "cosine."
    )


def _of_small(scale):
    """Returns in sentences what else is to be known of the scale of two cores."""
    if scale.name != "small":
        return ""
    return (
        "Lines that say so have five epochs in place of that, and a tenth of the rate after the third and again after "
        "the fourth, as the paper has after 12 and 16 of 20; batches and the first rate are those of the scale. "
        "Batches of 64 are in the table `largest_batches`. "
    )


def _cells(run, metric):
    """Returns the cells of a line, on clean digits beside the paper's numbers where it has the method."""
    given = dict(run.changes)
    cells = frequency_cells(run, metric)
    if "dataset" in given or "prior_weight" in given:
        return cells
    return tuple(
        cell and dataclasses.replace(
            cell, paper=published.value("table2", given.get("method", ""), f"{cell.protocol} {metric}")
        )
        for cell in cells
    )  # fmt: skip


def _equal_seconds(scale, config):
    """Returns blocks of the four methods that were best on validation clips, and SiNC, in the time SimPer takes."""
    base = digits(scale, config)
    steps = base.settings().steps
    places = {name: each["place"] for name, each in chosen().items()}
    best = sorted(places, key=places.get)[:4]
    if not (best and steps):
        return []
    runs = {}
    for name in dict.fromkeys((*best, "sinc")):  # It is first on digits that spin, at equal steps.
        number = steps_in_the_time_of(steps, name)
        run, title = _chosen(scale, base, name).but(steps=number), named(name)
        if is_told_the_band(name):
            runs[f"{title}, {number} steps"] = run.but(interpolation="linear")
            run, title = run.but(**WIDE), f"{METHODS[name].title}, wide band"
        runs |= _either_way(title, run, number) if METHODS[name].changes_speed() else {f"{title}, {number} steps": run}
    number = steps_in_the_time_of(steps, WITH_MORE_CLIPS)
    more = _chosen(scale, base, "simper").but(steps=number, **MORE_CLIPS)
    runs |= _either_way("SimPer, 3 views of 7 clips + other clips", more, number)
    controls = {metric: [pixels(base, metric, OF_FEATURES)] for metric in METRICS}
    return [
        block_of_features(f"{DIGITS[config]}: {words}", runs, metric, words, controls[metric])
        for metric, words in METRICS.items()
    ]


def _either_way(title, run, number):
    """Returns a run of so many steps that mixes two frames as in the paper, and one in which noise stays steady."""
    kinds = {"": {"interpolation": "linear"}, ", steady": STEADY}
    return {f"{title}{words}, {number} steps": run.but(**changed) for words, changed in kinds.items()}
