"""Words of evaluation on features that do not follow the speeds of views."""

import types

import numpy as np
import pytest
import tensorflow as tf

from simper_tf.training.settings import Settings
from trainers import scores


@pytest.fixture
def said(capsys):
    """Returns a function that gives what is said of a run whose features follow speeds by that correlation."""

    def say(correlation, **settings):
        logs = {"speed_correlation": correlation, "speed_slope": 0.5}
        model = types.SimpleNamespace(
            distribute_strategy=types.SimpleNamespace(num_replicas_in_sync=1),
            log_names=lambda: list(logs),
            evaluate=lambda batches, verbose: logs,
        )
        examples = tf.data.Dataset.from_tensor_slices({"clip": np.zeros((6, 8, 2, 2, 1), np.uint8)})
        clips = types.SimpleNamespace(split=lambda name, limit: (examples, 6))
        scores.say_whether_it_learned(clips, model, Settings(**settings))
        return capsys.readouterr().out

    return say


def test_features_that_follow_the_speed_are_not_warned_of(said):
    text = said(0.9)
    assert "features follow the speed: correlation 0.900, slope 0.500" in text
    assert "WARNING" not in text


def test_where_nothing_was_learned_steady_views_are_advised(said):
    linear, steady = said(0.1), said(0.1, interpolation="steady")
    for text in (linear, steady):
        assert "WARNING: features do not follow the speed of views. Nothing was learned" in text
    assert "--interpolation=steady" in linear
    assert "--interpolation=steady" not in steady


@pytest.mark.parametrize(
    ("octave", "correlation", "verdict"),
    [
        ({"divisor": 2, "agreement": 1.0, "voting": 1.0}, 0.934, "Features follow the speed (0.93) and rise twice a"),
        ({"divisor": 1, "agreement": 1.0, "voting": 1.0}, 0.2, "Features rise once a repetition. Frequencies read"),
        ({"divisor": 2, "agreement": 0.6, "voting": 1.0}, None, "Features do not rise equally often in all clips."),
    ],
)
def test_a_verdict_says_what_features_do_and_how_far_they_err(capsys, octave, correlation, verdict):
    row = types.SimpleNamespace(protocol="fft_resolved", metric="mae", value=0.000214, unit="Hz")
    prediction = types.SimpleNamespace(found={"octave": octave})
    scores.say_verdict([row], {"fft_resolved": prediction}, correlation)
    text = capsys.readouterr().out
    assert text.startswith(verdict)
    assert text.endswith("Frequencies read without labels are off by 0.00021 Hz on average.\n")


@pytest.mark.parametrize(
    ("off", "said"),
    [
        (1.94, "Its own head is off by 1.9 Hz: train it longer, or export --readout=fft_resolved."),
        (0.00012, "Its own head is off by 0.00012 Hz."),
    ],
)
def test_a_head_behind_the_fourier_transform_is_named(capsys, off, said):
    rows = [
        types.SimpleNamespace(protocol=protocol, metric="mae", value=value, unit="Hz")
        for protocol, value in (("fft_resolved", 0.000214), ("supervised", off))
    ]
    octave = {"divisor": 2, "agreement": 1.0, "voting": 1.0}
    scores.say_verdict(rows, {"fft_resolved": types.SimpleNamespace(found={"octave": octave})}, None)
    assert capsys.readouterr().out.splitlines()[-1] == said


def test_there_is_no_verdict_without_an_error(capsys):
    scores.say_verdict([], {}, 0.9)
    assert capsys.readouterr().out == ""
