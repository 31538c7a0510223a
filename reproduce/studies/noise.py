"""Error over noise: what methods read of digits that light, passing spots and noise hide more and more."""

from reproduce.studies import controls
from reproduce.studies.chosen import NOISY, NOISY_SECONDS
from reproduce.studies.comparison import digits, papers_digits
from reproduce.studies.readouts import OF_FEATURES
from reproduce.studies.scales import Scale
from reproduce.studies.table import Block, Cell, Line, Study
from simper_tf.evaluation.protocols import IDEAL
from simper_tf.methods import METHODS

# Strength -> the deviation of its noise, in gray levels of 255.
STRENGTHS = {"faint": 20, "low": 40, "middle": 110, "high": 180}
READOUTS = ("fft_resolved", "1nn")


def noise(scale: Scale) -> Study:
    """Returns the errors of methods at each strength of noise, by two readouts, beside what is possible."""
    base = {name: digits(scale, f"{papers_digits(scale)}_noisy_{name}") for name in scale.some(STRENGTHS)}
    methods = scale.some(NOISY)
    blocks = tuple(_block(scale, base, methods, readout) for readout in READOUTS)
    about = (
        "The paper's digits in changing light, behind passing spots and noise. Its deviation is given in gray levels "
        f"of 255. All methods train for about {NOISY_SECONDS} CPU seconds on the same clips, without the prior. Their "
        "band is 0.2 to 7.5 Hz, which tells little. Other settings were chosen for each method on validation clips of "
        "middle noise, and for SimPer of low noise too. Template matching knows the image and how it moves; controls "
        "learn nothing. Two methods are compared on the same clips with the same "
        "seeds. Intervals of their ratios are of draws of seeds and of images."
    )
    return Study("noise", "Error over noise (MNIST)", about, blocks)


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
    beside = [controls.strongest("rotating_digits", run, [(readout, "mae")]) for run in base.values()]
    sums = [Line(same[0].title, tuple(of.cells[0] for of in same)) for same in zip(*beside, strict=True)]
    sums = [of for of in sums if all(of.cells)]
    lines += sums
    if readout == "fft_resolved":
        lines.append(line(controls.IDEAL_LINE, controls.mean_of_frames, IDEAL))
    else:
        lines.append(Line("floor: a sine at twice the frequency", tuple(
            controls.floor(controls.mean_of_frames(run), readout, "mae", 2) for run in base.values()
        )))  # fmt: skip
    own = METHODS["simper"].title
    pairs = tuple((own, title) for title in [METHODS[name].title for name in methods] + [of.title for of in sums])
    pairs = tuple(pair for pair in pairs if pair[1] != own)
    return Block(OF_FEATURES[readout], columns, tuple(lines), paired=pairs)
