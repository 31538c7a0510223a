"""Many recordings at the same time, by joblib: by processes of this machine, or by the workers of a Dask cluster."""

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Sequence

from simper_tf.commands import one_recording
from simper_tf.commands.command_options import Predict
from simper_tf.reading import records
from simper_tf.recordings.search import Target
from simper_tf.utils.errors import RawDataError

# Recordings for which further processes are started where nobody asks: each takes about two seconds to start.
_FEW = 8
_PATIENCE = 10  # Seconds in which a scheduler must answer.


@contextlib.contextmanager
def pool(targets: Sequence[Target], request: Predict) -> Iterator[Callable | None]:
    """Yields a function of recordings that reads them at the same time; None where one after another is faster.

    It yields a recording and its record as each is done. Where a process dies, those that it may have been reading are
    read each in one alone, so that one bad file costs no other.

    Args:
        targets: All recordings.
        request: How they are read, by how many processes, or by which cluster.

    Raises:
        ValueError: the cluster cannot be used.
    """
    if any(target.camera is not None for target in targets) or request.video:
        yield None
    elif request.scheduler:
        with _cluster(request.scheduler) as (jobs, death):
            yield lambda some: _read(some, request, jobs, {"pre_dispatch": 2 * jobs}, death)
    elif (jobs := _jobs(targets, request)) > 1:
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        # Few are at work when a process dies.
        own = {"initializer": one_recording.begin, "initargs": (os.getpid(),), "pre_dispatch": jobs}
        yield lambda some: _read(some, request, jobs, own, TerminatedWorkerError)
    else:
        yield None


@contextlib.contextmanager
def _cluster(address):
    """Yields how many recordings a cluster reads at the same time, and the error of one that has ended its workers."""
    import distributed
    import joblib
    from distributed.scheduler import KilledWorker

    try:
        client = distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(f"--scheduler={address}: no Dask scheduler answers there ({error}).") from error
    with client, joblib.parallel_config(backend="dask"):
        jobs = sum(client.ncores().values())
        if not jobs:
            raise ValueError(f"--scheduler={address} has no workers. Start some: dask worker {address}.")
        yield max(jobs, 2), KilledWorker  # Of one joblib would make none.


def _jobs(targets, request):
    """Returns how many processes read: several of many recordings, if TensorFlow does not use all cores itself."""
    if request.jobs:
        return min(request.jobs, max(len(targets), 1))
    if len(targets) < _FEW or request.model:
        return 1
    import joblib

    return joblib.cpu_count()


def _read(targets, request, jobs, settings, death):
    left = list(targets)
    while left:
        suspects = []
        for target, record in _parallel([*left], request, jobs, settings, death, suspects):
            left.remove(target)
            yield target, record
        for target in suspects:
            left.remove(target)
            alone = list(_parallel([target], request, 2, settings, death, []))
            yield target, alone[0][1] if alone else _died(target)


def _parallel(targets, request, jobs, settings, death, suspects):
    """Yields records as they are done; puts the recordings that were at work at a `death` into `suspects`."""
    import joblib

    # An ended call says so itself; what was cancelled is read by the next one.
    warnings.filterwarnings("ignore", ".*have been cancelled", UserWarning)
    at_work = []

    def tasks():
        for number, target in enumerate(targets):
            at_work.append(number)
            yield joblib.delayed(_numbered)(number, target, request)

    together = joblib.Parallel(jobs, batch_size=1, return_as="generator_unordered", **settings)
    try:
        for number, record in together(tasks()):
            at_work.remove(number)
            yield targets[number], record
    except death:
        suspects += [targets[number] for number in at_work]


def _numbered(number, target, request):
    return number, one_recording.in_worker(target, request)


def _died(target):
    error = RawDataError(
        target.name, "what ends the process that reads it", "a recording that can be read",
        "Leave it out, and send the file to whoever maintains this package.",
    )  # fmt: skip
    return records.without(str(error), records.UNREADABLE, target.name)
