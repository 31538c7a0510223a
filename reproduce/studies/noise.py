"""Error over noise: what methods read of digits that light, passing spots and noise hide more and more."""

from reproduce.studies import controls
from reproduce.studies.chosen import LINEAR, NOISIEST, NOISY, NOISY_SECONDS
from reproduce.studies.comparison import digits, papers_digits
from reproduce.studies.readouts import OF_FEATURES
from reproduce.studies.scales import Scale
from reproduce.studies.table import Block, Cell, Line, Study
from simper_tf.evaluation.protocols import IDEAL
from simper_tf.methods import METHODS

# Strength -> the deviation of its noise, in gray levels of 255.
STRENGTHS = {"faint": 20, "low": 40, "middle": 110, "high": 180}
READOUTS = ("fft_resolved", "1nn")
# Of the strongest noise, where frames are brought to equal contrast.
STRONG = ("middle", "high")


def noise(scale: Scale) -> Study:
    """Returns the errors of methods at each strength of noise, by two readouts, beside what is possible."""
    base = {name: digits(scale, f"{papers_digits(scale)}_noisy_{name}") for name in scale.some(STRENGTHS)}
    methods = scale.some(NOISY)
    blocks = tuple(_block(scale, base, methods, readout) for readout in READOUTS)
    about = (
        "The paper's digits in changing light, behind passing spots and noise. Its deviation is given in gray levels "
        f"of 255. All methods train for about {NOISY_SECONDS} CPU seconds on the same clips, without the prior. "
        "Their band is 0.2 to 7.5 Hz, which tells little. Other settings were chosen for each method on validation "
        "clips of middle "
        "noise, and for SimPer of low noise too. In the third block encoders see every frame at equal contrast, in a "
        "band of 0.4 to 5.5 Hz. Three settings of each method were tried for it on 200 validation clips of high "
        "noise, one seed: as above, at equal contrast, and that with pixels split between views. Of SimPer five more "
        "were tried (split pixels alone, smaller pictures, dense layers, twice the steps), and none taken. In the "
        "last block an encoder is 16 weighted sums of all pixels, and SimPer correlates them jointly. Three settings "
        "of each method were tried for it on the same clips: rates of 0.003 and 0.001, and the first with pixels "
        "split. Harmonic patterns are learned without labels from 300 of the clips, in 20 CPU seconds. Template "
        "matching knows the image and how it moves; controls learn nothing. Two lines are compared on the same clips "
        "with the same seeds. Intervals of their ratios are of draws of seeds and of images."
    )
    strong = {name: base[name] for name in base if name in STRONG}
    strongest = (_at_equal_contrast(scale, strong), _linear(scale, strong))
    return Study("noise", "Error over noise (MNIST)", about, (*blocks, *strongest))


def _at_equal_contrast(scale, base):
    """Returns the block of encoders that see every frame at one contrast, by nearest neighbor."""
    kept = NOISIEST if scale.name == "small" else {}

    def line(title, changed):
        return Line(title, tuple(Cell(changed(run), "1nn", "mae") for run in base.values()))

    lines = [
        line(METHODS[name].title, lambda run, name=name: run.but(method=name, **kept.get(name, {})))
        for name in scale.some(NOISIEST)
    ]
    same = {name: flag for name, flag in kept.get("simper", {}).items() if name in ("keep_place", "equal_contrast")}
    own, others = lines[0].title, [of.title for of in lines[1:]]
    lines.append(line("control: encoder untrained", lambda run: controls.untrained(run).but(**same)))
    beside = _beside(base, "1nn")
    columns = tuple(f"{name}, {STRENGTHS[name]} levels, 1-NN: MAE (Hz)" for name in base)
    pairs = tuple((own, title) for title in [*others, *(of.title for of in beside)])
    return Block("Strong noise, frames at equal contrast", columns, (*lines, *beside), paired=pairs)


def _linear(scale, base):
    """Returns the block of encoders of one dense layer, by patterns of their features and by nearest neighbor."""
    kept = LINEAR if scale.name == "small" else {}
    readouts = {"patterns": "harmonic patterns of the features", "1nn": "1-NN"}

    def line(title, changed):
        return Line(title, tuple(Cell(changed(run), way, "mae") for way in readouts for run in base.values()))

    own, apart = METHODS["simper"].title, f"{METHODS['simper'].title}, each sum by itself"
    lines = [
        line(METHODS[name].title, lambda run, name=name: run.but(method=name, **kept.get(name, {})))
        for name in scale.some(LINEAR)
    ]
    others = [of.title for of in lines[1:]]
    flags = kept.get("simper", {})
    lines.append(line(apart, lambda run: run.but(method="simper", **flags).but(joint=None)))
    same = {name: flag for name, flag in flags.items() if name in ("encoder", "equal_contrast")}
    lines.append(line("control: encoder untrained", lambda run: controls.untrained(run).but(**same)))
    columns = tuple(
        f"{name}, {STRENGTHS[name]} levels, {words}: MAE (Hz)" for words in readouts.values() for name in base
    )
    beside = _beside(base, *readouts)
    pairs = tuple((own, title) for title in [*others, apart, *(of.title for of in beside)])
    return Block("Strong noise, an encoder of one dense layer", columns, (*lines, *beside), paired=pairs)


def _beside(base, *readouts):
    """Returns the lines of what reads the clips themselves beside some readouts, of those that have one of them."""
    found = [controls.strongest("rotating_digits", run, [(way, "mae")]) for way in readouts for run in base.values()]
    lines = [Line(same[0].title, tuple(of.cells[0] for of in same)) for same in zip(*found, strict=True)]
    return [of for of in lines if any(of.cells)]


def _block(scale, base, methods, readout):
    columns = tuple(f"{name}, {STRENGTHS[name]} levels: MAE (Hz)" for name in base)
    kept = NOISY if scale.name == "small" else {}

    def line(title, run_of, protocol):
        return Line(title, tuple(Cell(run_of(run), protocol, "mae") for run in base.values()))

    lines = [
        line(METHODS[name].title, lambda run, name=name: run.but(method=name, **kept.get(name, {})), readout)
        for name in methods
    ]
    if readout == "fft_resolved":
        lines.append(line("control: strongest line of the pixels", controls.mean_of_frames, "pixels"))
    beside = _beside(base, readout)
    lines += beside
    if readout == "fft_resolved":
        lines.append(line(controls.IDEAL_LINE, controls.mean_of_frames, IDEAL))
    else:
        lines.append(Line("floor: a sine at twice the frequency", tuple(
            controls.floor(controls.mean_of_frames(run), readout, "mae", 2) for run in base.values()
        )))  # fmt: skip
    own = METHODS["simper"].title
    titles = [of.title for of in beside]
    pairs = tuple((own, title) for title in [METHODS[name].title for name in methods] + titles if title != own)
    return Block(OF_FEATURES[readout], columns, tuple(lines), paired=pairs + _of_patterns(titles))


def _of_patterns(titles):
    """Returns the pairs of the line of patterns and each of the others that read clips."""
    line = controls.PATTERNS_LINE
    return tuple((line, title) for title in titles if title != line) * (line in titles)
