"""Items made by threads ahead of who asks for them."""

import collections
import concurrent.futures
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
