"""Rules of the reader switched off, and films whose truth is known."""

import pathlib

import numpy as np
import pytest

from benchmarks import ablation, films, rules, series, series_rules
from simper_tf.reading.films import movement


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


@pytest.mark.parametrize(
    ("of", "name"), [(of, name) for of in (rules.RULES, series_rules.RULES) for name in of]
)  # fmt: skip
def test_every_rule_is_one_of_the_reader_and_comes_back(of, name):
    rule = of[name]
    before = getattr(rule.where, rule.name)
    with ablation.without(name, of):
        assert getattr(rule.where, rule.name) is rule.instead
    assert getattr(rule.where, rule.name) is before


def test_a_rule_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="none: there is no such rule"), ablation.without("none", rules.RULES):
        pass


def film(hertz, group="A"):
    return films.Film(group, f"{hertz}.mp4", "one", pathlib.Path("x"), hertz)


def test_a_report_counts_what_changes_without_a_rule():
    rows = [
        (film((1.0,)), {"": 1.0, "network": None}),
        (film((1.0,)), {"": 2.0, "network": None}),
        (film(()), {"": None, "network": 3.0}),
        (film((1.0,), films.TEST[0]), {"": None, "network": 1.0}),
    ]
    at_hand, others = ablation.report(rules.film_parts(rows), rules.RULES).split("Films others")
    assert "2 repeat, 1 are controls" in at_hand
    assert "| without | right | octave | silent | controls answered | better | worse |" in at_hand
    assert "| with every rule | 1 | 1 | 0 | 0 | - | - |" in at_hand
    assert "is asked | 0 | 0 | 2 | 1 | 1 | 2 |" in at_hand
    assert "is asked | 1 | 0 | 1 | 0 |" in others


def test_rules_without_which_nothing_moves_are_named_below():
    same = ("right", "wrong")
    hearts = {"": same, "motion": same, "lost": ("right", "silent"), "tops": same}
    told = ablation.report([("Hearts.", [hearts]), ("Files.", [hearts | {"tops": ("wrong",) * 2}])], series_rules.RULES)
    assert told.count("motion") == 1
    assert told.endswith("Nothing moves without: motion.")
    first, second = told.split("Files.")
    assert ("tops:" in first, "tops:" in second) == (False, True)


def test_windows_of_a_recording_count_each():
    rows = [{"": ("right", "wrong", "silent"), "motion": ("right", "silent", "wrong")}]
    assert "of a pulse | 1 | 1 | 1 | 1 | 1 |" in ablation.report([("Hearts.", rows)], series_rules.RULES)


def test_each_window_of_a_heart_has_two_outcomes():
    times = np.arange(0, 20, 0.02)
    heart = series.Heart("one", times, np.sin(2 * np.pi * 1.3 * times)[:, None], False, lambda start: 78.0)
    assert series_rules._of_heart(heart) == ("right",) * 6
    assert series_rules._of_heart(heart._replace(truth=lambda start: 60.0)) == ("wrong",) * 6


def test_series_that_take_too_long_are_left_out(monkeypatch, capsys):
    some = [series_rules.Item("files", "a.csv", lambda: ("right",))]
    monkeypatch.setattr(series_rules, "items", lambda *folders: iter(some))
    (part,) = series_rules.parts(None, None, ["motion"], 9.0)
    assert part == ("Files: 1 recordings.", [{"": ("right",), "motion": ("right",)}])
    assert series_rules.parts(None, None, ["motion"], -1.0) == []
    assert "1 take more than -1 s and are left out: a.csv." in capsys.readouterr().out


@pytest.mark.slow
def test_what_is_remembered_changes_no_answer():
    times = np.arange(100) / 20
    x, y = np.meshgrid(np.arange(32), np.arange(24))
    discs = np.hypot(x - 16 - 8 * np.sin(2 * np.pi * 0.9 * times)[:, None, None], y - 12) < 4
    some = films.Frames(times, (60 + 120 * discs[..., None]).astype(np.uint8), np.zeros(0), np.inf)
    names = ["own halves", "whole cycles"]
    told = dict(ablation.said(lambda: films.surest(films.reading_of(some)), rules.RULES, names, rules.REMEMBERED))
    assert told[""] == films.surest(films.reading_of(some)) == pytest.approx(0.9, rel=0.02)
    for name in names:
        with ablation.without(name, rules.RULES):
            assert told[name] == films.surest(films.reading_of(some))
    assert "remembering" not in movement.proposed.__name__


def test_a_report_leaves_out_a_part_without_films():
    assert "Films others" not in ablation.report(rules.film_parts([(film((1.0,)), {"": 1.0})]), rules.RULES)
