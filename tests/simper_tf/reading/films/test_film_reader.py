"""Whole recordings with a known answer."""

import functools

import generated
import numpy as np
import pytest

from simper_tf.reading import intervals, result
from simper_tf.reading.films import film_reader


@functools.cache
def read(kind):
    """Clip of a kind, and its reading."""
    clip = getattr(generated, kind)(0)
    return clip, film_reader.reading_of_frames(clip.pairs(), keys=clip.keys)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [make.__name__ for make in generated.REPEATING])
def test_what_repeats_is_read_at_its_own_tempo(kind):
    clip, reading = read(kind)
    assert reading.verdict == result.CLEAR
    for hertz in clip.hertz:
        assert any(abs(answer.hertz / hertz - 1) < 0.05 for answer in reading.clear)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [make.__name__ for make in generated.NOT_REPEATING])
def test_what_does_not_repeat_gets_no_number(kind):
    assert not read(kind)[1].clear


@pytest.mark.slow
def test_every_repetition_has_its_start_and_end():
    _, reading = read("steady")
    answer = reading.clear[0]
    assert answer.count == 6
    assert reading.notes == ()
    spans = np.array(answer.repetitions)
    np.testing.assert_allclose(np.diff(spans, axis=1)[1:-1], 2.0, atol=0.1)
    np.testing.assert_allclose(spans[1:, 0], spans[:-1, 1], atol=1e-6)


@pytest.mark.slow
def test_a_rest_between_lifts_is_a_pause_not_a_repetition():
    _, reading = read("paused")
    assert sum(answer.count for answer in reading.clear) == pytest.approx(9, abs=1)
    pauses = [pause for answer in reading.clear for pause in answer.pauses]
    resting = (5 / 0.6, 5 / 0.6 + 6)
    inside = [end - start for start, end in pauses if start > resting[0] - 1.5 and end < resting[1] + 1.5]
    assert len(reading.clear) == 2 or sum(inside) > 4


@pytest.mark.slow
def test_two_movers_have_two_places():
    _, reading = read("two_movers")
    left, right = sorted((answer.box for answer in reading.clear), key=lambda box: box.left)
    assert left.right <= right.left + 0.1


@pytest.mark.slow
def test_each_scene_is_read_by_itself():
    _, reading = read("cut_material")
    np.testing.assert_allclose([scene.start for scene in reading.scenes], np.arange(5) * 2.4, atol=0.01)
    assert "The recording has 5 scenes; each was read by itself." in reading.notes


@pytest.mark.parametrize(("level", "verdict"), [(0, result.BLACK), (90, result.STILL)])
def test_frames_that_are_all_alike_are_told(level, verdict):
    frames = np.full((30, 16, 16, 1), level, np.uint8)
    reading = film_reader.reading_of_frames(zip(np.arange(30) / 15, frames, strict=True))
    assert reading.verdict == verdict
    assert reading.notes


@pytest.mark.slow
def test_two_repetitions_are_too_few():
    clip = generated.steady(1, hertz=0.5, seconds=4.2)
    reading = film_reader.reading_of_frames(clip.pairs())
    assert reading.verdict == result.TOO_FEW
    assert reading.answers[0].count == 2


@pytest.mark.parametrize("seconds", [6.8, 8.8, 9.0, 9.4])
def test_two_cycles_of_two_sides_are_read_as_their_sides(seconds):
    times = np.arange(0, seconds, 0.04)
    lean = np.where(times % 4.0 < 2.0, 1, -1) * np.sin(np.pi * times / 2.0) ** 2
    y, x = np.mgrid[:40, :60]
    arm = np.exp(-(((x - 30 - 7 * lean[:, None, None]) / 4) ** 2) - ((y - 10) / 3) ** 2)
    hand = np.exp(-(((x - 30) / 3) ** 2) - ((y - 34 + 5 * np.abs(lean)[:, None, None]) / 3) ** 2)
    frames = np.uint8(100 + 80 * arm + 70 * hand)[..., None]
    answers = film_reader.reading_of_frames(zip(times, frames, strict=True)).clear
    assert [answer.hertz for answer in answers] == [pytest.approx(0.5, rel=0.02)]


@pytest.mark.parametrize("growth", [0.0, 1.0])
def test_digits_of_a_clock_beside_what_moves_are_no_answer(growth):
    times, random = np.arange(300) / 30, np.random.default_rng(0)
    digits = random.integers(0, 255, (10, 4, 4))[(10 * times).astype(int) % 10]  # Tenths of a second.
    path = np.cumsum(random.normal(size=(300, 2)), axis=0) * growth
    y, x = np.mgrid[:45, :80]
    disc = np.hypot(y - 25 - path[:, 0, None, None] % 15, x - 30 - path[:, 1, None, None] % 25) < 8
    frames = np.uint8(np.where(disc, 30, 200))
    frames[:, 2:6, 70:74] = digits
    reading = film_reader.reading_of_frames(zip(times, frames[..., None], strict=True))
    assert [round(answer.hertz, 2) for answer in reading.clear] == [1.0] * (not growth)


def test_no_frames_are_too_short():
    assert film_reader.reading_of_frames([]).verdict == result.TOO_SHORT


@pytest.mark.slow
def test_a_band_leaves_out_what_is_outside():
    reading = film_reader.reading_of_frames(generated.steady(0).pairs(), band=(0.8, 3.0))
    assert all(0.8 <= answer.hertz <= 3.0 for answer in reading.clear)


def beside(first, second):
    """Hertz of the clear answers on two things side by side that go up and down, the second's harmonic with it."""
    times = np.arange(24 * 15) / 15.0
    heights = [20 + 9 * np.sin(2 * np.pi * hertz * times) for hertz in (first, second)]
    heights[1] += 3 * np.sin(4 * np.pi * second * times)
    places = [
        np.stack((height, np.full_like(times, across)), -1) for height, across in zip(heights, (16, 48), strict=True)
    ]
    clip = generated.finish(
        np.random.default_rng(0), times, 60 + generated.blobs(times, np.stack(places, 1)), noise=1.0
    )
    return sorted(answer.hertz for answer in film_reader.reading_of_frames(clip.pairs()).clear)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.15, 1.3, 1.44, 1.6, 2.6, 3.2])
def test_two_tempos_in_two_places_are_both_told(ratio):
    assert beside(0.5, 0.5 * ratio) == [pytest.approx(0.5, rel=0.02), pytest.approx(0.5 * ratio, rel=0.02)]


@pytest.mark.slow
def test_one_tempo_in_two_places_is_one_movement():
    assert len(beside(0.5, 0.5)) == 1


@pytest.mark.slow
def test_twice_the_clock_is_half_the_tempo():
    clip = generated.steady(0)
    slow = film_reader.reading_of_frames(zip(2 * clip.times, clip.frames, strict=True))
    assert slow.clear[0].hertz == pytest.approx(0.25, rel=0.02)


@pytest.mark.slow
def test_jittered_times_are_spread_evenly():
    clip = generated.steady(0)
    times = clip.times + np.random.default_rng(0).uniform(-0.02, 0.02, len(clip.times))
    assert film_reader.reading_of_frames(zip(times, clip.frames, strict=True)).clear[0].hertz == pytest.approx(
        0.5, rel=0.03
    )


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "is_read"), [(30.0, True), (9.6, False)])
def test_the_pulse_of_still_skin_is_read_from_its_color(rate, is_read):
    rng = np.random.default_rng(0)
    times = np.arange(300) / rate
    skin = np.array([190.0, 130.0, 110.0]) + 6 * rng.normal(size=(20, 20, 1))
    beat = np.sin(2 * np.pi * 1.2 * times)[:, None, None, None] * np.array([0.3, 0.8, 0.4])
    frames = np.clip(skin + beat + 2 * rng.normal(size=(300, 20, 20, 3)), 0, 255).astype(np.uint8)
    reading = film_reader.reading_of_frames(zip(times, frames, strict=True))
    # Every eighth frame at 9.6 a second: encoders change colors as often.
    assert [answer.hertz for answer in reading.clear] == ([pytest.approx(1.2, abs=0.03)] if is_read else [])


def test_no_repetition_takes_more_than_its_share_of_a_pause():
    marks = np.array([10.0, 20, 30, 60, 70, 80])
    starts, ends = intervals.beside_pauses(marks, *intervals.bounds(marks))
    np.testing.assert_allclose(starts, [5, 15, 25, 55, 65, 75])
    np.testing.assert_allclose(ends, [15, 25, 35, 65, 75, 85])
