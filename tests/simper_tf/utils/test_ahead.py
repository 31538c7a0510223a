import threading

import pytest

from simper_tf.utils.ahead import made_ahead, read_ahead


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


def test_items_are_read_while_nobody_asks_up_to_so_many():
    read = []
    items = read_ahead((read.append(k) or k for k in range(100)), most=5)
    assert next(items) == 0
    for _ in range(3000):
        if len(read) >= 6:
            break
        threading.Event().wait(0.01)
    threading.Event().wait(0.05)
    assert read == list(range(6))
    assert list(items) == list(range(1, 100))


def test_an_error_comes_behind_the_items_before_it():
    def two():
        yield from (1, 2)
        raise ValueError("behind two")

    items = read_ahead(two(), most=9)
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(ValueError, match="behind two"):
        next(items)


def test_a_reader_that_leaves_ends_what_is_read():
    is_closed = threading.Event()

    def endless():
        try:
            while True:
                yield 0
        finally:
            is_closed.set()

    items = read_ahead(endless(), most=3)
    next(items)
    items.close()
    assert is_closed.wait(30)
