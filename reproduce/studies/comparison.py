"""Our own tables on digits: the quickstart, every method side by side, and every choice of SimPer changed alone."""

import dataclasses

from reproduce.grid import Run
from reproduce.studies import controls, published
from reproduce.studies.chosen import SETTINGS
from reproduce.studies.readouts import OF_ALL, OF_FEATURES, frequency_cells, frequency_titles, is_given_the_band, named
from reproduce.studies.scales import Scale
from reproduce.studies.table import Block, Cell, Line, Study
from simper_tf.evaluation import protocols
from simper_tf.methods import METHODS

# Kinds of digits: config -> its title. The paper has the first.
DIGITS = {
    "digits": "Swinging digits, clean",
    "digits_spin": "Spinning digits: twice the frequency is wrong, and no symmetry",
    "digits_noisy_middle": "Swinging digits, middle noise, clutter and light",
}
_DIGITS_IN_SHORT = {"digits": "clean", "digits_spin": "spinning", "digits_noisy_middle": "noisy"}
# Protocols of the short comparison.
_MAIN = {"fft_resolved": "FFT, octave by the pixels", "1nn": "1-NN"}
METRICS = {"mae": "MAE (Hz)", "mape": "MAPE (%)"}
# A band that tells little: views of twice the speed show nothing faster at 30 frames a second.
WIDE = {"band": "0.2,7.5"}
# Five epochs of the clips: a tenth of the rate after the third and after the fourth, as the paper has after 12 and 16.
PAPERS_DECAY = {"steps": 1250, "decay_epochs": "3,4"}
# The paper's run as far as two cores get in an hour: of 64 clips a step there would be 16 steps.
ONE_EPOCH = {"epochs": 1, "batch_size": 4, "validation_clips": 100, "artifacts": False}
# Methods that have no run on digits yet: no settings were chosen for them.
NOT_COMPARED = {"replay"}
# Flag -> values tried in place of that of the scale.
CHOICES = {
    "appearance": ("simper", "none"),
    "interpolation": ("linear", "steady"),
    "kernel_frames": ("1", "5"),
    "outputs": ("1",),
    "temperature": ("0.5", "0.2", "0.1"),
    "label_temperature": ("0", "0.3"),
    "similarity": ("npsd", "npsd_l2", "cosine"),
    "joint": ("true",),
    "prior_weight": ("1", "10"),
    "flip_probability": ("0.5",),
    "reverse_probability": ("0",),
    "share_spatial": ("true",),
    "precision": ("mixed_bfloat16",),
}
# What is left out of the paper's changes of the picture, or done otherwise -> its flags.
PICTURES = {
    "the paper's crops, flips, blur and brightness": {},
    "one draw for all views of a set": {"share_spatial": True},
    "no crops": {"crop_area": "1,1", "crop_aspect": "1,1"},
    "no flips": {"flip_probability": 0},
    "no blur": {"blur_probability": 0},
    "brightness as it is": {"brightness": "1,1"},
}
# Protocol -> its line of the quickstart, and that of the paper.
_QUICKSTART = {
    "fft_resolved": ("Fourier readout, octave by the pixels, no label", ""),
    "fft_calibrated": ("Fourier readout, harmonic from 10 labels", ""),
    "fft": ("Fourier readout in the band, octave not resolved", "fft"),
    "1nn": ("nearest neighbor, by cross-correlation", "1nn"),
    "1nn_npsd": ("nearest neighbor, by spectrum", ""),
    "probe": ("trained probe on spectra", ""),
    "pixels": ("control: spectrum of the pixels, nothing learned", ""),
    "harmonic_sum": ("control: harmonic sum of the pixels, nothing learned", ""),
    "pixel_patterns": (controls.PATTERNS_LINE, ""),
}


# Multiple of the frequency -> the column of what is read off a perfect feature at it.
_AT = {1: "floor: sine at f (Hz)", 2: "floor: sine at 2f (Hz)"}
_IDEAL = "ideal: template matching (Hz)"
_FLOORS = (
    "Floors are what each readout makes of perfect features, sines at the frequency or at twice it. A nearest neighbor "
    "has the frequency of a training clip, and cannot be better than those lie apart: lines at a floor are level."
)


def quickstart(scale: Scale) -> Study:
    """Returns the readouts of the quickstart, beside the paper's numbers."""
    about = f"What `make quickstart` ends with, over three seeds. {_FLOORS}"
    block = _readouts(scale, Run("flags/quickstart.cfg"), digits(scale, "digits"))
    return Study("quickstart", "The quickstart", about, (block,))


def mnist(scale: Scale) -> Study:
    """Returns the readouts of `flags/mnist.cfg`, on the digits of the paper, beside its numbers."""
    config = papers_digits(scale)
    run = Run("flags/mnist.cfg").but(dataset=f"rotating_digits/{config}")
    about = f"What `flags/mnist.cfg` ends with, on the paper's own digits and not on what stands in for them. {_FLOORS}"
    return Study("mnist", "The paper's digits, MNIST", about, (_readouts(scale, run, digits(scale, config)),))


def mnist_spin(scale: Scale) -> Study:
    """Returns the readouts of `flags/mnist.cfg` on digits of the paper that turn on."""
    config = f"{papers_digits(scale)}_spin"
    run = Run("flags/mnist.cfg").but(dataset=f"rotating_digits/{config}")
    about = (
        "What `flags/mnist.cfg --dataset=rotating_digits/mnist_spin` ends with. Turning digits look the same after a "
        "whole turn alone, but for 0, 1 and 8: features at twice the frequency are wrong here. Most clips that are off "
        f"by more than 0.1 Hz show a 1. {_FLOORS}"
    )
    block = _readouts(scale, run, digits(scale, config), beside_paper=False)
    return Study("mnist_spin", "The paper's digits, MNIST, turning on", about, (block,))


def published_recipe(scale: Scale) -> Study:
    """Returns the readouts of the paper's own run on MNIST, cut to what two cores do in about an hour."""
    config = papers_digits(scale)
    run = Run("flags/rotating_digits.cfg").but(dataset=f"rotating_digits/{config}", **ONE_EPOCH)
    if scale.is_short:
        run = run.but(encoder="small", num_views=2)
    about = (
        "`flags/rotating_digits.cfg` (the paper's encoder, augmentations, ten views and rate, no prior), but one epoch "
        f"of its sixty and 4 clips a step in place of 64: about an hour on two cores. One seed. {_FLOORS}"
    )
    block = _readouts(scale, run, digits(scale, config))
    return Study("mnist_published", "The paper's recipe on MNIST, one epoch of sixty", about, (block,))


def summary(scale: Scale) -> Study:
    """Returns three readouts on MNIST and on smaller digits: the best without labels, the paper's, and the pixels."""
    sets = [{line.cells[0].protocol: line.cells[0] for line in make(scale).blocks[0].lines} for make in _SUMMARY]
    sets[1] = {name: dataclasses.replace(cell, paper=None) for name, cell in sets[1].items()}  # The paper has MNIST.
    lines = tuple(Line(protocols.TITLES[name], tuple(cells[name] for cells in sets)) for name in _SUMMARIZED)
    about = (
        "What `flags/mnist.cfg` and `make quickstart` end with, in short. The paper has another encoder, schedule and "
        "data. Features of smaller digits run at twice the frequency, which the pixels tell."
    )
    block = Block("", tuple(_SUMMARY.values()), lines, ranked=False)
    return Study("digits", "Digits in short", about, (block,))


# Study -> its column of the summary.
_SUMMARY = {mnist: "MNIST: error (Hz)", quickstart: "smaller digits: error (Hz)"}
# Its lines.
_SUMMARIZED = ("fft_resolved", "fft", "pixels", "harmonic_sum", "pixel_patterns")


def _readouts(scale, run, same_clips, beside_paper=True):
    """Returns what a run ends with, a line a readout, beside the paper's numbers, floors and the ideal of its clips."""
    kept = ("data_dir", "steps", "train_clips", "test_clips")
    given = {name: value for name, value in scale.sets["rotating_digits"].pretrain.changes if name in kept}
    run, same_clips = run.but(**given), same_clips.but(**given)
    unlearned, clips = controls.mean_of_frames(same_clips), controls.reading(same_clips)

    def cells(protocol, paper):
        for metric in METRICS:
            number = published.value("table2", "simper", f"{paper} {metric}") if beside_paper else None
            yield Cell(clips if protocol in ("harmonic_sum", "pixel_patterns") else run, protocol, metric, number)
        for multiple in _AT:
            yield controls.floor(unlearned, protocol, "mae", multiple)
        yield controls.ideal(unlearned, protocol, "mae")

    lines = [Line(title, tuple(cells(protocol, paper))) for protocol, (title, paper) in _QUICKSTART.items()]
    return Block("", (*METRICS.values(), *_AT.values(), _IDEAL), tuple(lines), ranked=False)


def comparison(scale: Scale) -> Study:
    """Returns every method without the prior on clean, spinning and noisy digits, by every readout."""
    blocks, columns = [], [(name, "mae") for name in OF_ALL]
    for config in scale.some(DIGITS):
        base = digits(scale, config)
        lines = [Line(title, _beside_paper(run, "mae")) for title, run in _methods(scale, base)]
        lines += controls.beside_features("rotating_digits", controls.mean_of_frames(base), columns)
        lines += controls.floor_lines(base, columns)
        blocks.append(Block(DIGITS[config], frequency_titles(), tuple(lines)))
    about = (
        "Which method reads the frequency of digits best, of those that see no label. Every method has the same "
        "encoder and clips and its own views, without the frequency prior. Controls have learned nothing: what they "
        "reach is no merit of any training. The tables below have all readouts, and methods that learn from labels."
    )
    settings = (
        f"{_settings_chosen(scale)}What learns from labels takes steps of its own, and was not tuned. Methods that are "
        "given the band by their own loss say so; a wide band, 0.2 to 7.5 Hz, tells little. "
        f"{_FLOORS} Template matching knows the image and how it moves, and finds the frequency at which frames are "
        "most like it. The paper's numbers are of its table 2."
    )
    return Study("comparison", "Methods side by side", about, (_in_short(scale, blocks), *blocks), settings)


def _in_short(scale, blocks):
    """Returns the lines of some blocks that see no label, by two readouts, side by side."""
    places = {list(OF_ALL).index(name): words for name, words in _MAIN.items()}
    wanted = {title for title, _ in _unlabeled(scale, digits(scale, "digits"))}
    unlearned = ("control: strongest", "control: harmonic", "control: neighbors", "harmonic patterns", "ideal")
    wanted |= {line.title for line in blocks[0].lines if line.title.startswith(unlearned)}
    lines = []
    for same in zip(*(block.lines for block in blocks), strict=True):
        cells = [line.cells[place] for line in same for place in places]
        if same[0].title in wanted:
            unpaired = (cell and dataclasses.replace(cell, paper=None) for cell in cells)
            lines.append(Line(same[0].title, tuple(unpaired)))
    names = [_DIGITS_IN_SHORT[config] for config in scale.some(DIGITS)]
    return Block(
        "In short", tuple(f"{name}, {words}: MAE (Hz)" for name in names for words in places.values()), tuple(lines)
    )


def choices(scale: Scale) -> Study:
    """Returns SimPer with one choice changed at a time, on validation clips of noisy digits."""
    paper = dataclasses.replace(digits(scale, "digits_noisy_middle").but(method="simper"), split="validation")
    base = dataclasses.replace(digits(scale, "digits_noisy_middle").but(**SETTINGS["simper"]), split="validation")
    known = base.settings().resolved()  # An encoder may lack an option that another has.
    runs = {"all as chosen for SimPer": base}
    for flag in CHOICES.keys() & known.keys():
        changed = {f"--{flag}={value}": base.but(**{flag: value}) for value in scale.some(CHOICES[flag], 1)}
        runs |= {title: run for title, run in changed.items() if run.name() != base.name()}
    order = ["all as chosen for SimPer", *(f"--{flag}={value}" for flag in CHOICES for value in CHOICES[flag])]
    lines = tuple(Line(title, frequency_cells(runs[title])) for title in order if title in runs)
    pictures = tuple(
        Line(title, frequency_cells(paper.but(**PICTURES[title]), readouts=OF_FEATURES))
        for title in scale.some(PICTURES)
    )
    about = (
        "SimPer with one choice changed at a time, on validation clips. No default was changed by it. The digits are "
        "the noisy ones, since nearly every choice reads clean ones to the resolution of a clip. The other settings "
        "are those chosen for SimPer: pictures as they are, and steady views. The second block says what each of the "
        "paper's changes of the picture costs."
    )
    blocks = (
        Block("SimPer as chosen", frequency_titles(), lines),
        Block("Changes of the picture", frequency_titles(readouts=OF_FEATURES), pictures),
    )
    return Study("choices", "Every choice, one at a time", about, blocks)


def digits(scale: Scale, config: str) -> Run:
    """Returns pre-training on one of `DIGITS`; clean ones are those of the scale, at that of the paper MNIST's."""
    pretrain = scale.sets["rotating_digits"].pretrain
    return pretrain if config == "digits" else pretrain.but(dataset=f"rotating_digits/{config}")


def papers_digits(scale: Scale) -> str:
    """Returns whose digits stand for the paper's; short tables say that everything runs, and download nothing."""
    return "digits" if scale.is_short else "mnist"


def self_supervised() -> list[str]:
    """Returns the methods that learn without labels, the paper's and ours, in the order of `METHODS`."""
    return [name for name, kind in METHODS.items() if not kind.needs_labels and name not in NOT_COMPARED]


def _unlabeled(scale, base):
    """Yields the title and the run of each line that learns without labels, by the settings chosen for it."""
    methods = scale.some(self_supervised())
    for name in methods:
        yield named(name), _chosen(scale, base, name)
    for name in filter(is_given_the_band, methods):
        yield f"{METHODS[name].title}, wide band", _chosen(scale, base, name).but(**WIDE)


def _methods(scale, base):
    """Yields the title and the run of each line of the comparison that is no control of clips."""
    yield from _unlabeled(scale, base)
    yield "SimPer with the paper's crops, flips, blur and brightness", base.but(method="simper", appearance="simper")
    yield from _labeled(scale, base)
    part = _chosen(scale, base, "contrast_phys").but(method="contrast_phys_plus", label_fraction=0.1)
    yield f"{METHODS['contrast_phys_plus'].title}, a tenth of the labels", part
    yield "control: encoder untrained", controls.untrained(base)
    yield "control: mean of each frame", controls.mean_of_frames(base)


def _labeled(scale, base):
    """Yields the title and the run of each line of supervised training."""
    labeled = scale.sets["rotating_digits"].finetune.but(dataset=base.settings().dataset)
    plain = labeled.but(head="spectrum", appearance="none")
    yield "supervised, the published head", labeled.but(head="linear")
    yield "supervised, phase-free head", labeled.but(head="spectrum")
    yield "supervised, phase-free head, pictures left as they are", plain
    if scale.name == "small":  # That of the paper has the decay from its flagfile.
        decay = "decay as in the paper"
        yield f"supervised, the published head, {decay}", labeled.but(head="linear", **PAPERS_DECAY)
        yield f"supervised, phase-free head, pictures left as they are, {decay}", plain.but(**PAPERS_DECAY)


def _chosen(scale, base, name):
    """Returns a run of a method with the settings that were chosen for it, at the scale of the paper with its own."""
    return base.but(method=name, **({} if scale.name == "paper" else SETTINGS.get(name, {})))


def _settings_chosen(scale):
    """Returns in sentences what settings differ from those of the scale."""
    if scale.name == "paper":
        return "Settings are those of the paper. "
    said = "; ".join(
        f"{METHODS[name].title} {' '.join(f'--{flag}={value}' for flag, value in SETTINGS[name].items())}"
        for name in self_supervised() if name in SETTINGS
    )  # fmt: skip
    return (
        "Settings are those of the scale but for what was chosen for each method on validation clips of noisy digits, "
        f"of three seeds: {said}. Rates fall along a cosine; lines that say so have five epochs in place of that, and "
        "a tenth of the rate after the third and again after the fourth, as the paper has after 12 and 16 of 20. "
    )


def _beside_paper(run, metric):
    """Returns the cells of a line, on clean digits beside the paper's numbers where it has the method."""
    given = dict(run.changes)
    method = given.get("method", "") if "dataset" not in given else ""
    return tuple(
        cell and dataclasses.replace(cell, paper=published.value("table2", method, f"{cell.protocol} {metric}"))
        for cell in frequency_cells(run, metric)
    )
