"""The count of a camera while it runs, of frames that are made."""

import re

import numpy as np
import pytest

from simper_tf.commands import one_recording
from simper_tf.commands.command_options import Predict
from simper_tf.commands.learners import Learner
from simper_tf.reading import live_count
from simper_tf.recordings import live, search

RATE, HERTZ = 15, 0.8


def frames(seconds, start=0.0):
    """Yields a bar that swings, and its times."""
    for moment in start + np.arange(seconds * RATE) / RATE:
        middle = 24 + 12 * np.sin(2 * np.pi * HERTZ * moment)
        bar = 255 * np.exp(-((np.arange(48) - middle) ** 2) / 18)
        yield float(moment), np.tile(bar[None, :, None], (36, 1, 3)).astype(np.uint8)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Makes the reader answer before the next frame, as a fast machine would."""
    submit = live_count.concurrent.futures.ThreadPoolExecutor.submit

    def waiting(self, *work):
        future = submit(self, *work)
        future.exception()
        return future

    monkeypatch.setattr(live_count.concurrent.futures.ThreadPoolExecutor, "submit", waiting)


@pytest.mark.slow
def test_repetitions_are_counted_on_beyond_what_is_read_at_once():
    told = []
    count = live_count.LiveCount(lambda number, answer: told.append((number, answer)))
    for moment, frame in frames(32):
        count(moment, frame)
    assert told[-1][0] == pytest.approx(HERTZ * 30, abs=1.5)  # Told when the next frame after 30 s comes.
    assert told[-1][1].hertz == pytest.approx(HERTZ, abs=0.02)


def test_nothing_is_told_of_the_first_seconds():
    count = live_count.LiveCount(lambda number, answer: pytest.fail("It was told."))
    for moment, frame in frames(3.9):
        count(moment, frame)


def test_frames_never_wait_for_a_reading():
    count = live_count.LiveCount(lambda number, answer: None)
    count._work = live_count.concurrent.futures.Future()  # One that is never done.
    for moment, frame in frames(10):
        count(moment, frame)
    assert len(count._frames) == 10 * RATE


@pytest.mark.slow
def test_a_camera_shows_its_count_while_it_is_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(live.Camera, "_raw", lambda self: frames(13))
    request = Predict(end=12.0, out=str(tmp_path), pictures="none")
    (target,) = search.listed(["0"])
    found = one_recording.read_target(target, request, Learner(request))
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"  [789] so far, 0\.(79\d?|8\d*) Hz", lines[-1])
    assert found.record["answers"][0]["hertz"] == pytest.approx(HERTZ, abs=0.02)
