"""`simper_tf.evaluate`: every readout of a model on clips and labels at hand."""

import numpy as np
import pytest

import simper_tf
from simper_tf.evaluation import features, protocols, tasks

HERTZ = np.linspace(0.5, 2.0, 12)


def model():
    return simper_tf.SimPer(simper_tf.encoders.frame_mean((1, 1, 1)), seed=3)


def waves(hertz=HERTZ, phase=0.0):
    return np.sin(phase + 2 * np.pi * hertz[:, None] * np.arange(100) / 20)[..., None, None, None]


@pytest.fixture(scope="module")
def rows():
    return simper_tf.evaluate(model(), (waves(), HERTZ), (waves(phase=1.0)[:8], HERTZ[:8]), 20.0)


def errors(rows):
    return {row.protocol: row.value for row in rows if row.metric == "mae"}


@pytest.mark.slow
def test_every_readout_of_a_frequency_has_rows(rows):
    suiting = {name for name, (_, kinds) in protocols.PROTOCOLS.items() if "frequency" in kinds}
    colors = {"green", "chrom", "pos", "chrom_fundamental", "pos_fundamental", "chrom_harmonics", "pos_harmonics"}
    assert set(errors(rows)) == suiting - colors - {"supervised", "contrast_sum"}
    assert {(row.n, row.unit, row.method, row.seed) for row in rows if row.metric == "mae"} == {(8, "Hz", "simper", 3)}


@pytest.mark.slow
def test_pure_waves_are_read_by_fourier_and_by_pixels(rows):
    assert errors(rows)["fft"] < 1e-3
    assert errors(rows)["fft_resolved"] < 1e-3
    assert errors(rows)["pixels"] < 0.01


@pytest.mark.slow
def test_a_task_names_the_unit_of_the_labels():
    found = simper_tf.evaluate(
        model(), (waves(), HERTZ), (waves(), HERTZ), 20, task=tasks.Frequency("bpm", band=(0.4, 2.5))
    )
    assert {row.unit for row in found if row.metric == "mae"} == {"bpm"}


@pytest.mark.parametrize(
    ("train", "sentence"),
    [
        ((waves(), HERTZ[:3]), "12 clips, 3 labels, 0 of them not finite"),
        ((waves(), HERTZ * np.nan), "12 clips, 12 labels, 12 of them not finite"),
        ((waves()[:4], HERTZ[:4]), "`train` must hold 5 clips, or give `validation`. Received: 4."),
        ((waves()[0], HERTZ), "Clips must have the five axes"),
    ],
)
def test_clips_without_their_labels_are_refused(train, sentence):
    with pytest.raises(ValueError, match=sentence):
        simper_tf.evaluate(model(), train, (waves(), HERTZ), 20)


def test_an_encoder_alone_is_no_method():
    with pytest.raises(ValueError, match=r"`model` must be a method, such as simper_tf\.SimPer"):
        simper_tf.evaluate(model().encoder, (waves(), HERTZ), (waves(), HERTZ), 20)


def test_features_without_pixels_are_refused_with_the_remedy():
    bare = features.Features(waves()[..., 0, 0, 0], HERTZ, np.full(12, 20.0), np.arange(12).astype(str))
    with pytest.raises(ValueError, match="Protocols of a frequency need `pixels` and `cells` beside features"):
        protocols.predict(bare, bare, bare, tasks.Frequency("Hz", band=(0.4, 4)))
