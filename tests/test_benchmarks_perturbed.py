"""Recordings made worse, and how often a confidence is right, by hand."""

import types

import numpy as np
import pytest

from benchmarks import changes, perturbed, real
from simper_tf.reading import result
from simper_tf.recordings.boxes import WHOLE

TEXTURE = np.random.default_rng(0).integers(60, 180, (10, 20, 1)).astype(np.uint8)
FRAMES = [(0.1 * k, TEXTURE + np.uint8(4 * k)) for k in range(11)]


def answer(spans, hertz, pairs=None):
    """An answer with these repetitions."""
    return result.Answer(
        0,
        "movement",
        spans,
        tuple(end for _, end in spans),
        hertz,
        0.0,
        pairs,
        (),
        WHOLE,
        0.9,
        result.CLEAR,
        np.zeros(2),
        np.zeros(2),
    )


def test_every_change_keeps_what_it_says():
    made = {changed.name: changed for changed in changes.worse(FRAMES)}
    assert len(made) == 14
    assert [at for at, _ in made["half the frame rate"].frames] == [at for at, _ in FRAMES[::2]]
    assert made["70 % of the size"].frames[0][1].shape == (7, 14, 1)
    assert made["1.25 times as fast"].frames[-1][0] == pytest.approx(0.8)
    assert [len(made[f"without the {side} fifth"].frames) for side in ("first", "last")] == [9, 9]
    assert not made["without the last fifth"].whole
    still = made["3 s still before and after"].frames
    assert len(still) == 71
    np.testing.assert_allclose(np.diff([at for at, _ in still]), 0.1)
    again = made["as H.264 of quality 33"].frames
    assert [at for at, _ in again] == [at for at, _ in FRAMES]
    assert max(abs(float(one.mean()) - FRAMES[k][1].mean()) for k, (_, one) in enumerate(again)) < 8


def test_a_camera_that_moves_shows_the_scene_elsewhere():
    (_, first), (_, last) = changes.moved([FRAMES[0]] * 2, np.array([[0, 0], [0, 2]]))
    assert np.abs(first[:, :-2].astype(int) - last[:, 2:]).mean() < 1


def test_answers_are_told_on_the_clock_that_was_filmed():
    faster = next(changed for changed in changes.worse(FRAMES) if "fast" in changed.name)
    reading = result.Reading((), (answer(((0.0, 0.8), (0.8, 1.6)), 1.25, 2.5),), result.CLEAR, ())
    filmed = faster.as_filmed(reading).answers[0]
    assert (filmed.hertz, filmed.pairs) == (pytest.approx(1.0), pytest.approx(2.0))
    np.testing.assert_allclose(filmed.repetitions, [(0, 1), (1, 2)])


def test_an_uneven_clock_meets_the_even_one_at_both_ends():
    uneven = changes.uneven(FRAMES)
    times = np.array([at for at, _ in uneven.frames])
    np.testing.assert_allclose(uneven.clock(times), [at for at, _ in FRAMES], atol=1e-6)
    steps = np.diff(times)
    assert steps.max() / steps.min() > 1.25


def test_what_is_ended_has_no_second_repetition():
    ended = dict(changes.ended(FRAMES, 0.4))
    assert [at for at, _ in ended["1.7 repetitions"]] == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    ended = dict(changes.ended(FRAMES, 0.8))
    assert len(ended) == 5 + len(changes.PANNED)
    assert all([at for at, _ in made] == [at for at, _ in FRAMES] for made in ended.values())
    levels = [
        int(one[0, 0, 0]) - int(TEXTURE[0, 0, 0]) for _, one in ended["half a repetition, before and after it still"]
    ]
    assert levels == sorted(levels)
    assert len(set(levels[:6])) == len(set(levels[-2:])) == 1
    assert len(set(levels)) in (3, 4)
    shuffled = sorted(int(one[0, 0, 0]) for _, one in ended["frames in random order"])
    assert shuffled == [int(one[0, 0, 0]) for _, one in FRAMES]


def test_a_part_of_what_was_counted_has_no_count():
    part = changes.Changed("a part", FRAMES, whole=False)
    assert perturbed.of_part(real.Truth((0.9,), None, 14.0, 1.0), part) is None
    assert perturbed.of_part(real.Truth((0.9,), 0.1, 14.0, 1.0), part).count is None
    form = perturbed.Form("ramp.mkv", real.Truth((0.9,), 0.1, None, 0.0), part)
    assert form.row()["outcome"] == real.SILENT


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


def test_a_report_tells_what_was_ended_apart():
    told = {"confidence": 0.9, "file": "ramp.mkv"}
    table = [
        {**told, "change": "mirrored", "outcome": real.RIGHT, "ended": False, "right": True},
        {**told, "change": "frozen", "outcome": real.REFUSED, "ended": True, "right": False},
    ]
    lines = perturbed.report(table).splitlines()
    assert "| mirrored | 1 | 0 | 0 | 0 | 0 | 0 |" in lines
    assert "| frozen | 1 | 0 |" in lines
    assert "| 0.8 to 0.95 | 2 | 0.90 | 0.50 |" in lines
