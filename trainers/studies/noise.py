"""What noise does: methods at several strengths of it, and what learning takes at the strongest."""

from simper_tf.methods import METHODS
from trainers.studies.choosing import changes, steps_in_the_time_of
from trainers.studies.digits import DIGITS, OF_FEATURES, WIDE, block_of_features, digits, pixels
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Study

STRONGEST = "digits_noisy_high"
SLOWER = {"learning_rate": 0.001}
# Method -> what it is tried with at the strongest noise. SimPer is told no band, the loss of the other has one: with a
# wide band it knows as little.
TRIED = {
    "simper": {"": {}, ", learning rate 0.001": SLOWER},
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
    for config in scale.some(("digits_noisy_low", "digits_noisy_middle", STRONGEST)):
        base = digits(scale, config)
        methods = ("simper", "frequency_contrast", "sinc", "contrast_phys")
        runs = {METHODS[name].title: base.but(method=name, **changes(name)) for name in methods}
        blocks.append(block_of_features(DIGITS[config], runs, controls=[pixels(base, readouts=OF_FEATURES)]))
    blocks += _longer_at_the_strongest(scale)
    about = (
        "Where pixels fail is where learning shows its worth: four methods at three strengths of it, and then what it "
        "takes at the strongest. The lower learning rate there was found on validation clips with SimPer; the other "
        "method has it too, beside its own."
    )
    return Study("strengths", "Noise, clutter and light", about, tuple(blocks))


def _longer_at_the_strongest(scale) -> list[Block]:
    """Returns a block of what is `TRIED`, four times as long as elsewhere, in steps of equal seconds."""
    steps = digits(scale, STRONGEST).settings().steps
    if not steps:
        return []
    runs = {}
    for method, kinds in TRIED.items():
        number = steps_in_the_time_of(4 * steps, method)
        base = digits(scale, STRONGEST).but(method=method, **changes(method))
        for title, changed in kinds.items():
            runs[f"{METHODS[method].title}{title}, {number} steps"] = base.but(**changed, steps=number)
    return [block_of_features(f"Four times as long, and at equal seconds. {DIGITS[STRONGEST]}", runs)]
