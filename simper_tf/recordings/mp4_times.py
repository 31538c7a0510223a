"""Times of the frames of an mp4 file from its tables, without decoding any.

Each frame lasts as long as `stts` says and is shown later than it is decoded by what `ctts` says; an edit list tells
what part is shown. Format: ISO/IEC 14496-12. What is more complicated than that is left to a decoder.
"""

import os
import struct
from typing import NamedTuple

import numpy as np

# Boxes that hold boxes, on the way to the tables.
_HOLDING = {b"trak", b"edts", b"mdia", b"minf", b"stbl"}
# Of each sample of these codecs comes one frame.
_CODECS = {b"avc1", b"avc3", b"hvc1", b"hev1", b"vp09", b"av01", b"jpeg"}
# Bytes of tables, and frames, of some days of video; boxes of a file.
_MOST_BYTES, _MOST_FRAMES, _MOST_BOXES = 2**27, 10**7, 10**4
_WHOLE = 2**32 - 1


class Times(NamedTuple):
    """What the tables say.

    Attributes:
        shown: `(T,)` seconds of the frames that are shown and wholly in the file, rising.
        seconds: Of all frames that the tables name, those among them that a file cut off no longer holds.
        last: Seconds that the last of those shown stays.
        keys: `(K,)` seconds of those shown that are stored as whole pictures; none where the tables name none.
        stated: Lengths in seconds that headers state, of what is stored and of what is shown; None where they do not.
    """

    shown: np.ndarray
    seconds: float
    last: float
    keys: np.ndarray
    stated: tuple[float | None, float | None]


class _Unknown(Exception):
    """Tables that are damaged, or of a kind that is not read here."""


def read(path) -> Times | None:
    """Returns what the tables of a file say; None if it is no mp4 file, or its tables do not say it alone."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123  (as whoever calls names it)
            content, size = _movie(file), os.fstat(file.fileno()).st_size
        movie = _boxes(content)
        tracks = [each for each in (_boxes(track, _HOLDING) for track in movie.get(b"trak", ())) if _is_video(each)]
        if len(tracks) != 1 or b"mvex" in movie:  # Of several it is not known which is played; fragments hold more.
            return None
        return _times({name: found[0] for name, found in tracks[0].items()}, _only(movie, b"mvhd"), size)
    except (_Unknown, struct.error, ValueError, OverflowError, KeyError, IndexError):
        return None


def _movie(file):
    """Returns the content of the box `moov`."""
    for _ in range(_MOST_BOXES):
        head = file.read(16)
        size, name = struct.unpack(">I4s", head[:8])
        size, start = struct.unpack(">Q", head[8:])[0] if size == 1 else size, 16 if size == 1 else 8
        if name == b"moov":
            if not start <= size <= _MOST_BYTES:
                raise _Unknown
            file.seek(start - len(head), os.SEEK_CUR)
            return file.read(size - start)
        if name == b"moof" or size < start:
            raise _Unknown
        file.seek(size - len(head), os.SEEK_CUR)
    raise _Unknown


def _boxes(content, holding=frozenset()):
    """Returns the contents of boxes by name, those inside of others among them."""
    found, place = {}, 0
    while place + 8 <= len(content):
        size, name = struct.unpack_from(">I4s", content, place)
        if size < 8 or place + size > len(content):
            raise _Unknown
        inside = content[place + 8 : place + size]
        if name in holding:
            for inner, several in _boxes(inside, holding).items():
                found.setdefault(inner, []).extend(several)
        else:
            found.setdefault(name, []).append(inside)
        place += size
    return found


def _is_video(track):
    return track[b"hdlr"][0][8:12] == b"vide"  # QuickTime has another one behind it.


def _only(boxes, name):
    (found,) = boxes[name]
    return found


def _times(track, header, file_size):
    entries, _, codec = struct.unpack_from(">II4s", track[b"stsd"], 4)
    sizes = _sizes(track[b"stsz"])
    ends = _ends(track, sizes)
    if entries != 1 or codec not in _CODECS or not sizes.all():
        raise _Unknown
    scale, stated = _scale_and_length(track[b"mdhd"])
    movie_scale, _ = _scale_and_length(header)
    steps = _runs(track[b"stts"], len(sizes), ">u4")
    shown = np.cumsum(steps) - steps
    if b"ctts" in track:
        shown = shown + _runs(track[b"ctts"], len(sizes), ">i4")
    first, length, empty = _edit(track.get(b"elst"))
    last = np.inf if length is None else first + round(length * scale / movie_scale)
    there = ends <= file_size
    is_kept = there & (shown >= first) & (shown < last)
    kept = np.sort(shown[is_kept]) / scale
    if not len(kept) or (np.diff(kept) <= 0).any():
        raise _Unknown
    # Steps are those of decoding, the last of which comes after frames that are shown later.
    staying = max(steps[is_kept][np.argmax(shown[is_kept])], steps[-1] if there.all() else 0) / scale
    lasting = _track_length(track[b"tkhd"])
    lasting = None if lasting is None else (lasting - empty) / movie_scale
    keys = np.sort(shown[is_kept & _is_key(track.get(b"stss"), len(sizes))]) / scale
    stated = None if stated is None else stated / scale
    return Times(kept, steps.sum() / scale, float(staying), keys, (stated, lasting))


def _sizes(box):
    size, number = struct.unpack_from(">II", box, 4)
    if not 0 < number <= _MOST_FRAMES:
        raise _Unknown
    return np.full(number, size, np.int64) if size else np.frombuffer(box, ">u4", number, 12).astype(np.int64)


def _is_key(box, number):
    """Returns of each frame whether it is stored as a whole picture; of none where nothing is said of that."""
    found = np.zeros(number, bool)
    if box is not None:
        numbers = np.frombuffer(box, ">u4", struct.unpack_from(">I", box, 4)[0], 8).astype(np.int64)
        found[numbers[(numbers >= 1) & (numbers <= number)] - 1] = True
    return found


def _ends(track, sizes):
    """Returns the byte of the file at which each frame ends."""
    wide = b"co64" in track
    table = track[b"co64" if wide else b"stco"]
    chunks = np.frombuffer(table, ">u8" if wide else ">u4", struct.unpack_from(">I", table, 4)[0], 8).astype(np.float64)
    runs = np.frombuffer(track[b"stsc"], ">u4", 3 * struct.unpack_from(">I", track[b"stsc"], 4)[0], 8).reshape(-1, 3)
    firsts, each = runs[:, 0].astype(np.int64) - 1, runs[:, 1].astype(np.int64)
    lengths = np.diff([*firsts, len(chunks)])
    if firsts[0] != 0 or (lengths < 0).any() or (each * lengths).sum() != len(sizes):
        raise _Unknown
    of_chunk = np.repeat(each, lengths)  # Frames in each chunk.
    starts = np.repeat(chunks, of_chunk)
    total = np.cumsum(sizes)
    before = np.repeat(np.concatenate([[0], total])[np.cumsum(of_chunk) - of_chunk], of_chunk)
    return starts + (total - before)


def _runs(box, number, kind):
    """Returns the value of each frame from a table of runs: how many frames, and the value of all of them."""
    (count,) = struct.unpack_from(">I", box, 4)
    lengths = np.frombuffer(box, ">u4", 2 * count, 8)[::2].astype(np.int64)
    if lengths.sum() != number:
        raise _Unknown
    return np.repeat(np.frombuffer(box, kind, 2 * count, 8)[1::2].astype(np.int64), lengths)


def _scale_and_length(box):
    """Returns ticks a second, and the length in ticks, None where it is not known, of `mdhd` or `mvhd`."""
    scale, length = struct.unpack_from(">IQ" if box[0] == 1 else ">II", box, 20 if box[0] == 1 else 12)
    if not scale:
        raise _Unknown
    return scale, _known(length)


def _track_length(box):
    return _known(struct.unpack_from(">Q" if box[0] == 1 else ">I", box, 28 if box[0] == 1 else 20)[0])


def _known(length):
    return length if 0 < length < _WHOLE else None


def _edit(box):
    """Returns from which tick on frames are shown, for how long in ticks of the movie, and how long nothing is before.

    The length is None for all that there is.
    """
    if box is None:
        return -np.inf, None, 0
    (number,) = struct.unpack_from(">I", box, 4)
    form = ">Qqi" if box[0] == 1 else ">Iii"
    edits, empty = list(struct.iter_unpack(form, box[8 : 8 + number * struct.calcsize(form)])), 0
    while edits and edits[0][1] == -1:  # Before the recording starts.
        empty += edits.pop(0)[0]
    if len(edits) != 1 or edits[0][1] < 0 or edits[0][2] != 1 << 16:
        raise _Unknown
    return edits[0][1], _known(edits[0][0]), empty
