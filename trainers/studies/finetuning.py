"""Tables 8 to 10 and 20 to 22: what labels add."""

import dataclasses

from simper_tf.methods import METHODS
from trainers.grid import Run
from trainers.studies import published
from trainers.studies.features import METRICS, PAPERS, unit
from trainers.studies.scales import SETS, Scale
from trainers.studies.table import Block, Cell, Line, Study, data_set_of

OWN = "supervised"  # The protocol that asks the trained head.


def finetuned(scale: Scale, name: str, method: str, before: dict | None = None, **changes) -> Run:
    """Returns learning from the labels of a data set, begun with what a method has learned there without.

    Args:
        scale: Has the data set.
        name: Of the data set.
        method: `supervised` for random weights.
        before: Flags that differ in pre-training.
        **changes: Flags that differ in learning from labels.
    """
    setting = scale.sets[name]
    if method == "supervised":
        return setting.finetune.but(**changes)
    return setting.begun_with(setting.pretrain.but(method=method, **(before or {})), **changes)


def whole_networks(scale: Scale) -> Study:
    """Returns table 8, with a line of the head that it does not have, and blocks of a head that learns first."""
    methods = scale.some(("supervised", *PAPERS))
    (block,) = _over_sets("table8", scale, SETS, methods, "").blocks
    title, head = _other_head(scale)
    # Series have no other.
    cells = (None if cell.metric == "pearson" or "°C" in column else _headed(cell, head)
             for column, cell in zip(block.columns, block.lines[0].cells, strict=True))  # fmt: skip
    lines = (*block.lines, Line(title, tuple(cells)), _unlearned(block))
    whole = dataclasses.replace(block, title="The whole network at once", lines=lines)
    alone = Block("The head alone", block.columns, tuple(_learned(line, head_alone) for line in block.lines[1:]))
    after = Block("The head first, then the whole network", block.columns, tuple(
        _learned(line, lambda run, method=method: after_the_head(scale, method, run))
        for method, line in zip(methods, block.lines, strict=True)
    ))  # fmt: skip
    about = (
        "The whole network is trained on labels, begun with the encoder that each method has learned without any. The "
        "paper says that SimPer is the best start. Two further blocks, which the paper does not have, say what the "
        "head alone learns while the encoder stays as it is, and what comes of the whole after that, in twice as many "
        "steps; supervised training goes on as long there. Learning rates of the whole network were chosen on "
        "validation clips for every start on digits and faces, see the table `finetune_settings`, and are the same for "
        "all on Countix and LST."
    )
    return Study("table8", published.tables()["table8"]["title"], about, (whole, alone, after))


def head_alone(run: Run) -> Run:
    """Returns learning from labels in which the encoder stays as it is begun.

    The head is random, and learns at the rate of what is: that of the flagfile.
    """
    return run.but(freeze=True, learning_rate=None)


def after_the_head(scale: Scale, method: str, run: Run, learning_rate: float | None = None) -> Run:
    """Returns learning from labels of the whole network, begun with its encoder and the head that learned alone.

    The gradients of a random head are kept from learned features so, as in Kumar et al., ICLR 2022. Supervised
    training, which has no such features, goes on with all that it has learned at the rate of the flagfile.

    Args:
        scale: Has the data set.
        method: That the run is begun with, `supervised` for random weights.
        run: Learning from labels at once.
        learning_rate: Of the whole network; None for the one that was chosen.
    """
    rate = learning_rate or scale.sets[data_set_of(run)].rate(method, "after")
    before = run.but(learning_rate=None) if method == "supervised" else head_alone(run)
    return run.but(keep_head=True, learning_rate=rate).begun_with(before)


def specialized(scale: Scale) -> Study:
    """Returns table 20: RepNet on Countix, EfficientPhys on pulse."""
    counting, pulse, labeled = {"encoder": "repnet"}, {"encoder": "efficientphys"}, {"countix": {"head": "repnet"}}
    if scale.name != "paper":
        counting["width"] = 0.125
        labeled["countix"]["learning_rate"] = 0.001
    if scale.name == "small":
        # EfficientPhys' steps are long on two cores: seconds each, of few views.
        pulse |= {"num_views": 3, "steps": 60}
        labeled["countix"]["steps"] = 300
        labeled |= {name: {"steps": 200} for name in ("scamps", "ubfc", "pure")}
    encoders = {"countix": counting, "scamps": pulse, "ubfc": pulse, "pure": pulse}
    return _over_sets("table20", scale, encoders, ("supervised", "simclr", "simper"), (
        "As table 8 with networks made for the task: RepNet's encoder and its counting heads on Countix, EfficientPhys "
        "on pulse. The paper says that SimPer is a better start for these too."
    ), lambda name, method: encoders[name], labeled)  # fmt: skip


def pulse_methods(scale: Scale) -> Study:
    """Returns table 21: self-supervised methods made for pulse, with and without a saliency sampler."""
    methods, sets = scale.some(("frequency_contrast", "slf_rpm", "simper")), ("scamps", "ubfc", "pure")
    # The sampler makes steps long, and both blocks are to have the same ones.
    before, after = ({"num_views": 3, "steps": 100}, {"steps": 200}) if scale.name == "small" else ({}, {})
    blocks = []
    for title, saliency in (("Without saliency", False), ("With saliency", True)):
        blocks.append(_block("table21", title, scale, sets, methods,
                             lambda name, method, saliency=saliency: {"saliency": saliency, **before},
                             " saliency" if saliency else "", {name: after for name in sets}))  # fmt: skip
    about = (
        "As table 8, with two methods made for pulse, those of Gideon and Stent and of Wang et al.; with and without a "
        "sampler that magnifies what matters in a frame. The paper says that SimPer is ahead of both either way."
    )
    return Study("table21", published.tables()["table21"]["title"], about, tuple(blocks))


def other_data(scale: Scale) -> Study:
    """Returns table 22: the same methods where there is no pulse."""
    methods = ("supervised", "frequency_contrast", "slf_rpm", "simper")
    return _over_sets("table22", scale, ("rotating_digits", "countix", "lst"), methods, (
        "As table 8, with the methods made for pulse where nothing pulses. The paper says that they do not help there."
    ))  # fmt: skip


def transfer(scale: Scale) -> Study:
    """Returns table 9: what was learned on one data set of pulse, trained on the labels of another."""
    ways = (("ubfc", "pure"), ("pure", "ubfc"))

    def run(method, source, target):
        begun = scale.sets[source].finetune if method == "supervised" else None
        begun = begun or scale.sets[source].pretrain.but(method=method)
        return scale.sets[target].begun_with(begun)

    columns = [(source, target, metric) for source, target in ways for metric in ("mae", "mape")]
    lines = tuple(
        Line(METHODS[method].title, tuple(
            Cell(run(method, source, target), OWN, metric,
                 published.value("table9", method, f"{source}->{target} {metric}"))
            for source, target, metric in columns
        ))
        for method in ("supervised", "simclr", "simper")
    )  # fmt: skip
    target_alone = Line("supervised, on the second alone", tuple(
        Cell(scale.sets[target].finetune, OWN, metric) for _, target, metric in columns
    ))  # fmt: skip
    titles = tuple(f"{scale.title(s)} to {scale.title(t)}: {unit(t, metric)}" for s, t, metric in columns)
    about = (
        "Encoders of one data set of pulse, supervised there or trained without labels, are trained on the labels of "
        "the other, beside what random weights learn of these alone. The paper says that SimPer's transfer best."
    )
    return Study("table9", published.tables()["table9"]["title"], about, (Block("", titles, (*lines, target_alone)),))


def unseen(scale: Scale) -> Study:
    """Returns table 10: frequencies that no training clip has."""
    parts = {"interpolation": {"label_gap": "2,3.5"}, "extrapolation": {"label_range": "1.5,4"}}
    kinds = [(part, seen) for part in parts for seen in ("seen", "unseen")]
    setting, (title, head) = scale.sets["rotating_digits"], _other_head(scale)

    def tuned(part):
        return finetuned(scale, "rotating_digits", "simper", part, **part)

    def line(title, run_of, protocol, paper):
        return Line(title, tuple(
            Cell(run_of(parts[part]), protocol, f"mae_{seen}", published.value("table10", paper, f"{part} {seen}"))
            for part, seen in kinds
        ))  # fmt: skip

    lines = (
        line("supervised, its own head", lambda part: setting.finetune.but(**part), OWN, "supervised"),
        line("SimPer, FFT, octave by the pixels, no label", lambda part: setting.pretrain.but(**part), "fft_resolved",
             "simper"),
        line("SimPer, FFT, harmonic from 10 seen labels", lambda part: setting.pretrain.but(**part), "fft_calibrated",
             ""),
        line("supervised, FFT of its features, octave by the pixels", lambda part: setting.finetune.but(**part),
             "fft_resolved", ""),
        line("supervised, FFT of its features, harmonic from 10 seen labels", lambda part: setting.finetune.but(**part),
             "fft_calibrated", ""),
        line("Gideon and Stent, FFT, harmonic from 10 seen labels",
             lambda part: setting.pretrain.but(method="frequency_contrast", **part), "fft_calibrated", ""),
        line("control: strongest line of the pixels", lambda part: setting.pretrain.but(**part), "pixels", ""),
        line("SimPer, fine-tuned, its own head", tuned, OWN, ""),
        line("SimPer, a head learned alone", lambda part: head_alone(tuned(part)), OWN, ""),
        line("SimPer, the head first, then fine-tuned", lambda part: after_the_head(scale, "simper", tuned(part)), OWN,
             ""),
        line("SimPer, 1-NN, which can only answer what it has seen", lambda part: setting.pretrain.but(**part), "1nn",
             ""),
        Line(title, tuple(_headed(Cell(setting.finetune.but(**parts[part]), OWN, f"mae_{seen}"), head)
                          for part, seen in kinds)),
    )  # fmt: skip
    titles = tuple(f"{part}, {seen}: MAE (Hz)" for part, seen in kinds)
    about = (
        "Training clips of 2 to 3.5 Hz are left out (interpolation), or those outside 1.5 to 4 Hz (extrapolation); "
        "test clips have all frequencies. No readout is told of the gap: the band is that of the whole data. Views of "
        "several speeds show SimPer frequencies in the gap, of which it has no label either. A head that was trained "
        "and a Fourier transform are two kinds of readout, so the features of both methods are read by the second. The "
        "paper does not say how it reads SimPer's; it says that SimPer answers frequencies it has not seen as well as "
        "others, and a supervised network does not."
    )
    return Study("table10", published.tables()["table10"]["title"], about, (Block("", titles, lines),))


def _other_head(scale):
    """Returns a head that the scale does not have for labels of frequencies: the title of its line, and its name."""
    if dict(scale.sets["rotating_digits"].finetune.changes).get("head") == "spectrum":
        return "supervised, the published head", "linear"
    return "supervised, phase-free head", "spectrum"


def _learned(line, way):
    """Returns a line that the paper does not have: labels are learned in another way."""
    return Line(line.title, tuple(dataclasses.replace(cell, run=way(cell.run), paper=None) for cell in line.cells))


def _headed(cell, head):
    return dataclasses.replace(cell, run=cell.run.but(head=head), paper=None)


def _unlearned(block):
    """Returns a line of what reads clips without learning: pixels, CHROM, of a series its last value before."""

    def control(cell):
        unlearned = {"lst": "persistence", "rotating_digits": "pixels", "countix": "pixels"}
        protocol = unlearned.get(data_set_of(cell.run), "chrom")
        return dataclasses.replace(cell, protocol=protocol, paper=None)

    title = "control: pixels; CHROM; the last temperature"
    return Line(title, tuple(control(cell) for cell in block.lines[0].cells))


def _over_sets(table, scale, names, methods, about, changes=None, labeled=None):
    block = _block(table, "", scale, names, scale.some(methods), changes, labeled=labeled)
    return Study(table, published.tables()[table]["title"], about, (block,))


def _block(table, title, scale, names, methods, changes=None, suffix="", labeled=None):
    """Returns a block of fine-tuned methods over data sets, the paper's numbers by the method with a suffix.

    Args:
        table, title, scale, names, methods: What is in it.
        changes: Data set and method -> flags that differ in pre-training and in learning from labels.
        suffix: Of the lines of the paper.
        labeled: Data set -> flags that differ in learning from labels alone.
    """
    # Of temperatures the paper has no percentage here.
    metrics = {**METRICS, "lst": ("mae", "pearson")}
    columns = [(name, metric) for name in names for metric in metrics.get(name, ("mae", "mape"))]

    def cell(method, name, metric):
        given = changes(name, method) if changes else {}
        run = finetuned(scale, name, method, given, **{**given, **(labeled or {}).get(name, {})})
        return Cell(run, OWN, metric, published.value(table, f"{method}{suffix}", f"{name} {metric}"))

    lines = tuple(Line(METHODS[method].title, tuple(cell(method, *column) for column in columns)) for method in methods)
    return Block(title, tuple(f"{scale.title(name)}: {unit(name, metric)}" for name, metric in columns), lines)
