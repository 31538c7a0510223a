"""Batches that other machines make by a tf.data service, in the order of their steps.

What the service distributes are numbers of steps: each goes to one of its workers, which makes the batch of that step
from the seed and the step alone. So the batches are those of a run without the service, bit by bit, whichever worker
makes them, and a run can be entered at any step.
"""

import contextlib
import queue
import socket
import threading
from collections.abc import Callable

import tensorflow as tf

from simper_tf.cluster import split_address
from simper_tf.pipeline import CACHE_BYTES, Batches

SCHEME = "grpc://"
# Seconds in which a dispatcher takes a connection.
_CONNECT = 10.0
# Batches on their way at the same time; and how many may wait for an earlier one: as many as `CACHE_BYTES` hold, but at
# least and at most so many.
_ON_THEIR_WAY, _FEWEST, _MOST = 8, 16, 64
# Seconds without any batch after which one that is overtaken by others counts as lost.
_LOST = 10.0


class Silent(ValueError):
    """No batch came from the service in time."""


def check(address: str, flag: str = "--data_service"):
    """Refuses the address of a dispatcher at which nothing answers.

    Args:
        address: `grpc://host:port`.
        flag: That has set it.

    Raises:
        ValueError: it has another form, or nobody takes a connection there within 10 s.
    """
    try:
        host, port = split_address(address.removeprefix(SCHEME))
        if not address.startswith(SCHEME):
            raise ValueError
    except ValueError:
        raise ValueError(f"{flag}={address}: expected {SCHEME}host:port, what trainers.data_service prints.") from None
    try:
        socket.create_connection((host, port), _CONNECT).close()
    except OSError as error:
        raise ValueError(
            f"{flag}={address}: no dispatcher of a tf.data service answers there ({error}). Start one by python -m "
            "trainers.data_service, or leave the flag out."
        ) from error


@contextlib.contextmanager
def feeding(batches: Batches, address: str, start: int, end: int, seconds: float, say: Callable = print):
    """Gives a `tf.data.Dataset` of the batches of steps that a service makes, for the time of a block.

    A step whose batch does not come, such as that of a worker that was killed, is made here, and said once: when many
    others have overtaken it, or some have and no more came for 10 s.

    Args:
        batches: What is to be made; its files must lie at the same paths on the machines of the service.
        address: `grpc://host:port` of its dispatcher.
        start, end: First step, and the one behind the last.
        seconds: Time to wait for a batch.
        say: Called with a line.

    Raises:
        Silent: within that time nothing came at all.
    """
    feed = _Feed(batches, address, start, end, seconds, say)
    try:
        yield tf.data.Dataset.from_generator(feed.in_order, output_signature=feed.spec).prefetch(1)
    except tf.errors.OpError:
        if feed.error is None:
            raise
        raise feed.error from None  # What a generator raises reaches TensorFlow as a traceback.
    finally:
        feed.stopped.set()


class _Feed:
    def __init__(self, batches, address, start, end, seconds, say):
        self.batches, self.address, self.start, self.end = batches, address, start, end
        self.seconds, self.say = seconds, say
        self.error, self.stopped = None, threading.Event()
        self.spec = tf.data.Dataset.range(1).map(batches.at).element_spec
        size = sum(spec.shape.num_elements() * spec.dtype.size for spec in tf.nest.flatten(self.spec))
        self._most = min(max(CACHE_BYTES // size, _FEWEST), _MOST)
        self._came, self._ended, self._told = queue.Queue(1), False, False
        # The same graph as the service has: other optimizers round views otherwise.
        self._one = tf.function(
            lambda step: tf.data.Dataset.range(step, step + 1).map(batches.at).get_single_element(), autograph=False
        )

    def in_order(self):
        """Yields the batches in the order of their steps."""
        threading.Thread(target=self._receive, daemon=True).start()
        waiting = {}
        try:
            for step in range(self.start, self.end):
                while step not in waiting:
                    if len(waiting) < self._most and self._wait(waiting):
                        continue
                    waiting[step] = self._made_here(step)
                yield waiting.pop(step)
                # What was made here may come after all.
                for late in [number for number in waiting if number <= step]:
                    del waiting[late]
        except Exception as error:
            self.error = error
            raise

    def _wait(self, waiting):
        """Adds the next batch that comes; returns whether one did."""
        if self._ended:
            return False
        try:
            came = self._came.get(timeout=min(self.seconds, _LOST) if waiting else self.seconds)
        except queue.Empty:
            if waiting:
                return False
            raise self._silent(f"no batch has come for {self.seconds:g} s (--worker_seconds)") from None
        if isinstance(came, Exception):
            raise came
        if came is None:
            self._ended = True
            return False
        step, batch = came
        waiting[int(step)] = batch
        return True

    def _silent(self, what):
        return Silent(
            f"--data_service={self.address}: {what}. Look whether its workers run; the same command continues at the "
            "last checkpoint, with this flag or without."
        )

    def _made_here(self, step):
        if not self._told:
            self.say(
                f"The batch of step {step} did not come from the data service: it is made here, as others like it."
            )
            self._told = True
        return self._one(tf.constant(step, tf.int64))

    def _receive(self):
        """Puts the batches that come into the queue, then None, or what went wrong."""
        try:
            for each in self._distributed():
                if not self._put(each):
                    return
            self._put(None)
        except tf.errors.UnavailableError as error:
            self._put(self._silent(error.message.splitlines()[0]))
        except Exception as error:  # Goes to the thread that trains.
            self._put(error)

    def _distributed(self):
        service = tf.data.experimental.service
        steps = tf.data.Dataset.range(self.start, self.end)
        made = steps.map(lambda step: (step, self.batches.at(step)), tf.data.AUTOTUNE, deterministic=True)
        return made.apply(
            service.distribute(
                service.ShardingPolicy.DYNAMIC,
                self.address,
                max_outstanding_requests=_ON_THEIR_WAY,
                compression=None,  # Frames with noise hardly shrink.
            )
        )

    def _put(self, item):
        while not self.stopped.is_set():
            with contextlib.suppress(queue.Full):
                self._came.put(item, timeout=0.2)
                return True
        return False
