"""Names of recordings, as somebody types them -> what there is of each: files, folders, patterns, cameras."""

import glob
import os
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from simper_tf.recordings import live, pictures, source_contract, sources
from simper_tf.utils import endings, raw_files, worker
from simper_tf.utils.errors import NoRecordingError, RawDataError, UnreadableError, guarding

# Bytes of series that are held of those that were read to see whether they are any: more are read again.
_MOST_HELD = 2**28
_LOOKED_FOR = (*endings.VIDEOS, *endings.PICTURES, *endings.SERIES, *endings.INSTRUMENTS, *endings.PACKED_TEXTS)
# Of these the ones that may hold no series.
_PERHAPS = (*endings.TEXTS, *endings.SHEETS, *endings.ANYTHING, ".mat", ".npy", ".dat", *endings.INSTRUMENTS,
            *endings.PACKED_TEXTS)  # fmt: skip
# What is not looked for in folders, but may be meant: it has its row, and what to do.
_NAMED_ONLY = {
    **dict.fromkeys(endings.PACKED, "Packed files of folders are not opened. Name it, or unpack it."), **endings.OTHERS,
    **dict.fromkeys(endings.INSTRUMENTS, "It holds no text that can be read."),
}  # fmt: skip
_NOTHING_IN_IT = "a folder without a recording"
# What `simper predict` writes as it goes, and how its pictures beside it are named.
ANSWERS, _DRAWN = "predictions.jsonl", re.compile(r".*_[0-9a-f]{6}\.png")
# Folders of copies that a Mac packs beside files; others that are hidden begin with a dot.
_MAC = "__MACOSX"
# How a table of recordings begins, such as answers on them or their labels: in a folder it is none itself.
_OF_RECORDINGS = b"recording,", b'{"recording"'


class Target(NamedTuple):
    """One recording that a name stands for, which is not opened yet.

    Attributes:
        name: As it is printed.
        paths: Its files; none of a camera.
        named: What was typed.
        camera: Number of a camera; None for files.
        is_folder: Whether it is a folder of pictures.
        is_perhaps: Whether it was found in a folder and may hold no series, as texts, sheets and settings may.
        problem: What is wrong with it, as far as its name says.
        member: Its name in a `.zip` file of several.
    """

    name: str
    paths: tuple[pathlib.Path, ...]
    named: str
    camera: int | None = None
    is_folder: bool = False
    is_perhaps: bool = False
    problem: RawDataError | None = None
    member: str = ""

    def open(self, rate: float | None = None, is_fallback: bool = False, **columns) -> source_contract.Source:
        """Returns its source.

        Args:
            rate, is_fallback, columns: As of `sources.open_file`.

        Raises:
            RawDataError: it is no recording.
        """
        if self.problem:
            raise self.problem
        if self.camera is not None:
            return live.Camera(self.camera)
        if self.is_folder:
            return sources.Images(self.name, self.paths, rate)
        return sources.open_file(self.paths[0], rate, is_fallback, **columns, member=self.member)


class Found(NamedTuple):
    """What names stand for.

    Attributes:
        sources: The recordings.
        problems: What is wrong with others.
        skipped: Why texts in folders are no series.
        table: `time` and `columns` of tables, as they were opened.
    """

    sources: list[source_contract.Source]
    problems: list[RawDataError]
    skipped: list[RawDataError]
    table: Mapping[str, object] = MappingProxyType({})

    @property
    def reasons(self) -> list[RawDataError]:
        """All that is wrong, the files first: that a folder holds no recording follows from them."""
        return sorted((*self.problems, *self.skipped), key=lambda error: error.found == _NOTHING_IN_IT)


def listed(names: Sequence[str]) -> list[Target]:
    """Returns what names stand for, sorted within each name, each file once; only TIFF and `.zip` files are opened.

    Args:
        names: Files, folders (at any depth, linked folders are not entered), patterns with *, and numbers of cameras.
            What is hidden is not looked for in folders. Pictures of a folder are one recording where no other lies
            beside them; of a `.zip` file each series is one.
    """
    once = {}
    for name in names:
        for target in _of_name(name):
            identity = _identity(target)
            if identity not in once or once[identity].problem:  # Somebody may name what a folder is not opened for.
                once[identity] = target
    opened = {path for (_, *paths), target in once.items() if not target.problem for path in paths}
    return [target for (_, *paths), target in once.items() if not (target.problem and opened.intersection(paths))]


def find(names: Sequence[str], rate: float | None = None, is_fallback: bool = False, **columns) -> Found:
    """Returns the recordings that names stand for, opened, and what is wrong with the others.

    Args:
        names: As of `listed`.
        rate, is_fallback, columns: As of `Target.open`.

    Example:
        >>> pathlib.Path("breath.csv").write_text("time,x\\n0,1\\n1,2\\n2,1\\n")
        19
        >>> print(*(source.name for source in find(["breath.csv", "lost.csv"]).sources))
        breath.csv
    """
    found, targets, skips, held = Found([], [], [], columns), listed(names), set(), 0
    for target in targets:
        try:
            with guarding(target.name):
                source = target.open(rate, is_fallback, **columns)
                if target.is_perhaps:
                    source.info()
                    if held + source.size() > _MOST_HELD:
                        source.forget()
                    held += source.size()
                found.sources.append(source)
        except RawDataError as error:
            if is_skipped(target, error):
                skips.add(target)
                found.skipped.append(error)
            else:
                found.problems.append(error)
    found.problems.extend(without(targets, skips))
    return found


def is_skipped(target: Target, error: RawDataError) -> bool:
    """Returns whether an error says but that a file of a folder holds no recording, and not that it is damaged."""
    return target.is_perhaps and not isinstance(error, UnreadableError)


def without(targets: Sequence[Target], skipped: set[Target]) -> list[RawDataError]:
    """Returns the problems of names all of whose files were skipped.

    Args:
        targets: All of them.
        skipped: Those that hold no series.
    """
    read = {target.named for target in targets if target not in skipped}
    return [_without(name) for name in dict.fromkeys(target.named for target in skipped) if name not in read]


def _of_name(name) -> Iterator[Target]:
    if not name:  # It would stand for the folder at hand.
        yield Target("", (), name, problem=NoRecordingError("", "The name of a recording is empty."))
        return
    if name.isdecimal() and not _true(pathlib.Path(name).exists):
        yield Target(f"camera {name}", (), name, int(name))
        return
    problems, unread = [], []
    try:
        paths = _paths(name, problems, unread)
    except RawDataError as error:
        paths, problems = [], [error]
    in_folder = _true(pathlib.Path(name).is_dir)
    stills = [path for path in paths if path.suffix.lower() in endings.PICTURES and _is_single(path)]
    for path in unread:
        problem = NoRecordingError(path, f": not read. {_NAMED_ONLY[path.suffix.lower()]}")
        yield Target(str(path), (path,), name, is_perhaps=True, problem=problem)
    others = sorted({*paths} - {*stills})
    for problem in problems:
        yield Target(str(problem.path), (), name, problem=problem)
    for path in others:
        members = _members(path)
        if not members:
            yield Target(str(path), (path,), name, is_perhaps=in_folder and _is_perhaps(path.name))
        for member in members:
            yield Target(f"{path}/{member}", (path,), name, is_perhaps=_is_perhaps(member), member=member)
    # Settings and logs may lie beside pictures.
    crowded = {path.parent for path in others if path.suffix.lower() not in (*endings.ANYTHING, *endings.INSTRUMENTS)}
    yield from _sequences(name, stills, crowded, is_mixed=bool(crowded or problems))
    if not (stills or others or problems):
        yield Target(name, (), name, problem=_without(name))


def _is_perhaps(name):
    """Returns whether a file that nobody has named may hold no series."""
    return name.lower().endswith(_PERHAPS)


def _members(path):
    """Returns the names of recordings in a `.zip` file of several; one that cannot be read is refused when opened."""
    if path.suffix.lower() != ".zip" or not raw_files.is_readable(path):
        return []
    try:
        ((names, _),) = worker.answers("simper_tf.tables.formats.packed:members", path)
    except RawDataError:
        return []
    return names


def _identity(target):
    """Returns what two targets have in common that are the same recording: a name, and files where there are any."""
    if not target.paths or not all(map(os.path.isfile, target.paths)):
        return (target.name,)  # Links to one device are refused each by its name; a loop of links is no file.
    return target.member, *(path.resolve() for path in target.paths)


def _is_single(path):
    """Returns whether a picture is no stack; a damaged one is single, and refused when it is read."""
    if path.suffix.lower() not in pictures.STACKS:
        return True
    try:
        return pictures.headers([path])[0].pages == 1
    except RawDataError:
        return True


def _sequences(name, stills, crowded, is_mixed):
    """Yields the pictures of each folder as a recording, but of those that hold others: there they may be figures."""
    folders = dict.fromkeys(path.parent for path in stills)
    inside = {folder: pictures.in_order([path for path in stills if path.parent == folder]) for folder in folders}
    for folder, paths in inside.items():
        called, problem = name if len(inside) == 1 and not is_mixed else str(folder), None
        if folder in crowded:
            remedy = f"Other recordings lie beside them. Name them: '{folder}/*{paths[0].suffix}'."
            problem = NoRecordingError(folder, f": its pictures are not read. {remedy}")
        yield Target(called, tuple(paths), name, is_folder=True, is_perhaps=is_mixed, problem=problem)


def _paths(name, problems, unread):
    path = pathlib.Path(name)
    if _true(path.is_dir):
        return _below(path, problems, unread)
    if not _true(path.exists) and glob.has_magic(name):
        matches = [pathlib.Path(match) for match in sorted(glob.glob(name, recursive=True))]  # noqa: PTH207  (`Path.glob` takes no absolute pattern)
        files = [match for match in matches if not _true(match.is_dir)]
        if not files:
            raise RawDataError(name, "no file that fits", "a pattern of recordings", "Correct the pattern.")
        return files
    return [path]


def _below(folder, problems, unread):
    """Returns the files of a folder that are looked for; adds to what cannot be listed and to what is not read."""

    def note(error):
        found = f"what cannot be listed ({error.strerror})"
        problems.append(RawDataError(error.filename, found, "a folder to read", "Change its permissions."))

    before = len(problems)
    paths = []
    for root, folders, names in os.walk(folder, onerror=note):
        folders[:] = [name for name in folders if not name.startswith((".", _MAC))]
        for path in (pathlib.Path(root, name) for name in names if not name.startswith(".")):
            if ANSWERS in names and _DRAWN.fullmatch(path.name):
                continue
            if not path.name.lower().endswith(_LOOKED_FOR) or _is_other(path):
                unread += [path] * (path.suffix.lower() in _NAMED_ONLY)
            elif not _is_signal(path.name, names) and not _is_of_recordings(path):
                paths.append(path)
    paths.sort()
    unread.sort()
    if not paths and len(problems) == before:
        raise _without(folder)
    return paths


def _without(folder):
    expected = "videos, pictures or series"
    return RawDataError(folder, _NOTHING_IN_IT, expected, "Their endings: simper predict --help.")


def _is_signal(name, names):
    """Returns whether a file holds the samples of a WFDB record, which its header stands for."""
    stem, _, ending = name.rpartition(".")
    return ending in ("dat", "mat") and f"{stem}.hea" in names


def _is_other(path):
    """Returns whether a file has the ending of texts of instruments and is none."""
    if path.suffix.lower() not in endings.INSTRUMENTS:
        return False
    return not (raw_files.is_readable(path) and raw_files.is_text(raw_files.head(path)))


def _is_of_recordings(path):
    """Returns whether a text is a table about recordings; one that cannot be opened is refused when it is read."""
    is_text = path.suffix.lower() in (*endings.TEXTS, ".json", ".jsonl")
    return is_text and raw_files.is_readable(path) and raw_files.head(path).lstrip(b"[ \r\n").startswith(_OF_RECORDINGS)


def _true(question):
    """Returns what a path answers, such as `path.exists`; one that may not be asked is refused when it is opened."""
    try:
        return question()
    except OSError:
        return False
