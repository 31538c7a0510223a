"""Tables 10, 12, 13 and 19: unseen frequencies, fewer clips, fewer labels, shorter clips."""

import functools
from collections.abc import Callable

from reproduce.studies import controls, published
from reproduce.studies.readouts import unit
from reproduce.studies.scales import PAPERS_LENGTHS, Scale
from reproduce.studies.table import Block, Cell, Line, Study
from reproduce.studies.ways import OWN, after_the_head, finetuned, head_alone, one_multiple, other_head
from simper_tf.methods import METHODS

# Half of table 10 -> the flags that hide frequencies from training.
HIDDEN = {"interpolation": {"label_gap": "2,3.5"}, "extrapolation": {"label_range": "1.5,4"}}
_HEAD = "the head `frequency`"


def fewer_clips(name: str) -> Callable[[Scale], Study]:
    """Returns the function that makes table 12, or what it is on another data set than the paper's."""
    about = (
        "All training, without labels and with, has only a part of the clips. The paper says that SimPer's lead grows "
        "as clips get fewer."
    )
    return functools.partial(_over_fractions, "table12", name, "data_fraction", about)


def fewer_labels(name: str) -> Callable[[Scale], Study]:
    """Returns the function that makes table 13, or what it is on another data set than the paper's."""
    about = (
        "All clips train without labels, and only a part of them has labels. The paper says that SimPer's lead grows "
        "as labels get fewer. It trains the whole network; that the head alone learns is ours, and so is the head "
        "`frequency`, which learns one multiple of what a Fourier transform reads."
    )
    return functools.partial(_over_fractions, "table13", name, "label_fraction", about)


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

    methods = ("supervised", "simper")
    lines = tuple(Line(METHODS[method].title, tuple(cell(method, *column) for column in columns)) for method in methods)
    titles = tuple(
        f"{scale.title(name)}, {frames} frames{f' (paper: {paper})' * (frames != paper)}: {unit(name, 'mae')}"
        for name, frames, paper in columns
    )
    about = "As table 8, with shorter clips. The paper says that SimPer does not suffer from them."
    return Study("table19", published.title("table19"), about, (controls.beside_heads(Block("", titles, lines)),))


def unseen(scale: Scale) -> Study:
    """Returns table 10: frequencies that no training clip has."""
    kinds = [(half, seen) for half in scale.some(HIDDEN, 1) for seen in ("seen", "unseen")]

    def line(title, run_of, protocol, paper=""):
        return Line(title, tuple(
            Cell(run_of(HIDDEN[half]), protocol, f"mae_{seen}", published.value("table10", paper, f"{half} {seen}"))
            for half, seen in kinds
        ))  # fmt: skip

    lines = tuple(line(*parts) for parts in _readings_of_unseen(scale))
    titles = tuple(f"{half}, {seen}: MAE (Hz)" for half, seen in kinds)
    about = (
        "Training clips of 2 to 3.5 Hz are left out (interpolation), or those outside 1.5 to 4 Hz (extrapolation); "
        "test clips have all frequencies. No readout is told of the gap: the band is that of the whole data. Views of "
        "several speeds show SimPer frequencies in the gap, of which it has no label either. A trained head and a "
        "Fourier transform are two kinds of readout, so the features of both methods are read by the second, and by "
        "the head `frequency`. The paper does not say how it reads SimPer's; it says that SimPer answers frequencies "
        "it has not seen as well as others, and a supervised network does not."
    )
    # The readout of each against another's, as the paper has it, and against the same readout of supervised features.
    order = [*((own, 0) for own in (1, 8, 9, 10)), (1, 3), (2, 4), (13, 12), (14, 12)]
    pairs = tuple((lines[own].title, lines[other].title) for own, other in order)
    return Study("table10", published.title("table10"), about, (Block("", titles, lines, against=pairs),))


def _readings_of_unseen(scale):
    """Returns the title, run of the hiding flags, protocol and, where the paper has it, its line, of each line."""
    setting, (title, head) = scale.sets["rotating_digits"], other_head(scale)

    def plain(hidden):
        return setting.pretrain.but(**hidden)

    def labeled(hidden):
        return setting.finetune.but(**hidden)

    def tuned(hidden):
        return finetuned(scale, "rotating_digits", "simper", hidden, **hidden)

    return [
        ("supervised, its own head", labeled, OWN, "supervised"),
        ("SimPer, FFT, octave by the pixels, no label", plain, "fft_resolved", "simper"),
        ("SimPer, FFT, harmonic from 10 seen labels", plain, "fft_calibrated"),
        ("supervised, FFT of its features, octave by the pixels", labeled, "fft_resolved"),
        ("supervised, FFT of its features, harmonic from 10 seen labels", labeled, "fft_calibrated"),
        ("Gideon and Stent, FFT, harmonic from 10 seen labels",
         lambda hidden: plain(hidden).but(method="frequency_contrast"), "fft_calibrated"),
        ("control: strongest line of the pixels", plain, "pixels"),
        ("control: harmonic sum of the pixels", lambda hidden: controls.reading(plain(hidden)), "harmonic_sum"),
        ("SimPer, fine-tuned, its own head", tuned, OWN),
        ("SimPer, a head learned alone", lambda hidden: head_alone(tuned(hidden)), OWN),
        ("SimPer, the head first, then fine-tuned", lambda hidden: after_the_head(scale, "simper", tuned(hidden)), OWN),
        ("SimPer, 1-NN, which can only answer what it has seen", plain, "1nn"),
        (f"supervised, {_HEAD}", lambda hidden: one_multiple(labeled(hidden)), OWN),
        (f"SimPer, fine-tuned, {_HEAD}", lambda hidden: one_multiple(tuned(hidden)), OWN),
        (f"SimPer, {_HEAD} alone", lambda hidden: one_multiple(head_alone(tuned(hidden))), OWN),
        (title, lambda hidden: labeled(hidden).but(head=head), OWN),
    ]  # fmt: skip


def _over_fractions(table, name, flag, about, scale):
    """Returns a study of parts of the clips or labels.

    Args:
        table, name, about: What it is, and on which data set; the paper has it on SCAMPS.
        flag: Says which part: of labels in learning from them, of clips in pre-training too.
        scale: Has the data set.
    """
    of_labels, is_papers = flag == "label_fraction", name == "scamps"
    columns = [(percent, metric) for percent in scale.fractions_of(name) for metric in ("mae", "mape")]

    def line(title, method, way=None):
        return Line(title, tuple(cell(method, way, *column) for column in columns))

    def cell(method, way, percent, metric):
        part = {} if percent == 100 else {flag: percent / 100}
        if scale.name == "paper" and name == "rotating_digits" and percent == 5:
            part |= {"batch_size": 32}  # A batch of 64 cannot be drawn from 50 clips.
        run = finetuned(scale, name, method, None if of_labels else part, **part)
        if way:
            return Cell(way(run), OWN, metric)
        return Cell(run, OWN, metric, published.value(table, method, f"{percent}% {metric}") if is_papers else None)

    methods = {method: METHODS[method].title for method in scale.some(("supervised", "simclr", "cvrl", "simper"))}
    lines = [line(title, method) for method, title in methods.items()]
    if of_labels:
        lines += [
            line(f"{title}, the head alone", method, head_alone)
            for method, title in methods.items()
            if method != "supervised"
        ]
        lines += _with_one_multiple(line, scale, is_papers)
    titles = tuple(f"{percent} %: {unit(name, metric)}" for percent, metric in columns)
    block = controls.beside_heads(Block(scale.title(name), titles, tuple(lines), against=_like_heads(lines)))
    title = published.title(table)
    if is_papers:
        return Study(table, title, about, (block,))
    return Study(f"{table}_digits", title.replace("SCAMPS", "digits"), about, (block,))


def _with_one_multiple(line, scale, is_papers):
    """Returns lines of the head that learns one multiple: with all of random weights, alone on encoders."""
    # Whether it is the head alone that helps shows where random weights with it do not read the frequency.
    methods = scale.some(("supervised", *(("simclr", "cvrl", "simper") if is_papers else ("simper",))))
    ways = {method: ("", one_multiple) if method == "supervised" else (" alone", _multiple_alone) for method in methods}
    return [line(f"{METHODS[method].title}, {_HEAD}{words}", method, way) for method, (words, way) in ways.items()]


def _multiple_alone(run):
    return one_multiple(head_alone(run))


def _like_heads(lines):
    """Returns pairs of titles: each line of SimPer, and what learned labels from random weights with a like head."""
    plain = METHODS["supervised"].title
    titles = [line.title for line in lines if line.title.startswith(METHODS["simper"].title)]
    return tuple((title, f"{plain}, {_HEAD}" if _HEAD in title else plain) for title in titles)
