"""Encoders that change how a process is scheduled, and a process that stays as it is."""

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Gives the calling thread the scheduling back that it had before.

    SVT-AV1 makes the thread that calls it a real-time one, where it may (as root). Each process that is started
    afterwards is one too, and nothing else gets that core.

    Example:
        >>> before = os.sched_getscheduler(0)
        >>> with kept():
        ...     pass
        >>> os.sched_getscheduler(0) == before
        True
    """
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)
