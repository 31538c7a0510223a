"""Recordings that nothing is learned from: by share, by name, and what is refused."""

import types

import pytest

from simper_tf.data import held_out
from simper_tf.utils.errors import RawDataError


def source(name, is_damaged=False):
    def info():
        if is_damaged:
            raise RawDataError(name, "a single frame", "a video", "Leave it out.")

    return types.SimpleNamespace(name=name, info=info, forget=lambda: None)


@pytest.mark.parametrize(
    ("count", "hold_out", "held"),
    [(5, 0.2, "2"), (20, 0.2, "2 7 12 17"), (3, 0.01, "1"), (4, 0.0, ""), (4, ["2.mp4", "0.mp4"], "0 2")],
)
def test_recordings_are_held_out_by_share_or_by_name(count, hold_out, held):
    sources = [source(f"clips/{number}.mp4") for number in range(count)]
    found = held_out.held_out(sources, hold_out)
    assert [one.name for one in found] == [f"clips/{number}.mp4" for number in held.split()]


def test_what_cannot_be_opened_is_not_held_out_by_a_share():
    sources = [source(f"{number}.mp4", is_damaged=number in (1, 2, 3)) for number in range(5)]
    assert [one.name for one in held_out.held_out(sources, 0.4)] == ["4.mp4"]
    assert [one.name for one in held_out.held_out(sources, ["2.mp4"])] == ["2.mp4"]


@pytest.mark.parametrize(
    ("hold_out", "message"),
    [
        (1.0, r"`hold_out` must be a share from 0 to below 1, or names of recordings\. Received: 1\."),
        (0.9, r"`hold_out` leaves none of 1 recordings to learn from\."),
        (["z.mp4"], r"`hold_out`: found 'z\.mp4', which names none of the recordings; expected .* such as a\.mp4"),
    ],
)
def test_what_cannot_be_held_out_is_refused(hold_out, message):
    with pytest.raises(ValueError, match=message):
        held_out.held_out([source("a.mp4")], hold_out)


def test_of_few_items_all_are_spread():
    assert held_out.spread(range(5), 24) == [0, 1, 2, 3, 4]
