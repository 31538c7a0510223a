"""Tables 20 and 21: networks and methods made for a task, with labels and before any."""

import dataclasses

from trainers.studies import controls, published
from trainers.studies.features import READOUTS, unit
from trainers.studies.finetuning import block_of, over_sets
from trainers.studies.scales import FEW_FRAMES, Scale
from trainers.studies.table import Block, Cell, Line, Study, data_set_of

# At the scale of two cores: learning to count, and to read pulses with all of a network or the head alone.
_COUNTING = {"learning_rate": 0.001, "steps": 300}
_SUPERVISED = {"head": "frequency", "steps": 200}
_HEAD_ALONE = {**_SUPERVISED, "freeze": True, "learning_rate": None}


def networks(scale: Scale) -> Study:
    """Returns table 20: RepNet on Countix, EfficientPhys on pulse."""
    counting, pulse = {"encoder": "repnet"}, {"encoder": "efficientphys"}
    if scale.name != "paper":
        counting["width"] = 0.125
    if scale.name == "small":
        # EfficientPhys' steps are long on two cores, seconds each, and so is reading clips with it.
        pulse |= {"num_views": 3, "steps": 100, "train_clips": 150, "learning_rate": 0.001}
    if scale.is_short:
        pulse |= FEW_FRAMES
    encoders = {"countix": counting, **dict.fromkeys(scale.some(("scamps", "ubfc", "pure"), 1), pulse)}

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
    study = over_sets("table20", scale, encoders, methods, about, lambda name, method: encoders[name], labeled)
    (block,) = study.blocks
    return dataclasses.replace(study, blocks=(block, _before_labels("Before any label", block, scale)))


def pulse_methods(scale: Scale) -> Study:
    """Returns table 21: self-supervised methods made for pulse, with and without a saliency sampler."""
    methods = scale.some(("frequency_contrast", "slf_rpm", "simper"))
    sets = scale.some(("scamps", "ubfc", "pure"), 1)
    # The sampler makes steps long, and both blocks are to have the same ones.
    before, after = ({"num_views": 3, "steps": 100}, {"steps": 200}) if scale.name == "small" else ({}, {})
    before |= FEW_FRAMES if scale.is_short else {}
    blocks = []
    for title, saliency in (("Without saliency", False), ("With saliency", True)):
        block = block_of("table21", title, scale, sets, methods,
                         lambda name, method, saliency=saliency: {"saliency": saliency, **before},
                         " saliency" if saliency else "", lambda name, method: after)  # fmt: skip
        blocks.append(controls.beside_heads(block))
        blocks.append(_before_labels(f"{title}, before any label", block, scale))
    published_terms = {"saliency_entropy_weight": 1, "saliency_motion_weight": 1}
    with_terms = block_of("table21", "", scale, sets, methods,
                          lambda name, method: {"saliency": True, **before, **published_terms},
                          labeled=lambda name, method: dict.fromkeys(published_terms))  # fmt: skip
    blocks.append(_before_labels("With saliency and two loss terms for it, before any label", with_terms, scale))
    about = (
        "As table 8, with two methods made for pulse, those of Gideon and Stent and of Wang et al.; with and without a "
        "sampler that magnifies what matters in a frame. The paper says that SimPer is ahead of both either way. "
        "Further blocks say what features hold before labels are learned. Gideon and Stent train the sampler with two "
        "loss terms, its entropy and its motion, which SimPer's paper does not mention: the last block alone has them."
    )
    if scale.sets["scamps"].rates:
        about += " All three learn from labels at the rate that was chosen for SimPer."
    return Study("table21", published.tables()["table21"]["title"], about, tuple(blocks))


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
