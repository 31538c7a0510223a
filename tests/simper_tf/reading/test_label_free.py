"""Scores of readings without labels, by hand-computed cases."""

import numpy as np
import pytest

from simper_tf.evaluation.features import Features
from simper_tf.reading import agreement
from simper_tf.reading.scores import Reading

RUN = {"dataset": "d", "config": "c", "method": "m", "encoder": "e", "seed": 0, "commit": "", "seconds": 1.0}


def readings(name, frequencies, scores):
    return [Reading(name, f, s) for f, s in zip(frequencies, scores, strict=True)]


def test_agreement_counts_clips_where_the_other_readout_repeats():
    found = {
        "fft_resolved": readings("fft_resolved", [1.0, 2.0, 3.0, 1.0], [0.9, 0.4, 0.5, 0.2]),
        "pixels": readings("pixels", [1.04, 1.0, 3.0, 1.0], [0.9, 0.9, 0.8, 0.1]),
        "selfdistance": readings("selfdistance", [np.nan] * 4, [0.0] * 4),
    }
    rows = agreement.score(found, ["a", "a", "b", "b"], **RUN)
    values = {(row.protocol, row.metric.removeprefix("label_free_")): (row.value, row.n) for row in rows}
    assert values == {
        ("fft_resolved", "periodic"): (0.5, 4),
        ("fft_resolved", "confidence"): (pytest.approx(0.5), 4),
        ("pixels", "periodic"): (0.75, 4),
        ("pixels", "confidence"): (pytest.approx(0.675), 4),
        ("selfdistance", "periodic"): (0.0, 4),
        ("selfdistance", "confidence"): (0.0, 4),
        ("fft_resolved", "agreement_pixels"): (pytest.approx(2 / 3), 3),
    }
    assert all(row.low <= row.value <= row.high and row.unit == "" for row in rows)


def test_a_table_names_untrained_readouts_and_their_confidence():
    found = {
        "fft_resolved": readings("fft_resolved", [1.0, 2.0], [0.9, 0.4]),
        "pixels": readings("pixels", [1.04, 1.0], [0.8, 0.7]),
        "selfdistance": readings("selfdistance", [np.nan, 3.0], [0.0, 0.1]),
    }
    frequencies, sure = agreement.columns(found)
    np.testing.assert_array_equal(frequencies.pop("label_free_pixels"), [1.04, 1.0])
    np.testing.assert_array_equal(frequencies.pop("label_free_selfdistance"), [np.nan, 3.0])
    assert not frequencies
    assert {name: each.tolist() for name, each in sure.items()} == {
        "confidence of fft_resolved": [0.9, 0.4],
        "confidence of pixels": [0.8, 0.7],
        "confidence of selfdistance": [0.0, 0.1],
    }


def test_clips_of_a_single_recording_have_intervals_over_clips():
    found = {
        name: readings(name, [1.0] * 4, [0.9, 0.9, 0.1, 0.1]) for name in ("fft_resolved", "pixels", "selfdistance")
    }
    rows = {row.metric: row for row in agreement.score(found, ["a"] * 4, **RUN)}
    assert rows["label_free_periodic"].low < 0.5 < rows["label_free_periodic"].high


def test_a_moving_bar_is_read_by_all_three_and_noise_by_none():
    random, times, columns = np.random.default_rng(0), np.arange(100) / 10, np.arange(24)
    bar = 40 + 180 * np.exp(-(((columns - 12 - 6 * np.sin(2 * np.pi * 0.8 * times)[:, None]) / 3) ** 2))
    bar = np.repeat(bar[:, None, :, None], 18, axis=1).astype(np.uint8)
    noise = random.integers(0, 256, bar.shape, np.uint8)
    series = np.stack([np.sin(2 * np.pi * 0.8 * times), random.standard_normal(100)]).astype(np.float32)
    features = Features(series, np.full(2, np.nan), np.full(2, 10.0), np.array(["a", "b"]))
    found = agreement.read([bar, noise], features, "fft_resolved", np.array([0.8, 0.8]), (0.4, 2.0))
    assert list(found) == ["fft_resolved", "pixels", "selfdistance"]
    for name, (first, second) in found.items():
        assert first.frequency == pytest.approx(0.8, abs=0.01), name
        assert first.score > 0.9 > 0.5 > second.score, name
