"""Answers in print, by hand."""

import dataclasses
import warnings

import numpy as np
import pytest
from made_answers import answer, done

from simper_tf.reading import answers, result
from simper_tf.recordings.boxes import WHOLE, Box


@pytest.mark.parametrize(
    ("unit", "start"),
    [
        ("hz", "0.5 Hz = 30 per minute, 4 repetitions from 1.0 to 9.0 s, clear (0.90)"),
        ("per_minute", "30 per minute = 0.5 Hz, 4 repetitions"),
        ("bpm", "30 bpm = 0.5 Hz, 4 repetitions"),
    ],
)
def test_an_answer_leads_with_its_unit(unit, start):
    assert answers.said(answer(), unit).startswith(start)


def test_both_octaves_are_named_where_sides_alternate():
    assert "1.31 Hz = 78.6 per minute, as pairs of 2.62 Hz, " in answers.said(answer(1.31, pairs=2.62))


@pytest.mark.parametrize(
    ("lasting", "told"),
    [
        ((2.0, 2.0, 1.5, 1.4, 1.0, 1.0), ", rising from 0.5 to 1 Hz, 6 repetitions"),
        ((1.0, 1.0, 1.2, 1.3, 1.5, 1.5, 1.6), ", falling from 1 to 0.645 Hz, 7 repetitions"),
        ((1.2, 1.19, 1.15, 1.1, 1.06, 1.04), " per minute, 6 repetitions"),  # By less than a fifth.
        ((2.0, 1.0, 2.0, 1.0, 2.0, 1.0), " per minute, 6 repetitions"),
        ((1.0,) * 6, " per minute, 6 repetitions"),
        ((2.0, 1.8, 1.5, 1.2, 1.0), " per minute, 5 repetitions"),
    ],
)
def test_a_tempo_that_rises_or_falls_is_told(lasting, told):
    ends = np.cumsum(lasting)
    spans = tuple(zip(ends - lasting, ends, strict=True))
    with warnings.catch_warnings(action="error"):
        assert told in answers.said(dataclasses.replace(answer(), repetitions=spans))


@pytest.mark.parametrize(
    ("seconds", "start"),
    [(119, "0.0084 Hz = 0.504 per minute, "), (150, "every 2.5 minutes = 0.00667 Hz, "), (7200, "every 2 hours = "),
     (86400, "every 24 hours = 1.16e-05 Hz, "), (31557600, "every 365 days = "),
     (303e6, "every 9.6 years = ")],
)  # fmt: skip
def test_what_is_slow_is_told_in_minutes_hours_days_or_years(seconds, start):
    assert answers.said(answer(1 / seconds)).startswith(start)


def test_times_of_a_slow_answer_are_in_its_unit():
    slow = dataclasses.replace(answer(1 / 7200), repetitions=((0.0, 7200.0), (7200.0, 18000.0)))
    assert " from 0.0 to 5.0 hours, " in answers.said(slow)


def test_a_pulse_has_beats_and_a_breath_breaths():
    assert " 4 beats from " in answers.said(answer(reader="pulse"))
    assert " 4 breaths from " in answers.said(answer(reader="breath"))


def test_too_few_repetitions_are_counted_and_give_no_number():
    few = answer(count=2, verdict=result.TOO_FEW)
    (line,) = answers.lines(done(few))
    assert line == "too few repetitions: 2 from 1.0 to 5.0 s"


def test_where_nothing_repeats_there_is_no_number():
    assert answers.lines(done()) == [result.NOTHING]


def test_an_unclear_answer_is_told_as_perhaps_and_no_result():
    unclear = answer(0.376, verdict=result.UNCLEAR, confidence=0.3)
    (line,) = answers.lines(done(unclear))
    assert line.startswith("perhaps 0.376 Hz = 22.6 per minute, 4 repetitions from ")
    assert line.endswith(" s, unclear (0.30)")
    faint = answer(verdict=result.UNCLEAR, confidence=0.19)
    assert answers.lines(done(faint)) == ["no clear repetition"]


@pytest.mark.parametrize(("confidence", "told"), [(0.61, "(0.61)"), (0.994, "(0.99)"), (0.9999, "(0.99)")])
def test_confidence_is_told_and_never_certain(confidence, told):
    assert answers.said(answer(confidence=confidence)).endswith(f", clear {told}")


def test_several_things_that_repeat_have_their_places():
    first, second = answers.lines(done(answer(), answer(1.5, 0.0, 9, box=Box(0.0, 0.5, 0.25, 0.5))))
    assert first.endswith(", at 25%-100% from the left, 0%-50% from the top")
    assert second.endswith(", at 0%-25% from the left, 50%-100% from the top")


def test_many_answers_are_a_line_and_the_surest_three():
    many = [answer(1 + 0.1 * k, first=100 * k, count=50, confidence=0.9 - 0.01 * k) for k in range(12)]
    told = answers.lines(done(*many, stills=()))
    assert told[0] == "12 answers of 1 to 2.1 Hz, 600 repetitions from 0.0 to 1123.8 s; the surest:"
    assert told[1:4] == [answers.said(one) + ", at 25%-100% from the left, 0%-50% from the top" for one in many[:3]]
    assert told[4:] == ["... 9 more answers in the files"]
    assert len(answers.lines(done(*many[:5]))) == 5


def test_windows_are_read_off_the_repetitions():
    lines = answers.lines(done(answer()), length=4.0)
    assert [line.split("s  ")[1] for line in lines[1:]] == ["0.5 Hz", "0.5 Hz", "no repetition"]


def test_pauses_are_told_in_the_line():
    assert " s with a pause of 1.5 s, clear (0.90)" in answers.said(answer(pauses=((2.0, 3.5),)))
    assert " s with 2 pauses of 2.5 s, clear (0.90)" in answers.said(answer(pauses=((2.0, 3.5), (5.0, 6.0))))


def test_the_channel_of_a_series_of_several_is_named():
    breath, pulse, shared = answer(0.25, channel=0), answer(1.2, channel=1), answer(0.5, box=WHOLE)
    read = done(breath, pulse, shared, name="a.csv", stills=(), channels=("RESP", ""))
    lines = answers.lines(read)
    assert [line.rpartition(", ")[2] for line in lines[:3]] == ["in RESP", "in channel 2", "clear (0.90)"]


def test_the_only_channel_of_a_series_is_not_named():
    assert "in " not in answers.lines(done(answer(1.2, channel=0), channels=("ECG",), stills=()))[0]
