"""Lines of what reads clips without learning anything, beside which other lines show their worth."""

import dataclasses
import pathlib
from collections.abc import Mapping

from reproduce import clip_errors
from reproduce.grid import Run
from reproduce.studies.table import Block, Cell, Line, data_set_of
from reproduce.studies.ways import OWN
from simper_tf.evaluation.protocols import floors

# The reader's surest answer, and the harmonic sum where it has none.
READ = f"{clip_errors.SUREST}harmonic_sum"
# Protocol -> its name in print, and column of features in which it stands -> the protocol that reads it in that way.
CONTROLS = {
    "pixels": ("control: strongest line of the pixels", {"fft_resolved": "pixels"}),
    "green": ("control: mean green of a frame", {"fft": "green", OWN: "green"}),
    "chrom": (
        "control: CHROM, de Haan and Jeanne",
        {"fft": "chrom", "fft_fundamental": "chrom_fundamental", OWN: "chrom"},
    ),
    "pos": ("control: POS, Wang et al. 2017", {"fft": "pos", "fft_fundamental": "pos_fundamental", OWN: "pos"}),
    "persistence": ("control: the last day again", {"linear_probe": "persistence"}),
    "training_mean": ("control: the mean of the training clips", {"linear_probe": "training_mean"}),
}
# Columns in which what reads clips stands: it sees no label, and needs none where a head has learned from some.
_UNLABELED = ("fft", "fft_resolved", "fft_calibrated", "fft_fundamental", "patterns", OWN)
# What learns without labels and without a network, by the pixels alone.
PATTERNS_LINE = "harmonic patterns of the pixels, no network"
# The strongest controls, harder to beat than any line of the spectrum, and patterns, which read the clips as well:
# protocol -> its name in print, and its columns.
_SUMS = {
    "harmonic_sum": ("control: harmonic sum of the pixels", _UNLABELED),
    "contrast_sum": ("control: harmonic sum of the pixels at equal contrast", _UNLABELED),
    "pixel_patterns": (PATTERNS_LINE, _UNLABELED),
    "spectra_1nn": ("control: neighbors of the pixels' spectra", ("1nn",)),
}
_OF_SKIN = {
    "harmonic_sum": _SUMS["harmonic_sum"],
    "chrom_harmonics": ("control: harmonic sum of CHROM", _UNLABELED),
    "pos_harmonics": ("control: harmonic sum of POS", _UNLABELED),
    "pixel_patterns": _SUMS["pixel_patterns"],
    "spectra_1nn": _SUMS["spectra_1nn"],
}
_STRONGEST = {
    "rotating_digits": _SUMS,
    "countix": {READ: ("control: simper_tf.read", _UNLABELED), **_SUMS},
    "lst": {},
}
# Flags that say which clips are read, and how often.
_OF_CLIPS = (
    "dataset",
    "data_dir",
    "manual_dir",
    "train_clips",
    "test_clips",
    "clip_frames",
    "label_gap",
    "label_range",
)
# Data set -> its controls; of faces those of `_OF_FACES`.
_OF_OTHERS = {"rotating_digits": ["pixels"], "countix": ["pixels"], "lst": ["persistence", "training_mean"]}
_OF_FACES = ["pixels", "green", "chrom", "pos"]
_ON_SKIN = ("chrom", "harmonic_sum", "chrom_harmonics", "pos", "pos_harmonics", "green")
# Data set -> its controls beside heads, the best first; of faces that move `_ON_SKIN`.
_BESIDE_HEADS = {
    **dict.fromkeys(("rotating_digits", "countix"), ("harmonic_sum", "pixels")),
    "lst": ("persistence", "training_mean"),
    "ubfc": ("harmonic_sum", *(protocol for protocol in _ON_SKIN if protocol != "harmonic_sum")),
}
# Protocol of a column of features -> the one whose floor it has: where the octave is known, both read alike.
_FLOORED = {"fft_resolved": "fft_calibrated", **{name: name for name in floors.READOUTS}}
_SINES = {1: "floor: a sine at the frequency", 2: "floor: a sine at twice the frequency"}
IDEAL_LINE = "ideal: template matching, told the image"
_WORDS = {
    "harmonic_sum": "harmonic sum of the pixels",
    "chrom": "CHROM",
    "persistence": "the last day again",
}


def beside_features(name: str, run: Run, columns: list[tuple[str, str]]) -> list[Line]:
    """Returns the controls of a table of features, the strongest last.

    Args:
        name: Of the data set.
        run: Whose clips they read.
        columns: Protocol and metric of each column.
    """
    chosen = [CONTROLS[protocol] for protocol in _OF_OTHERS.get(name, _OF_FACES)]
    lines = [
        Line(title, tuple(Cell(run, ways[column], metric) if column in ways else None for column, metric in columns))
        for title, ways in chosen
    ]
    return lines + strongest(name, run, columns)


def strongest(name: str, run: Run, columns: list[tuple[str, str]]) -> list[Line]:
    """Returns the strongest controls of a table of features; none of temperatures, which do not repeat.

    Arguments as above.
    """
    clips = reading(run)
    return [
        Line(title, tuple(Cell(clips, protocol, metric) if way in ways else None for way, metric in columns))
        for protocol, (title, ways) in _STRONGEST.get(name, _OF_SKIN).items()
    ]


def best_of_each(runs: Mapping[str, Run], columns: list[tuple[str, str]]) -> Line:
    """Returns one line of what learns nothing, for features of several data sets: of each its best-known control.

    Args:
        runs: Data set -> the run whose clips are read.
        columns: Data set and protocol of each column.
    """
    cells = []
    for name, protocol in columns:
        best = _beside_heads(name)[0]
        own = CONTROLS[best][1].get(protocol) if best in CONTROLS else best
        of_column = "spectra_1nn" if protocol == "1nn" else own
        cells.append(Cell(runs[name] if of_column == "persistence" else reading(runs[name]), of_column, "mae"))
    best = dict.fromkeys(_beside_heads(name)[0] for name in runs)
    return Line(f"control: {'; '.join(_WORDS[protocol] for protocol in best)}; 1-NN of raw spectra", tuple(cells))


def floor_lines(run: Run, columns: list[tuple[str, str]]) -> list[Line]:
    """Returns lines of digits that nobody can be expected to pass: perfect features, and template matching.

    Arguments as above.
    """
    reader = mean_of_frames(run)
    return [*sine_lines(run, columns), Line(IDEAL_LINE, tuple(ideal(reader, *column) for column in columns))]


def sine_lines(run: Run, columns: list[tuple[str, str]]) -> list[Line]:
    """Returns lines of perfect features, which nobody can be expected to pass.

    Arguments as above.
    """
    reader = once(mean_of_frames(run))
    return [
        Line(title, tuple(floor(reader, *column, multiple) for column in columns)) for multiple, title in _SINES.items()
    ]


def sines_of_each(runs: Mapping[str, Run], columns: list[tuple[str, str]]) -> list[Line]:
    """Returns lines of perfect features of several data sets.

    Args:
        runs: Data set -> the run whose clips count.
        columns: Data set and protocol of each column.
    """
    readers = {name: once(mean_of_frames(run)) for name, run in runs.items()}
    return [
        Line(title, tuple(floor(readers[name], protocol, "mae", multiple) for name, protocol in columns))
        for multiple, title in _SINES.items()
    ]


def floor(run: Run, protocol: str, metric: str, multiple: int) -> Cell | None:
    """Returns the cell of a sine at a multiple of the frequency, by one protocol; None for one without a floor.

    Args:
        run: One that learns nothing, with the same clips.
        protocol, metric: Of the column.
        multiple: Of the frequency, 1 or 2.
    """
    name = _FLOORED.get(protocol)
    return name and Cell(run, f"{name}_{floors.MULTIPLES[multiple]}", metric)


def ideal(run: Run, protocol: str, metric: str) -> Cell | None:
    """Returns the cell of template matching; None beside readouts of labels, which it has no use for.

    Arguments as of `floor`.
    """
    return Cell(run, floors.IDEAL, metric) if protocol.startswith("fft") else None


def untrained(run: Run) -> Run:
    """Returns the run that learns nothing, by which clips are read soonest."""
    return run.but(steps=0, epochs=0)


def mean_of_frames(run: Run) -> Run:
    """Returns the run that learns nothing, and whose features are the mean of each frame: it is evaluated soonest."""
    return untrained(run).but(encoder="frame_mean")


def reading(run: Run) -> Run:
    """Returns the run that reads the clips of another as they are: it takes their data, and no training."""
    changes = tuple((name, value) for name, value in run.changes if name in _OF_CLIPS)
    flagfile = str(pathlib.Path(run.flagfile).with_name(f"{data_set_of(run)}.cfg"))
    plain = dataclasses.replace(run, flagfile=flagfile, changes=changes, source=None, is_unlearned=True)
    return once(mean_of_frames(plain).but(artifacts=False))


def once(run: Run) -> Run:
    """Returns a run of which one seed stands for all, as where nothing is learned."""
    return dataclasses.replace(run, is_once=True)


def beside_heads(block: Block) -> Block:
    """Returns a block with lines of controls, in the columns in which its first line has a head of its own.

    The best of each data set, such as the harmonic sum of the pixels, has the first line; behind it stand weaker ones.
    """
    cells = [cell if cell and cell.protocol == OWN else None for cell in block.lines[0].cells]
    of_columns = [_beside_heads(data_set_of(cell.run)) if cell else () for cell in cells]
    best = [protocols[0] if protocols else None for protocols in of_columns]
    words = "; ".join(_WORDS[protocol] for protocol in dict.fromkeys(filter(None, best)))
    lines = [_line(f"control: {words}", cells, best)]
    for further in dict.fromkeys(protocol for protocols in of_columns for protocol in protocols[1:]):
        of_line = [further if further in protocols[1:] else None for protocols in of_columns]
        lines.append(_line({**CONTROLS, **_OF_SKIN}[further][0], cells, of_line))
    return dataclasses.replace(block, lines=(*block.lines, *lines))


def _beside_heads(name):
    """Returns the protocols of the controls of a data set beside heads, the best first."""
    return _BESIDE_HEADS.get(name, _ON_SKIN)


def _line(title, cells, protocols):
    return Line(title, tuple(
        protocol and Cell(cell.run if protocol in _OF_OTHERS["lst"] else reading(cell.run), protocol, cell.metric)
        for cell, protocol in zip(cells, protocols, strict=True)
    ))  # fmt: skip
