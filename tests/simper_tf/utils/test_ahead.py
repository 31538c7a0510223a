import threading

import pytest

from simper_tf.utils.ahead import made_ahead


def test_things_come_in_order_also_where_the_first_takes_longest():
    second = threading.Event()

    def make(index):
        if index == 0:
            assert second.wait(30)
        if index == 1:
            second.set()
        return index

    assert list(made_ahead(make, 7, most=3)) == list(range(7))
    assert list(made_ahead(make, 0, most=3)) == []


def test_few_are_made_ahead_and_errors_come_at_their_place():
    begun = []

    def make(index):
        begun.append(index)
        if index == 2:
            raise ValueError("thing 2")
        return index

    things = made_ahead(make, 1000, most=4)
    assert [next(things), next(things)] == [0, 1]
    with pytest.raises(ValueError, match="thing 2"):
        next(things)
    assert len(begun) <= 4 + 2
