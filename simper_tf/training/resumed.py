"""What a training on recordings leaves in a folder, so that the same call goes on with it after a stop."""

import contextlib
import dataclasses
import hashlib
import json
import pathlib
import shutil
from collections.abc import Mapping, Sequence

import numpy as np

from simper_tf.utils import files
from simper_tf.utils.errors import printable

_STATE = "training.json"
# Of a file more is not read to know it again: so many pieces of so many bytes, evenly spread.
_PIECES, _PIECE = 16, 2**20


@dataclasses.dataclass
class Begun:
    """A training that has begun, perhaps in an earlier call.

    Attributes:
        folder: Where it keeps itself; its `checkpoints` are in there.
        asked: Name of a setting -> what it is, as text.
        listing: Name of each recording -> its bytes and a digest of them.
        hertz: Name of a recording -> frequencies that were counted in it; None before.
        model: Path of the exported model; empty before.
    """

    folder: pathlib.Path
    asked: Mapping[str, str]
    listing: Mapping[str, str]
    hertz: Mapping[str, Sequence[float]] | None = None
    model: str = ""

    @property
    def checkpoints(self) -> pathlib.Path:
        """Folder of its checkpoints."""
        return self.folder / "checkpoints"

    @property
    def is_finished(self) -> bool:
        """Whether its model was exported, and is still there."""
        return bool(self.model) and pathlib.Path(self.model).exists()

    def keep(self):
        """Writes all this, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = {**dataclasses.asdict(self), "folder": ""}
        files.write_atomically(self.folder / _STATE, json.dumps(kept, indent=1) + "\n")


@contextlib.contextmanager
def begun(folder: pathlib.Path, asked: Mapping[str, str], names: Sequence[str]):
    """Gives the training of a folder, `Begun`, to this process alone, for the time of a block.

    One that was finished makes room for another. A ValueError says that another process is at work there, or which
    other recordings or settings an unfinished training there has.
    """
    now = Begun(folder, asked, {name: _digest(pathlib.Path(name)) for name in names})
    try:
        with files.without_empty(folder), files.alone(folder / ".lock", wait=False):
            before = _read(folder)
            unlike = before and _unlike(before, now)
            if unlike and not before.is_finished:
                raise ValueError(
                    f"{printable(str(folder))} holds a training that was stopped, of other recordings or settings: "
                    f"{unlike}. Give the same to go on, name another folder, or delete this one to begin anew."
                )
            if unlike:
                shutil.rmtree(folder / "checkpoints", ignore_errors=True)
            yield now if unlike or not before else before
    except files.InUse as error:
        raise ValueError(
            f"{printable(str(folder))} is in use by {error}. Wait until it has ended, or name another folder."
        ) from error


def _read(folder):
    """Returns the training that a folder holds; None of one that is damaged, of which nothing is known."""
    try:
        return Begun(**{**json.loads((folder / _STATE).read_text()), "folder": folder})
    except (OSError, ValueError, TypeError):
        return None


def _unlike(before, now):
    """Returns in print what differs between two trainings; empty if nothing does."""
    said = [
        f"{name} was {before.asked.get(name) or 'not set'}, now {value or 'not set'}"
        for name, value in now.asked.items()
        if before.asked.get(name) != value
    ]
    old, new = before.listing, now.listing
    parts = {
        "new": sorted(new.keys() - old.keys()),
        "gone": sorted(old.keys() - new.keys()),
        "changed": sorted(name for name in old.keys() & new.keys() if old[name] != new[name]),
    }
    said += [
        f"{len(names)} {what} ({printable(names[0])}{', ...' if names[1:] else ''})"
        for what, names in parts.items()
        if names
    ]
    return "; ".join(said)


def _digest(path):
    """Returns the bytes of a file and a digest of pieces of it; of a folder of pictures its name alone."""
    if not path.is_file():
        return ""
    size, digest = path.stat().st_size, hashlib.sha256()
    last = max(size - _PIECE, 0)
    starts = range(0, size, _PIECE) if size <= _PIECES * _PIECE else np.linspace(0, last, _PIECES, dtype=np.int64)
    with path.open("rb") as file:
        for start in starts:
            file.seek(int(start))
            digest.update(file.read(_PIECE))
    return f"{size} {digest.hexdigest()[:16]}"
