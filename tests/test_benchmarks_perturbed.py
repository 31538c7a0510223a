"""Recordings made worse, and the worth of a confidence, by hand."""

import types

import numpy as np
import pytest

from benchmarks import ablation, calibration, changes, perturbed, real
from simper_tf.reading import recording, result

TEXTURE = np.random.default_rng(0).integers(60, 180, (10, 20, 1)).astype(np.uint8)
FRAMES = [(0.1 * k, TEXTURE + np.uint8(4 * k)) for k in range(11)]


def answer(spans, hertz, pairs=None):
    """An answer with these repetitions."""
    return result.Answer(
        0, "movement", spans, hertz, 0.0, pairs, (), (0, 0, 1, 1), 0.9, result.CLEAR, np.zeros(2), np.zeros(2)
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
    ended = dict(changes.ended(FRAMES, 0.8))
    assert len(ended) == 5
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
    table = [
        {
            "file": change,
            "change": change,
            "outcome": outcome,
            "ended": ended,
            "confidence": 0.9,
            "right": not ended,
            "reader": "movement",
        }
        for change, outcome, ended in (("mirrored", real.RIGHT, False), ("frozen", real.REFUSED, True))
    ]
    made = [{**row, "file": f"made {row['file']}"} for row in table]
    lines = perturbed.report(table, made).splitlines()
    assert "| mirrored | 1 | 0 | 0 | 0 | 0 | 0 |" in lines
    assert "| frozen | 1 | 0 |" in lines
    assert "| 0.8 to 0.95 | 2 | 0.90 | 0.50 |" in lines
    assert "4 answers of 4 sources" in "".join(lines)


def rows(source, *told):
    """Rows of a source: confidence and whether it is right."""
    return [{"file": source, "confidence": confidence, "right": right} for confidence, right in told]


def test_a_confidence_that_is_right_as_often_stays_as_it_is():
    table = rows("a", *[(0.8, number < 8) for number in range(10)], *[(0.4, number < 4) for number in range(10)])
    slope, offset = calibration.fitted(table)
    assert slope == pytest.approx(1, abs=0.01)
    assert offset == pytest.approx(0, abs=0.01)


def test_a_source_left_out_does_not_tell_its_own_confidence():
    sure = rows("wrong and sure", *[(0.9, False)] * 4)
    told = (0.9, True), (0.9, True), (0.9, False), (0.3, True), (0.3, False), (0.3, False)
    table = sure + rows("a", *told) + rows("b", *told)
    assert calibration.held_out(table)[:4] == pytest.approx([2 / 3] * 4, abs=0.01)


def test_the_threshold_counts_wrong_answers_twice():
    confidence, right = np.array([0.45, 0.52, 0.58, 0.63, 0.9]), np.array([False, True, False, True, True])
    assert calibration.threshold(confidence, right) == pytest.approx(0.6)
    assert calibration.threshold(confidence[:2], right[:2]) == pytest.approx(0.5)


def test_a_rule_that_is_off_is_on_again_afterwards():
    on = recording.camera.steadied
    with ablation.off("the camera is taken out"):
        assert recording.camera.steadied(TEXTURE) == (TEXTURE, None)
    assert recording.camera.steadied is on


def test_every_rule_that_is_switched_off_is_there():
    for rule in ablation.RULES:
        with ablation.off(rule):
            pass


def test_an_ablation_counts_what_each_rule_off_does():
    form = perturbed.Form("ramp.mkv", real.Truth((0.9,), 0.1, None, 0.0), changes.Changed("as it is", FRAMES))
    lines = ablation.report(ablation.counts([form])).splitlines()
    assert lines[2] == "| none | 0 | 0 | 0 | 1 | 0 | 0 |"
    assert len(lines) == 3 + len(ablation.RULES)
