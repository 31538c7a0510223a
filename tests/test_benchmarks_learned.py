"""The comparison of the learned reader with the hand-made one."""

import pathlib

import pytest

from benchmarks import learned
from simper_tf.reading.rhythm_reader import Found


def found(hertz, confidence=0.9, share=0.9):
    return Found(hertz, confidence, 0.0, 10.0 * share, share)


@pytest.mark.parametrize(
    ("true", "said", "expected"),
    [
        ((1.0,), 1.059, "right"), ((1.0,), 1.07, "wrong"), ((1.0,), 0.5, "octave"), ((1.0,), 2.1, "octave"),
        ((0.5, 1.0), 1.0, "right"), ((1.0,), 3.0, "wrong"), ((1.0,), None, "silent"), ((), 1.0, "answered"),
        ((), None, "refused"),
    ],
)  # fmt: skip
def test_right_is_within_six_percent_and_an_octave_of_that(true, said, expected):
    assert learned.outcome(true, said) == expected


def test_a_sure_answer_goes_before_another_and_stands_alone():
    assert learned.answers(1.0, found(2.0))["combined"] == 2.0
    assert learned.answers(None, found(2.0))["combined"] == 2.0


def test_where_both_agree_the_more_exact_one_is_told():
    said = learned.answers(1.0, found(1.05))
    assert (said["combined"], said["where both agree"]) == (1.0, 1.0)


@pytest.mark.parametrize("unsure", [found(2.0, confidence=0.4), found(2.0, share=0.2), None])
def test_an_unsure_answer_changes_nothing(unsure):
    assert learned.answers(1.0, unsure)["combined"] == 1.0
    assert learned.answers(None, unsure)["combined"] is None
    assert learned.answers(1.0, unsure)["learned where sure"] is None


def test_totals_count_outcomes_and_the_cost_of_a_second():
    film = learned.Film("A", "a.mp4", pathlib.Path("a.mp4"), (1.0,), 1.0)
    said = {name: learned.outcome(film.hertz, one) for name, one in learned.answers(1.0, found(2.0)).items()}
    told = learned.totals([{"film": film, "found": found(2.0), "said": said, "cpu": 0.2, "seconds": 10.0}])
    assert told.startswith("1 films that repeat, 0 controls. 0.020 CPU seconds")
    assert "| hand-made | 1 | 0 | 0 | 0 | 0 |" in told
    assert "| learned where sure | 0 | 1 | 0 | 0 | 0 |" in told


def test_films_that_are_not_in_the_folder_are_left_out(tmp_path):
    assert not list(learned.unseen(tmp_path))
