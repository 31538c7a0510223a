"""Tables 12, 13 and 19: fewer clips, fewer labels, shorter clips."""

from simper_tf.methods import METHODS
from trainers.studies import published
from trainers.studies.features import unit
from trainers.studies.finetuning import OWN, finetuned, head_alone
from trainers.studies.scales import PAPERS_LENGTHS, Scale
from trainers.studies.table import Block, Cell, Line, Study


def fewer_clips(scale: Scale) -> Study:
    """Returns table 12."""
    return _over_fractions("table12", scale, "data_fraction", "data_fraction", (
        "All training, without labels and with, has only a part of the clips. The paper says that SimPer's lead grows "
        "as clips get fewer."
    ))  # fmt: skip


def fewer_labels(scale: Scale) -> Study:
    """Returns table 13."""
    return _over_fractions("table13", scale, None, "label_fraction", (
        "All clips train without labels, and only a part of them has labels. The paper says that SimPer's lead grows "
        "as labels get fewer. It trains the whole network; that the head alone learns, and the encoder stays as it is, "
        "is ours."
    ), {", the head alone": head_alone})  # fmt: skip


def lengths(scale: Scale) -> Study:
    """Returns table 19: shorter clips."""
    columns = [
        (name, frames, paper)
        for name in ("rotating_digits", "scamps", "lst")
        for frames, paper in zip(scale.sets[name].lengths, PAPERS_LENGTHS[name], strict=True)
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
    return Study("table19", published.tables()["table19"]["title"], about, (Block("", titles, lines),))


def _over_fractions(table, scale, before, after, about, ways=None):
    """Returns a study of parts of the clips or labels: on digits, and on the data set of the paper.

    Args:
        table, scale, about: What it is.
        before, after: The flags that say which part, in pre-training (None: all of it) and in learning from labels.
        ways: Title -> how else labels are learned from learned weights: a run of the whole network -> another.
    """
    blocks = []
    for name in ("rotating_digits", "scamps"):
        columns = [(percent, metric) for percent in scale.fractions for metric in ("mae", "mape")]

        def cell(method, way, percent, metric, name=name):
            part = {} if percent == 100 else {after: percent / 100}
            if scale.name == "paper" and name == "rotating_digits" and percent == 5:
                part |= {"batch_size": 32}  # A batch of 64 cannot be drawn from 50 clips.
            run = finetuned(scale, name, method, part if before else None, **part)
            if way:
                return Cell(way(run), OWN, metric)
            paper = published.value(table, method, f"{percent}% {metric}") if name == "scamps" else None
            return Cell(run, OWN, metric, paper)

        lines = tuple(
            Line(METHODS[method].title + title, tuple(cell(method, way, *column) for column in columns))
            for title, way in ({"": None} | (ways or {})).items()
            for method in scale.some(("supervised", "simclr", "cvrl", "simper"))
            if not (way and method == "supervised")
        )
        titles = tuple(f"{percent} %: {unit(name, metric)}" for percent, metric in columns)
        blocks.append(Block(scale.title(name), titles, lines))
    return Study(table, published.tables()[table]["title"], about, tuple(blocks))
