"""Recordings read, each with its answers printed, kept at once and drawn; at the end they stand in tables."""

import contextlib
import dataclasses
import json
import os
import pathlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from simper_tf.commands import console, many, one_recording
from simper_tf.commands.command_options import Predict
from simper_tf.commands.kept import Kept
from simper_tf.commands.learners import Learner, wishes_of
from simper_tf.reading import records
from simper_tf.recordings import search
from simper_tf.utils import files
from simper_tf.utils.errors import RawDataError, printable
from simper_tf.utils.options import declared

LOCK = ".lock"
CSV, REPETITIONS, WINDOWS = "predictions.csv", "repetitions.csv", "windows.csv"
JSON, LINES, PAGE = "predictions.json", search.ANSWERS, "predictions.html"
# Recordings of which all have pictures where nobody asks: of more, nobody looks at each.
_DRAWN = 50
_NOT_READ = records.UNREADABLE, records.SKIPPED
# Notes of a recording that are printed, and seconds from which the time that is left is told.
_MOST_NOTES, _LONG = 3, 10.0


def predict(names: Sequence[str], request: Predict) -> list[str]:
    """Reads all recordings; what fails is printed to the standard error, and the others are read.

    What was read before, of files that have not changed, is kept.

    Args:
        names: Files, folders, patterns and numbers of cameras.
        request: How they are read, and what is made of it.

    Returns:
        Why recordings could not be read.

    Raises:
        ValueError: a wish is not one.
        OSError: what was read cannot be written.
    """
    if request.scheduler:  # Workers run in folders of their own.
        names = [name if name.isdecimal() else os.path.abspath(name) for name in names]  # noqa: PTH100  (`absolute` keeps `..`)
        out, model = (path and os.path.abspath(path) for path in (request.out, request.model))  # noqa: PTH100  (`absolute` keeps `..`)
        request = dataclasses.replace(request, out=out, model=model)
    out, targets = pathlib.Path(request.out), search.listed(list(names))
    if request.video:
        _check_video(request, targets)
    if request.pictures == "auto":
        request = dataclasses.replace(request, pictures="all" if len(targets) <= _DRAWN else "clear")
    with _alone(out):
        files.sweep(out)
        kept = Kept(out / LINES, request)
        try:
            problems = _Reading(request, kept, targets).all()
        finally:  # So that the tables hold what was read, whatever ended it.
            kept.finish(targets)
            tables = write(out, kept, targets, request)
        if request.report:
            from simper_tf.commands import html_page

            files.write_atomically(out / PAGE, html_page.render(kept.records(targets), out))
            console.say(f"Page: {out / PAGE}.")
        if any(record["status"] not in _NOT_READ for record in kept.records(targets)):
            console.say(f"Tables: {', '.join(map(str, tables))}.")
    return problems


def run(names: Sequence[str], request: Predict) -> int:
    """Reads all recordings, as `predict`; returns the exit code, 1 where one could not be read."""
    return int(bool(predict(names, request)))


def write(folder: pathlib.Path, kept: Kept, targets: Sequence[search.Target], request: Predict) -> list[pathlib.Path]:
    """Writes all tables of recordings that are kept, each whole or not at all; returns their paths, none of nothing."""
    if not any(True for _ in kept.records(targets)):
        return []
    tables = {CSV: records.answer_rows, REPETITIONS: records.repetition_rows}
    if request.window:
        tables[WINDOWS] = records.window_rows
    for name, rows_of in tables.items():
        rows = (row for record in kept.records(targets) for row in rows_of(record))
        files.write_atomically(folder / name, records.table(rows))
    with files.replacing(folder / JSON) as file:
        for number, record in enumerate(kept.records(targets)):
            file.write(f"{',' if number else '['}\n {json.dumps(record, allow_nan=False)}")
        file.write("\n]\n")
    return [folder / name for name in (*tables, JSON, LINES)]


class _Reading:
    """A call that reads recordings.

    Args:
        request: How they are read.
        kept: What is kept of them.
        targets: The recordings.
    """

    def __init__(self, request: Predict, kept: Kept, targets: Sequence[search.Target]):
        self._request, self._kept, self._targets = request, kept, targets
        self._done, self._problems, self._skipped = 0, [], set()

    def all(self) -> list[str]:
        """Reads those of which nothing is kept; returns why some could not be read."""
        rest = []
        for target in self._targets:
            record = None if self._request.again or self._request.video else self._kept.of(target)
            if record and self._has_picture(record):
                self._tell(target, record, "")
            else:
                rest.append(target)
        if before := self._done:
            were = "was" if before == 1 else "were"
            console.say(f"{before} of {len(self._targets)} {were} read before and kept: --again reads anew.")
        self._read(rest)
        for problem in search.without(self._targets, self._skipped):
            self._complain(str(problem))
        if self._problems and len(self._targets) > 1:
            summary = f"predict: {len(self._problems)} of {len(self._targets)} could not be read, see above."
            print(summary, file=sys.stderr)
        return self._problems

    def _has_picture(self, record):
        is_drawn = one_recording.is_drawn(record, self._request.pictures)
        return not is_drawn or (pathlib.Path(self._request.out) / (record["picture"] or "none")).exists()

    def _read(self, targets):
        began = time.monotonic()
        for number, (target, record, then) in enumerate(self._some(targets), start=1):
            self._kept.add(target, record)
            left = (time.monotonic() - began) / number * (len(targets) - number)
            self._tell(target, record, _left(left))
            then()

    def _some(self, targets) -> Iterator[tuple[search.Target, dict, Callable]]:
        """Yields recordings with their records as they are read, and what is to be done once these are told."""
        with many.pool(targets, self._request) as together:
            if together:
                for target, record in together(targets):
                    yield target, record, lambda: None
                return
        learner = Learner(self._request) if targets else None
        for target in targets:
            made = one_recording.read_target(target, self._request, learner)
            yield target, made.record, (lambda made=made: self._copy(made))

    def _tell(self, target, record, left):
        """Prints what was read of a recording, or why it was not."""
        self._done += 1
        number = f"[{self._done}/{len(self._targets)}] {left}" if len(self._targets) > 1 else ""
        if record["status"] == records.UNREADABLE:
            self._complain(record["reason"])
            return
        if record["status"] == records.SKIPPED:
            self._skipped.add(target)
            console.say(f"{number}skipped: {record['reason']}")
            return
        console.say(f"{number}{printable(target.name)}")
        notes = record["notes"]
        shown = [*record["said"], *(f"NOTE {note}" for note in notes[:_MOST_NOTES])]
        if len(notes) > _MOST_NOTES:
            shown.append(f"NOTE {len(notes) - _MOST_NOTES} more in {JSON}.")
        if record["picture"]:
            shown.append(f"Picture: {pathlib.Path(self._request.out) / record['picture']}.")
        for line in shown:
            console.say(f"  {line}")

    def _complain(self, reason):
        reason = console.in_flags(reason, {field.name for field in declared(self._request)})
        self._problems.append(reason)
        print(f"predict: {printable(reason)}", file=sys.stderr, flush=True)

    def _copy(self, finished):
        """Writes the copy of a recording with its count, where one is wanted."""
        if not (self._request.video and finished.done):
            return
        from simper_tf.commands import annotated

        path, wishes = pathlib.Path(self._request.video), wishes_of(self._request)
        end = min(finished.done.info.seconds, wishes.end)
        try:
            shown = one_recording.progress("writing the video, second", end)
            annotated.write(path, finished.source, wishes, finished.done, shown)
            console.say(f"  Video: {path}.")
        except RawDataError as error:
            self._complain(str(error))


def _left(seconds):
    if seconds < _LONG:
        return ""
    return f"{seconds / 60:.0f} min left  " if seconds >= 90 else f"{seconds:.0f} s left  "


def _check_video(request, targets):
    """Refuses a copy of several recordings, of one without pictures, or where it cannot be written."""
    source = one_recording.opened(targets[0], request) if len(targets) == 1 else None
    if not (source and source.has_pictures):
        raise ValueError(
            f"--video={request.video} copies one recording with pictures. Found: {len(targets)} recordings"
            f"{', a series' * bool(source)}."
        )
    from simper_tf.commands import annotated  # Loads what writes videos.

    annotated.refuse_unwritable(pathlib.Path(request.video), source)


@contextlib.contextmanager
def _alone(folder):
    """Keeps other commands from writing into a folder, which is made where something is written."""
    try:
        with files.without_empty(folder), files.alone(folder / LOCK, wait=False):
            yield
    except files.InUse as error:
        raise files.InUse(f"--out={folder} is written by {error}. Wait for it, or name another folder.") from error
