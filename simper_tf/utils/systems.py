"""What operating systems do each in their own way, by what there is of it. On Linux alone it was tried.

Linux has all of it. On macOS no bound on memory holds. Windows has no signals that end a reader, and other locks.
"""

import contextlib
import os
import pathlib
import signal
import subprocess

try:
    import resource
except ImportError:  # Of Windows.
    resource = None
try:
    import fcntl
except ImportError:  # Of Windows.
    fcntl = None

_MEMORY = pathlib.Path("/proc/self/statm")  # Where it is, a bound on addresses holds.
_FAR = 2**30  # Where Windows locks a file whose first bytes others read: they cannot read what is locked.


def lock(file, wait: bool):
    """Locks an open file until it is closed; raises BlockingIOError where another process holds it and none waits."""
    if fcntl:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return
    import msvcrt

    file.seek(_FAR)
    while True:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # It waits for 10 seconds.
        except OSError as error:
            if not wait:
                raise BlockingIOError(*error.args) from error
        else:
            return


def taken() -> int:
    """Returns the bytes of addresses that this process has taken; 0 where that cannot be told."""
    return int(_MEMORY.read_text().split()[0]) * resource.getpagesize() if _MEMORY.exists() else 0


def limit_memory(most: int, lowers_only: bool = True) -> int:
    """Bounds the addresses of this process, and returns the bytes that it may take; `most` where no bound holds."""
    return _limit("RLIMIT_AS", most, lowers_only) if _MEMORY.exists() else most


def limit_computing(seconds: int):
    """Has the system end this process by SIGXCPU after so many seconds of computing in all, where it can."""
    _limit("RLIMIT_CPU", seconds, lowers_only=False)


def leave_no_core():
    """Has the system write no memory of this process to a disk when it crashes."""
    _limit("RLIMIT_CORE", 0)


def _limit(name, most, lowers_only=True):
    """Sets a soft limit to `most`, or to what is allowed, and returns it; one that is lower stays."""
    if resource is None:
        return most
    what = getattr(resource, name)
    soft, hard = resource.getrlimit(what)
    known = [limit for limit in ((soft, hard) if lowers_only else (hard,)) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(what, (min([*known, most]), hard))
    return min([*known, most])


def end_by_signals():
    """Has SIGALRM and SIGXCPU end this process, whatever the program before did with them."""
    ends = {getattr(signal, name) for name in ("SIGALRM", "SIGXCPU") if hasattr(signal, name)}
    for end in ends:
        signal.signal(end, signal.SIG_DFL)
    if ends:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ends)


def leave_signals():
    """Has no signal to stop end this process: the one that it works for is told too, and ends it."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def apart() -> dict:
    """Returns arguments of `Popen` by which Ctrl-C is for this process alone, and not for the new one."""
    if hasattr(subprocess, "CREATE_NEW_PROCESS_GROUP"):
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0}


def handing(end) -> dict:
    """Returns arguments of `Popen` by which a new process has an end of a pipe, whose number it is told."""
    if hasattr(subprocess, "STARTUPINFO"):
        os.set_handle_inheritable(end.fileno(), True)
        return {"startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": [end.fileno()]})}
    return {"pass_fds": (end.fileno(),)}


def handed(number: int):
    """Returns the end of a pipe that this process was started with."""
    from multiprocessing import connection

    return getattr(connection, "PipeConnection", connection.Connection)(number)


def is_asleep(number: int) -> bool:
    """Returns whether no thread of a process computes or waits for a disk, where the system tells that."""
    states = []
    with contextlib.suppress(OSError):
        for stat in pathlib.Path(f"/proc/{number}/task").glob("*/stat"):
            states.append(stat.read_text().rpartition(")")[2].split()[0])
    return bool(states) and set(states) == {"S"}
