"""Cuts of recordings to learn from, by hand-computed cases."""

import pytest

from simper_tf.data import proposals
from simper_tf.recordings import windows
from simper_tf.recordings.source_contract import Info


def info(rate=25.0, seconds=60.0, height=120, width=160):
    return Info(rate, seconds, height, width)


def test_long_recordings_are_cut_by_the_slowest_repetition():
    found = proposals.propose([info(), info(), info()])
    # 2.4 / 0.4 Hz = 6 s; 25 / 5 = 5 Hz; 4:3 on 24 pixels.
    assert (found.rate, found.length, found.band, found.shape) == (25.0, 150, (0.4, 5.0), (18, 24))
    # Half a clip apart there are 1 + 54 / 3 = 19 in each, 57 in all: a quarter, 37 frames, makes enough.
    assert [windows.number(info().seconds, found.rate, found.length, found.hop), found.hop] == [38, 37]


def test_the_band_sought_leaves_room_around_what_repeats():
    assert proposals.sought([]) == windows.BAND
    assert proposals.sought([0.5, 0.3, 1.1]) == (0.15, 2.2)


@pytest.mark.parametrize(
    ("rates", "top", "rate"), [([24.0, 30.0, 25.0], 5.5, 25.0), ([120.0], 5.5, 44.0), ([30.0], 1.0, 8.0)]
)
def test_the_rate_is_the_median_up_to_eight_frames_a_period(rates, top, rate):
    assert proposals.frame_rate(rates, top) == rate


def test_the_window_holds_the_slowest_repetition_if_it_can():
    long, short = [60.0, 30.0], [3.0, 5.2, 9.0]
    assert proposals.window_of_band(long, 0.4, False, 0.04) == pytest.approx(6.0)
    assert proposals.window_of_band(short, 0.4, False, 0.04) == 5.2  # The shortest above 2 / 0.4 + 0.04.
    assert proposals.window_of_band([9.0], 0.4, False, 0.04) == 3.0


def test_clips_start_half_a_clip_apart_where_that_is_enough():
    assert proposals.hop_frames([600.0], 25.0, 150) == 75
    assert proposals.hop_frames([60.0], 25.0, 150) == 18


def test_speeds_leave_the_slowest_view_enough_repetitions():
    assert proposals.view_speeds(25.0, (0.4, 5.0), []) == (0.5, 2.0)
    assert proposals.view_speeds(25.0, (0.4, 5.0), [6.0, 3.6]) == (0.67, 1.5)  # sqrt(3.6 / 1.6)
    assert proposals.view_speeds(16.0, (0.4, 5.0), [9.0]) == (0.62, 1.6)  # Half of 16 is 1.6 times 5.


def test_too_slow_or_too_short_a_recording_does_not_fit():
    found = proposals.propose([info(), info(), info(10.0), info(seconds=3.0)])
    assert found.seconds == 6.0
    assert proposals.unfit(info(), found) is None
    assert proposals.unfit(info(seconds=6.0), found) is None
    assert proposals.unfit(info(10.0), found)[:2] == (
        "10 frames per second",
        "11.11 or more, to show what repeats at 5 Hz",
    )
    assert proposals.unfit(info(seconds=3.0), found)[:2] == ("3.00 s", "6.00 s or more")


def test_short_recordings_make_short_clips_and_raise_the_band():
    found = proposals.propose([info(seconds=s) for s in (2.0, 3.0, 4.0)])
    assert (found.length, found.band) == (75, (0.667, 5.0))


def test_what_is_asked_for_is_taken():
    found = proposals.propose([info()], band=(0.5, 4.0), window=5.0, hop=1.0, rate=20.0, size=(30, 40))
    assert (found.rate, found.length, found.hop, found.shape, found.band) == (20.0, 100, 20, (30, 40), (0.5, 4.0))


@pytest.mark.parametrize(
    ("infos", "asked", "message"),
    [
        ([info()], {"band": (0.4, 12.0)}, "up to 12 Hz cannot be shown at 25 frames per second, only up to 11.2 Hz"),
        ([info()], {"band": (0.4, 4.0), "window": 2.0}, "Clips of 2 s at 25 frames per second are too short"),
        ([info(seconds=4.0)] * 2, {"band": (0.4, 4.0)}, "takes clips of 5.04 s, but the longest recording has 4 s"),
        ([info(seconds=0.5)], {}, r"are too short: a clip needs 16 frames and 2 periods of what repeats\. Record"),
        ([info(seconds=4e3)] * 2, {"band": (0.001, 4.0)}, "have 60000 frames, more than 4000"),
        ([info()], {"band": (2.0, 1.0)}, "`band` must be .low, high. in Hz"),
        ([info()], {"hop": -1.0}, "`hop` must be a number above 0. Received: -1.0"),
        ([info()], {"size": (24.5, 3)}, "`size` must be .height, width. in pixels"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_numbers(infos, asked, message):
    with pytest.raises(ValueError, match=message):
        proposals.propose(infos, **asked)


def test_band_window_and_speeds_are_proposed_around_what_repeats():
    infos = [info(seconds=seconds) for seconds in (10.73, 41.23, 13.06)]
    proposal = proposals.propose(infos, repeats=[(0.35,), (0.322, 0.6), (0.75,)])
    # 0.8 of 13.06 s fits all; 8 frames to a period of 1.5 Hz; two periods in 125 frames.
    assert (proposal.rate, proposal.length, proposal.band) == (12.0, 125, (0.192, 1.5))
    # The slowest view shows 1.6 of the 0.322 * 125 / 12 = 3.35 repetitions: sqrt(3.35 / 1.6) = 1.45.
    assert proposal.speeds == (0.69, 1.45)


def test_a_recording_too_short_for_most_is_left_out():
    proposal = proposals.propose(
        [info(seconds=3.0), info(seconds=40.0), info(seconds=40.0)], repeats=[(), (0.1,), (0.12,)]
    )
    assert proposal.seconds == pytest.approx(32, abs=0.5)
    assert proposal.band[0] < 0.07


def test_a_given_band_stays_and_speeds_fit_what_repeats():
    proposal = proposals.propose([info(seconds=40.0)] * 2, band=(0.25, 2.0), repeats=[(0.3, 9.0), ()])
    assert (proposal.band, proposal.seconds) == ((0.25, 2.0), pytest.approx(9.6, abs=0.1))
    assert proposal.speeds == (0.75, 1.34)


def test_a_clip_is_a_whole_recording_where_that_keeps_more():
    infos = [info(seconds=seconds) for seconds in (19.0, 6.0, 10.25)]
    proposal = proposals.propose(infos, repeats=[(1.03,), (0.75,), (0.38,)])
    assert proposal.seconds == pytest.approx(6, abs=0.1)  # 2.28 repetitions of 0.38 Hz.


def test_of_a_series_samples_are_told_and_no_frames():
    series = Info(25.0, 60.0, 1, 1)
    refused = [
        ((40.0, {"band": (0.4, 22.0)}), "cannot be shown at 40 samples per second"),
        (
            (25.0, {"band": (0.4, 4.0), "window": 2.0}),
            r"at 25 samples per second are too short: a clip needs 16 samples",
        ),
        ((25.0, {"band": (0.4, 4.0), "window": 400.0}), "have 10000 samples, more than 4000"),
    ]
    for (rate, asked), message in refused:
        with pytest.raises(ValueError, match=message):
            proposals.propose([Info(rate, 60.0, 1, 1)], **asked)
    with pytest.raises(ValueError, match="faster views at 15 samples per second"):
        proposals.check_room(15.0, (0.6, 6.5), series.of_what)
    plan = proposals.propose([series])
    assert proposals.unfit(Info(9.0, 60.0, 1, 1), plan)[0] == "9 samples per second"
