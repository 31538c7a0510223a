"""Rules of the reader switched off, and films whose truth is known."""

import pathlib

import numpy as np
import pytest

from benchmarks import films, rules
from simper_tf.reading import movement


@pytest.mark.parametrize(
    ("true", "said", "expected"),
    [
        ((1.0,), 1.059, "right"), ((1.0,), 1.07, "wrong"), ((1.0,), 0.5, "octave"), ((1.0,), 2.1, "octave"),
        ((0.5, 1.0), 1.0, "right"), ((1.0,), 3.0, "wrong"), ((1.0,), None, "silent"), ((), 1.0, "answered"),
        ((), None, "refused"),
    ],
)  # fmt: skip
def test_right_is_within_six_percent_and_an_octave_of_that(true, said, expected):
    assert films.outcome(true, said) == expected


def test_films_that_are_not_in_the_folder_are_left_out(tmp_path):
    assert not list(films.unseen(tmp_path))


@pytest.mark.parametrize("name", rules.RULES)
def test_every_rule_is_one_of_the_reader_and_comes_back(name):
    rule = rules.RULES[name]
    before = getattr(rule.where, rule.name)
    with rules.without(name):
        assert getattr(rule.where, rule.name) is rule.instead
    assert getattr(rule.where, rule.name) is before


def test_a_rule_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="none: there is no such rule"), rules.without("none"):
        pass


def film(hertz, group="A"):
    return films.Film(group, f"{hertz}.mp4", "one", pathlib.Path("x"), hertz)


def test_a_report_counts_what_changes_without_a_rule():
    rows = [
        (film((1.0,)), {"": 1.0, "network": None}),
        (film((1.0,)), {"": 2.0, "network": None}),
        (film(()), {"": None, "network": 3.0}),
        (film((1.0,), "F"), {"": None, "network": 1.0}),
    ]
    at_hand, others = rules.report(rows).split("Films others")
    assert "2 repeat, 1 are controls" in at_hand
    assert "| with every rule | 1 | 1 | 0 | 0 | 0 | - | - |" in at_hand
    assert "is asked | 0 | 0 | 0 | 2 | 1 | 1 | 2 |" in at_hand
    assert "is asked | 1 | 0 | 0 | 0 | 0 | 1 | 0 |" in others


@pytest.mark.slow
def test_what_is_remembered_changes_no_answer():
    times = np.arange(100) / 20
    x, y = np.meshgrid(np.arange(32), np.arange(24))
    discs = np.hypot(x - 16 - 8 * np.sin(2 * np.pi * 0.9 * times)[:, None, None], y - 12) < 4
    some = films.Frames(times, (60 + 120 * discs[..., None]).astype(np.uint8), np.zeros(0), np.inf)
    told = rules.said(some, ["own halves", "whole cycles"])
    assert told[""] == films.surest(films.reading_of(some)) == pytest.approx(0.9, rel=0.02)
    for name in ("own halves", "whole cycles"):
        with rules.without(name):
            assert told[name] == films.surest(films.reading_of(some))
    assert "remembering" not in movement.candidates.__name__
