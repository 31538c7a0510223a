"""Rows of runs that were finished elsewhere, in one file: a grid that takes days can move from machine to machine."""

import dataclasses
import json
import pathlib
from collections.abc import Mapping, Sequence

from simper_tf.evaluation.rows import Row
from simper_tf.utils import files


class KeptRows:
    """A file of the rows of runs, a line each, by the names of their folders.

    Several lines of a run, such as of two files put together, are read as one: of a split that two have, the later
    counts.

    Args:
        path: The file, which need not be there.

    Raises:
        ValueError: a line of it is damaged.
    """

    def __init__(self, path: str | pathlib.Path):
        self.path = pathlib.Path(path)
        self._rows = self._read()

    def of(self, name: str) -> list[Row]:
        """Returns the rows of a run, none of one that is not known."""
        return self._rows.get(name, [])

    def add(self, found: Mapping[str, Sequence[Row]]):
        """Adds the rows of runs, in place of those that runs of these names had for the same split, and writes all.

        Several processes may add to one file.

        Raises:
            ValueError: a line of the file is damaged; nothing is written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with files.alone(f"{self.path}.lock"):
            self._rows = self._read()
            for name, rows in found.items():
                _put(self._rows, name, rows)
            lines = (json.dumps({"run": name, **_folded(self._rows[name])}) for name in sorted(self._rows))
            files.write_atomically(self.path, "".join(f"{line}\n" for line in lines))

    def _read(self):
        lines = self.path.read_text(errors="replace").splitlines() if self.path.exists() else []
        found = {}
        for number, line in enumerate(lines, start=1):
            _put(found, *self._read_line(number, line))
        return found

    def _read_line(self, number, line):
        try:
            found = json.loads(line)
            return found["run"], [Row(**found["all"], **each) for each in found["rows"]]
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(
                f"{self.path}, line {number}, does not hold the rows of a run ({error}): {line[:80]!r}. Delete that "
                "line: the run is then made again."
            ) from error


def _put(known, name, rows):
    """Puts rows of a run among those known by name, in place of those that it had for the same splits."""
    splits = {row.split for row in rows}
    known[name] = [*(row for row in known.get(name, []) if row.split not in splits), *rows]


def _folded(rows):
    """Returns rows as dictionaries, with what all of them share written once."""
    found = [dataclasses.asdict(row) for row in rows]
    shared = {name: value for name, value in found[0].items() if all(each[name] == value for each in found)}
    return {
        "all": shared,
        "rows": [{name: value for name, value in each.items() if name not in shared} for each in found],
    }
