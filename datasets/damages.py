"""Random damage to files, and the rule that whatever is read from a damaged file has to obey."""

import collections
import itertools
import time

import numpy as np

from simper_tf.data import face_recordings
from simper_tf.utils.errors import RawDataError

NUM_CASES = 200  # Of a file, done in seconds; kinds of damage take turns.
MAX_SECONDS = 10.0  # No file here takes a tenth of a second: more is a loop that does not end.


def truncate(rng, data):
    """Leaves the beginning alone."""
    return data[: int(rng.integers(len(data)))]


def flip_bits(rng, data):
    """Flips up to 8 bits; half of the time near the start, where headers are."""
    data = bytearray(data)
    reach = len(data) if rng.random() < 0.5 else min(len(data), 4096)
    for position in rng.integers(reach, size=int(rng.integers(1, 9))):
        data[position] ^= 1 << int(rng.integers(8))
    return bytes(data)


def cut_out(rng, data):
    """Leaves a stretch out."""
    start, stop = sorted(rng.integers(len(data) + 1, size=2))
    return data[:start] + data[stop:]


def overwrite(rng, data):
    """Puts up to 63 random bytes in the place of others."""
    start = int(rng.integers(len(data)))
    noise = rng.bytes(min(len(data) - start, int(rng.integers(1, 64))))
    return data[:start] + noise + data[start + len(noise) :]


def other_digit(rng, data):
    """Exchanges a digit of a text, which hardly any format notices."""
    places = [index for index, value in enumerate(data) if chr(value).isdigit()]
    at = places[int(rng.integers(len(places)))]
    return data[:at] + str(int(rng.integers(10))).encode() + data[at + 1 :]


DAMAGES = (truncate, flip_bits, cut_out, overwrite)


def wrong_number(rng):
    """Returns what may stand in place of a number."""
    return [np.nan, np.inf, -1e300, 1e8, 0.0, -1.0, "x", None, True, [], 2**70][int(rng.integers(11))]


def face_clips(read, path, size, window):
    """Reads as a builder of faces does, and checks that the clips are those that were planned."""
    recording = read(path)
    clips = list(face_recordings.face_clips(recording, size, window, window))
    assert len(clips) == sum(not planned.problem for planned in face_recordings.plan(recording, window, window))
    return clips


def outcomes(victim, read, unchecked=(), explain=None, damages=DAMAGES):
    """Damages a file in `NUM_CASES` ways and reads it, the file mended in the end.

    What comes out must equal what the sound file gives. The one excuse is damage to bytes that nothing in the format
    can check: then it must equal what the sound file gives with these bytes alone exchanged.

    Args:
        victim: The file.
        read: () -> list of `(id, {name: value})`, empty if all was skipped by name; raises `RawDataError`.
        unchecked: `(start, stop)` of the stretches of the file without a checksum or a second source.
        explain: (what was read) -> whether the damaged text, parsed by other means, says the same; for formats that are
            text, where any number can become another.
        damages: Functions of a random generator and of bytes.

    Returns:
        A Counter of "error", "skipped", "equal" and "unchecked".
    """
    whole = victim.read_bytes()
    sound = read()
    can_change = np.zeros(len(whole), bool)
    for start, stop in unchecked:
        can_change[start:stop] = True
    counts = collections.Counter()
    try:
        for seed, damage in zip(range(NUM_CASES), itertools.cycle(damages), strict=False):
            damaged = damage(np.random.default_rng([seed, 1]), whole)
            victim.write_bytes(damaged)
            began = time.monotonic()
            got = _attempt(victim, read)
            assert time.monotonic() - began < MAX_SECONDS
            if not got:
                counts["error" if got is None else "skipped"] += 1
            elif _same(got, sound):
                counts["equal"] += 1
            else:
                case = f"case {seed}, {damage.__name__}"
                if explain:
                    assert explain(got), case
                else:
                    assert len(damaged) == len(whole), case
                    arrays = (np.frombuffer(content, np.uint8) for content in (damaged, whole))
                    victim.write_bytes(np.where(can_change, *arrays).tobytes())
                    assert _same(got, _attempt(victim, read) or []), case
                counts["unchecked"] += 1
    finally:
        victim.write_bytes(whole)
    return counts


def _attempt(victim, read):
    try:
        return read()
    except RawDataError as error:
        message = str(error)
    # By its own name or that of the recording it is part of.
    assert str(victim) in message or str(victim.parent) in message
    return None


def _same(first, second):
    return len(first) == len(second) and all(
        key == other
        and example.keys() == example_.keys()
        and all(np.array_equal(example[k], example_[k]) for k in example)
        for (key, example), (other, example_) in zip(first, second, strict=True)
    )
