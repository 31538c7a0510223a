"""Tables 8, 9, 20, 21 and 22: what labels add to what was learned without any."""

import dataclasses
from collections.abc import Callable, Iterable

from reproduce.studies import controls, published
from reproduce.studies.features import PAPERS
from reproduce.studies.readouts import METRICS, OF_PAPER, OF_PULSE, frequency_cells, frequency_titles, unit
from reproduce.studies.scales import FEW_FRAMES, SETS, Scale
from reproduce.studies.table import Block, Cell, Line, Study, data_set_of
from reproduce.studies.ways import OWN, after_the_head, finetuned, head_alone, one_multiple, other_head
from simper_tf.methods import METHODS

PULSE = ("scamps", "ubfc", "pure")
# Two blocks of table 8 that the paper does not have, at the scale of two cores, where they took a third of its time. Of
# one seed BYOL or MoCo was the best of the four other starts in each of their columns.
_FEW_STARTS = ("supervised", "byol", "simper")
_FEW_SETS = ("rotating_digits", "scamps", "ubfc")
# Table 20 at the scale of two cores: learning to count, and to read pulses with all of a network or the head alone.
_COUNTING = {"learning_rate": 0.001, "steps": 300}
_SUPERVISED = {"head": "frequency", "steps": 200}  # Twice the steps without labels.
_HEAD_ALONE = {**_SUPERVISED, "freeze": True, "learning_rate": None}
_BEST = {"best_epoch": True, "train_on": "train"}
# Readouts of encoders of another data set, as they are.
_OF_MOVED = {**OF_PAPER, "fft_fundamental": OF_PULSE["fft_fundamental"], OWN: "own head"}


def whole_networks(scale: Scale) -> Study:
    """Returns table 8, with a line of the head that it does not have, and blocks of a head that learns first."""
    methods = scale.some(("supervised", *PAPERS))
    names = scale.tuned(scale.some(SETS))
    block = _block("table8", "The whole network at once", scale, names, methods)
    title, head = other_head(scale)
    other = _learned(block.lines[0], lambda run: run.but(head=head), of_series=False)
    lines = (*block.lines, dataclasses.replace(other, title=title))
    whole = controls.beside_heads(dataclasses.replace(block, lines=lines))
    starts, few = methods, block
    if scale.long_sets:
        starts, few = _FEW_STARTS, _block("table8", "", scale, _FEW_SETS, _FEW_STARTS)
    alone = Block("The head alone", few.columns, tuple(_learned(line, head_alone) for line in few.lines[1:]))
    after = Block("The head first, then the whole network", few.columns, tuple(
        _learned(line, lambda run, method=method: after_the_head(scale, method, run))
        for method, line in zip(starts, few.lines, strict=True)
    ))  # fmt: skip
    repeating = _block("table8", "", scale, [name for name in names if name != "lst"], methods)
    supervised, *others = repeating.lines
    begun = dataclasses.replace(others[-1], title=f"{METHODS['simper'].title}, all of the network")
    kept = (_learned(line, head_alone) for line in others)
    lines = tuple(_learned(line, one_multiple) for line in (supervised, begun, *kept))
    title = "The head `frequency`, on an encoder that stays as it is but for two lines"
    multiple = Block(title, repeating.columns, lines)
    about = (
        "The whole network is trained on labels, begun with the encoder that each method has learned without any. The "
        "paper says that SimPer is the best start. Two further blocks, which the paper does not have: the head alone "
        "learns while the encoder stays as it is, and the whole network after that, in twice as many steps; supervised "
        "training goes on as long there. The last block has a head that learns one multiple of what a Fourier "
        "transform reads, on encoders as they are, and with all of the network from random weights and from SimPer's. "
        "Learning rates of the whole network were chosen on validation clips for every start on digits and faces, and "
        "are the same for all on Countix and LST."
    )
    blocks = (whole, *map(controls.beside_heads, (alone, after, multiple)))
    return Study("table8", published.title("table8"), about + scale.untuned(), blocks)


def transfer(scale: Scale) -> Study:
    """Returns table 9: what was learned on one data set of pulse, trained on the labels of another or as it is."""
    pairs = (("ubfc", "pure"), ("pure", "ubfc"))
    columns = [(*pair, metric) for pair in pairs for metric in ("mae", "mape")]

    def cell(method, source, target, metric):
        run = scale.sets[target].begun_with(_best(scale, source, method), **_BEST)
        return Cell(run, OWN, metric, published.value("table9", method, f"{source}->{target} {metric}"))

    methods = ("supervised", "simclr", "simper")
    lines = [Line(METHODS[method].title, tuple(cell(method, *column) for column in columns)) for method in methods]
    alone = (Cell(_best(scale, target, "supervised"), OWN, metric) for _, target, metric in columns)
    lines.append(Line("supervised, on the second alone", tuple(alone)))
    titles = tuple(f"{scale.title(s)} to {scale.title(t)}: {unit(t, metric)}" for s, t, metric in columns)
    trained = controls.beside_heads(Block("Trained on the labels of the second", titles, tuple(lines)))
    about = (
        "Encoders of one data set of pulse, supervised there or trained without labels, are trained on the labels of "
        "the other, beside what random weights learn of these alone. The paper says that SimPer's transfer best. What "
        "learns from labels ends with the weights of the epoch that is best on validation clips, as in the paper; what "
        "learns without ends with the last. Two further blocks, which the paper does not have: the same encoders read "
        "the second data set as they are, beside those that learned there. Fourier transforms see no label of it, nor "
        "does a head that learned on the first; the nearest neighbor is one of its training clips with their labels."
    )
    as_they_are = (_as_they_are(scale, *pair, methods) for pair in pairs)
    return Study("table9", published.title("table9"), about, (trained, *as_they_are))


def networks(scale: Scale) -> Study:
    """Returns table 20: RepNet on Countix, EfficientPhys on pulse."""
    counting = {"encoder": "repnet", **({} if scale.name == "paper" else {"width": 0.125})}
    pulse = {"encoder": "efficientphys", **(FEW_FRAMES if scale.is_short else {})}
    if scale.name == "small":  # EfficientPhys' steps take seconds on two cores, and so does reading clips with it.
        pulse |= {"num_views": 3, "steps": 100, "train_clips": 150, "learning_rate": 0.001}
    changes = {"countix": counting, **dict.fromkeys(_pulse(scale), pulse)}

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
            "head `frequency`: alone on what was begun, with all of the network from random weights."
        )
    methods = scale.some(("supervised", "simclr", "simper"))
    block = _block("table20", "", scale, changes, methods, lambda name, _: changes[name], labeled=labeled)
    blocks = (controls.beside_heads(block), _before_labels("Before any label", block, scale))
    return Study("table20", published.title("table20"), about + scale.untuned() + _unread(scale), blocks)


def pulse_methods(scale: Scale) -> Study:
    """Returns table 21: self-supervised methods made for pulse, with and without a saliency sampler."""
    methods = scale.some(("frequency_contrast", "slf_rpm", "simper"))
    # The sampler makes steps long, and all blocks are to have the same ones.
    before, after = ({"num_views": 3, "steps": 100}, {"steps": 200}) if scale.name == "small" else ({}, {})
    before |= FEW_FRAMES if scale.is_short else {}
    terms = {"saliency_entropy_weight": 1, "saliency_motion_weight": 1}

    def block(title, suffix, saliency, added, labeled):
        given = {"saliency": saliency, **before, **added}
        return _block("table21", title, scale, _pulse(scale), methods, lambda *_: given, suffix, lambda *_: labeled)

    blocks = []
    for title, suffix in (("Without saliency", ""), ("With saliency", " saliency")):
        whole = block(title, suffix, bool(suffix), {}, after)
        blocks += [controls.beside_heads(whole), _before_labels(f"{title}, before any label", whole, scale)]
    with_terms = block("", "", True, terms, dict.fromkeys(terms))
    blocks.append(_before_labels("With saliency and two loss terms for it, before any label", with_terms, scale))
    about = (
        "As table 8, with two methods made for pulse, those of Gideon and Stent and of Wang et al.; with and without a "
        "sampler that magnifies what matters in a frame. The paper says that SimPer is ahead of both either way. "
        "Further blocks say what features hold before labels are learned. Gideon and Stent train the sampler with two "
        "loss terms, its entropy and its motion, which SimPer's paper does not mention: the last block alone has them."
    )
    if scale.sets["scamps"].rates:
        about += " All three learn from labels at the rate that was chosen for SimPer."
    return Study("table21", published.title("table21"), about + scale.untuned() + _unread(scale), tuple(blocks))


def other_data(scale: Scale) -> Study:
    """Returns table 22: the same methods where there is no pulse."""
    methods = scale.some(("supervised", "frequency_contrast", "slf_rpm", "simper"))
    block = controls.beside_heads(_block("table22", "", scale, ("rotating_digits", "countix", "lst"), methods))
    about = (
        "As table 8, with the methods made for pulse where nothing pulses. The paper says that they do not help there."
    )
    return Study("table22", published.title("table22"), about, (block,))


def _block(
    table: str, title: str, scale: Scale, names: Iterable[str], methods: Iterable[str],
    changes: Callable = lambda name, method: {}, suffix: str = "", labeled: Callable = lambda name, method: {},
) -> Block:  # fmt: skip
    """Returns a block of fine-tuned methods over data sets.

    Args:
        table, title, scale, names, methods: What is in it.
        changes: Data set and method -> flags that differ in pre-training and in learning from labels.
        suffix: Of the lines of the paper, which are named by the method.
        labeled: Data set and method -> flags that differ in learning from labels alone.
    """
    metrics = {**METRICS, "lst": ("mae", "pearson")}  # Of temperatures the paper has no percentage here.
    columns = [(name, metric) for name in names for metric in metrics.get(name, ("mae", "mape"))]

    def cell(method, name, metric):
        given = changes(name, method)
        run = finetuned(scale, name, method, given, **{**given, **labeled(name, method)})
        paper = published.value(table, f"{method}{suffix}", f"{name} {metric}")
        return Cell(run, OWN, metric, None if "freeze" in dict(run.changes) else paper)

    lines = tuple(Line(METHODS[method].title, tuple(cell(method, *column) for column in columns)) for method in methods)
    return Block(title, tuple(f"{scale.title(name)}: {unit(name, metric)}" for name, metric in columns), lines)


def _pulse(scale):
    """Returns the data sets of pulse of tables 20 and 21."""
    return [name for name in scale.tuned(scale.some(PULSE, 1)) if name not in scale.long_sets]


def _unread(scale):
    """Returns the sentence of these tables about data sets of which they could tell nothing; empty for none."""
    return "".join(
        f" {SETS[name]} is left out too: in so few steps nobody reads its pulse." for name in scale.long_sets
    )


def _as_they_are(scale, source, target, methods):
    """Returns a block of encoders of one data set that read another, beside those that learned there."""
    runs = {METHODS[method].title: _moved(scale, source, target, method) for method in methods}
    runs |= {f"{METHODS[method].title}, on the second alone": _best(scale, target, method) for method in methods}
    untrained = controls.untrained(_best(scale, target, "simper"))
    runs["control: encoder untrained"] = untrained
    lines = [Line(title, frequency_cells(run, readouts=_OF_MOVED)) for title, run in runs.items()]
    lines += controls.beside_features(target, untrained, [(protocol, "mae") for protocol in _OF_MOVED])
    title = f"{scale.title(source)} to {scale.title(target)}, as they are"
    return Block(title, frequency_titles(unit(target, "mae"), _OF_MOVED), tuple(lines))


def _moved(scale, source, target, method):
    """Returns the reading of a data set by what a method has learned of another, its head too where it has one."""
    run = controls.untrained(_best(scale, target, method)).begun_with(_best(scale, source, method))
    return run.but(best_epoch=None, keep_head=True) if METHODS[method].predicts_labels else run


def _best(scale, name, method):
    """Returns what a method learns of a data set, with labels or without."""
    setting = scale.sets[name]
    return setting.finetune.but(**_BEST) if method == "supervised" else setting.pretrain.but(method=method)


def _learned(line, way, of_series=True):
    """Returns a line that the paper does not have: labels are learned in another way, those of series only if asked."""

    def cell(known):
        is_left_out = not of_series and data_set_of(known.run) == "lst"
        return None if is_left_out else dataclasses.replace(known, run=way(known.run), paper=None)

    return Line(line.title, tuple(map(cell, line.cells)))


def _before_labels(title, block, scale):
    """Returns a block of what is read off the features that the lines of another are begun with."""
    readouts = {protocol: OF_PAPER[protocol] for protocol in ("fft", "1nn")}
    begun = {
        line.title: [cell.run.source for cell in line.cells if cell.metric == "mae"]
        for line in block.lines if all(cell.run.source for cell in line.cells)
    }  # fmt: skip
    lines = tuple(
        Line(method, tuple(Cell(run, protocol, "mae") for run in runs for protocol in readouts))
        for method, runs in begun.items()
    )
    clips = {data_set_of(run): run for run in next(iter(begun.values()))}
    titles = (f"{scale.title(name)}, {words}: {unit(name, 'mae')}" for name in clips for words in readouts.values())
    control = controls.best_of_each(clips, [(name, protocol) for name in clips for protocol in readouts])
    return Block(title, tuple(titles), (*lines, control))
