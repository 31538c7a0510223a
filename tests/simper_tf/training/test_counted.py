"""What was counted in recordings, beside what a model reads of them."""

import math

import pytest

from simper_tf.recordings import sources
from simper_tf.training import counted


def test_a_band_that_leaves_an_answer_out_is_told_with_the_flag():
    known = counted.Counted()
    known.hertz = {"squat.mp4": (0.349,), "swing.mp4": (0.75, 1.5), "still.mp4": ()}
    assert known.notes((0.4, 5.5), "--band=0.4,5.5") == [
        "squat.mp4 repeats at 0.349 Hz, outside of `band=0.4,5.5`: the model will not read it. A band that holds it: "
        "`band=0.17,5.5`."
    ]
    assert known.notes((0.2, 2.0)) == []


def test_of_many_recordings_those_counted_are_spread_evenly(monkeypatch):
    monkeypatch.setattr(counted, "_frequencies", lambda source: (float(source.name),))
    said = []
    known = counted.Counted(said.append)
    found = known([sources.Series(f"{number}") for number in range(72)])
    assert [hertz for hertz in found if hertz] == [(float(number),) for number in range(1, 72, 3)]
    assert len(found) == 72
    assert said[0] == "Counting in recording 1 of 24, spread evenly over all 72 ..."
    assert said[-1] == "Counting in recording 24 of 24, spread evenly over all 72 ..."


@pytest.mark.parametrize(
    ("hertz", "frequencies", "said"),
    [
        (0.35, (0.349,), "model 0.35 Hz, repetitions 0.349 Hz: agrees"),
        (0.366, (0.349,), "model 0.366 Hz, repetitions 0.349 Hz: agrees"),
        (0.367, (0.349,), "model 0.367 Hz, repetitions 0.349 Hz: differs"),
        (0.7, (0.349,), "model 0.7 Hz, repetitions 0.349 Hz: differs"),
        (0.7, (0.349, 0.71), "model 0.7 Hz, repetitions 0.349 Hz: agrees"),
        (math.nan, (0.349,), "model: no answer, repetitions 0.349 Hz: differs"),
        (0.7, (), "model 0.7 Hz, repetitions: none clear, not checked"),
    ],
)
def test_a_model_is_compared_with_what_was_counted(hertz, frequencies, said):
    assert counted.compared(hertz, frequencies) == said
    assert counted.compared(0.7, (0.35,), is_told=True) == "model 0.7 Hz, label 0.35 Hz: wrong"


def test_a_labeled_recording_is_not_read(monkeypatch):
    monkeypatch.setattr(counted, "_frequencies", lambda source: pytest.fail("It is read."))
    known = counted.Counted(known={"b": (1.5,)})
    known.tell("a", 0.5)
    known.tell("a", 0.6)
    assert known([sources.Series("a"), sources.Series("b")]) == [(0.5, 0.6), (1.5,)]
    assert known.told == {"a"}


def test_where_the_count_is_clear_it_is_advised():
    said = counted.worth({"a", "b", "c"}, {"a": (0.5,), "b": (), "d": (1.0,)})
    assert said.startswith(
        "The count is clear in 1 of 2 recordings. Where it is, it reads better: simper predict without"
    )


def test_the_count_is_not_advised_against_labels():
    said = counted.worth({"a", "b"}, {"a": (0.5,), "b": (1.0,)}, told={"b"})
    assert said == "The model follows your labels. simper predict without `model` does not know them."


def test_a_model_that_disagrees_is_not_to_be_used():
    assert counted.verdict(3, 3) == "3 of 3 agree."
    assert counted.verdict(0, 3).startswith("0 of 3 agree: do not use this model.")
    assert counted.verdict(2, 3).startswith("2 of 3 agree: use it with care.")
    assert counted.verdict(0, 0).startswith("Nothing clearly repeats in these recordings")


def test_a_model_differs_where_it_misses_what_its_band_holds():
    counts = {"squat.mp4": (0.35,), "fast.mp4": (9.0,), "still.mp4": ()}
    assert not counted.differs({"squat.mp4": 0.36, "fast.mp4": 2.0, "still.mp4": 1.0}, counts, (0.2, 2.0))
    assert counted.differs({"squat.mp4": 0.7, "fast.mp4": 2.0, "still.mp4": 1.0}, counts, (0.2, 2.0))
    assert counted.differs({"squat.mp4": math.nan}, counts, (0.2, 2.0))
    assert not counted.differs({}, counts, (0.2, 2.0))
