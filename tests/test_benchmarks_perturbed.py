"""Recordings made worse, and the worth of a confidence, by hand."""

import types

import numpy as np
import pytest

from benchmarks import perturbed, real

FRAMES = [(0.1 * k, np.full((10, 20, 1), 10 * k, np.uint8)) for k in range(11)]


def test_every_variant_keeps_what_it_says():
    made = dict(perturbed.variants(FRAMES))
    assert len(made) == 9
    assert [at for at, _ in made["half the frame rate"]] == [at for at, _ in FRAMES[::2]]
    assert made["70 % of the size"][0][1].shape == (7, 14, 1)
    assert made["1.25 times as fast"][-1][0] == pytest.approx(0.8)
    assert [len(made[f"without the {side} fifth"]) for side in ("first", "last")] == [9, 9]
    again = made["as H.264 of quality 33"]
    assert [at for at, _ in again] == [at for at, _ in FRAMES]
    assert max(abs(int(one.mean()) - 10 * k) for k, (_, one) in enumerate(again)) < 8


def test_what_is_faster_has_a_higher_truth():
    true = real.Truth((0.4,), 0.02, 3.0, 1.0, (0.0, 10.0))
    faster = perturbed.truth_of(true, "1.25 times as fast")
    assert (faster.hertz, faster.near, faster.span) == ((0.5,), 0.025, (0.0, 8.0))
    assert perturbed.truth_of(true, "without the last fifth").count is None


def test_two_clear_answers_are_right_by_their_count_together():
    nine, five = [types.SimpleNamespace(count=count, hertz=0.3, repetitions=(), pairs=None) for count in (9, 5)]
    true = real.Truth((0.9,), None, 14.0, 1.0)
    assert perturbed.is_right(true, types.SimpleNamespace(clear=(nine, five), answers=(nine, five)))
    assert not perturbed.is_right(true, types.SimpleNamespace(clear=(nine,), answers=(nine, five)))
    assert not perturbed.is_right(true, types.SimpleNamespace(clear=(), answers=(nine, five)))


def test_reliability_by_hand():
    table = [{"confidence": c, "right": r} for c, r in ((0.3, False), (0.9, True), (0.9, False), (1.0, True))]
    table.append({"confidence": None, "right": False})
    assert perturbed.reliability(table) == [
        (0.2, 0.5, 1, pytest.approx(0.3), 0.0),
        (0.8, 0.95, 2, pytest.approx(0.9), 0.5),
        (0.95, 1.0, 1, 1.0, 1.0),
    ]
