"""Tables 8 and 22: what labels add, and what tables of fine-tuning share."""

import dataclasses

from simper_tf.methods import METHODS
from trainers.studies import controls, published
from trainers.studies.features import METRICS, PAPERS, unit
from trainers.studies.scales import SETS, Scale
from trainers.studies.table import Block, Cell, Line, Study, data_set_of
from trainers.studies.ways import OWN, after_the_head, finetuned, head_alone, one_multiple, other_head


def whole_networks(scale: Scale) -> Study:
    """Returns table 8, with a line of the head that it does not have, and blocks of a head that learns first."""
    methods = scale.some(("supervised", *PAPERS))
    block = block_of("table8", "The whole network at once", scale, scale.some(SETS), methods)
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


def other_data(scale: Scale) -> Study:
    """Returns table 22: the same methods where there is no pulse."""
    methods = ("supervised", "frequency_contrast", "slf_rpm", "simper")
    return over_sets("table22", scale, ("rotating_digits", "countix", "lst"), methods, (
        "As table 8, with the methods made for pulse where nothing pulses. The paper says that they do not help there."
    ))  # fmt: skip


def _learned(line, way, of_series=True):
    """Returns a line that the paper does not have: labels are learned in another way, those of series only if asked."""

    def cell(asked):
        is_left_out = not of_series and data_set_of(asked.run) == "lst"
        return None if is_left_out else dataclasses.replace(asked, run=way(asked.run), paper=None)

    return Line(line.title, tuple(cell(each) for each in line.cells))


def over_sets(table, scale, names, methods, about, changes=None, labeled=None) -> Study:
    """Returns a study of one block of fine-tuned methods, beside what learns nothing.

    Args:
        table, scale, names, methods, changes, labeled: As in `block_of`; of methods some, where tables are short.
        about: What it tests.
    """
    block = controls.beside_heads(block_of(table, "", scale, names, scale.some(methods), changes, labeled=labeled))
    return Study(table, published.tables()[table]["title"], about, (block,))


def block_of(table, title, scale, names, methods, changes=None, suffix="", labeled=None) -> Block:
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
