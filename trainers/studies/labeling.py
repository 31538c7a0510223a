"""How labels are best learned, from random weights and from learned ones, on validation clips."""

import dataclasses
from collections.abc import Callable

from simper_tf.methods import METHODS
from trainers.grid import Run
from trainers.studies.features import unit
from trainers.studies.finetuning import OWN, finetuned
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Cell, Line, Study

RATES = (0.003, 0.001, 0.0003)
# The flagfiles of faces have a probability of gray, which pictures that are left as they are cannot have.
PICTURES = {"": {}, ", pictures as they are": {"appearance": "none", "gray_probability": ""}}


def finetune_settings(scale: Scale) -> Study:
    """Returns the study of rates, of changes of the picture and of a frozen encoder, in learning from labels."""
    methods = scale.some(("supervised", "simclr", "simper"))
    blocks = []
    for name in ("ubfc", "scamps", "rotating_digits"):
        lines = tuple(
            Line(title, tuple(_cell(way(scale, name, method)) for method in methods))
            for title, way in _ways(scale).items()
        )
        titles = tuple(f"{METHODS[method].title}: {unit(name, 'mae')}" for method in methods)
        blocks.append(Block(scale.title(name), titles, lines))
    about = (
        "Learning from labels, begun at random (supervised) or with what a method has learned without any, on "
        "validation clips: learning rates, changes of the picture, an encoder that stays as it is, and the whole "
        "network after the head had been learned alone."
    )
    return Study("finetune_settings", "Settings of learning from labels", about, tuple(blocks))


def _ways(scale) -> dict[str, Callable[[Scale, str, str], Run | None]]:
    """Returns ways of learning from labels by title; a way has no run where an encoder would stay at random."""
    ways = {}
    for title, pictures in PICTURES.items():
        for rate in scale.some(RATES):
            ways[f"--learning_rate={rate}{title}"] = _whole(learning_rate=rate, **pictures)
    for title, pictures in PICTURES.items():
        ways[f"--freeze{title}"] = _head(**pictures)
    for rate in scale.some(RATES):
        ways[f"--freeze, then the whole with --learning_rate={rate}"] = _head_first(learning_rate=rate)
    return ways


def _whole(**changes):
    return lambda scale, name, method: finetuned(scale, name, method, **_for(name, changes))


def _head(**changes):
    def run(scale, name, method):
        if method == "supervised":
            return None
        # At the rate of random weights, which the head has.
        return finetuned(scale, name, method, freeze=True, learning_rate=RATES[0], **_for(name, changes))

    return run


def _head_first(**changes):
    def run(scale, name, method):
        head = _head()(scale, name, method)
        whole = scale.sets[name].finetune.but(keep_head=True, **changes)
        return head and whole.begun_with(dataclasses.replace(head, split="validation"))

    return run


def _for(name, changes):
    """Returns changes without that of gray, which the flagfile of digits does not have."""
    return {k: v for k, v in changes.items() if not (k == "gray_probability" and name == "rotating_digits")}


def _cell(run):
    return run and Cell(dataclasses.replace(run, split="validation"), OWN, "mae")
