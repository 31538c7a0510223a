"""What noise does: methods at several strengths of it, and what learning takes at the strongest."""

import dataclasses

from simper_tf.methods import METHODS
from trainers.studies.choosing import changes, steps_in_the_time_of
from trainers.studies.digits import (
    DIGITS,
    MORE_CLIPS,
    OF_FEATURES,
    STEADY,
    WIDE,
    block_of_features,
    digits,
    is_told_the_band,
    named,
    noisy,
    pixels,
    variants,
)
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Study

STRONGEST = "digits_noisy_high"
SLOWER = {"learning_rate": 0.001}
LARGER = ", batches of 16, learning rate 0.001"
# Method -> what it is tried with at the strongest noise. SimPer is told no band, the loss of the other has one: with a
# wide band it knows as little.
TRIED = {
    "simper": {"": {}, ", learning rate 0.001": SLOWER, LARGER: {"batch_size": 16, **SLOWER}},
    "frequency_contrast": {
        " (told the band)": {},
        " (told the band), learning rate 0.001": SLOWER,
        ", wide band": WIDE,
        ", wide band, learning rate 0.001": {**WIDE, **SLOWER},
    },
}


def strengths(scale: Scale) -> Study:
    """Returns four methods and the pixels at three strengths of noise."""
    blocks = []
    for config in scale.some(("digits_noisy_low", "digits_noisy_middle", STRONGEST), 1):
        base = digits(scale, config)
        runs = {}
        for name in scale.some(("simper", "frequency_contrast", "sinc", "contrast_phys")):
            runs[named(name)] = run = base.but(method=name, **changes(name))
            if is_told_the_band(name):
                runs[f"{METHODS[name].title}, wide band"] = run.but(**WIDE)
        blocks.append(block_of_features(DIGITS[config], runs, controls=[pixels(base, readouts=OF_FEATURES)]))
    blocks += _longer_at_the_strongest(scale)
    about = (
        "Where pixels fail is where learning shows its worth: four methods at three strengths of it, those that are "
        "told the band by their own loss also with a wide one (0.2 to 7.5 Hz), and then what it takes at the "
        "strongest. Settings are those chosen for the table `comparison`; SimPer has steady views. The lower learning "
        "rate was found on validation clips, see the table `noise_settings`."
    )
    return Study("strengths", "Noise, clutter and light", about, tuple(blocks))


def noise_settings(scale: Scale) -> Study:
    """Returns the study on which it is sought what learning needs at the strongest noise, on validation clips."""
    steps, blocks = digits(scale, STRONGEST).settings().steps, []
    slower = SLOWER["learning_rate"]
    kinds = {
        "simper": [
            {}, {"learning_rate": slower}, {"learning_rate": 0.0003}, {"batch_size": 16},
            {"batch_size": 16, "learning_rate": slower}, {"similarity": "npsd"}, {"other_clips": True},
            *([{"steps": 4 * steps}, {"steps": 4 * steps, "learning_rate": slower}] if steps else []),
        ],
        "frequency_contrast": [{}, {"learning_rate": slower}, {"batch_size": 4}, WIDE],
    }  # fmt: skip
    for method, lines in kinds.items():
        base = dataclasses.replace(digits(scale, STRONGEST), split="validation").but(method=method, **changes(method))
        runs = {"as chosen for it": base, **variants(base, filter(None, scale.some(lines)))}
        blocks.append(block_of_features(METHODS[method].title, runs))
    about = (
        "Settings at the strongest noise, beside those that were chosen at the middle one, where SimPer has steady "
        "views, on validation clips. Some of what is found here is measured on test clips in the table `strengths`."
    )
    return Study("noise_settings", f"Settings at the strongest noise: {DIGITS[STRONGEST]}", about, tuple(blocks))


def seeds(scale: Scale) -> Study:
    """Returns the study of whether SimPer learns at middle noise whatever the seed, on validation clips."""
    plain = dataclasses.replace(noisy(scale), split="validation").but(method="simper")
    base = plain.but(appearance="none")
    steps = base.settings().steps
    lines = [
        SLOWER, {"temperature": 0.1}, {"temperature": 0.1, **SLOWER}, {"similarity": "npsd"},
        {"similarity": "npsd", **SLOWER}, {**MORE_CLIPS, **SLOWER}, {"batch_size": 16, **SLOWER},
        *([{"steps": 4 * steps, **SLOWER}] if steps else []),
    ]  # fmt: skip
    runs = {"pictures as they are": base, **variants(base, scale.some([*lines, STEADY, {**MORE_CLIPS, **STEADY}]))}
    runs["the paper's crops, flips, blur and brightness"] = plain
    runs["the paper's crops, flips, blur and brightness, steady"] = plain.but(**STEADY)
    block = block_of_features(METHODS["simper"].title, runs)
    about = (
        "With one seed SimPer learns from views that mix two frames, as in the paper, and with others its loss stays "
        "at that of chance: the mean of two frames has less noise than one, so that noise swells and fades in a rhythm "
        "of the view's speed. With `--interpolation=steady` it is as strong at all times. This "
        "table asks which settings learn with all of three seeds, on validation clips."
    )
    return Study("seeds", "SimPer at middle noise, seed by seed", about, (block,))


def _longer_at_the_strongest(scale) -> list[Block]:
    """Returns a block of what is `TRIED`, four times as long as elsewhere, in steps of equal seconds."""
    steps = digits(scale, STRONGEST).settings().steps
    if not steps:
        return []
    runs = {}
    for method, kinds in TRIED.items():
        base = digits(scale, STRONGEST).but(method=method, **changes(method))
        for title, changed in kinds.items():
            number = steps if title == LARGER else steps_in_the_time_of(4 * steps, method)  # Four times the clips.
            runs[f"{METHODS[method].title}{title}, {number} steps"] = base.but(**changed, steps=number)
    return [block_of_features(f"Four times as long, and at equal seconds. {DIGITS[STRONGEST]}", runs)]
