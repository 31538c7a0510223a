"""One recording, from its name to the record that is kept of it, in this process or in one of several."""

import functools
import hashlib
import math
import os
import pathlib
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from simper_tf.commands import console
from simper_tf.commands.command_options import Predict
from simper_tf.commands.learners import Learner, wishes_of
from simper_tf.reading import live_count, records, source_reader
from simper_tf.recordings import search, source_contract
from simper_tf.utils import files, systems
from simper_tf.utils.errors import RawDataError, guarding, printable
from simper_tf.utils.options import declared

# Windows of a recording that are printed; the files have all.
_MOST_PRINTED = 20
# Seconds of a recording that is read before anybody asks for progress.
_SHORT = 30.0


class Read(NamedTuple):
    """A recording that was read, or why it was not.

    Attributes:
        record: What is kept of it; see `records`.
        source, done: The recording and what was read of it; None where it was not.
    """

    record: dict
    source: source_contract.Source | None = None
    done: source_reader.Done | None = None


def read_target(target: search.Target, request: Predict, learner: Learner, is_shown: bool = True) -> Read:
    """Reads a recording; whatever it does to a reader is said in its record, with the flags of the command.

    Args:
        target: The recording.
        request: How it is read.
        learner: What reads beside.
        is_shown: Whether its progress is printed.

    Raises:
        OSError: its picture cannot be written, or nothing can be printed any more.
    """
    made = _read(target, request, learner, is_shown)
    flags = {field.name for field in declared(request)}
    sentences = {"reason": console.in_flags(made.record["reason"], flags)}
    sentences |= {part: [console.in_flags(line, flags) for line in made.record[part]] for part in ("said", "notes")}
    return made._replace(record=made.record | sentences)


def _read(target, request, learner, is_shown):
    is_recording = False
    try:
        with guarding(target.name, console.OutputClosed):
            source, wishes = opened(target, request), wishes_of(request)
            source.only(wishes.start, wishes.end)
            info, is_recording = source.info(), True
            learner.check(source)
            if request.video:
                source.require_pictures("`video`", twice=True)
            what, end = f"reading {printable(source.name)}, second", min(info.seconds, wishes.end)
            watch = live_count.LiveCount(_show_count, wishes.band) if source.is_live and is_shown else None
            done = source_reader.reading_of_source(source, wishes, progress(what, end) if is_shown else None, watch)
    except RawDataError as error:
        is_other = not is_recording and search.is_skipped(target, error)
        status = records.SKIPPED if is_other else records.UNREADABLE
        return Read(records.without(str(error), status, target.name))
    try:
        with guarding(target.name, console.OutputClosed):
            done = learner.added(source, done)
    except RawDataError as error:
        done = source_reader.renamed(done, done.name, (f"No encoder read it: found {error.found}.",))
    record = records.of(done, request.unit, request.window, request.hop, _MOST_PRINTED)
    if is_drawn(record, request.pictures):
        record = _with_picture(record, done, request)
    return Read(record, source, done)


def _show_count(number, answer):
    """Prints the count of a camera so far, and the tempo of its last seconds."""
    console.say(f"  {number} so far{f', {answer.hertz:.3g} Hz' if answer else ''}")


def opened(target: search.Target, request: Predict) -> source_contract.Source:
    """Returns a recording as somebody wants it opened; raises RawDataError where it is none."""
    return target.open(request.rate, time=request.time, columns=request.columns)


def begin(parent: int):
    """Begins a process of several, which ends when the first of them does, however that is.

    Args:
        parent: Number of the first, which alone is told to stop.
    """
    systems.leave_signals()

    def watch():
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def in_worker(target: search.Target, request: Predict) -> dict:
    """Returns the record of a recording, in a process of several."""
    return read_target(target, request, _learner(request), is_shown=False).record


@functools.lru_cache(maxsize=1)
def _learner(request):
    return Learner(request)


def is_drawn(record: dict, pictures: str) -> bool:
    """Returns whether a recording gets a picture: one that was read, and clearly where only these do."""
    drawn = {"all": (records.OK, records.NOTHING), "clear": (records.OK,), "none": ()}[pictures]
    return record["status"] in drawn


def picture_path(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Returns where the picture of a recording goes: two of the same file name differ in their folders."""
    # No more letters, each of up to four bytes, than leave room for what else is in a name of 255 bytes.
    stem = "".join(letter if letter.isalnum() else "_" for letter in pathlib.Path(name).name[:50])
    return folder / f"{stem}_{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:6]}.png"


def progress(what: str, seconds: float) -> Callable[[float], None]:
    """Returns what shows the second of a recording that is reached, and the time left; of short ones nothing.

    Args:
        what: Words before the second.
        seconds: That it lasts.
    """
    if not _SHORT < seconds < math.inf:
        return lambda at: None
    counter, last = console.Counter(what, math.ceil(seconds)), [0]

    def show(at):
        if int(at) > last[0]:
            last[0] = int(at)
            counter(min(last[0], counter.total))

    return show


def _with_picture(record, done, request):
    """Returns a record with the name of its picture, which is drawn; one that cannot be drawn is told in a note."""
    from simper_tf.reading import drawing

    try:
        with guarding(done.name):
            content = drawing.canvas(done, request.unit).png()
    except RawDataError as error:
        return record | {"notes": [*record["notes"], f"It has no picture: found {error.found}."]}
    path = picture_path(pathlib.Path(request.out), done.name)
    with files.replacing(path, "wb") as file:
        file.write(content)
    return record | {"picture": path.name}
