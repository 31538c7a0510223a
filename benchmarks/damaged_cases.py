"""Cases of damage: how files are damaged, named and hidden, all that is random by a seed."""

import ctypes
import dataclasses
import os
import pathlib
import pickle
import shutil
import threading

import numpy as np

from benchmarks.damaged_files import Trap, frames, moments, npy, odd_files, sound_files, video
from datasets.rotating_digits import rotating_digits_dataset_builder as digits

NAMES = ("two words", "é ü 胸", "%03d", "[a-b]", "q?*", "a\nb", "a\x1b[31mb", "'\"$x", "n" * 240, "concat:a|b",
         "file:x", "\udcff\udcfe", "\u202egnp", "#", "pipe:0", "~", "-")  # fmt: skip
# Films whose frames are built on others, of which bits are turned: ending, encoder, options.
_FRAGILE = (
    (".mp4", "libx264", {}), (".ts", "libx264", {}), (".mkv", "libx264", {"g": "30"}),
    (".mp4", "libx265", {"x265-params": "log-level=none"}), (".mkv", "libx265", {"x265-params": "log-level=none"}),
    (".mp4", "libsvtav1", {}), (".webm", "libvpx-vp9", {"deadline": "realtime", "cpu-used": "8"}),
)  # fmt: skip
BUILT = "built data sets"
_READ, _EVENT = 1, 16  # Of `inotify`: what is asked for, and the bytes that tell of it once.


@dataclasses.dataclass(frozen=True)
class Case:
    """A file, or the folder of a data set, that is to be read."""

    kind: str
    path: pathlib.Path
    truth: float | None = None  # Hz at which something repeats in it, if it can be read.
    is_sound: bool = False  # Whether it must be read, because nothing is wrong with it.
    trap: pathlib.Path | None = None  # What must not be there afterwards.


class Maker:
    """Makes files in a folder; all that is random follows from the seed."""

    def __init__(self, folder, seed):
        self.folder, self.random, self.count = folder, np.random.default_rng(seed), 0
        self.sound, self.odd = list(sound_files(folder)), list(odd_files(folder))
        self.fragile = [
            (ending, video(folder / f"{k}{ending}", 1.2, None, codec, options))
            for k, (ending, codec, options) in enumerate(_FRAGILE)
        ]
        self.kinds = {**KINDS, **dict.fromkeys((kind for kind, *_ in self.odd), Maker.odd_file)}

    def pick(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def put(self, kind, ending, content, truth=None, is_sound=False, name="file"):
        """Writes a file into a folder of its own."""
        self.count += 1
        path = self.folder / f"{self.count:04}" / f"{name}{ending}"
        path.parent.mkdir()
        path.write_bytes(content)
        return Case(kind, path, truth, is_sound)

    def odd_file(self, kind):
        return self.put(*self.pick([odd for odd in self.odd if odd[0] == kind]))

    def changed(self, kind, change):
        ending, content, truth = self.pick(self.sound)
        return self.put(kind, ending, bytes(change(bytearray(content))), truth)

    def cut(self, content):
        return content[: self.random.integers(1, len(content))]

    def flip(self, content):
        """Turns single bits around: anywhere, in headers at the start, or in an index at the end."""
        first, last = self.pick([(0, len(content)), (0, 400), (max(len(content) - 1500, 0), len(content))])
        for place in self.random.integers(first, min(last, len(content)), self.random.integers(1, 40)):
            content[place] ^= 1 << int(self.random.integers(8))
        return content

    def blank(self, content):
        first, last = sorted(map(int, self.random.integers(0, len(content), 2)))
        content[first:last] = bytes(last - first)
        return content

    def huge(self, content):
        """Has four or eight bytes of a header or an index state a huge number, or none."""
        reach = min(len(content), 2500)
        place = int(self.random.integers(4, reach - 8)) + self.pick([0, len(content) - reach])
        size = self.pick([4, 8])
        content[place : place + size] = self.pick([b"\x7f" + b"\xff" * 7, b"\xff" * 8, bytes(8)])[:size]
        return content

    def renamed(self, kind):
        (ending, *_), (_, content, truth) = self.pick(self.sound), self.pick(self.sound)
        return self.put(kind, ending, content, truth)

    def named(self, kind):
        return self.put(kind, *self.pick(self.sound), True, self.pick(NAMES))

    def pickled(self, kind):
        case = self.put(kind, self.pick([".npy", ".csv", ".mp4"]), b"")
        trap = case.path.with_name("trap")
        case.path.write_bytes(self.pick([pickle.dumps(Trap(trap)), npy(np.array([Trap(trap), 1], object))]))
        return dataclasses.replace(case, trap=trap)

    def sparse(self, kind):
        """Returns a file of more bytes than memory has, hardly any of which are on the disk."""
        ending, content, truth = self.pick([file for file in self.sound if file[0] not in (".wav", ".ts")])
        case = self.put(kind, ending, content, truth)
        os.truncate(case.path, 8 * 10**11)
        return case

    def shrinking(self, kind):
        """Returns frames that are cut off while somebody reads their header, or one of them after the other."""
        case = self.put(kind, ".npy", npy(np.stack([*frames(1.3, moments())])), 1.3)
        cut_when_read(case.path, int(self.random.integers(2, 40)))
        return case

    def no_file(self, kind):
        case = self.put(kind, ".mp4", b"")
        case.path.unlink()
        self.pick([os.mkfifo, pathlib.Path.mkdir, lambda path: path.symlink_to("/dev/zero"), str])(case.path)
        return case

    def fragile_film(self, kind):
        """Returns a film some bits of whose pictures are turned."""
        ending, content = self.pick(self.fragile)
        content = bytearray(content)
        for place in self.random.integers(len(content) // 4, 9 * len(content) // 10, self.random.integers(1, 20)):
            content[place] ^= 1 << int(self.random.integers(8))
        return self.put(kind, ending, bytes(content), 1.2)

    def beside_a_pipe(self, kind):
        """Returns the header of a record whose samples are what nobody writes into."""
        case = self.put(kind, ".hea", b"file 1 100 800\nfile.dat 16 200 16 0 0 0 0 x\n")
        os.mkfifo(case.path.with_suffix(".dat"))
        return case

    def built(self):
        """Returns the folder of a sound data set of a few clips, built at the first call."""
        folder = self.folder / "built"
        if not folder.exists():
            config = digits.RotatingDigitsConfig(name="own", train_clips=4, validation_clips=4, test_clips=4)
            digits.Builder(data_dir=folder, config=config).download_and_prepare()
        return folder

    def data_set(self, kind):
        """Returns a built data set one of whose files is damaged."""
        place = self.put(kind, "", b"").path.parent
        shutil.copytree(self.built(), place, dirs_exist_ok=True)
        victim = self.pick(sorted(path for path in place.rglob("*") if path.is_file() and path.stat().st_size))
        victim.write_bytes(bytes(self.pick([self.cut, self.flip, self.blank])(bytearray(victim.read_bytes()))))
        return Case(kind, place)


def cut_when_read(path, times):
    """Cuts off a file once it was read from so many times or a few more; returns the thread that waits for that."""
    system = ctypes.CDLL(None)
    watched = system.inotify_init()
    if system.inotify_add_watch(watched, os.fsencode(path), _READ) < 0:
        raise OSError(f"{path} cannot be watched.")

    def wait():
        left = times
        while left > 0:
            left -= len(os.read(watched, _EVENT * left)) // _EVENT
        os.truncate(path, 1000)
        os.close(watched)

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    return waiting


KINDS = {
    "cut off": lambda maker, kind: maker.changed(kind, maker.cut),
    "bits turned": lambda maker, kind: maker.changed(kind, maker.flip),
    "zeros in its middle": lambda maker, kind: maker.changed(kind, maker.blank),
    "huge numbers in headers": lambda maker, kind: maker.changed(kind, maker.huge),
    "under another ending": Maker.renamed,
    "names": Maker.named,
    "pickles": Maker.pickled,
    "larger than memory": Maker.sparse,
    "shrinking while read": Maker.shrinking,
    "no files": Maker.no_file,
    "lost frames": Maker.fragile_film,
    "headers beside pipes": Maker.beside_a_pipe,
    BUILT: Maker.data_set,
}
