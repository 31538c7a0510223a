"""Tables of real recordings that are series: all methods, with labels and without, beside what needs no training."""

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

SIMPER, COMBINED = METHODS["simper"].title, "simper_tf.read where it is clear, else SimPer"
# Protocol -> its column.
_UNLABELED = {
    "fft": "FFT in the band", "fft_fundamental": "FFT, down to the fundamental",
    "patterns": "harmonic patterns of the features", f"{READER}fft": "the reader, else FFT",
    f"{READER}patterns": "the reader, else patterns",
}  # fmt: skip
_LABELED = {
    "1nn": "labels of all", **{f"1nn_{number}": f"{number} labels" for number in reversed(FEW_LABELS)},
    f"{READER}1nn": "the reader, else of all",
}  # fmt: skip
# What reads the series itself -> column of features in which it stands -> the protocol that reads it. The reader needs
# no label anywhere.
READ, SUM = "control: simper_tf.read", "control: harmonic sum of the series"
PATTERNS = "harmonic patterns of the series, no network"
_CONTROLS = {
    READ: dict.fromkeys(("fft", "patterns", f"{READER}fft", f"{READER}patterns", "1nn", f"{READER}1nn"), controls.READ),
    SUM: dict.fromkeys(("fft", "patterns"), "harmonic_sum"),
    PATTERNS: dict.fromkeys(("fft", "patterns"), "pixel_patterns"),
    "control: neighbors of its spectra": {"1nn": "spectra_1nn"},
}


def blocks(
    scale: Scale, name: str, configs: tuple[str, ...], labeled: str, unit: str, readout: str = "fft"
) -> tuple[Block, ...]:
    """Returns the table of a data set in short, without labels, and with labels.

    Args:
        scale: Of the runs.
        name: The data set, whose flagfile has its name.
        configs: Its splits; a run with another seed has another.
        labeled: Whose labels there are, in a word or two: a title in the table in short.
        unit: Of the errors, in print.
        readout: The one without labels that stands in short, `fft` or `patterns`; the latter has columns of its own.
    """
    pretrain = scale.sets[name].pretrain
    base = Run(pretrain.flagfile, pretrain.changes, configs=configs)
    runs = {named(method): base.but(**_chosen(scale, method)) for method in scale.some(PHONES)}
    runs["control: encoder untrained"] = controls.untrained(base)
    in_short = {readout: "no label", "1nn": labeled}
    others = {"patterns", f"{READER}patterns"} if readout == "fft" else {f"{READER}fft"}
    unlabeled = {protocol: words for protocol, words in _UNLABELED.items() if protocol not in others}
    return (
        _block("In short", runs, base, in_short, unit, in_short=True),
        _block("No label", runs, base, unlabeled, unit),
        _block("Nearest neighbor", runs, base, _LABELED, unit),
    )


def study(blocks: tuple[Block, ...], **words: str) -> Study:
    """Returns the table as a study of recordings of people; `words` are the other fields of `Study`."""
    return Study(blocks=blocks, is_real=True, **words)


def _chosen(scale, name):
    """Returns the flags of a method; where tables are short its method alone."""
    head = {"head": "spectrum"} if METHODS[name].predicts_labels else {}
    return {"method": name, **head, **({} if scale.is_short else PHONES[name])}


def _block(title, runs, base, columns, unit, in_short=False):
    shown = [SIMPER] if in_short else runs  # In short: the method, with the reader, and the strongest control.
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
    titles = tuple(f"{words}: MAE ({unit})" for words in columns.values())
    return Block(title, titles, tuple(lines), ranked=False, paired=tuple(pairs), seconds=not in_short)


def _cell(run, protocol):
    """Returns the cell of a readout; what learns from all labels has its own head in place of the nearest neighbor."""
    if not METHODS[dict(run.changes).get("method", "simper")].predicts_labels:
        return Cell(run, protocol, "mae")
    own = {"1nn": OWN_HEAD, f"{READER}1nn": f"{READER}{OWN_HEAD}"}
    return Cell(run, own[protocol], "mae") if protocol in own else None
