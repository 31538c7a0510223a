"""Batches that other machines make by a tf.data service, in the order of their steps.

What the service distributes are numbers of steps: each goes to one of its workers, which makes the batch of that step
from the seed and the step alone. So the batches are those of a run without the service, bit by bit, whichever worker
makes them, and a run can be entered at any step.
"""

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Callable

import tensorflow as tf

from simper_tf.data.pipeline import CACHE_BYTES, Batches
from simper_tf.training.cluster import split_address

SCHEME = "grpc://"
# Seconds in which a dispatcher takes a connection.
_CONNECT = 10.0
# How many batches may wait for an earlier one: as many as `CACHE_BYTES` hold, but at least and at most so many. As many
# are on their way at the same time, but no more than these.
_FEWEST, _MOST, _ON_THEIR_WAY = 4, 256, 8
# Steps that a worker makes at the same time: what it holds back from the others, who overtake it meanwhile.
_AT_WORK = 2
# Bytes of a batch, at most: it is sent as one message, which holds less than 2 GiB with its names and shapes.
_LARGEST = 2**31 - 2**20
# Seconds without any batch after which one that is overtaken by others counts as lost.
_LOST = 10.0
# Seconds after which what waits looks whether it is to stop.
_SLICE = 0.2


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

    A step whose batch does not come, such as that of a worker that was killed, is made here: when many others have
    overtaken it, or some have and no more came for 10 s. The first is said, and at the end how many they were.

    Args:
        batches: What is to be made; the very same files must lie at the same paths on the machines of the service.
        address: `grpc://host:port` of its dispatcher.
        start, end: First step, and the one behind the last.
        seconds: Time to wait for a batch.
        say: Called with a line.

    Raises:
        ValueError: a batch is too large to be sent, or a worker cannot read its clips.
        Silent: within that time nothing came at all.
    """
    feed = _Feed(batches, address, start, end, seconds, say)
    try:
        yield tf.data.Dataset.from_generator(feed.in_order, output_signature=feed.spec).prefetch(1)
    except tf.errors.OpError:
        if feed.error is None:
            raise
        raise feed.error from None  # What a generator raises reaches TensorFlow as a traceback.
    else:
        if feed.made_here:
            say(f"Batches that did not come from the data service in time and were made here: {feed.made_here} in all.")
    finally:
        feed.stopped.set()


class _Feed:
    def __init__(self, batches, address, start, end, seconds, say):
        self.batches, self.address, self.start, self.end = batches, address, start, end
        self.seconds, self.say = seconds, say
        self.error, self.stopped = None, threading.Event()
        self.spec = tf.data.Dataset.range(1).map(batches.at).element_spec
        size = sum(spec.shape.num_elements() * spec.dtype.size for spec in tf.nest.flatten(self.spec))
        if size > _LARGEST:
            raise ValueError(
                f"--data_service={address}: a batch has {size / 2**30:.1f} GiB, and a service sends less than 2 GiB at "
                "once. Lower --batch_size, or let the device make the views: --augment_on=device."
            )
        self._most = min(max(CACHE_BYTES // size, _FEWEST), _MOST)
        self._on_their_way = min(self._most, _ON_THEIR_WAY)
        self._came, self._ended, self.made_here = queue.Queue(1), False, 0
        # The same graph as the service has: other optimizers round views otherwise.
        self._one = tf.function(
            lambda step: tf.data.Dataset.range(step, step + 1).map(batches.at).get_single_element(), autograph=False
        )

    def in_order(self):
        """Yields the batches in the order of their steps, until it is stopped."""
        threading.Thread(target=self._receive, daemon=True).start()
        waiting = {}
        try:
            for step in range(self.start, self.end):
                while step not in waiting and not self.stopped.is_set():
                    if not self._wait(waiting):
                        waiting[step] = self._made_here(step)
                if self.stopped.is_set():
                    return
                yield waiting.pop(step)
                # What was made here may come after all.
                for late in [number for number in waiting if number <= step]:
                    del waiting[late]
        except Exception as error:
            self.error = error
            raise

    def _wait(self, waiting):
        """Adds the next batch that comes; returns whether there is still hope for those that have not."""
        if self._ended or len(waiting) >= self._most + self._on_their_way:
            return False
        try:
            came = self._next(self._patience(waiting))
        except queue.Empty:
            if waiting:
                return False
            raise self._silent(f"no batch has come for {self.seconds:g} s (--worker_seconds)") from None
        if isinstance(came, Exception):
            raise came
        if came is None:
            self._ended = not self.stopped.is_set()
            return not self._ended
        step, batch = came
        waiting[int(step)] = batch
        return True

    def _patience(self, waiting):
        if len(waiting) >= self._most:
            return 0.0  # What has come already is looked at all the same.
        return min(self.seconds, _LOST) if waiting else self.seconds

    def _next(self, seconds):
        """Returns what comes into the queue within a time; None when this is stopped, which it looks at meanwhile.

        Raises:
            queue.Empty: nothing came.
        """
        end = time.monotonic() + seconds
        while not self.stopped.is_set():
            left = max(end - time.monotonic(), 0.0)
            try:
                return self._came.get(timeout=min(left, _SLICE))
            except queue.Empty:
                if left <= _SLICE:
                    raise
        return None

    def _silent(self, what):
        return Silent(
            f"--data_service={self.address}: {what}. Look whether its workers run; the same command, without "
            "--overwrite, continues at the last checkpoint, with this flag or without."
        )

    def _told(self, error):
        """Returns an error of the service in the words of this package, any other as it is."""
        if not isinstance(error, tf.errors.OpError):
            return error
        said = error.message.splitlines()[0]
        is_gone = isinstance(error, tf.errors.NotFoundError)
        if isinstance(error, tf.errors.DataLossError) or (is_gone and "No such file" in said):
            return self._unreadable(said)
        # A dispatcher that was started again has not found what is asked of it.
        silent = tf.errors.UnavailableError, tf.errors.DeadlineExceededError, tf.errors.AbortedError
        return self._silent(said) if is_gone or isinstance(error, silent) else error

    def _unreadable(self, what):
        return ValueError(
            f"--data_service={self.address}: a worker of the service cannot read its clips: {what}. It needs the very "
            "files that this process has, at the same path: copy them to its machine again, or mount them there."
        )

    def _made_here(self, step):
        self.made_here += 1
        if self.made_here == 1:
            self.say(
                f"The batch of step {step} did not come from the data service: it is made here, as others like it."
            )
        return self._one(tf.constant(step, tf.int64))

    def _receive(self):
        """Puts the batches that come into the queue, then None, or what went wrong."""
        try:
            for each in self._distributed():
                if not self._put(each):
                    return
            self._put(None)
        except Exception as error:  # Goes to the thread that trains.
            self._put(self._told(error))

    def _distributed(self):
        service = tf.data.experimental.service
        steps = tf.data.Dataset.range(self.start, self.end)
        made = steps.map(lambda step: (step, self.batches.at(step)), _AT_WORK, deterministic=True)
        return made.apply(
            service.distribute(
                service.ShardingPolicy.DYNAMIC,
                self.address,
                max_outstanding_requests=self._on_their_way,
                compression=None,  # Frames with noise hardly shrink.
            )
        )

    def _put(self, item):
        while not self.stopped.is_set():
            with contextlib.suppress(queue.Full):
                self._came.put(item, timeout=_SLICE)
                return True
        return False
