"""Items made by threads ahead of who asks for them."""

import collections
import concurrent.futures
import queue
import threading
from collections.abc import Callable, Iterator


def made_ahead(make: Callable[[int], object], count: int, most: int) -> Iterator:
    """Yields what a function returns for 0, 1, ... in order, called ahead by threads: it must leave Python to itself.

    Args:
        make: The function; what it raises comes at its place.
        count: How many.
        most: So many are kept at most that nobody has asked for yet.
    """
    with concurrent.futures.ThreadPoolExecutor() as pool:
        ahead = collections.deque()
        for index in range(count):
            ahead.append(pool.submit(make, index))
            if len(ahead) == most:
                yield ahead.popleft().result()
        for made in ahead:
            yield made.result()


def read_ahead(items: Iterator, most: int) -> Iterator:
    """Yields the items of an iterator, which a thread asks for ahead; what it raises comes at its place.

    Args:
        items: Whose work leaves Python to others.
        most: So many are kept at most that nobody has asked for yet.
    """
    ready, room, is_left = queue.SimpleQueue(), threading.Semaphore(most), threading.Event()

    def read():
        try:
            for item in items:
                room.acquire()
                if is_left.is_set():
                    return
                ready.put((item, None))
            ready.put((None, StopIteration()))
        except BaseException as error:
            ready.put((None, error))

    # It ends with this process, and nobody waits for it: what it asks may not answer for long.
    threading.Thread(target=read, daemon=True).start()
    try:
        while True:
            item, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item
            room.release()
    finally:
        is_left.set()
        room.release()
