"""Real pulses: which method reads the heart rate from fingertips on phones, beside what needs no training."""

from reproduce.clip_errors import READER
from reproduce.grid import Run
from reproduce.studies import controls
from reproduce.studies.chosen import PHONES
from reproduce.studies.readouts import named
from reproduce.studies.scales import Scale
from reproduce.studies.table import Block, Cell, Line, Study
from reproduce.studies.ways import OWN as OWN_HEAD
from simper_tf.evaluation.protocols import FEW_LABELS
from simper_tf.methods import METHODS

SPLITS = tuple(f"phone_ppg/split{number}" for number in range(5))  # All that the data set has.
SIMPER, COMBINED = METHODS["simper"].title, "simper_tf.read where it is clear, else SimPer"
# Protocol -> its column.
_IN_SHORT = {"fft": "no label", "1nn": "labels of 12 people"}
_UNLABELED = {
    "fft": "FFT in the band", "fft_fundamental": "FFT, down to the fundamental",
    "harmonics": "harmonics of features and series", f"{READER}fft": "the reader, else FFT",
}  # fmt: skip
_LABELED = {
    "1nn": "labels of all", **{f"1nn_{number}": f"{number} labels" for number in reversed(FEW_LABELS)},
    f"{READER}1nn": "the reader, else of all",
}  # fmt: skip
# What reads the series itself -> column of features in which it stands -> the protocol that reads it.
READ, SUM = "control: simper_tf.read", "control: harmonic sum of the series"
WHITENED = "control: harmonics of the series, whitened"
_CONTROLS = {
    READ: {"fft": controls.READ, f"{READER}fft": controls.READ, f"{READER}1nn": controls.READ},
    SUM: {"fft": "harmonic_sum", "harmonics": "harmonic_sum"},
    WHITENED: {"fft": "pixel_harmonics", "harmonics": "pixel_harmonics"},
    "control: neighbors of its spectra": {"1nn": "spectra_1nn"},
}
_ABOUT = (
    "Fingers of 21 people on the camera of a phone, 8 seconds a clip; the truth is a chest strap. People are divided "
    "five times: 12 train, 2 validate, 7 are tested. Each run has its own seed. Without labels a Fourier transform "
    "reads the features in 40 to 200 beats a minute. With labels the nearest training clip answers; supervised "
    "training answers by its own head. The control `simper_tf.read` learns nothing from these people. Its surest "
    "answer counts, clear or not. `The reader, else ...` takes its clear answers alone, and the readout for the other "
    "clips. Two lines are compared on the same clips. Intervals of their ratios are of draws of people and of runs."
)
_SETTINGS = (
    "Three settings of each method were tried: those of `flags/phone_ppg.cfg`, a rate of 0.001, and 100 steps. Chosen "
    "was the smallest geometric mean of the errors by FFT and by nearest neighbor, of supervised training by its head, "
    "on the four people who validate in splits 0 and 1. Other splits test some of them, for all methods alike. On "
    "the same people the reader where it is clear, else FFT, was the best of six ways to join the two; the others took "
    "means, medians, or the nearest neighbor. Labels of few clips are those of the first training clips."
)


def phones(scale: Scale) -> Study:
    """Returns the errors of all methods on people never seen, without labels, with few and with all."""
    base = Run(*_flags(scale), configs=SPLITS)
    runs = {named(name): base.but(**_chosen(scale, name)) for name in scale.some(PHONES)}
    runs["control: encoder untrained"] = controls.untrained(base)
    blocks = (
        _block("In short", runs, base, _IN_SHORT, seconds=False),
        _block("No label", runs, base, _UNLABELED),
        _block("Nearest neighbor", runs, base, _LABELED),
    )
    seeds_are = "runs over five splits of people"
    return Study("phone_ppg", "Heart rates of fingertips", _ABOUT, blocks, _SETTINGS, seeds_are, is_real=True)


def _flags(scale):
    pretrain = scale.sets["phone_ppg"].pretrain
    return pretrain.flagfile, pretrain.changes


def _chosen(scale, name):
    """Returns the flags of a method; where tables are short its method alone."""
    head = {"head": "spectrum"} if METHODS[name].predicts_labels else {}
    return {"method": name, **head, **({} if scale.is_short else PHONES[name])}


def _block(title, runs, base, columns, seconds=True):
    in_short = columns is _IN_SHORT  # The method, with the reader, and the strongest control: what the README has.
    shown = [SIMPER] if in_short else runs
    lines = [Line(name, tuple(_cell(runs[name], protocol) for protocol in columns)) for name in shown]
    if in_short:
        lines.append(Line(COMBINED, tuple(Cell(runs[SIMPER], f"{READER}{protocol}", "mae") for protocol in columns)))
    reader = controls.reading(base)
    for name, ways in _CONTROLS.items():
        if in_short and name != READ:
            continue
        cells = tuple(Cell(reader, ways[column], "mae") if column in ways else None for column in columns)
        lines += [Line(name, cells)] * any(cells)
    pairs = [(SIMPER, line.title) for line in lines if line.title != SIMPER]
    pairs += [(COMBINED, READ)] * in_short
    titles = tuple(f"{words}: MAE (bpm)" for words in columns.values())
    return Block(title, titles, tuple(lines), ranked=False, paired=tuple(pairs), seconds=seconds)


def _cell(run, protocol):
    """Returns the cell of a readout; what learns from all labels has its own head in place of the nearest neighbor."""
    if not METHODS[dict(run.changes).get("method", "simper")].predicts_labels:
        return Cell(run, protocol, "mae")
    own = {"1nn": OWN_HEAD, f"{READER}1nn": f"{READER}{OWN_HEAD}"}
    return Cell(run, own[protocol], "mae") if protocol in own else None
