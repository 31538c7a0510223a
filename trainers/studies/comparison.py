"""Our comparisons on digits: every method with and without the prior, by every readout, beside what learns nothing."""

import dataclasses
import inspect

from simper_tf.methods import METHODS
from simper_tf.settings import owners
from trainers.grid import Run
from trainers.studies.choosing import changes, chosen, steps_in_the_time_of
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Cell, Line, Study

# Readouts of features on frequencies, those told least first.
READOUTS = {
    "fft_resolved": "FFT, octave by the pixels",
    "fft_calibrated": "FFT, harmonic from 10 labels",
    "fft": "FFT in the band",
    "1nn": "1-NN by correlation",
    "1nn_npsd": "1-NN by spectrum",
    "probe": "trained probe",
    "supervised": "own head",
}
PRIOR = {"prior_weight": 10}
# A band that tells the readout and the prior little: as wide as views of twice the speed allow at 30 frames a second.
WIDE = {"band": "0.2,7.5"}
# Kinds of digits: config -> its title.
DIGITS = {
    "digits": "Swinging digits, clean",
    "digits_spin": "Spinning digits: twice the frequency is wrong, and no symmetry",
    "digits_noisy_low": "Swinging digits, weak noise, clutter and light",
    "digits_noisy_middle": "Swinging digits, middle noise, clutter and light",
    "digits_noisy_high": "Swinging digits, strong noise, clutter and light",
}
# What each method's settings are chosen from, one changed at a time.
GRID = {
    "learning_rate": ("0.001", "0.01"),
    "batch_size": ("16",),
    "temperature": ("0.1", "0.5"),
    "appearance": ("simper", "none"),
}


def frequency_cells(run: Run, metric: str = "mae", readouts=READOUTS) -> tuple[Cell | None, ...]:
    """Returns the cells of a run on frequencies, one a readout."""
    method = dict(run.changes).get("method")
    labeled = method is not None and METHODS[method].predicts_labels
    # A head of its own has only what was trained on labels.
    return tuple(None if name == "supervised" and not labeled else Cell(run, name, metric) for name in readouts)


def frequency_titles(metric: str = "MAE (Hz)", readouts=READOUTS) -> tuple[str, ...]:
    """Returns the titles of the columns of `frequency_cells`."""
    return tuple(f"{title}: {metric}" for title in readouts.values())


def digits(scale: Scale, config: str) -> Run:
    """Returns pre-training on one of `DIGITS`."""
    return scale.sets["rotating_digits"].pretrain.but(dataset=f"rotating_digits/{config}")


def noisy(scale: Scale) -> Run:
    """Returns pre-training on digits whose pixels alone do not tell the frequency, on which choices are made."""
    return digits(scale, "digits_noisy_middle")


def self_supervised() -> list[str]:
    """Returns the methods that learn without labels, the paper's and ours, in the order of `METHODS`."""
    return [name for name, kind in METHODS.items() if not kind.needs_labels]


def settings(scale: Scale) -> Study:
    """Returns the study on which each method's settings are chosen, on validation clips of noisy digits."""
    blocks = []
    for method in scale.some(self_supervised()):
        base = dataclasses.replace(noisy(scale), split="validation").but(method=method)
        runs = {"as in the scale": base}
        for flag, values in GRID.items():
            if flag == "temperature" and not _has_option(method, flag):
                continue
            others = {f"--{flag}={value}": base.but(**{flag: value}) for value in scale.some(values) if value != method}
            runs |= {title: run for title, run in others.items() if run.name() != base.name()}  # A default is no other.
        lines = tuple(Line(title, frequency_cells(run)[:-1]) for title, run in runs.items())
        blocks.append(Block(METHODS[method].title, frequency_titles()[:-1], lines))
    about = (
        "Settings of each method, one changed at a time, all over the same values. With `--choose` the line of a "
        "method with the best mean rank over all columns goes into `trainers/studies/chosen.json`, from which the "
        "comparison has it."
    )
    return Study("settings", "Settings of each method", about, tuple(blocks))


def comparison(scale: Scale) -> Study:
    """Returns every method on clean, spinning and noisy digits, by every readout."""
    blocks = []
    for config in scale.some(("digits", "digits_spin", "digits_noisy_middle")):
        base = digits(scale, config)
        for metric, words in (("mae", "MAE (Hz)"), ("mape", "MAPE (%)")):
            lines = [Line(title, frequency_cells(run, metric)) for title, run in _lines(scale, base)]
            lines.append(_pixels(base, metric))
            blocks.append(Block(f"{DIGITS[config]}: {words}", frequency_titles(words), tuple(lines)))
    blocks += _equal_seconds(scale)
    about = (
        "Every method with the same encoder and clips and its own views, without the frequency prior, as in the "
        "paper, and with it; those that learn from labels take steps of their own. Settings are those of the scale "
        "but for what was chosen for a method on validation clips, see the table `settings`. Methods that are "
        "told the band by their own loss say so. Controls have learned nothing: what they reach is no merit of any "
        "training, and on clean digits it is nearly all there is to reach."
    )
    return Study("comparison", "Methods side by side", about, tuple(blocks))


def losses(scale: Scale) -> Study:
    """Returns SimPer's loss with what other methods have: a band, sparse and varied spectra, other clips."""
    terms = {"sparsity_weight": 1, "variance_weight": 1}
    kinds = {
        "bandwidth alone (the prior)": {**PRIOR, "contrast_weight": 0},
        "SiNC": {"method": "sinc", "appearance": None, **changes("sinc")},
        "SimPer": {},
        "SimPer + bandwidth": PRIOR,
        "SimPer + sparsity and variance": terms,
        "SimPer + bandwidth, sparsity and variance": {**PRIOR, **terms},
        "SimPer + other clips": {"other_clips": True},
        "SimPer + all": {**PRIOR, **terms, "other_clips": True},
    }
    blocks = []
    for config in ("digits_noisy_middle", "digits_spin"):
        base = dataclasses.replace(digits(scale, config), split="validation").but(**changes("simper"))
        lines = tuple(Line(title, frequency_cells(base.but(**parts))[:-1]) for title, parts in kinds.items())
        blocks.append(Block(DIGITS[config], frequency_titles()[:-1], lines))
    about = (
        "What SimPer's contrast of speeds, a band for spectra, and sparse spectra that vary over a batch add to one "
        "another, on validation clips, with the settings chosen for SimPer and for SiNC. SiNC's bandwidth term is the "
        "frequency prior."
    )
    return Study("losses", "Parts of losses, put together", about, tuple(blocks))


def strengths(scale: Scale) -> Study:
    """Returns four methods and the pixels at three strengths of noise."""
    blocks = []
    for config in scale.some(("digits_noisy_low", "digits_noisy_middle", "digits_noisy_high")):
        base = digits(scale, config)
        lines = [Line(METHODS[m].title, frequency_cells(base.but(method=m, **changes(m)))[:-1])
                 for m in ("simper", "frequency_contrast", "sinc", "contrast_phys")]  # fmt: skip
        lines.append(dataclasses.replace(_pixels(base), cells=_pixels(base).cells[:-1]))
        blocks.append(Block(DIGITS[config], frequency_titles()[:-1], tuple(lines)))
    blocks += _at_the_strongest(scale)
    about = (
        "Where pixels fail is where learning shows its worth: four methods at three strengths of it, and then what it "
        "takes at the strongest. The lower learning rate there was found on validation clips with SimPer; the other "
        "method has it too, beside its own."
    )
    return Study("strengths", "Noise, clutter and light", about, tuple(blocks))


def encoder(scale: Scale) -> Study:
    """Returns SimPer with the paper's encoder and views beside that of the scale."""
    base = scale.sets["rotating_digits"].pretrain
    papers = base.but(encoder="cnn3d", learning_rate=0.001)
    if scale.name == "small":
        papers = papers.but(num_views=10, batch_size=16, micro_batch=1, steps=40)
    kinds = {
        "SimPer, the encoder `small`": base.but(encoder="small"),
        "SimPer, the paper's 3-D CNN": papers,
        "control: the 3-D CNN untrained": papers.but(steps=0, epochs=0),
    }
    blocks = tuple(
        Block(words, frequency_titles(words)[:-1],
              tuple(Line(title, frequency_cells(run, metric)[:-1]) for title, run in kinds.items()))
        for metric, words in (("mae", "MAE (Hz)"), ("mape", "MAPE (%)"))
    )  # fmt: skip
    about = (
        "The paper's encoder on digits beside the one of the tables at scale `small`. At that scale it has 10 views, "
        "as in the paper, and 40 steps of 16 clips, about what two cores do in an hour; the paper has 60 epochs of 64."
    )
    return Study("encoder", "The paper's encoder", about, blocks)


def quickstart(scale: Scale) -> Study:
    """Returns the readouts of the quickstart, beside the paper's numbers."""
    from trainers.studies import published

    run = Run("flags/quickstart.cfg").but(**{k: v for k, v in scale.sets["rotating_digits"].pretrain.changes
                                             if k in ("data_dir", "steps", "train_clips", "test_clips")})  # fmt: skip
    kinds = {
        "fft_resolved": ("Fourier readout, octave by the pixels, no label", ""),
        "fft_calibrated": ("Fourier readout, harmonic from 10 labels", ""),
        "fft": ("Fourier readout in the band, octave not resolved", "fft"),
        "1nn": ("nearest neighbor, by cross-correlation", "1nn"),
        "1nn_npsd": ("nearest neighbor, by spectrum", ""),
        "probe": ("trained probe on spectra", ""),
        "pixels": ("control: spectrum of the pixels, nothing learned", ""),
    }
    lines = tuple(
        Line(title, tuple(Cell(run, protocol, metric, published.value("table2", "simper", f"{paper} {metric}"))
                          for metric in ("mae", "mape")))
        for protocol, (title, paper) in kinds.items()
    )  # fmt: skip
    block = Block("", ("MAE (Hz)", "MAPE (%)"), lines, ranked=False)
    return Study("quickstart", "The quickstart", "What `make quickstart` ends with, over three seeds.", (block,))


def _lines(scale, base):
    """Yields the title and the run of each line of the comparison."""
    methods = scale.some(self_supervised())
    for name in methods:
        told = " (told the band)" * _is_told_the_band(name)
        yield f"{METHODS[name].title}{told}", base.but(method=name, **changes(name))
    for name in methods:
        if _has_option(name, "prior_weight"):
            yield f"{METHODS[name].title} + prior", base.but(method=name, **changes(name), **PRIOR)
    for name in methods:
        if _is_told_the_band(name):
            yield f"{METHODS[name].title}, wide band", base.but(method=name, **changes(name), **WIDE)
    simper = base.but(**changes("simper"))
    yield "prior alone", simper.but(contrast_weight=0, **PRIOR)
    yield "prior alone, wide band", simper.but(contrast_weight=0, **PRIOR, **WIDE)
    yield "SimPer + prior, wide band", simper.but(**PRIOR, **WIDE)
    labeled = scale.sets["rotating_digits"].finetune.but(dataset=dict(base.changes)["dataset"])
    yield "supervised, the published head", labeled.but(head="linear")
    yield "supervised, phase-free head", labeled.but(head="spectrum")
    part = base.but(method="contrast_phys_plus", label_fraction=0.1)
    yield f"{METHODS['contrast_phys_plus'].title}, a tenth of the labels", part
    yield "control: encoder untrained", base.but(steps=0, epochs=0)
    yield "control: mean of each frame", base.but(steps=0, epochs=0, encoder="frame_mean")


def _equal_seconds(scale):
    """Returns a block of the four methods that were best on validation clips, each with the time of SimPer's steps."""
    steps = noisy(scale).settings().steps
    best = sorted(chosen(), key=lambda name: chosen()[name]["place"])[:4]
    if not (best and steps):
        return []
    lines = []
    for name in best:
        number = steps_in_the_time_of(steps, name)
        run = noisy(scale).but(method=name, **changes(name), steps=number)
        lines.append(Line(f"{METHODS[name].title}, {number} steps", frequency_cells(run)))
    title = f"At equal seconds, the four best on validation clips. {DIGITS['digits_noisy_middle']}: MAE (Hz)"
    return [Block(title, frequency_titles(), tuple(lines))]


def _at_the_strongest(scale):
    """Returns a block of SimPer and of Gideon and Stent at strong noise, in steps of equal seconds, told a band or not.

    SimPer is told none, the other one's own loss is: with a wide band it knows as little.
    """
    steps, slower = digits(scale, "digits_noisy_high").settings().steps, {"learning_rate": 0.001}
    if not steps:
        return []
    lines = []
    for method, kinds in (
        ("simper", {"": {}, ", learning rate 0.001": slower}),
        ("frequency_contrast", {" (told the band)": {}, " (told the band), learning rate 0.001": slower,
                                ", wide band": WIDE, ", wide band, learning rate 0.001": {**WIDE, **slower}}),
    ):  # fmt: skip
        base = digits(scale, "digits_noisy_high").but(method=method, **changes(method))
        number = steps_in_the_time_of(4 * steps, method)
        lines += [
            Line(f"{METHODS[method].title}{title}, {number} steps",
                 frequency_cells(base.but(**changed, steps=number))[:-1])
            for title, changed in kinds.items()
        ]  # fmt: skip
    title = f"Four times as long, and at equal seconds. {DIGITS['digits_noisy_high']}"
    return [Block(title, frequency_titles()[:-1], tuple(lines))]


def _pixels(base, metric="mae"):
    """Returns what the pixels say, in the column of the readout that is told as little."""
    untrained = base.but(steps=0, epochs=0)
    cells = [Cell(untrained, "pixels", metric) if name == "fft_resolved" else None for name in READOUTS]
    return Line("control: pixels, nothing learned", tuple(cells))


def _has_option(method, name):
    return name in owners()["method"][method]


def _is_told_the_band(method):
    """Returns whether a method's own loss has the band, and not the prior alone."""
    return "band" in inspect.signature(METHODS[method]).parameters
