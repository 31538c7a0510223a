"""How each method is best set, on validation clips of noisy digits: what the comparison takes its settings from."""

import dataclasses

from simper_tf.methods import METHODS
from trainers.studies.choosing import NUM_FINALISTS, finalists
from trainers.studies.comparison import LARGEST
from trainers.studies.digits import (
    STEADY,
    block_of_features,
    has_option,
    noisy,
    self_supervised,
    variants,
)
from trainers.studies.scales import Scale
from trainers.studies.table import Study

# What each method's settings are chosen from: rates and batches together, as the best rate hangs on the batch, and what
# else there is one at a time; and steady views by themselves, with larger batches, and without changes of the picture,
# where SimPer was seen to follow noise.
LARGER = {"batch_size": "16"}
GRID = (
    {"learning_rate": "0.001"},
    {"learning_rate": "0.01"},
    LARGER,
    {**LARGER, "learning_rate": "0.001"},
    {**LARGER, "learning_rate": "0.01"},
    {"temperature": "0.1"},
    {"temperature": "0.5"},
    {"appearance": "simper"},
    {"appearance": "none"},
    STEADY,
    {**LARGER, **STEADY},
    {"appearance": "none", **STEADY},
)
# Those of which a step with batches of 64 takes at most four of SimPer's as chosen.
CHEAP = ("contrast_phys", "simclr", "frequency_contrast", "moco")


def settings(scale: Scale) -> Study:
    """Returns the study on which each method's settings are chosen, on validation clips of noisy digits."""
    blocks = [_over_grid(scale, method, scale.some(GRID)) for method in scale.some(self_supervised())]
    about = (
        "Settings of each method over the same grid, on validation clips of noisy digits (`digits_noisy_middle`): "
        "learning rates with batches of both sizes, temperatures and augmentations by themselves, and, for methods "
        f"that change the speed, steady views. With `--choose` the {NUM_FINALISTS} lines of a "
        "method with the best mean ranks over all columns go on to the table `finalists`. What larger batches give is "
        "in the table `batches`."
    )
    return Study("settings", "Settings of each method", about, tuple(blocks))


def finalists_by_seeds(scale: Scale) -> Study:
    """Returns the study on which each method's settings are chosen by several seeds, of those best by one."""
    # Those of the scale of two cores: that of the paper has its own.
    kinds = scale.some(self_supervised()) if scale.name != "paper" else ()
    blocks = [_over_grid(scale, method, finalists().get(method, [])) for method in kinds]
    about = (
        f"The {NUM_FINALISTS} settings of each method that were best by one seed in the table `settings`, and those of "
        "the scale, over three seeds, that one among them: one says little where learning begins late or not at all. "
        "With `--choose` the line of a method with the best mean rank over all columns goes into "
        "`trainers/studies/chosen.json`, from which the comparison has it. Validation clips of noisy digits, as there."
    )
    return Study("finalists", "Settings of each method, by three seeds", about, tuple(blocks))


def batches(scale: Scale) -> Study:
    """Returns the study of larger batches, on validation clips as the settings."""
    grids = {name: (LARGER, each) for name, each in LARGEST.items()}
    kinds = scale.some(CHEAP) if scale.name in grids else ()
    blocks = [_over_grid(scale, method, grids[scale.name]) for method in kinds]
    about = (
        "What larger batches give in as many steps, on validation clips of noisy digits, to methods of which a step "
        "with batches of 64 takes at most four of SimPer's. They hold 16 times the clips of SimPer's, so that settings "
        "are not chosen from them; the table `largest_batches` has them on test clips."
    )
    return Study("batches", "Larger batches", about, tuple(blocks))


def _over_grid(scale, method, grid):
    """Returns a block of a method as it is and with each change of a grid that it has, on validation clips."""
    base = dataclasses.replace(noisy(scale), split="validation").but(method=method)
    kinds = [
        each for each in grid
        if ("temperature" not in each or has_option(method, "temperature"))
        and ("interpolation" not in each or METHODS[method].changes_speed())
    ]  # fmt: skip
    changed = variants(base, (each for each in kinds if each.get("appearance") != method))  # That is its own.
    return block_of_features(METHODS[method].title, {"as in the scale": base, **changed})
