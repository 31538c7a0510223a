"""Damaged, odd and hostile files of many kinds, each with what `trainers.predict` may say of it."""

import dataclasses
import itertools
import os
import pathlib
import socket
from collections.abc import Sequence

import numpy as np

from benchmarks import damaged_bases, damaged_series, damaged_videos

ENDINGS = (".mp4", ".mkv", ".avi", ".mov", ".webm", ".ts", ".csv", ".wav", ".npy", ".gif", ".txt")
_NAMES = ("two words", "é ü 胸", "-dash", "--out=x", "%03d", "[a-b]", "q?*", "a\nb", "a\x1b[31mb", "'\"$x", "n" * 240,
          "concat:a|b", "file:x", "\udcff\udcfe", "\u202egnp", "#", "pipe:0", "~")  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Case:
    """A file to be read.

    Attributes:
        kind: What is wrong with it.
        path: Where it is.
        truth: Hz at which something repeats in it, if it can be read; None where nothing does.
        is_sound: Whether it must be read, because nothing is wrong with it.
        words: What the command is given, where that is not the path; from its folder.
        trap: What must not be there afterwards.
        is_locked: Whether it is to be read by somebody who may not.
    """

    kind: str
    path: pathlib.Path
    truth: float | None = None
    is_sound: bool = False
    words: tuple[str, ...] = ()
    trap: pathlib.Path | None = None
    is_locked: bool = False


class Maker:
    """Makes files in a folder; all that is random follows from the seed.

    Args:
        folder: An empty one.
        seed: A number.
    """

    def __init__(self, folder: pathlib.Path, seed: int):
        self.folder, self.random = folder, np.random.default_rng(seed)
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.bases = damaged_bases.bases(self.scratch)
        self.whole = {base.ending: base.content for base in self.bases}
        self._8k = None

    def make(self, number: int, kinds: Sequence[str]) -> list[Case]:
        """Returns so many files, of one of some kinds after another."""
        return [KINDS[kind](self, kind) for kind in itertools.islice(itertools.cycle(kinds), number)]

    def put(self, kind, ending, content, truth=None, is_sound=False, name=""):
        """Writes a file into a folder of its own."""
        path = self.place(kind) / f"{name or 'file'}{ending}"
        path.write_bytes(content)
        return Case(kind, path, truth, is_sound)

    def place(self, kind):
        number = sum(1 for _ in self.folder.iterdir())
        path = self.folder / f"{number:04} {kind.replace('/', ' ')}"
        path.mkdir()
        return path

    def base(self):
        return self.bases[self.random.integers(len(self.bases))]

    def of_base(self, kind, change):
        base = self.base()
        return self.put(kind, base.ending, bytes(change(bytearray(base.content))), base.truth)

    def ending(self):
        return str(self.random.choice(ENDINGS))

    def cut(self, content):
        return content[: self.random.integers(1, len(content))]

    def flip(self, content, start=0, end=None):
        """Turns single bits of bytes from `start` to `end` around."""
        end = len(content) if end is None else min(end, len(content))
        for place in self.random.integers(start, end, self.random.integers(1, 40)):
            content[place] ^= 1 << int(self.random.integers(8))
        return content

    def blank(self, content):
        first, last = sorted(self.random.integers(0, len(content), 2))
        content[first:last] = bytes(int(last - first))
        return content

    def renamed(self, kind):
        base = self.base()
        ending = str(self.random.choice([each for each in ENDINGS if each != base.ending]))
        return self.put(kind, ending, base.content, base.truth)

    def of_8k(self, kind):
        if self._8k is None:
            self._8k = damaged_videos.of_8k(self.scratch)
        if self.random.random() < 0.3:
            return self.put(kind, ".mp4", self._8k, 1.0, True)
        return self.put(kind, ".mp4", bytes(self.flip(bytearray(self._8k))), 1.0)

    def named(self, kind):
        base = self.base()
        name = str(self.random.choice(_NAMES))
        return self.put(kind, base.ending, base.content, base.truth, True, name)

    def from_its_folder(self, kind):
        """Returns a file that is named as somebody in its folder would, or two names for it."""
        made = self.named(kind)
        name = made.path.name
        words = [(f"./{name}",), (f"./{name}", f"./{name}"), (".",), ("--", name)][self.random.integers(4)]
        return dataclasses.replace(made, words=words)

    def sparse(self, kind):
        """Returns a file of more bytes than memory has, hardly any of which are on the disk."""
        ending = str(self.random.choice([".npy", ".csv", ".wav", ".mp4", ".mkv", ".txt"]))
        content = self.whole.get(ending, b"time,x\n0,1\n")
        if ending == ".npy":
            content = b"\x93NUMPY\x01\x00\x76\x00" + (
                b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,), }".ljust(117) + b"\n"
            )
        if ending == ".wav":
            content = damaged_bases.wav(100, np.zeros(100), lies=[("data", 2**32 - 200), ("riff", 2**32 - 100)])
        made = self.put(kind, ending, content, 1.2 if ending in self.whole and ending[1] == "m" else None)
        os.truncate(made.path, len(content) - 200 + 2**32 if ending == ".wav" else len(content) + 8 * 10**11)
        return made

    def no_file(self, kind):
        """Returns what is no file: a pipe, a socket, a device, a link that leads nowhere, a folder."""
        path = self.place(kind) / f"x{self.ending()}"
        how = self.random.integers(9)
        if how == 0:
            os.mkfifo(path)
        elif how == 1:
            with socket.socket(socket.AF_UNIX) as listener:
                here = os.open(path.parent, os.O_RDONLY)  # Addresses of sockets are short.
                listener.bind(f"/proc/self/fd/{here}/{path.name}")
                os.close(here)
        elif how in (2, 3):
            path.symlink_to(["/dev/zero", "/dev/null", "/dev/random"][self.random.integers(3)])
        elif how == 4:
            path.symlink_to(path.parent / "nothing.mp4")
        elif how == 5:
            path.symlink_to(path)
        elif how == 6:
            path.mkdir()
        elif how == 7:
            path.mkdir()
            (path / "round").symlink_to(path.parent)
        elif how == 8:
            path = path.with_name("not there.mp4")
        return Case(kind, path)

    def locked(self, kind):
        """Returns a file, or one in a folder, that its owner alone may read."""
        made = self.of_base(kind, lambda content: content)
        (made.path if self.random.random() < 0.5 else made.path.parent).chmod(0)
        return dataclasses.replace(made, is_locked=True)

    def pickled(self, kind):
        place = self.place(kind)
        trap = place / "trap"
        path = place / f"file{self.random.choice(['.npy', '.npy', '.csv', '.mp4'])}"
        path.write_bytes(damaged_series.pickled(self.random, trap))
        return Case(kind, path, trap=trap)

    def playlist(self, kind):
        place = self.place(kind)
        (place / "neighbor.mp4").write_bytes(self.whole[".mp4"])
        path = place / f"list{self.random.choice(['.mp4', '.mkv', '.ts', '.txt'])}"
        path.write_bytes(damaged_videos.playlist(self.random, place / "neighbor.mp4"))
        return Case(kind, path)

    def few_frames(self, kind):
        ending = str(self.random.choice([".mp4", ".mkv", ".avi", ".mov", ".webm"]))
        return self.put(kind, ending, damaged_videos.without_frames(self.random, self.scratch, ending))

    def varying(self, kind):
        ending, content = damaged_videos.of_varying_rate(self.random, self.scratch)
        return self.put(kind, ending, content, 1.2, True)

    def two_sizes(self, kind):
        return self.put(kind, ".ts", damaged_videos.of_two_sizes(self.random, self.scratch), 1.2)


def _series(change, ending, truth=None, is_sound=False):
    return lambda maker, kind: maker.put(kind, ending, change(maker.random), truth, is_sound)


def _video(change, ending, truth=None):
    return lambda maker, kind: maker.put(kind, ending, change(maker.random, maker.whole), truth)


# Kind -> what makes a file of it.
KINDS = {
    "empty": lambda maker, kind: maker.put(kind, maker.ending(), b""),
    "cut off": lambda maker, kind: maker.of_base(kind, maker.cut),
    "bits turned": lambda maker, kind: maker.of_base(kind, maker.flip),
    "bits turned at its start": lambda maker, kind: maker.of_base(kind, lambda each: maker.flip(each, 0, 400)),
    "bits turned at its end": lambda maker, kind: maker.of_base(
        kind, lambda each: maker.flip(each, max(len(each) - 1500, 0))
    ),
    "zeros in its middle": lambda maker, kind: maker.of_base(kind, maker.blank),
    "under another ending": Maker.renamed,
    "random bytes": lambda maker, kind: maker.put(kind, maker.ending(), maker.random.bytes(5000)),
    "no frame or one": Maker.few_frames,
    "frames at irregular times": Maker.varying,
    "two sizes of frames": Maker.two_sizes,
    "8K frames": Maker.of_8k,
    "huge sizes of boxes, mp4": _video(damaged_videos.huge_box, ".mp4", 1.2),
    "damaged tables, mp4": _video(damaged_videos.damaged_table_of_an_mp4, ".mp4", 1.2),
    "huge sizes of chunks": _video(damaged_videos.huge_chunk, ".mkv", 1.2),
    "huge pictures": _video(damaged_videos.huge_picture, ".mp4"),
    "lists of other files": Maker.playlist,
    "other media and documents": lambda maker, kind: maker.put(
        kind, maker.ending(), damaged_videos.other_media(maker.random)
    ),
    "headers of arrays that lie": _series(damaged_series.header_of_an_array, ".npy"),
    "pickles": Maker.pickled,
    "arrays of no use": _series(damaged_series.other_array, ".npy"),
    "unusual arrays": _series(damaged_series.sound_array, ".npy", 0.8, True),
    "wav headers that lie": _series(damaged_series.wav_that_lies, ".wav", 0.9),
    "wav of 8 to 64 bits": _series(damaged_series.wav_of_another_form, ".wav", 1.1, True),
    "tables of no use": _series(damaged_series.damaged_table, ".csv"),
    "tables in other forms": _series(damaged_series.other_table, ".csv", 0.7, True),
    "tables in unnamed encodings": _series(damaged_series.unknown_encoding, ".csv", 0.7),
    "larger than memory": Maker.sparse,
    "names": Maker.named,
    "named from their folder": Maker.from_its_folder,
    "without permission": Maker.locked,
    "no files": Maker.no_file,
}
