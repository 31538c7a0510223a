"""Items made by threads ahead of who asks for them."""

import collections
import concurrent.futures
import queue
import threading
from collections.abc import Callable, Iterator


def made_ahead(make: Callable[[int], object], count: int, most: int) -> Iterator:
    """Yields `make(0)`, `make(1)`, ... up to `count` of them, called ahead by threads: it must leave Python to itself.

    At most `most` are made that nobody has asked for yet; what `make` raises comes at its place.
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

    At most `most` are kept that nobody has asked for yet. The work of the iterator must leave Python to others.
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
