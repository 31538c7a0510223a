"""Real movements: which method counts exercises that it has not seen, beside what needs no training."""

from reproduce.studies import recorded
from reproduce.studies.scales import Scale
from reproduce.studies.table import Study

SPLITS = tuple(f"imu_sets/{folder}" for folder in ("arms", "back", "chest"))  # All that the data set has.
_ABOUT = (
    "Whole sets of exercises, the acceleration of a watch on one wrist; the truth is the number of repetitions that "
    "the person noted. Each run has its own seed. It tests the exercises of one of three folders, and trains on those "
    "of the others: nobody has seen an exercise that is tested. Without labels a Fourier transform reads the features "
    "in 0.08 to 1 Hz, over the length of the set. With labels the nearest training set answers; supervised training "
    "answers by its own head. The control `simper_tf.read` learns nothing from these sets. Its surest answer, "
    "clear or not, has the count. `The reader, else ...` takes its clear answers alone, and the "
    "readout for the other sets. Two lines are compared on the same sets. Intervals of their ratios are of draws of "
    "exercises and of runs. The notes themselves are about one repetition off, see the README of the data set."
)
_SETTINGS = (
    "Nothing was chosen on these sets. Each method has the rate and the steps that were chosen for it of three "
    "settings on phone pulses, and the rest of `flags/imu_sets.cfg`. Labels of few sets are those of the first "
    "training sets."
)


def movements(scale: Scale) -> Study:
    """Returns the errors of all methods on exercises never seen, without labels, with few and with all."""
    return recorded.study(
        recorded.blocks(scale, "imu_sets", SPLITS, "labels of other exercises", "repetitions"),
        name="imu_sets", title="Repetitions of exercises", about=_ABOUT, settings=_SETTINGS,
        seeds_are="runs over three folders of exercises",
    )  # fmt: skip
