"""Real pulses: which method reads the heart rate from fingertips on phones, beside what needs no training."""

from reproduce.studies import recorded
from reproduce.studies.scales import Scale
from reproduce.studies.table import Study

SPLITS = tuple(f"phone_ppg/split{number}" for number in range(5))  # All that the data set has.
_ABOUT = (
    "Fingers of 21 people on the camera of a phone, 8 seconds a clip; the truth is a chest strap. People are divided "
    "five times: 12 train, 2 validate, 7 are tested. Each run has its own seed. Without labels a Fourier transform "
    "reads the features in 40 to 200 beats a minute, or harmonic patterns do, learned from the features of the people "
    "who train. With labels the nearest training clip answers; supervised training answers by its own head. The "
    "control `simper_tf.read` learns nothing from these people. Its surest answer counts, clear or not. `The reader, "
    "else ...` takes its clear answers alone, and the readout for the other clips. Two lines are compared on the same "
    "clips. Intervals of their ratios are of draws of people and of runs."
)
_SETTINGS = (
    "Three settings of each method were tried: those of `flags/phone_ppg.cfg`, a rate of 0.001, and 100 steps. Chosen "
    "was the smallest geometric mean of the errors by FFT and by nearest neighbor, of supervised training by its "
    "head, on the four people who validate in splits 0 and 1. Other splits test some of them, for all methods alike. "
    "On the same people the reader where it is clear, else FFT, was the best of six ways to join the two; the others "
    "took means, medians, or the nearest neighbor. There patterns read SimPer's features better than FFT, by 1.8 and "
    "1.5 beats a minute instead of 2.8 and 1.7, so that they stand in the first table. Labels of few clips are those "
    "of the first training clips."
)


def phones(scale: Scale) -> Study:
    """Returns the errors of all methods on people never seen, without labels, with few and with all."""
    return recorded.study(
        recorded.blocks(scale, "phone_ppg", SPLITS, "labels of 12 people", "bpm", readout="patterns"),
        name="phone_ppg", title="Heart rates of fingertips", about=_ABOUT, settings=_SETTINGS,
        seeds_are="runs over five splits of people",
    )  # fmt: skip
