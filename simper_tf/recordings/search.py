"""Names of recordings, as somebody types them -> what there is of each: files, folders, patterns, cameras."""

import glob
import os
import pathlib
from typing import NamedTuple

from simper_tf.recordings import live, pictures, sources
from simper_tf.utils import endings
from simper_tf.utils.errors import RawDataError

# What `simper predict` writes, which in a folder is no recording.
WRITTEN = "predictions.csv", "repetitions.csv", "windows.csv", "predictions.json"


class Found(NamedTuple):
    """What names stand for.

    Attributes:
        sources: The recordings.
        problems: What is wrong with others.
        skipped: Why texts in folders are no series.
    """

    sources: list[sources.Source]
    problems: list[RawDataError]
    skipped: list[RawDataError]


def find(names: list[str], rate: float | None = None, is_filmed_at_rate: bool = False) -> Found:
    """Returns the recordings that names stand for, sorted within each name, and what is wrong with the others.

    Args:
        names: Files, folders (at any depth, linked folders are not entered), patterns with *, and numbers of cameras.
            Pictures of a folder are one recording where there is nothing else.
        rate: Frames or samples per second of files that do not say.
        is_filmed_at_rate: As of `sources.open_file`.
    """
    recordings, problems, skipped = [], [], []
    for name in names:
        if name.isdecimal() and not _true(pathlib.Path(name).exists):
            recordings.append(live.Camera(int(name)))
            continue
        try:
            paths = _paths(name, problems)
        except RawDataError as error:
            problems.append(error)
            continue
        in_folder, told = _true(pathlib.Path(name).is_dir), len(recordings) + len(problems)
        before = told + len(skipped)
        stills = [path for path in paths if path.suffix.lower() in endings.PICTURES and _is_single(path)]
        for path in sorted({*paths} - {*stills}):
            try:
                source = sources.open_file(path, rate, is_filmed_at_rate)
            except RawDataError as error:
                problems.append(error)
                continue
            refusal = (
                _refusal(path, rate) if in_folder and path.suffix.lower() in (*endings.TEXTS, *endings.SHEETS) else None
            )
            if refusal:
                skipped.append(refusal)
            else:
                recordings.append(source)
        if stills and len(recordings) + len(problems) + len(skipped) == before:
            recordings += _sequences(name, stills, rate)
        if len(recordings) + len(problems) == told:
            problems.append(_without(name))
    return Found(recordings, problems, skipped)


def _is_single(path):
    """Returns whether a picture is no stack; a damaged one is single, and refused when it is read."""
    if path.suffix.lower() not in pictures.STACKS:
        return True
    try:
        return pictures.headers([path])[0].pages == 1
    except RawDataError:
        return True


def _sequences(name, stills, rate):
    """Returns the pictures of each folder as a recording."""
    folders = dict.fromkeys(path.parent for path in stills)
    inside = {folder: pictures.in_order([path for path in stills if path.parent == folder]) for folder in folders}
    return [sources.Images(name if len(inside) == 1 else folder, paths, rate) for folder, paths in inside.items()]


def _refusal(path, rate):
    """Returns why a text is no series; None if it is one."""
    from simper_tf.tables import channels  # With pandas, which takes a second to load.

    try:
        channels.read(path, rate)
    except RawDataError as error:
        return error
    return None


def _paths(name, problems):
    path = pathlib.Path(name)
    if _true(path.is_dir):
        return _below(path, problems)
    if not _true(path.exists) and glob.has_magic(name):
        matches = [pathlib.Path(match) for match in sorted(glob.glob(name, recursive=True))]  # noqa: PTH207
        files = [match for match in matches if not _true(match.is_dir)]
        if not files:
            raise RawDataError(name, "no file that fits", "a pattern of recordings", "Correct the pattern.")
        return files
    return [path]


def _below(folder, problems):
    def note(error):
        found = f"what cannot be listed ({error.strerror})"
        problems.append(RawDataError(error.filename, found, "a folder to read", "Change its permissions."))

    before = len(problems)
    paths = sorted(
        pathlib.Path(root, name)
        for root, _, names in os.walk(folder, onerror=note)
        for name in names
        if name.lower().endswith((*endings.VIDEOS, *endings.PICTURES, *endings.SERIES))
        and name not in WRITTEN
        and not _is_signal(name, names)
    )
    if not paths and len(problems) == before:
        raise _without(folder)
    return paths


def _without(folder):
    expected = "videos, pictures or series"
    return RawDataError(folder, "a folder without a recording", expected, "Their endings: simper predict --help.")


def _is_signal(name, names):
    """Returns whether a file holds the samples of a WFDB record, which its header stands for."""
    stem, _, ending = name.rpartition(".")
    return ending in ("dat", "mat") and (f"{stem}.hea" in names or ending == "dat")


def _true(question):
    """Returns what a path answers, such as `path.exists`; one that may not be asked is refused when it is opened."""
    try:
        return question()
    except OSError:
        return False
