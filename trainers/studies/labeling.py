"""How labels of pulse are best learned, from random weights and from learned ones, on validation clips."""

import dataclasses

from simper_tf.methods import METHODS
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
    settings = {
        f"--learning_rate={rate}{title}": {"learning_rate": rate, **pictures}
        for title, pictures in PICTURES.items()
        for rate in scale.some(RATES)
    }
    settings |= {f"--freeze{title}": {"freeze": True, **pictures} for title, pictures in PICTURES.items()}
    blocks = []
    for name in ("ubfc", "scamps"):

        def cell(method, changes, name=name):
            if "freeze" in changes and method == "supervised":
                return None  # An encoder that nobody trains.
            run = dataclasses.replace(finetuned(scale, name, method, **changes), split="validation")
            return Cell(run, OWN, "mae")

        lines = tuple(
            Line(title, tuple(cell(method, changes) for method in methods)) for title, changes in settings.items()
        )
        titles = tuple(f"{METHODS[method].title}: {unit(name, 'mae')}" for method in methods)
        blocks.append(Block(scale.title(name), titles, lines))
    about = (
        "Learning from labels of pulse, begun at random (supervised) or with what a method has learned without any, on "
        "validation clips: learning rates, changes of the picture, and an encoder that stays as it is."
    )
    return Study("finetune_settings", "Settings of learning from labels", about, tuple(blocks))
