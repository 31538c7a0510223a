"""What SimPer is made of: parts of its loss, the paper's encoder, and the quickstart."""

import dataclasses

from simper_tf.methods import METHODS
from trainers.grid import Run
from trainers.studies import published
from trainers.studies.choosing import changes, steps_in_the_time_of
from trainers.studies.digits import DIGITS, MORE_CLIPS, PRIOR, WIDE, block_of_features, digits
from trainers.studies.scales import FEW_FRAMES, Scale
from trainers.studies.table import Block, Cell, Line, Study

# Ahead of SimPer on clean digits at equal seconds, in the comparison.
RIVAL = "frequency_contrast"


def losses(scale: Scale) -> Study:
    """Returns SimPer's loss with what other methods have: a band, sparse and varied spectra, other clips."""
    terms = {"sparsity_weight": 1, "variance_weight": 1}
    kinds = {
        "bandwidth alone (the prior)": {**PRIOR, "contrast_weight": 0},
        "SiNC": {"method": "sinc", "appearance": None, **changes("sinc")},
        "SimPer": {},
        "SimPer + bandwidth": PRIOR,
        "SimPer + sparsity and variance": terms,
        "SimPer + bandwidth, sparsity and variance": {**PRIOR, **terms},
        "SimPer + other clips": {"other_clips": True},
        "SimPer + all": {**PRIOR, **terms, "other_clips": True},
    }
    if scale.name != "paper":
        kinds["SimPer, 3 views of 7 clips"] = {**MORE_CLIPS, "other_clips": None}
        kinds["SimPer, 3 views of 7 clips + other clips"] = MORE_CLIPS
    blocks = []
    for config in scale.some(("digits", "digits_noisy_middle", "digits_spin"), 1):
        plain = dataclasses.replace(digits(scale, config), split="validation")
        base = plain.but(**changes("simper"))
        runs = {title: base.but(**parts) for title, parts in kinds.items()}
        if steps := base.settings().steps:
            rival = plain.but(method=RIVAL, steps=steps_in_the_time_of(steps, RIVAL), **WIDE, **changes(RIVAL))
            runs[f"{METHODS[RIVAL].title}, wide band, at equal seconds"] = rival
        blocks.append(block_of_features(DIGITS[config], runs))
    about = (
        "What SimPer's contrast of speeds, a band for spectra, and sparse spectra that vary over a batch add to one "
        "another, on validation clips, with the settings chosen for SimPer and for SiNC. SiNC's bandwidth term is the "
        "frequency prior. SimPer has batches of 4 clips and 5 views a set, unless a line says otherwise; the last line "
        "is what it has to beat."
    )
    return Study("losses", "Parts of losses, put together", about, tuple(blocks))


def encoder(scale: Scale) -> Study:
    """Returns SimPer with the paper's encoder and views, and with PhysNet, beside that of the scale."""
    base = scale.sets["rotating_digits"].pretrain
    papers, physnet = (base.but(encoder=name, learning_rate=0.001) for name in ("cnn3d", "physnet"))
    if scale.is_short:
        papers, physnet = (run.but(**FEW_FRAMES) for run in (papers, physnet))
    if scale.name == "small":
        few = {"train_clips": 300, "validation_clips": 100, "test_clips": 250}  # Reading a clip takes a second, too.
        # The published pre-training has a batch norm that scales and shifts alone: clips can be learned from apart.
        papers = papers.but(norm="affine", num_views=10, batch_size=16, micro_batch=1, steps=16, **few)
        physnet = physnet.but(steps=100)
    kinds = {
        "SimPer, the encoder `small`": base.but(encoder="small"),
        "SimPer, PhysNet": physnet,
        "SimPer, the paper's 3-D CNN": papers,
        "control: the 3-D CNN untrained": papers.but(steps=0, epochs=0),
    }
    blocks = tuple(
        block_of_features(words, kinds, metric, words) for metric, words in (("mae", "MAE (Hz)"), ("mape", "MAPE (%)"))
    )
    about = (
        "The paper's encoder on digits beside the one of the tables at scale `small`, and PhysNet, an encoder made for "
        "pulse, which the paper does not have."
    )
    if scale.name == "small":
        about += (
            " The 3-D CNN has 10 views, as in the paper, a batch norm that scales and shifts alone, as in the authors' "
            "pre-training, and 16 steps of 16 clips; the paper has 60 epochs of 64. It learns from 300 clips and is "
            "tested on 250, the others from 1,000 and on 1,000. PhysNet has the views of the scale and a third of its "
            "steps."
        )
    return Study("encoder", "The paper's encoder", about, blocks)


def quickstart(scale: Scale) -> Study:
    """Returns the readouts of the quickstart, beside the paper's numbers."""
    run = Run("flags/quickstart.cfg").but(**{k: v for k, v in scale.sets["rotating_digits"].pretrain.changes
                                             if k in ("data_dir", "steps", "train_clips", "test_clips")})  # fmt: skip
    kinds = {
        "fft_resolved": ("Fourier readout, octave by the pixels, no label", ""),
        "fft_calibrated": ("Fourier readout, harmonic from 10 labels", ""),
        "fft": ("Fourier readout in the band, octave not resolved", "fft"),
        "1nn": ("nearest neighbor, by cross-correlation", "1nn"),
        "1nn_npsd": ("nearest neighbor, by spectrum", ""),
        "probe": ("trained probe on spectra", ""),
        "pixels": ("control: spectrum of the pixels, nothing learned", ""),
    }
    lines = tuple(
        Line(title, tuple(Cell(run, protocol, metric, published.value("table2", "simper", f"{paper} {metric}"))
                          for metric in ("mae", "mape")))
        for protocol, (title, paper) in kinds.items()
    )  # fmt: skip
    block = Block("", ("MAE (Hz)", "MAPE (%)"), lines, ranked=False)
    return Study("quickstart", "The quickstart", "What `make quickstart` ends with, over three seeds.", (block,))
