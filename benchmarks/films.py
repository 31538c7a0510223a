"""Films whose truth was written before they were read, and small frames of them that are decoded once.

Those of `benchmarks/unseen.csv` lie in a folder at owner+name/path, those of `videos` and `videos2` beside a
`truth.csv`. None of their repositories is in the list that the network of the reader learned from.
"""

import argparse
import csv
import hashlib
import math
import pathlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks import real
from simper_tf.reading import result, source_reader
from simper_tf.reading.films import film_reader
from simper_tf.recordings import sources
from simper_tf.utils.errors import RawDataError

UNSEEN = pathlib.Path(__file__).with_name("unseen.csv")
# Groups that were at hand when rules were made: what is fitted and chosen now is so on these. The others test it.
AT_HAND = (*"ABCDEFHJLNP", "videos", "videos2")
TEST = ("R", "T")
# Share of a true frequency by which an answer may be off.
NEAR = 0.06
OCTAVE = "octave"


class Film(NamedTuple):
    """A film with its truth.

    Attributes:
        group: The table that it stands in.
        name: Of the file.
        source: Repository or folder that it comes from.
        path: Of the file.
        hertz: True frequencies; empty for a control.
    """

    group: str
    name: str
    source: str
    path: pathlib.Path
    hertz: tuple[float, ...]


class Frames(NamedTuple):
    """Frames of a film as they are read, see `film_reader.reading_of_frames`."""

    times: np.ndarray
    frames: np.ndarray
    keys: np.ndarray
    longest_step: float


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Returns what a command is given, with the folders of `unseen` and `counted`: both or none."""
    parser.add_argument("--films", type=pathlib.Path, help="Folder of films of unseen.csv.")
    parser.add_argument("--real", type=pathlib.Path, help="Folder of videos and videos2.")
    given = parser.parse_args()
    if (given.films is None) != (given.real is None):
        parser.error("--films and --real go together: the table holds films of both.")
    return given


def unseen(folder: pathlib.Path) -> Iterator[Film]:
    """Yields the films of `unseen.csv` that lie in a folder."""
    with UNSEEN.open() as file:
        for row in csv.DictReader(file):
            path, true = folder / row["repository"].replace("/", "+") / row["path"], real.truth(row)
            if path.is_file() and (true.is_control or true.hertz) and row["group"] in (*AT_HAND, *TEST):
                yield Film(row["group"], row["file"], row["repository"], path, true.hertz)


def counted(folder: pathlib.Path) -> Iterator[Film]:
    """Yields the films of `videos` and `videos2`."""
    for name in ("videos", "videos2"):
        for row in real.listed_in(folder / name / "truth.csv"):
            true = real.truth({"tolerance": "-", "kind": "", **row})
            if pathlib.Path(row["file"]).suffix in (".mkv", ".mp4", ".avi") and (true.is_control or true.hertz):
                yield Film(name, row["file"], name, folder / name / row["file"], true.hertz)


def frames(film: Film, kept: pathlib.Path) -> Frames | None:
    """Returns the frames of a film, decoded once and kept in a folder; None where it cannot be read."""
    path = kept / (hashlib.sha256(str(film.path).encode()).hexdigest()[:24] + ".npz")
    if not path.is_file():
        try:
            source = sources.open_file(film.path)
            info = source.info()
            moments, some = zip(*source_reader.small_frames(source, source_reader.Wishes(), info, None), strict=True)
        except RawDataError as refusal:
            print(refusal)
            return None
        kept.mkdir(parents=True, exist_ok=True)
        np.savez(path, np.array(moments), np.stack(some), np.array(info.keys, float), info.longest_step)
    with np.load(path) as stored:
        *arrays, step = (stored[name] for name in stored.files)
    return Frames(*arrays, float(step))


def all_frames(unseen_ones: pathlib.Path, real_ones: pathlib.Path, kept: pathlib.Path):
    """Yields all films of two folders that can be read, and their frames."""
    for film in (*unseen(unseen_ones), *counted(real_ones)):
        some = frames(film, kept)
        if some is not None and len(some.times):
            yield film, some


def reading_of(some: Frames) -> result.Reading:
    """Returns what repeats in frames of a film."""
    pairs = zip(some.times, some.frames, strict=True)
    return film_reader.reading_of_frames(pairs, keys=tuple(some.keys), longest_step=some.longest_step)


def outcome(true: tuple[float, ...], said: float | None) -> str:
    """Returns how an answer in hertz, or none, compares with the true frequencies."""
    if not true:
        return real.REFUSED if said is None else real.ANSWERED
    if said is None or not math.isfinite(said):
        return real.SILENT
    ratios = [said / hertz for hertz in true]
    if any(abs(ratio - 1) <= NEAR for ratio in ratios):
        return real.RIGHT
    return OCTAVE if any(abs(ratio / factor - 1) <= NEAR for ratio in ratios for factor in (0.5, 2)) else real.WRONG


def surest(reading: result.Reading) -> float | None:
    """Returns the frequency of the surest answer; None without one."""
    return reading.clear[0].hertz if reading.clear else None
