"""Hard recordings, their truth, and the table of how learning from them compares."""

import numpy as np
import pytest

from benchmarks import adapted, hard_recordings, scored
from simper_tf.readings import answers, read, sources
from simper_tf.readings.scores import Reading


def test_a_recording_follows_from_its_number_and_its_truth_from_its_turns(tmp_path, monkeypatch):
    monkeypatch.setattr(hard_recordings, "SECONDS", 2.0)
    made = [hard_recordings.make(tmp_path / f"{k}.npy", kind, 3) for k, kind in enumerate(hard_recordings.KINDS)]
    again = hard_recordings.make(tmp_path / "again.npy", hard_recordings.KINDS[0], 3)
    assert np.array_equal(np.load(made[0].path), np.load(again.path))
    frames = [np.load(each.path) for each in made]
    assert {each.shape for each in frames} == {(48, 120, 160, 3)}
    assert frames[2].mean(axis=0).std() < 0.2 * frames[0].mean(axis=0).std()
    rate = (made[0].turns[36] - made[0].turns[12]) / (made[0].times[36] - made[0].times[12])
    assert made[0].frequency(made[0].times[12], 25 / hard_recordings.RATE) == pytest.approx(rate)


@pytest.mark.slow
def test_what_learns_nothing_errs_on_some_windows_of_what_is_hard(tmp_path):
    made = hard_recordings.make(tmp_path / "frames.npy", "low-contrast", 1)
    given = list(read.read(read.prepare(sources.Frames(made.path, hard_recordings.RATE), adapted.WISHES)))
    truths = [made.frequency(one.start, one.end - one.start) for one in given]
    assert scored.off_by_an_octave(truths, [one.chosen.frequency for one in given]).any()


def test_a_line_tells_who_was_picked_and_who_was_nearest():
    def window(pixels, adapt, score):
        readings = [Reading("pixels", pixels, 0.7), Reading("adapt", adapt, score)]
        answer = answers.choose(0, 6, readings)
        return 1.0, answer, adapted.without_adapt(answer)

    lines = adapted.lines_of("still", [window(1.2, 1.1, 0.9), window(1.0, 2.0, 0.1)])
    assert lines == [
        ["still", "pixels", "0.1000", "0.1000", "0%", "50%", "", "2"],
        ["still", "adapt", "0.5500", "0.5500", "50%", "50%", "50%", "2"],
        ["still", "answer without adapt", "0.1000", "0.1000", "0%", "", "", "2"],
        ["still", "answer", "0.0500", "0.0500", "0%", "", "", "2"],
    ]


@pytest.mark.slow
def test_a_second_of_learning_makes_a_row_for_every_readout(monkeypatch):
    monkeypatch.setattr(hard_recordings, "SECONDS", 7.0)
    found, seconds = adapted.measured("two-part", 1, 0.5)
    assert len(seconds) == 1
    names = [line[1] for line in adapted.lines_of("two-part", found)]
    assert names == ["pixels", "selfdistance", "adapt", "answer without adapt", "answer"]
