"""Series are read in stretches: at the right rate, on the channel that beats, and not where nothing does."""

import warnings

import numpy as np
import pytest

from simper_tf.reading import result
from simper_tf.reading.series import beat_stretches, beats, series_reader, spectral_lines, tempo_spans
from simper_tf.recordings import boxes

RNG = np.random.default_rng(3)


def pulse(times, hertz):
    return np.cos(2 * np.pi * hertz * times) + 0.6 * np.sin(4 * np.pi * hertz * times)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_course_is_of_the_channel_on_which_beats_are(place):
    times = np.arange(0, 20, 0.02)
    values = RNG.normal(size=(len(times), 3))
    values[:, place] = 5 * pulse(times, 1.2)
    answer = series_reader.reading_of_samples(times, values, band=(0.6, 3.5)).answers[0]
    shown = np.interp(answer.times, times, values[:, place])
    assert abs(np.corrcoef(shown, answer.course)[0, 1]) > 0.9
    assert answer.box == boxes.WHOLE


def beats_of(hertz, confidence, second=None):
    """Beats with candidates of a frequency and of a second one that is somewhat less likely."""
    rows = [(frequency, odds) for frequency, odds in ((hertz, 1.0), (second, 0.5)) if frequency]
    tries = [
        beats.Try("wave", frequency, np.arange(5) / frequency, np.ones(5), 0.8, 0.0, 0.05, 0.0, odds=odds)
        for frequency, odds in rows
    ]
    return beats.Beats(confidence, tuple(tries))


def test_another_rhythm_is_named_beside_one_that_is_not_sure():
    unclear, clear, sure, alone = (beats_of(1.2, *rest) for rest in ((0.4, 0.8), (0.7, 0.8), (0.95, 0.8), (0.7,)))
    assert beat_stretches._second(unclear) == "Unclear: 1.2 Hz, or 0.8 Hz. Name a `band` to choose."
    assert beat_stretches._second(clear) == "The first is likelier: 1.2 Hz, or 0.8 Hz."
    assert [beat_stretches._second(one) for one in (sure, alone)] == [None, None]


@pytest.mark.parametrize(
    ("fast", "slow", "told"),
    [
        ((1.65, 0.99), (0.537, 0.56), 1.65), ((1.65, 0.99), (0.55, 0.98), 1.65), ((1.65, 0.6), (0.55, 0.98), 0.55),
        ((1.6, 0.99), (0.8, 0.95), 0.8), ((1.6, 0.99), (0.8, 0.56), 1.6), ((1.6, 0.7), (0.9, 0.99), 1.6),
    ],
    ids=["likelier", "threes", "unsure threes", "pair", "doubtful pair", "no multiple"],
)  # fmt: skip
def test_of_two_rhythms_the_likelier_one_is_told(fast, slow, told):
    assert tempo_spans._preferred([beats_of(*fast), beats_of(*slow)]).frequency == told


def test_a_pattern_of_three_is_named_beside_the_beat():
    heard = beats_of(1.65, 0.99)
    assert beat_stretches._pattern(heard, [0.2, 0.55]) == "1.65 Hz may come in threes: 0.55 Hz."
    assert beat_stretches._pattern(heard, [0.825]) is None


@pytest.mark.slow
@pytest.mark.parametrize("hertz", [0.3, 1.25, 2.6, 5.0, 8.0])
def test_without_a_band_a_wave_is_read_at_its_own_frequency(hertz):
    times = np.arange(0, 30, 0.02)
    (answer,) = series_reader.reading_of_samples(
        times, pulse(times, hertz)[:, None] + 0.1 * RNG.normal(size=(len(times), 1))
    ).clear
    assert answer.hertz == pytest.approx(hertz, rel=0.02)


def test_without_a_band_spikes_of_a_heart_are_read_at_its_rate():
    times = np.arange(0, 10, 0.01)
    place = (1.25 * times + 0.3) % 1 - 0.5
    (answer,) = series_reader.reading_of_samples(times, np.exp(-0.5 * (place / 0.015) ** 2)[:, None]).clear
    assert answer.hertz == pytest.approx(1.25, rel=0.02)


@pytest.mark.slow
def test_without_a_band_noise_is_hardly_ever_clear():
    times = np.arange(300) / 30
    clear = [
        series_reader.reading_of_samples(times, noise[:, None]).verdict == result.CLEAR
        for noise in RNG.normal(size=(10, 300))
    ]
    assert sum(clear) <= 1


@pytest.mark.parametrize("seconds", [1.5, 3.0, 6.0])
def test_a_short_series_is_read_at_no_faster_frequency(seconds):
    times = np.arange(0, seconds, 0.02)
    values = np.sin(2 * np.pi * 1.1 * times) + 0.1 * RNG.normal(size=len(times))
    assert all(answer.hertz < 1.5 for answer in series_reader.reading_of_samples(times, values[:, None]).clear)


# From a fifth of the length to a third of the rate, below and above what half a minute shows, and one sample a second.
GRID = [
    (period, rate, length)
    for period in (9.0, 14.0, 40.0, 600.0)
    for rate in (0.99, 1.0, 1.01, 4.0)
    for length in (100, 299, 301, 1200, 6000)
    if 7 <= length / period <= 200 and rate * length <= 6000
]


@pytest.mark.slow
@pytest.mark.parametrize("period", sorted({period for period, _, _ in GRID}))
def test_a_slow_wave_is_read_at_any_length_and_rate(period):
    for rate, length in [(rate, length) for own, rate, length in GRID if own == period]:
        times = np.arange(0, length, 1 / rate)
        wave = np.sin(2 * np.pi * times / period) + 0.2 * np.random.default_rng(0).normal(size=len(times))
        clear = series_reader.reading_of_samples(times, wave[:, None]).clear
        assert [1 / answer.hertz for answer in clear] == [pytest.approx(period, rel=0.03)], (rate, length)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("period", [6, 8, 10])
def test_a_pump_that_goes_on_and_off_is_not_told_at_double(period, share):
    """In half a minute three of its cycles are seen, and six edges."""
    for number in (8, 30):
        times = np.arange(0, number * period, 0.1)
        pump = (times / period % 1 < share) + 0.05 * np.random.default_rng(0).normal(size=len(times))
        clear = series_reader.reading_of_samples(times, pump[:, None]).clear
        assert [1 / answer.hertz for answer in clear] == [pytest.approx(period, rel=0.03)], number


def test_slow_series_are_read_on_their_own_clock():
    hours = np.arange(0, 240, 0.1)
    tide = np.sin(2 * np.pi * hours / 12.42) + 0.2 * RNG.normal(size=len(hours))
    (answer,) = series_reader.reading_of_samples(1e9 + 3600 * hours, tide[:, None]).clear
    assert 1 / answer.hertz == pytest.approx(12.42 * 3600, rel=0.01)
    assert abs(answer.count - 19) <= 1
    assert (np.array(answer.repetitions) >= 1e9).all()
    assert answer.end <= answer.times[-1] <= 1e9 + 3600 * hours[-1]


def test_the_band_of_a_slow_series_is_in_hertz():
    days = np.arange(0, 60, 1 / 24)
    both = np.sin(2 * np.pi * days) + np.sin(2 * np.pi * days / 7)
    for low, high, hertz in ((0.5 / 86400, 2 / 86400, 1 / 86400), (0.1 / 86400, 0.3 / 86400, 1 / 7 / 86400)):
        (answer,) = series_reader.reading_of_samples(86400 * days, both[:, None], band=(low, high)).clear
        assert answer.hertz == pytest.approx(hertz, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("is_walk", [False, True])
def test_slow_noise_is_hardly_ever_clear(is_walk):
    noise = RNG.normal(size=(6, 200))
    noise = noise.cumsum(axis=1) if is_walk else noise
    assert (
        sum(bool(series_reader.reading_of_samples(3600.0 * np.arange(200), one[:, None]).clear) for one in noise) <= 1
    )


def test_two_intervals_of_a_series_are_too_few():
    times = np.arange(0, 2.4, 0.01)
    answers = series_reader.reading_of_samples(times, pulse(times, 1.1)[:, None], band=(0.6, 3.5)).answers
    assert [(answer.verdict, answer.count <= 3) for answer in answers] == [(result.TOO_FEW, True)]


def test_parts_of_a_slow_series_beside_a_long_hole_are_both_read():
    times = 5.0 * np.arange(600)
    times[300:] += 1e9  # Filled, it would take gigabytes.
    clear = series_reader.reading_of_samples(times, np.sin(2 * np.pi * times / 100)[:, None]).clear
    assert [1 / answer.hertz for answer in clear] == pytest.approx([100, 100], rel=0.02)
    assert sorted(answer.start > 1e9 for answer in clear) == [False, True]


def test_a_day_and_a_week_are_both_told_of_hours():
    hours = np.arange(24 * 90)
    is_weekend = (hours // 24) % 7 >= 5
    values = (1 - 0.8 * is_weekend) * (2 + np.cos(2 * np.pi * hours / 24)) + 0.1 * RNG.normal(size=len(hours))
    told = sorted(
        1 / answer.hertz / 3600 for answer in series_reader.reading_of_samples(3600.0 * hours, values[:, None]).clear
    )
    assert told == pytest.approx([24, 24 * 7], rel=0.005)  # The mean of its intervals is 23.2 hours.


def test_a_beat_of_two_tides_is_no_rhythm_without_the_tide():
    hours = np.arange(24 * 200)
    tide = np.cos(2 * np.pi * hours / 23.93) + np.cos(2 * np.pi * hours / 25.82)
    answers = series_reader.reading_of_samples(3600.0 * hours, tide[:, None]).clear
    assert all(1 / answer.hertz / 3600 == pytest.approx(24.8, rel=0.03) for answer in answers)
    assert answers


@pytest.mark.parametrize(("beating", "expected"), [([2, 4], 1.2), ([2], None)])
def test_two_channels_must_agree_where_each_is_read_by_itself(beating, expected):
    times = np.arange(0, 30, 0.02)
    values = RNG.normal(size=(len(times), 6))
    for channel in beating:
        values[:, channel] = pulse(times, 1.2)
    agreed, notes = series_reader._agreed(times, values, None)
    assert notes == []
    if expected is None:
        assert agreed == []
    else:
        assert (agreed[0].hertz, agreed[0].channel in beating) == (pytest.approx(expected, rel=0.01), True)


@pytest.mark.parametrize(("shared", "expected"), [(0.0, 4.0), (1.0, 1.0), (0.5**0.5, 16 / 7)])
def test_channels_that_vary_apart_are_looks(shared, expected):
    # Correlations of a half make the squares of 4 x 4 sum to 4 + 12 / 4, and the ratio 16 / 7.
    one, *own = RNG.normal(size=(5, 9000))
    values = shared * one[:, None] + (1 - shared**2) ** 0.5 * np.stack(own, axis=1)
    assert beat_stretches._apart(np.column_stack((values, np.ones(9000)))) == pytest.approx(expected, rel=0.02)
    assert beat_stretches._apart(values[:, :1]) == 1


@pytest.mark.filterwarnings("error")
def test_a_channel_that_is_constant_where_compared_is_no_look():
    values = np.column_stack((RNG.normal(size=(25_000, 2)), np.full(25_000, 0.1)))
    values[1, 2] = 0.7  # Between the samples that are compared.
    assert beat_stretches._apart(values) == pytest.approx(2, rel=0.01)


def test_the_channel_of_a_heart_is_told_among_noise():
    times = np.arange(0, 20, 0.02)
    values = RNG.normal(size=(len(times), 3))
    values[:, 1] = pulse(times, 1.2)
    assert series_reader.reading_of_samples(times, values).clear[0].channel == 1


@pytest.mark.parametrize("period", [3.1, 4.2, 5.3, 8.1, 30.0])
def test_a_sine_in_as_much_noise_is_read_whatever_its_samples(period):
    times = np.arange(600.0)
    noise = np.random.default_rng(0).normal(size=600)
    values = np.sqrt(2) * np.sin(2 * np.pi * times / period) + noise  # As strong as the noise.
    clear = series_reader.reading_of_samples(times, values[:, None]).clear
    assert clear
    assert [answer.hertz for answer in clear] == pytest.approx([1 / period] * len(clear), rel=0.01)


@pytest.mark.parametrize("number", [60, 300])
def test_of_random_numbers_one_a_second_few_have_a_tempo(number):
    random = np.random.default_rng(number)
    made = [random.integers(0, 2, (number, 1)).astype(float) for _ in range(25)]
    made += [random.normal(size=(number, 1)) for _ in range(25)]
    assert sum(bool(series_reader.reading_of_samples(np.arange(number), values).clear) for values in made) <= 2


def test_thirty_slow_breaths_are_read_without_a_band():
    times = np.arange(0, 250, 0.05)
    breath = np.maximum(np.sin(2 * np.pi * 0.123 * times + 0.5 * np.sin(0.05 * times)), -0.2)
    values = breath + 0.05 * RNG.normal(size=len(times))
    assert series_reader.reading_of_samples(times, values[:, None]).clear[0].hertz == pytest.approx(0.123, rel=0.03)


@pytest.mark.slow
def test_waves_of_noise_hide_no_slow_rhythm():
    times = np.arange(0, 600, 0.25)
    values = np.sin(2 * np.pi * 0.1 * times) + 0.3 * np.random.default_rng(0).normal(size=len(times))
    alone, _ = beat_stretches.answers_on(times, values[:, None], None)
    assert not [answer for answer in alone if answer.verdict == result.CLEAR]  # Half a minute shows three cycles.
    (answer,) = series_reader.reading_of_samples(times, values[:, None]).clear
    assert answer.hertz == pytest.approx(0.1, rel=0.01)


def test_samples_fold_harmonics_back_as_weakly_as_of_a_jump():
    # Of 4.5 samples a period: the third harmonic, at 6/9 of the rate, is seen at 3/9, the fourth and fifth at 1/9.
    # So are the 13th and the 14th, at 26/9 and 28/9. The 18th, at 4 times the rate, is the last.
    folded = spectral_lines._folded(2 / 9, np.array([1, 2, 3, 4]) / 9, np.full(4, 0.01))
    seen = ((4, 5, 13, 14), (8, 10, 17), (3, 6, 12, 15), (7, 11, 16))
    assert folded == pytest.approx([sum(1 / order for order in orders) for orders in seen])
    assert spectral_lines._folded(0.01, np.array([0.005]), np.array([0.001])) == [0]


def test_what_alternates_is_told_as_one_cycle_of_two():
    times = np.arange(0, 20, 0.04)
    steps = np.sin(2 * np.pi * 2 * times) ** 2 * np.where(times % 0.5 < 0.25, 1.0, 0.4)
    (answer,) = series_reader.reading_of_samples(times, steps[:, None] + 0.02 * RNG.normal(size=(len(times), 1))).clear
    assert answer.hertz == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize(("alone", "looked"), [(True, 20 + 3), (False, 50)])
def test_slow_spans_are_asked_seldom_where_they_never_tell(monkeypatch, alone, looked):
    asked = []

    def heard(times, values, limits, is_quick):
        asked.append(is_quick)
        return beats.Beats(0.0, ()), [], alone

    monkeypatch.setattr(tempo_spans, "heard_in", heard)
    times = np.arange(0, 50 * 30, 0.5)
    beat_stretches.answers_on(times, times[:, None], None)
    assert (len(asked), asked.count(False)) == (50, looked)


def test_a_quick_look_ends_with_a_clear_first_span():
    times = np.arange(0, 30, 0.02)
    spikes = np.exp(-(((times % 0.8) - 0.4) ** 2) / 0.002)[:, None]
    limits = (0.0, 22.0)
    whole, quick = (tempo_spans.heard_in_spans(times, spikes, limits, is_quick=one) for one in (False, True))
    assert len(quick) == 1 < len(whole)
    assert quick[0].frequency == whole[0].frequency
    noise = np.random.default_rng(0).normal(size=(len(times), 1))
    assert len(tempo_spans.heard_in_spans(times, noise, limits, is_quick=True)) >= 3


def noisy_heart(hertz, rng):
    """Seconds and spikes whose rate drifts, under slow noise of 16 times their power that is stronger now and then."""
    times = np.arange(0, 90, 0.02)
    place = (hertz * times + 0.3 * np.sin(2 * np.pi * times / 40) + 0.2) % 1 - 0.2
    spikes = np.exp(-0.5 * (place / 0.015) ** 2)
    noise = rng.normal(size=len(times))
    for k in range(1, len(times)):
        noise[k] += 0.97 * noise[k - 1]
    noise *= 1 + 2 * (np.sin(2 * np.pi * times / 47) > 0)
    return times, (spikes / spikes.std() + 4 * noise / noise.std())[:, None]


@pytest.mark.slow
def test_a_whole_file_is_read_no_worse_than_its_windows():
    right, wrong = np.zeros(2, int), np.zeros(2, int)
    for number, hertz in enumerate((0.8, 1.2)):
        times, values = noisy_heart(hertz, np.random.default_rng(number))
        reading = series_reader.reading_of_samples(times, values, band=(0.6, 3.5))
        for window in result.windows(reading, 10.0, 5.0)[:-1]:
            inside = (times >= window.start) & (times < window.start + 10)
            alone = beats.find(times[inside], values[inside], (0.6, 3.5))
            true = hertz + 0.3 * 2 * np.pi / 40 * np.cos(2 * np.pi * (window.start + 5) / 40)
            told = np.array([window.hertz, alone.frequency if alone.confidence >= result.SURE else 0.0])
            is_right = np.abs(told - true) < 0.05
            right, wrong = right + is_right, wrong + ((told > 0) & ~is_right)
    assert right[0] >= right[1] >= 10
    assert wrong[0] <= wrong[1]


def test_a_channel_that_moves_at_one_moment_spoils_no_other():
    times = np.arange(0, 120, 1 / 250)
    values = np.stack([np.sin(2 * np.pi * times), np.where(np.arange(len(times)) == 7001, 5.0, 0.0)], 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (answer,) = series_reader.reading_of_samples(times, values).clear
    assert answer.hertz == pytest.approx(1.0, abs=0.01)
