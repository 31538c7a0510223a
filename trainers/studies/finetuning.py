"""Tables 8 and 20 to 22: what labels add."""

import dataclasses

from simper_tf.methods import METHODS
from trainers.studies import controls, published
from trainers.studies.features import METRICS, PAPERS, READOUTS, unit
from trainers.studies.scales import SETS, Scale
from trainers.studies.table import Block, Cell, Line, Study, data_set_of
from trainers.studies.ways import OWN, after_the_head, finetuned, head_alone, one_multiple, other_head


def whole_networks(scale: Scale) -> Study:
    """Returns table 8, with a line of the head that it does not have, and blocks of a head that learns first."""
    methods = scale.some(("supervised", *PAPERS))
    block = _block("table8", "The whole network at once", scale, SETS, methods)
    title, head = other_head(scale)
    other = _learned(block.lines[0], lambda run: run.but(head=head), of_series=False)
    lines = (*block.lines, dataclasses.replace(other, title=title))
    whole = controls.beside_heads(dataclasses.replace(block, lines=lines))
    alone = Block("The head alone", block.columns, tuple(_learned(line, head_alone) for line in block.lines[1:]))
    after = Block("The head first, then the whole network", block.columns, tuple(
        _learned(line, lambda run, method=method: after_the_head(scale, method, run))
        for method, line in zip(methods, block.lines, strict=True)
    ))  # fmt: skip
    begun = dataclasses.replace(block.lines[-1], title=f"{METHODS['simper'].title}, all of the network")
    multiple = Block("The head `frequency`, on an encoder that stays as it is but for two lines", block.columns, tuple(
        _learned(line, one_multiple, of_series=False) for line in (block.lines[0], begun, *alone.lines)
    ))  # fmt: skip
    about = (
        "The whole network is trained on labels, begun with the encoder that each method has learned without any. The "
        "paper says that SimPer is the best start. Two further blocks, which the paper does not have, say what the "
        "head alone learns while the encoder stays as it is, and what comes of the whole after that, in twice as many "
        "steps; supervised training goes on as long there. A last one has a head that learns one multiple of what a "
        "Fourier transform reads, on encoders as they are, and with all of the network from random weights and from "
        "SimPer's. Learning "
        "rates of the whole network were chosen on validation clips for every start on digits and faces, see the table "
        "`finetune_settings`, and are the same for all on Countix and LST."
    )
    return Study("table8", published.tables()["table8"]["title"], about, (whole, alone, after, multiple))


# At the scale of two cores: learning to count, and to read pulses with all of a network or the head alone.
_COUNTING = {"learning_rate": 0.001, "steps": 300}
_SUPERVISED = {"head": "frequency", "steps": 200}
_HEAD_ALONE = {**_SUPERVISED, "freeze": True, "learning_rate": None}


def specialized(scale: Scale) -> Study:
    """Returns table 20: RepNet on Countix, EfficientPhys on pulse."""
    counting, pulse = {"encoder": "repnet"}, {"encoder": "efficientphys"}
    if scale.name != "paper":
        counting["width"] = 0.125
    if scale.name == "small":
        # EfficientPhys' steps are long on two cores, seconds each, and so is reading clips with it.
        pulse |= {"num_views": 3, "steps": 100, "train_clips": 150, "learning_rate": 0.001}
    encoders = {"countix": counting, "scamps": pulse, "ubfc": pulse, "pure": pulse}

    def labeled(name, method):
        if name == "countix":
            return {"head": "repnet", **{"paper": {}, "smoke": {"learning_rate": 0.001}}.get(scale.name, _COUNTING)}
        return {} if scale.name != "small" else _SUPERVISED if method == "supervised" else _HEAD_ALONE

    about = (
        "As table 8 with networks made for the task: RepNet's encoder and its counting heads on Countix, EfficientPhys "
        "on pulse. The paper says that SimPer is a better start for these too."
    )
    if scale.name == "small":
        about += (
            " EfficientPhys has 150 training clips, 100 steps of three views without labels and 200 on labels with the "
            "head `frequency`, which learns one multiple of what a Fourier transform reads: alone on what was begun, "
            "with all of the network from random weights."
        )
    methods = ("supervised", "simclr", "simper")
    study = _over_sets("table20", scale, encoders, methods, about, lambda name, method: encoders[name], labeled)
    (block,) = study.blocks
    return dataclasses.replace(study, blocks=(block, _before_labels("Before any label", block, scale)))


def pulse_methods(scale: Scale) -> Study:
    """Returns table 21: self-supervised methods made for pulse, with and without a saliency sampler."""
    methods, sets = scale.some(("frequency_contrast", "slf_rpm", "simper")), ("scamps", "ubfc", "pure")
    # The sampler makes steps long, and both blocks are to have the same ones.
    before, after = ({"num_views": 3, "steps": 100}, {"steps": 200}) if scale.name == "small" else ({}, {})
    blocks = []
    for title, saliency in (("Without saliency", False), ("With saliency", True)):
        block = _block("table21", title, scale, sets, methods,
                       lambda name, method, saliency=saliency: {"saliency": saliency, **before},
                       " saliency" if saliency else "", lambda name, method: after)  # fmt: skip
        blocks.append(controls.beside_heads(block))
        blocks.append(_before_labels(f"{title}, before any label", block, scale))
    about = (
        "As table 8, with two methods made for pulse, those of Gideon and Stent and of Wang et al.; with and without a "
        "sampler that magnifies what matters in a frame. The paper says that SimPer is ahead of both either way. "
        "Further blocks say what features hold before labels are learned. Gideon and Stent's two loss terms of the "
        "sampler, its entropy and its motion, which SimPer's paper does not mention, are left out."
    )
    if scale.sets["scamps"].rates:
        about += " All three learn from labels at the rate that was chosen for SimPer."
    return Study("table21", published.tables()["table21"]["title"], about, tuple(blocks))


def other_data(scale: Scale) -> Study:
    """Returns table 22: the same methods where there is no pulse."""
    methods = ("supervised", "frequency_contrast", "slf_rpm", "simper")
    return _over_sets("table22", scale, ("rotating_digits", "countix", "lst"), methods, (
        "As table 8, with the methods made for pulse where nothing pulses. The paper says that they do not help there."
    ))  # fmt: skip


def _before_labels(title, block, scale):
    """Returns a block of what is read off the features that the lines of another are begun with."""
    readouts = {protocol: READOUTS[protocol] for protocol in ("fft", "1nn")}
    begun = {
        line.title: [cell for cell in line.cells if cell.metric == "mae"]
        for line in block.lines if all(cell and cell.run.source for cell in line.cells)
    }  # fmt: skip
    lines = tuple(
        Line(title, tuple(Cell(cell.run.source, protocol, "mae") for cell in cells for protocol in readouts))
        for title, cells in begun.items()
    )
    names = [data_set_of(cell.run) for cell in next(iter(begun.values()))]
    titles = tuple(f"{scale.title(name)}, {each}: {unit(name, 'mae')}" for name in names for each in readouts.values())
    return Block(title, titles, lines)


def _learned(line, way, of_series=True):
    """Returns a line that the paper does not have: labels are learned in another way, those of series only if asked."""

    def cell(asked):
        is_left_out = not of_series and data_set_of(asked.run) == "lst"
        return None if is_left_out else dataclasses.replace(asked, run=way(asked.run), paper=None)

    return Line(line.title, tuple(cell(each) for each in line.cells))


def _over_sets(table, scale, names, methods, about, changes=None, labeled=None):
    block = controls.beside_heads(_block(table, "", scale, names, scale.some(methods), changes, labeled=labeled))
    return Study(table, published.tables()[table]["title"], about, (block,))


def _block(table, title, scale, names, methods, changes=None, suffix="", labeled=None):
    """Returns a block of fine-tuned methods over data sets, the paper's numbers by the method with a suffix.

    Args:
        table, title, scale, names, methods: What is in it.
        changes: Function of data set and method: flags that differ in pre-training and in learning from labels.
        suffix: Of the lines of the paper.
        labeled: Function of data set and method: flags that differ in learning from labels alone.
    """
    # Of temperatures the paper has no percentage here.
    metrics = {**METRICS, "lst": ("mae", "pearson")}
    columns = [(name, metric) for name in names for metric in metrics.get(name, ("mae", "mape"))]

    def cell(method, name, metric):
        given = changes(name, method) if changes else {}
        run = finetuned(scale, name, method, given, **{**given, **(labeled(name, method) if labeled else {})})
        paper = published.value(table, f"{method}{suffix}", f"{name} {metric}")
        return Cell(run, OWN, metric, None if "freeze" in dict(run.changes) else paper)

    lines = tuple(Line(METHODS[method].title, tuple(cell(method, *column) for column in columns)) for method in methods)
    return Block(title, tuple(f"{scale.title(name)}: {unit(name, metric)}" for name, metric in columns), lines)
