"""How labels are best learned, from random weights and from learned ones, on validation clips."""

import dataclasses

from simper_tf.methods import METHODS
from trainers.studies.features import PAPERS, unit
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Cell, Line, Study
from trainers.studies.ways import OWN, after_the_head, finetuned, head_alone

AT_ONCE = (0.003, 0.001)
AFTER = (0.003, 0.001, 0.0003)
# In the miniatures of the others there is little to be learned, at whatever rate.
CHOSEN_ON = ("rotating_digits", "scamps", "ubfc", "pure")


def finetune_settings(scale: Scale) -> Study:
    """Returns the study of learning rates, of a frozen encoder and of a head that learns first."""
    methods = scale.some(("supervised", *PAPERS))
    blocks = []
    for name in scale.some(CHOSEN_ON, 1):
        runs = {method: finetuned(scale, name, method) for method in methods}
        # Not of random weights: they would stay as they are.
        alone = [None if method == "supervised" else head_alone(run) for method, run in runs.items()]
        ways = {
            **{f"at once, --learning_rate={rate}": [run.but(learning_rate=rate) for run in runs.values()]
               for rate in scale.some(AT_ONCE)},
            "--freeze": alone,
            **{f"the head first, then --learning_rate={rate}":
               [after_the_head(scale, method, run, rate) for method, run in runs.items()]
               for rate in scale.some(AFTER)},
        }  # fmt: skip
        lines = tuple(Line(title, tuple(map(_cell, found))) for title, found in ways.items())
        titles = tuple(f"{METHODS[method].title}: {unit(name, 'mae')}" for method in methods)
        blocks.append(Block(scale.title(name), titles, lines))
    about = (
        "Learning from labels, begun at random (supervised) or with what a method has learned without any, on "
        "validation clips: learning rates of the whole network, an encoder that stays as it is, and the whole network "
        "after the head has learned alone, where supervised training goes on with what it has learned. With `--choose` "
        "the best rates of each column go into `trainers/studies/label_rates.json`, from which other tables have them."
    )
    return Study("finetune_settings", "Settings of learning from labels", about, tuple(blocks))


def _cell(run):
    return run and Cell(_validated(run), OWN, "mae")


def _validated(run):
    """Returns a run, and those that it begins with that learn from labels too, with rows of validation clips."""
    source = run.source
    if source and dict(source.changes).get("method") == "supervised":
        source = _validated(source)
    return dataclasses.replace(run, source=source, split="validation")
