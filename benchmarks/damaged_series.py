"""Tables, arrays and sound that are damaged, odd, or lie about themselves."""

import pickle
import struct

import numpy as np

from benchmarks import damaged_bases as base

# What headers of arrays say that no array of numbers is.
_HEADERS = (
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4, 4), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999, 64, 64), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-5, 4), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (200,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (True, 200), }",
    "{'descr': '<f99', 'fortran_order': False, 'shape': (200,), }",
    "{'descr': '<f8', 'shape': (200,), }",
    "{'descr': [('a', '<f8'), ('b', '|O')], 'fortran_order': False, 'shape': (100,), }",
    "__import__('os').mkdir('never')",
    "(" * 5000,
    "{'descr': '<f8', 'fortran_order': False, 'shape': (200,), }" + " " * 60000,
    "{'descr': '|V0', 'fortran_order': False, 'shape': (200,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 99999999999999999999), }",
)


class Trap:
    """What, once unpickled, leaves a file behind."""

    def __init__(self, path):
        self._path = path

    def __reduce__(self):
        return open, (str(self._path), "w")


def header_of_an_array(random):
    """Returns a `.npy` file whose header states what is not there."""
    text = str(random.choice(_HEADERS)).encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) % 65536) + text + base.swing(0.8, 25).tobytes()


def pickled(random, trap):
    """Returns a file that would leave `trap` behind if it were unpickled, as an array of objects or bare."""
    if random.random() < 0.5:
        return pickle.dumps(Trap(trap))
    return base.npy(np.array([Trap(trap), 1, 2], object))


def other_array(random):
    """Returns a `.npy` file of values or axes of which nothing can be read."""
    numbers = base.swing(0.8, 25)
    return base.npy(
        [
            lambda: numbers.astype(complex),
            lambda: numbers > 0,
            lambda: numbers.astype("U8"),
            lambda: np.arange(200).astype("M8[s]"),
            lambda: np.array(3.0),
            lambda: np.zeros((0, 5)),
            lambda: numbers.reshape(5, 2, 2, 2, 5),
            lambda: np.full(200, np.nan),
            lambda: np.where(numbers > 0, np.inf, -np.inf),
            lambda: np.full((200, 8, 8), np.nan, np.float32),
            lambda: np.zeros(200),
            lambda: numbers[:2],
            lambda: 1e307 * np.random.default_rng(int(random.integers(9))).standard_normal(200),
        ][random.integers(13)]()
    )


def sound_array(random):
    """Returns a `.npy` file of an unusual kind of numbers that swings at 0.8 Hz."""
    numbers = base.swing(0.8, 25)
    return base.npy(
        [
            lambda: numbers.astype(">f4"),
            lambda: numbers.astype(np.float16),
            lambda: (numbers * 100).astype(np.int8),
            lambda: (1e15 * (2 + numbers)).astype(np.uint64),
            lambda: np.asfortranarray(np.stack([numbers, -numbers, numbers**3], axis=1)),
            lambda: 1e-200 * numbers,
            lambda: 1e200 * numbers,
            lambda: np.where(np.arange(200) % 50 == 7, np.nan, numbers),
        ][random.integers(8)]()
    )


def wav_that_lies(random):
    """Returns a wav file whose header contradicts itself or what follows it."""
    name, said = [
        ("rate", 0), ("rate", 2**31), ("rate", 50), ("channels", 0), ("channels", 60000), ("align", 0), ("align", 3),
        ("speed", 1), ("bits", 0), ("bits", 17), ("bits", 128), ("data", 0), ("data", 2**32 - 1), ("data", 10**6),
        ("riff", 12), ("riff", 10**9), ("form", 0), ("form", 7), ("form", 0x55), ("form", 3),
    ][random.integers(20)]  # fmt: skip
    return base.wav(100, base.swing(0.9, 100), lies=[(name, said)])


def wav_of_another_form(random):
    """Returns a wav file of unusual samples in which something repeats at 1.1 Hz."""
    bits, form = [(8, 1), (16, 1), (24, 1), (32, 1), (32, 3), (64, 3)][random.integers(6)]
    rate = int(random.choice([100, 8000, 44100]))
    values = base.swing(1.1, rate) if rate < 4000 else base.claps(1.1, rate)
    channels = int(random.choice([1, 2, 6]))
    return base.wav(rate, np.stack([values] * channels, axis=1), bits, form, extended=bool(random.integers(2)))


def damaged_table(random):
    """Returns a text that is no table of numbers, or one of which nothing can be read."""
    rows = base.table(0.7).splitlines()
    place = int(random.integers(2, len(rows) - 2))
    lines = [
        lambda: [*rows[:place], rows[place] + ",7", *rows[place + 1 :]],
        lambda: [*rows[:place], "end of part one", *rows[place:]],
        lambda: [*rows[:place], *rows[place - 2 :]],
        lambda: [*rows[place:], *rows[:place]],
        lambda: [rows[0]],
        lambda: [row.partition(",")[0] for row in rows],
        lambda: [rows[0], *(row.partition(",")[0] + ",nan" for row in rows[1:])],
        lambda: [rows[0], *(row.partition(",")[0] + ",1" for row in rows[1:])],
        lambda: [*rows[:place], '"' + rows[place], *rows[place + 1 :]],
        lambda: [*rows[:place], "\0\0\0\0", *rows[place + 1 :]],
        lambda: [rows[0], *("1e999,1e999" for _ in rows)],
        lambda: [",".join(["1"] * 200000)] * 3,
        lambda: ["x" * 10**6],
    ][random.integers(13)]()
    return "\n".join(lines).encode()


def other_table(random):
    """Returns a table in an unusual encoding or with unusual marks, of 0.7 Hz."""
    text = base.table(0.7)
    return [
        lambda: text.encode("utf-8-sig"),
        lambda: text.encode("utf-16"),
        lambda: b"\xfe\xff" + text.encode("utf-16-be"),
        lambda: text.replace("chest", "Brust-ä").encode("latin-1"),
        lambda: text.replace("chest", "胸").encode("shift-jis"),
        lambda: base.table(0.7, ";").encode(),
        lambda: base.table(0.7, "\t").encode(),
        lambda: base.table(0.7, " ").encode(),
        lambda: base.table(0.7, ",", "\r\n").encode(),
        lambda: base.table(0.7, ",", "\r").encode(),
        lambda: base.table(0.7, ";").replace(".", ",").encode(),
        lambda: text.replace("chest", '"chest, belt"').encode(),
        lambda: ("# by hand\n\n" + text.replace("\n", "\n\n")).encode(),
        lambda: "\n".join(row + "nan" * (k % 40 == 9) if k % 40 != 9 else row.partition(",")[0] + ","
                          for k, row in enumerate(text.splitlines())).encode(),
    ][random.integers(14)]()  # fmt: skip


def unknown_encoding(random):
    """Returns a table in an encoding that nothing in it names."""
    return base.table(0.7).encode(str(random.choice(["cp500", "utf-32-le", "utf-16-le", "utf-16-be", "utf-7"])))
