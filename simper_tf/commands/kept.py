"""What was read of recordings, kept as it goes: a line of JSON each, so that a call goes on where another was ended."""

import dataclasses
import functools
import hashlib
import json
import os
import pathlib
from collections.abc import Iterable, Iterator

import simper_tf
from simper_tf.commands.command_options import Predict
from simper_tf.reading import records
from simper_tf.recordings.search import Target
from simper_tf.utils import files
from simper_tf.utils.errors import printable

# Options that change no record.
_NO_SETTINGS = ("out", "again", "jobs", "pictures", "report", "scheduler", "video")


class Kept:
    """Records of recordings in a file, one a line, the newest of a name last.

    A line is written when its recording has been read. One that a kill has cut off is dropped.

    Args:
        path: Of the file, whose folder is there.
        request: How recordings are read.
    """

    def __init__(self, path: pathlib.Path, request: Predict):
        self.path, self._settings, self._file = path, _settings(request), None
        self._keys, self._lines = {}, {}
        for line in _lines(path):
            try:
                record = json.loads(line)
                self._keys[record["recording"]], self._lines[record["recording"]] = record["key"], line
            except (ValueError, KeyError, TypeError):  # Cut off, or of something else.
                continue

    def of(self, target: Target) -> dict | None:
        """Returns the record of a recording that has not changed since it was read with the same settings, or None."""
        key = self._key(target)
        if key is None or self._keys.get(_name(target)) != key:
            return None
        record = json.loads(self._lines[_name(target)])
        # What hindered, such as a full memory, may be gone.
        return None if record["status"] == records.UNREADABLE else record

    def add(self, target: Target, record: dict):
        """Writes a record; raises OSError where the disk is full."""
        name = _name(target)
        line = json.dumps({**record, "recording": name, "key": self._key(target)}, allow_nan=False)
        self._keys[name], self._lines[name] = None, line  # Read once a call.
        with files.naming(self.path):
            if self._file is None:
                self._rewrite(self._lines)  # Without what was cut off.
                self._file = self.path.open("a")
            else:
                self._file.write(f"{line}\n")
            self._file.flush()

    def finish(self, targets: Iterable[Target]):
        """Puts the records of recordings at the end of the file, in their order."""
        if self._file:
            with files.naming(self.path):
                self._file.close()
            names = map(_name, targets)
            last = {name: self._lines.pop(name) for name in names if name in self._lines}
            self._lines |= last
            self._rewrite(self._lines)

    def records(self, targets: Iterable[Target]) -> Iterator[dict]:
        """Yields the records of recordings that are kept, without their keys."""
        for name in map(_name, targets):
            if name in self._lines:
                record = json.loads(self._lines[name])
                del record["key"]
                yield record

    def _rewrite(self, lines):
        with files.replacing(self.path) as file:
            file.writelines(f"{line}\n" for line in lines.values())

    def _key(self, target):
        """Returns what tells a file with its settings from another; None of what cannot be told, such as a camera."""
        if target.problem or target.camera is not None:
            return None
        try:
            paths = [file for path in target.paths for file in _with_samples(path)]
            states = [(os.path.abspath(path), path.stat()) for path in paths]  # noqa: PTH100  (`absolute` keeps `..`)
        except OSError:
            return None
        files_at_hand = [[path, state.st_size, state.st_mtime_ns] for path, state in states]
        return hashlib.sha256(json.dumps([target.name, files_at_hand, self._settings]).encode()).hexdigest()[:16]


def _name(target):
    """Returns the name of a recording as all tables have it: bytes that are no letters end readers of JSON."""
    return printable(target.name)


def _lines(path):
    try:
        return path.read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _with_samples(path):
    """Returns a file and, of the header of a WFDB record, those that hold its samples."""
    return [path] if path.suffix.lower() != ".hea" else sorted(path.parent.glob(f"{path.stem}.*"))


def _settings(request):
    given = {name: value for name, value in dataclasses.asdict(request).items() if name not in _NO_SETTINGS}
    model = [path.stat().st_mtime_ns for path in sorted(pathlib.Path(request.model).rglob("saved_model.pb"))]
    return [given, model if request.model else [], simper_tf.__version__, _newest_source()]


@functools.cache
def _newest_source():
    """Returns when a module of the package was changed last: a checkout that changed is another version."""
    return max(path.stat().st_mtime_ns for path in pathlib.Path(simper_tf.__file__).parent.rglob("*.py"))
