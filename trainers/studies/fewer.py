"""Tables 12, 13 and 19: fewer clips, fewer labels, shorter clips; the first two on digits as well."""

import functools
from collections.abc import Callable

from simper_tf.methods import METHODS
from trainers.studies import controls, published
from trainers.studies.features import unit
from trainers.studies.scales import PAPERS_LENGTHS, Scale
from trainers.studies.table import Block, Cell, Line, Study
from trainers.studies.ways import OWN, finetuned, head_alone, one_multiple


def fewer_clips(name: str) -> Callable[[Scale], Study]:
    """Returns the function that makes table 12, or what it is on another data set than the paper's."""
    return functools.partial(_over_fractions, "table12", name, "data_fraction", "data_fraction", (
        "All training, without labels and with, has only a part of the clips. The paper says that SimPer's lead grows "
        "as clips get fewer."
    ), {})  # fmt: skip


def fewer_labels(name: str) -> Callable[[Scale], Study]:
    """Returns the function that makes table 13, or what it is on another data set than the paper's."""
    return functools.partial(_over_fractions, "table13", name, None, "label_fraction", (
        "All clips train without labels, and only a part of them has labels. The paper says that SimPer's lead grows "
        "as labels get fewer. It trains the whole network; that the head alone learns, and the encoder stays as it is, "
        "is ours, and so is the head `frequency`, which learns one multiple of what a Fourier transform reads."
    ), {", the head alone": head_alone})  # fmt: skip


def lengths(scale: Scale) -> Study:
    """Returns table 19: shorter clips."""
    columns = [
        (name, frames, paper)
        for name in scale.some(("rotating_digits", "scamps", "lst"))
        for frames, paper in scale.some(zip(scale.sets[name].lengths, PAPERS_LENGTHS[name], strict=True))
    ]

    def cell(method, name, frames, paper):
        cut = {"clip_frames": None if frames == scale.sets[name].lengths[0] else frames}
        run = finetuned(scale, name, method, cut, **cut)
        return Cell(run, OWN, "mae", published.value("table19", method, f"{name} {paper}"))

    lines = tuple(
        Line(METHODS[method].title, tuple(cell(method, *column) for column in columns))
        for method in ("supervised", "simper")
    )
    titles = tuple(
        f"{scale.title(name)}, {frames} frames{f' (paper: {paper})' * (frames != paper)}: {unit(name, 'mae')}"
        for name, frames, paper in columns
    )
    about = "As table 8, with shorter clips. The paper says that SimPer does not suffer from them."
    block = controls.beside_heads(Block("", titles, lines))
    return Study("table19", published.tables()["table19"]["title"], about, (block,))


def _over_fractions(table, name, before, after, about, ways, scale):
    """Returns a study of parts of the clips or labels.

    Args:
        table, name, about: What it is, and on which data set; the paper has it on SCAMPS.
        before, after: The flags that say which part, in pre-training (None: all of it) and in learning from labels.
        ways: Title -> how else labels are learned from learned weights: a run of the whole network -> another.
        scale: Has the data set.
    """
    is_papers = name == "scamps"
    columns = [(percent, metric) for percent in scale.fractions for metric in ("mae", "mape")]

    def cell(method, way, percent, metric):
        part = {} if percent == 100 else {after: percent / 100}
        if scale.name == "paper" and name == "rotating_digits" and percent == 5:
            part |= {"batch_size": 32}  # A batch of 64 cannot be drawn from 50 clips.
        run = finetuned(scale, name, method, part if before else None, **part)
        if way:
            return Cell(way(run), OWN, metric)
        return Cell(run, OWN, metric, published.value(table, method, f"{percent}% {metric}") if is_papers else None)

    lines = tuple(
        Line(METHODS[method].title + title, tuple(cell(method, way, *column) for column in columns))
        for title, way in ({"": None} | ways).items()
        for method in scale.some(("supervised", "simclr", "cvrl", "simper"))
        if not (way and method == "supervised")
    )
    if ways:
        # Whether it is the head alone that helps shows where random weights with it do not read the frequency.
        begun = ("simclr", "cvrl", "simper") if is_papers else ("simper",)
        of_encoder = (" alone", lambda run: one_multiple(head_alone(run)))
        others = {"supervised": ("", one_multiple), **dict.fromkeys(begun, of_encoder)}
        lines += tuple(
            Line(f"{METHODS[method].title}, the head `frequency`{more}",
                 tuple(cell(method, way, *column) for column in columns))
            for method, (more, way) in others.items() if method in scale.some(others)
        )  # fmt: skip
    titles = tuple(f"{percent} %: {unit(name, metric)}" for percent, metric in columns)
    # Like heads with like: what learned labels from random weights.
    plain, same = METHODS["supervised"].title, "the head `frequency`"
    pairs = [
        (line.title, f"{plain}, {same}" if same in line.title else plain)
        for line in lines if line.title.startswith(METHODS["simper"].title)
    ]  # fmt: skip
    block = controls.beside_heads(Block(scale.title(name), titles, lines, against=tuple(pairs)))
    title = published.tables()[table]["title"]
    if is_papers:
        return Study(table, title, about, (block,))
    return Study(f"{table}_digits", title.replace("SCAMPS", "digits"), about, (block,))
