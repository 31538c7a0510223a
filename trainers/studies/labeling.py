"""How labels are best learned, from random weights and from learned ones, on validation clips."""

import dataclasses
from collections.abc import Callable

from simper_tf.methods import METHODS
from trainers.grid import Run
from trainers.studies.features import unit
from trainers.studies.finetuning import OWN, finetuned, head_alone, head_first
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Cell, Line, Study

RATES = (0.003, 0.001, 0.0003)


def finetune_settings(scale: Scale) -> Study:
    """Returns the study of rates, of changes of the picture and of a frozen encoder, in learning from labels."""
    methods = scale.some(("supervised", "simclr", "simper"))
    blocks = []
    for name in ("ubfc", "scamps", "rotating_digits"):
        runs = {method: finetuned(scale, name, method) for method in methods}
        lines = tuple(
            Line(title, tuple(_cell(way, run) for run in runs.values())) for title, way in _ways(scale, name).items()
        )
        titles = tuple(f"{METHODS[method].title}: {unit(name, 'mae')}" for method in methods)
        blocks.append(Block(scale.title(name), titles, lines))
    about = (
        "Learning from labels, begun at random (supervised) or with what a method has learned without any, on "
        "validation clips: learning rates, changes of the picture, an encoder that stays as it is, and the whole "
        "network after the head has learned alone."
    )
    return Study("finetune_settings", "Settings of learning from labels", about, tuple(blocks))


def _ways(scale, name) -> dict[str, Callable[[Run], Run | None]]:
    """Returns ways of learning from labels by title; some have no run where an encoder would stay at random."""
    # The flagfiles of faces have a probability of gray, which pictures that are left as they are cannot have.
    as_they_are = {"appearance": "none"} | ({} if name == "rotating_digits" else {"gray_probability": ""})
    pictures = {"": {}, ", pictures as they are": as_they_are}
    rates, ways = scale.some(RATES), {}
    for title, changes in pictures.items():
        for rate in rates:
            ways[f"--learning_rate={rate}{title}"] = lambda run, rate=rate, changes=changes: run.but(
                learning_rate=rate, **changes
            )
    for title, changes in pictures.items():
        ways[f"--freeze{title}"] = lambda run, changes=changes: run.source and head_alone(run, **changes)
    for rate in rates:
        ways[f"--freeze, then the whole with --learning_rate={rate}"] = lambda run, rate=rate: (
            run.source and head_first(run, rate)
        )
    return ways


def _cell(way, run):
    found = way(run)
    return found and Cell(_validated(found), OWN, "mae")


def _validated(run):
    """Returns a run, and those that it begins with that learn from labels too, with rows of validation clips."""
    source = run.source
    if source and source.source:
        source = _validated(source)
    return dataclasses.replace(run, source=source, split="validation")
