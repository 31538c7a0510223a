"""Scenes, events and the compression's own repetition on small made series."""

import dataclasses
import types

import cv2
import numpy as np
import pytest
from made_runs import course, run
from scipy import ndimage, special

from simper_tf.reading import fitted, intervals
from simper_tf.reading.films import camera, compression, courses, events, film_reader, movement, stretches, verdict
from simper_tf.signals import filters


def test_events_reach_halfway_to_their_neighbours():
    starts, ends = intervals.bounds(np.array([10.0, 20.0, 30.0]))
    np.testing.assert_allclose(starts, [5, 15, 25])
    np.testing.assert_allclose(ends, [15, 25, 35])


def test_a_pause_belongs_to_no_event():
    starts, ends = intervals.bounds(np.array([10.0, 20.0, 30.0, 80.0, 90.0]))
    assert ends[2] == pytest.approx(39)
    assert starts[3] == pytest.approx(71)


def test_equal_events_are_alike_while_the_tempo_changes():
    phase = np.concatenate((np.linspace(0, 1, 40, False), np.linspace(1, 2, 48, False), np.linspace(2, 3, 40, False)))
    made = course(np.cos(2 * np.pi * phase), np.sin(2 * np.pi * phase), np.sin(4 * np.pi * phase))
    assert run(made, [20, 64, 108]).alike[0].min() > 0.85


def test_steady_tempo_leaves_pauses_out():
    assert intervals.frequency(np.array([0.0, 10, 20, 30, 90, 100])) == pytest.approx(0.1)


def test_peaks_off_by_noise_are_moved_to_their_events():
    angle = 2 * np.pi * np.arange(60) / 20
    made = course(np.cos(angle), np.sin(angle), np.sin(2 * angle))
    aligned = events.aligned(run(made, [11.5, 29.5, 50.5]))
    np.testing.assert_allclose(np.diff(aligned.marks), 20, atol=0.2)
    assert aligned.marks.mean() == pytest.approx(30.5)


def test_the_median_of_a_few_gaps_is_that_of_numpy():
    marks = np.array([0.0, 9.0, 20.0, 33.0, 80.0])
    np.testing.assert_array_equal(intervals.steady_gaps(marks), [9, 11, 13])
    _, ends = intervals.bounds(marks)
    assert ends[3] - marks[3] == pytest.approx(intervals.PAUSE / 2 * np.median(np.diff(marks)))


def test_missed_events_at_the_ends_are_added():
    phase = np.arange(300) / 50
    made = course(np.cos(2 * np.pi * phase), np.sin(2 * np.pi * phase), np.sin(4 * np.pi * phase))
    assert len(events.extended(run(made, [100, 150, 200])).marks) >= 5


@pytest.mark.parametrize("stood", [40, 60, 100])
def test_standing_before_and_after_is_no_repetition(stood):
    wave = np.sin(np.pi * np.arange(200) / 50) ** 2
    states = np.stack([np.pad(part, stood) for part in (wave, wave**2, 0.3 * wave)])
    # A filter that takes out what is slow leaves a slope where somebody stands.
    made = course(*(states - ndimage.gaussian_filter1d(states, 40, axis=1, mode="nearest")))
    marks = stood + np.arange(25, 200, 50)
    np.testing.assert_allclose(events.extended(run(made, marks)).marks, marks)
    assert len(events.extended(run(made, marks[1:-1])).marks) == 4


def pictures(seed, number=10):
    """Frames of one random picture."""
    picture = np.random.default_rng(seed).integers(0, 255, (1, 24, 32, 1))
    return np.repeat(picture, number, 0).astype(np.uint8)


def test_a_cut_is_found_between_two_pictures():
    assert stretches.cuts(np.concatenate((pictures(0), pictures(1), pictures(2))), 15.0) == [10, 20]


def test_a_flash_of_light_is_no_cut():
    frames = pictures(0, 20).astype(int) // 2
    frames[10:] += 100
    assert stretches.cuts(frames.astype(np.uint8), 15.0) == []


def test_key_frames_of_a_flat_picture_are_no_cuts():
    rng, noise = np.random.default_rng(1), lambda rng: rng.normal(0, 3, (48, 64, 1))
    # A codec repeats the noise of a key frame until the next one, a second later.
    frames = np.concatenate([np.repeat(noise(rng)[None] + 120, 15, axis=0) for _ in range(6)])
    assert stretches.cuts(np.rint(frames).astype(np.uint8), 15.0) == []


@pytest.mark.parametrize("height", [24, 40])
def test_digits_that_count_down_are_no_cuts(height):
    frames = np.full((90, 48, 64, 1), 20, np.uint8)
    for second in range(6):
        digit = np.zeros((48, 64), np.uint8)
        cv2.putText(digit, str(6 - second), (22, 38), cv2.FONT_HERSHEY_SIMPLEX, height / 24, 255, 2)
        frames[15 * second : 15 * second + 15, ..., 0] = np.maximum(digit, 20)
    assert stretches.cuts(frames, 15.0) == []


def test_a_long_hole_ends_a_scene_and_is_not_filled():
    times = np.concatenate([np.arange(20) / 20, 122 + np.arange(20) / 20, 12000 + np.arange(20) / 20])
    pieces = list(stretches.cut(zip(times, pictures(0, 60), strict=True)))
    assert [len(piece.times) for piece in pieces] == [20, 20, 20]
    assert [piece.scene for piece in pieces] == [0, 1, 2]
    slow = list(stretches.cut(zip(6.0 * np.arange(10), pictures(0), strict=True)))
    assert [len(piece.times) for piece in slow] == [10]  # Frames that are all so far apart have no hole.


def test_stretches_share_an_eighth_and_the_last_a_quarter():
    pieces = list(stretches.cut(zip(np.arange(1300) / 5, pictures(0, 1300), strict=True)))
    assert {piece.scene for piece in pieces} == {0}
    edges = [(piece.times[0], piece.times[-1]) for piece in pieces]
    np.testing.assert_allclose(edges, [(0, 120), (105, 225), (195, 259.8)], atol=1.0)


def test_a_moving_camera_is_held_still():
    rng = np.random.default_rng(0)
    wide = filters.smooth_twice(filters.smooth_twice(rng.normal(size=(60, 70)), 3).T, 3).T
    wide = 100 + 300 * wide.astype(np.float32)
    across = np.rint(4 * np.sin(np.arange(40) / 6)).astype(int)
    frames = np.stack([wide[5:45, 8 + at : 58 + at] for at in across])[..., None]
    steady, path = camera.steadied(frames)
    np.testing.assert_allclose(path[:, 1] - path[:, 1].mean(), across.mean() - across, atol=0.1)
    np.testing.assert_allclose(path[:, 0], 0, atol=0.1)
    inner = np.s_[:, 8:-8, 8:-8]
    assert steady[inner].std(0).mean() < 0.5 * frames[inner].std(0).mean()


def test_one_mover_is_not_the_camera():
    rng = np.random.default_rng(0)
    frames = np.repeat(rng.uniform(80, 120, (1, 40, 56, 1)).astype(np.float32), 30, 0)
    for at in range(30):
        frames[at, 10:20, at : at + 10] = 250
    assert camera.steadied(frames)[1] is None


@pytest.mark.slow
def test_a_pan_over_a_still_repeats_nothing():
    rng = np.random.default_rng(0)
    wide = 100 + 40 * filters.smooth_twice(filters.smooth_twice(rng.normal(size=(60, 90)), 1.5).T, 1.5).T
    frames = []
    for moment in range(120):
        shift = np.array([[1, 0, -0.1 * moment], [0, 1, 0]])
        frames.append(cv2.warpAffine(wide, shift, (64, 44), flags=cv2.INTER_LINEAR))
    frames = np.clip(np.rint(frames), 0, 255).astype(np.uint8)[..., None]
    assert not film_reader.reading_of_frames(zip(np.arange(120) / 20, frames, strict=True)).clear


def test_few_textured_tiles_tell_a_pan_but_no_swing():
    spot = np.exp(-((np.arange(44)[:, None] - 16) ** 2 + (np.arange(64) - 24) ** 2) / 18)
    shifts = {"pan": 0.1 * np.arange(80), "swing": 4 * np.sin(np.arange(80) / 5)}
    paths = {}
    for name, across in shifts.items():
        matrices = [np.array([[1, 0, at], [0, 1, 0]]) for at in across]
        frames = [cv2.warpAffine(90 + 100 * spot, one, (64, 44), borderValue=90) for one in matrices]
        paths[name] = camera.steadied(np.float32(frames)[..., None])[1]
    assert np.ptp(paths["pan"][:, 1]) == pytest.approx(7.9, abs=0.5)
    assert paths["swing"] is None


def test_a_scene_lies_between_fade_in_and_fade_out():
    light = np.concatenate((np.zeros(5), np.linspace(0, 1, 11), np.ones(30), np.linspace(1, 0, 11), np.zeros(5)))
    frames = (light[:, None, None, None] * pictures(0, 62)).astype(np.uint8)
    pieces = list(stretches.cut(zip(np.arange(62) / 15, frames, strict=True)))
    assert [len(piece.times) for piece in pieces] == [15, 32, 15]


def test_a_scene_too_dark_to_have_faded_in_stays_whole():
    frames = np.zeros((20, 8, 8, 1), np.uint8)
    frames[::2, 4, 4] = 100
    assert len(list(stretches.cut(zip(np.arange(20) / 15, frames, strict=True)))) == 1


def candidate(hertz, confidence, first=0.0, last=100.0, alike=0.9):
    """A candidate that lasts from one sample to another, and is seen as well as its events are alike."""
    marks = np.array([first + 2, (first + last) / 2, last - 2])
    shown = verdict.Evidence(3, alike, 1.0, 0.5, 1.0, 2.0, np.ones(1), np.ones(1))
    return movement.Candidate(
        events.Run(marks, marks - 2, np.append(marks[:-1] + 2, last), course(np.zeros(101))),
        hertz,
        False,
        shown,
        confidence,
    )


def test_a_half_is_told_as_its_full_cycle_where_both_are_as_sure():
    half, cycle = candidate(0.2, 0.8), candidate(0.1, 0.75, alike=0.85)
    told = movement.whole_cycle(half, [half, cycle], 0.2, 0.5)
    assert (told.hertz, told.pairs, told.confidence) == (0.1, True, 0.8)
    assert movement.whole_cycle(cycle, [half, cycle], 0.2, 0.5).pairs


def test_a_half_the_network_alone_makes_surer_is_no_cycle():
    half, cycle = candidate(0.2, 0.9), candidate(0.1, 0.05)
    told = movement.whole_cycle(half, [half, cycle], 0.2, 0.5)
    assert (told.hertz, told.pairs, told.confidence) == (0.1, True, 0.9)
    less = candidate(0.1, 0.05, alike=0.89)
    assert movement.whole_cycle(half, [half, less], 0.2, 0.5) == half


@pytest.mark.parametrize(("confidence", "are_named"), [(0.3, True), (0.1, False), (None, False)])
def test_halves_of_one_course_are_named_where_they_are_seen(confidence, are_named):
    cycle = dataclasses.replace(candidate(0.1, 0.9), pairs=True)
    ranked = [cycle] if confidence is None else [cycle, candidate(0.2, confidence)]
    assert movement.whole_cycle(cycle, ranked, 0.2, 0.5).pairs == are_named


def test_a_half_that_is_much_surer_stays_as_it_is():
    half, cycle = candidate(0.2, 0.9), candidate(0.1, 0.6, alike=0.7)
    assert movement.whole_cycle(half, [half, cycle], 0.2, 0.5) == half
    assert movement.whole_cycle(half, [half, candidate(0.1, 0.9, last=40.0)], 0.2, 0.5) == half


def test_clear_cycles_of_parts_of_the_time_make_a_half():
    half, early, late = candidate(0.2, 0.9), candidate(0.1, 0.9, last=40.0), candidate(0.1, 0.8)
    late = dataclasses.replace(late, run=types.SimpleNamespace(**{**vars(late.run), "starts": np.array([50.0])}))
    assert movement.whole_cycle(half, [half, early], 0.2, 0.5) == half
    assert movement.whole_cycle(half, [half, early, late], 0.2, 0.5).hertz == 0.1


def placed(marks, confidence):
    """A candidate of events at some samples."""
    marks = np.array(marks, float)
    shown = verdict.Evidence(len(marks), 0.9, 1.0, 0.5, 1.0, 2.0, np.ones(1), np.ones(1))
    some = run(course(np.zeros(101)), marks)
    return movement.Candidate(some, intervals.frequency(marks), False, shown, confidence)


def test_the_most_even_part_does_not_stand_for_all_repetitions():
    part, whole = placed([30, 40, 50], 0.9), placed([8, 19, 31, 41, 51, 62, 75], 0.85)
    assert movement.longer(part, [part, whole]) == [whole]
    assert movement.longer(part, [part, dataclasses.replace(whole, confidence=0.6)]) == []
    faster = placed(np.arange(10, 90, 5), 0.85)
    assert movement.longer(part, [part, faster]) == []


def test_candidates_are_confirmed_by_others_of_their_tempo():
    some = [candidate(0.2, 0.9), candidate(0.1, 0.8)]
    assert movement.confirmed(some, [candidate(0.1, 0.5), candidate(0.203, 0.4)]) == some[1:]
    assert movement.confirmed(some, [candidate(0.203, 0.45)]) == some[:1]
    assert movement.confirmed(some, []) == []


def returning(hertz, energy):
    """A candidate of five events that returns in the first of two tiles, by a mean square summed over its pixels."""
    one = candidate(hertz, 0.9)
    scores = np.random.default_rng(0).normal(size=(101, 2, 12)).astype(np.float32)
    moving = dataclasses.replace(one.run.course, rung=courses.Rung(30 * scores, 100.0, scores))
    energy = events.SAMPLES * (4 + 3) * np.array([energy, 8100.0])
    shown = verdict.Evidence(5, 0.9, 3.0, 0.0, 1.0, 9.0, np.array([1.0, -0.2]), energy)
    return dataclasses.replace(one, run=dataclasses.replace(one.run, course=moving), evidence=shown)


@pytest.mark.parametrize(("hertz", "gray", "is_kept"), [(0.25, 0.9, False), (0.25, 1.1, True), (0.26, 0.9, True)])
def test_a_faint_pattern_of_frames_is_no_repetition(hertz, gray, is_kept):
    # One of two tiles returns, by so many gray levels in the mean of its 50 pixels. The other moves for itself.
    one = returning(hertz, 50 * gray**2)
    assert bool(compression.without([one], 100, np.zeros(2), (), 10.0)) == is_kept


@pytest.mark.parametrize(("hertz", "keys", "is_kept"), [(0.25, (0.0, 1.2, 2.4), False), (0.26, (0.0, 1.2, 2.4), True),
                                                      (0.25, (), True)])  # fmt: skip
def test_shifts_in_a_pattern_of_coded_frames_are_left_out(hertz, keys, is_kept):
    one = candidate(hertz, 0.9)
    shown = dataclasses.replace(one.evidence, alike=0.95, chance=0.5, rival=0.1)
    assert bool(film_reader._agreed([dataclasses.replace(one, evidence=shown)], keys, 10.0)) == is_kept


@pytest.mark.parametrize(("step", "is_kept"), [(0.1, True), (0.2, False), (1.2, False)])
def test_frames_that_are_all_stored_whole_have_no_pattern(step, is_kept):
    faint, keys = returning(0.25, 50 * 0.9**2), tuple(np.arange(0.0, 10.0, step))
    assert bool(compression.without([faint], 100, np.zeros(2), keys, 10.0)) == is_kept


@pytest.mark.parametrize(("hertz", "gray", "is_kept"), [(0.15, 0.9, False), (0.15, 1.1, True), (0.17, 0.9, True)])
def test_what_is_faint_in_step_with_key_frames_is_none(hertz, gray, is_kept):
    # Key frames come every two seconds, of ten frames each: three cycles of 0.15 a frame.
    one, keys = returning(hertz, 50 * gray**2), tuple(np.arange(0.0, 10.0, 2.0))
    assert bool(compression.without([one], 100, np.zeros(2), keys, 10.0)) == is_kept


@pytest.mark.parametrize(
    ("gray", "is_steadied", "is_kept"),
    [(0.14, False, False), (0.16, False, True), (0.34, True, False), (0.36, True, True)],
)
def test_what_pixels_make_of_edges_is_no_repetition(gray, is_steadied, is_kept):
    # The second derivative across the first tile, 5 pixels wide, is 2, 3, 4, 4 and 4: 3.5 in root mean square.
    steady = np.tile(2 * np.arange(20.0) ** 2, (101, 20, 1))[..., None]
    one = returning(0.26, 25 * gray**2)
    least = camera.faintest(steady, is_steadied)
    assert bool(compression.without([one], 400, least, (), 10.0)) == is_kept


def test_a_picture_that_contradicts_lowers_the_confidence():
    shown = verdict.Evidence(5, 0.95, 1.4, 0.0, 0.9, 3.0, np.full(4, 0.8), np.ones(4))
    apart = special.logit([verdict.confidence(dataclasses.replace(shown, explained=one)) for one in (0.0, -0.2, -2.0)])
    weight = fitted.coefficients(verdict.COEFFICIENTS)["alone"]["weights"]["explained"]
    np.testing.assert_allclose(-np.diff(apart), weight * np.array([0.2, 0.8]))


def test_the_network_moves_the_confidence_both_ways():
    shown = verdict.Evidence(5, 0.8, 1.0, 0.4, 0.9, 3.0, np.full(4, 0.8), np.ones(4), chance=0.4, rival=0.4)
    sure, unsure = (dataclasses.replace(shown, chance=one, rival=other) for one, other in ((0.8, 0.1), (0.1, 0.8)))
    assert verdict.confidence(unsure) < verdict.confidence(shown) < verdict.confidence(sure)
