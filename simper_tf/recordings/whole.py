"""Whether a video file is all there, by its container alone, where the length that it states cannot tell.

That of Matroska and WebM is the length of everything in the file: where sound outlasts the pictures, or begins before
them, or the last picture stays for long, pictures end early although nothing is missing. Sources: RFC 8794 (EBML), RFC
9559 (Matroska).
"""

import os

_HEADER, _SEGMENT = b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67"
# What a segment holds: where to seek, what it is, tracks, clusters, cues, attachments, chapters, tags, nothing, a sum.
_PARTS = {bytes.fromhex(name) for name in (
    "114d9b74", "1549a966", "1654ae6b", "1f43b675", "1c53bb6b", "1941a469", "1043a770", "1254c367", "ec", "bf",
)}  # fmt: skip
_MOST_PARTS = 10**6  # Some weeks of clusters.
# Of a packet of a transport stream, and what a disc puts before it.
_PACKET, _STAMP = 188, 4


def is_known_whole(path) -> bool:
    """Returns whether nothing of a video file is missing at its end, or whether what it states could not tell anyway.

    True of a Matroska file whose parts fill it to the end that it states; and of transport and program streams and
    Ogg, which state no length: what a decoder calls theirs is taken from the last time stamp that is there.

    Args:
        path: A file that can be read.
    """
    with open(path, "rb") as file:  # noqa: PTH123  (as whoever calls names it)
        start = file.read(2 * (_PACKET + _STAMP))
        if start.startswith(_HEADER):
            return _fills(file, os.fstat(file.fileno()).st_size)
    return start.startswith((b"OggS", b"\0\0\1\xba")) or any(
        start[skipped::each][:2] == b"GG" for skipped, each in ((0, _PACKET), (_STAMP, _PACKET + _STAMP))
    )


def _fills(file, size):
    """Returns whether the parts of a Matroska file follow one another up to the end that it states, and are there."""
    file.seek(0)
    _, length = _element(file)
    file.seek(length or 0, os.SEEK_CUR)
    name, length = _element(file)
    if name != _SEGMENT or length is None or file.tell() + length > size:
        return False
    end = file.tell() + length
    for _ in range(_MOST_PARTS):
        if file.tell() >= end:
            return file.tell() == end
        name, length = _element(file)
        if name not in _PARTS or length is None:
            return False
        file.seek(length, os.SEEK_CUR)
    return False


def _element(file):
    """Returns the name of an EBML element, and the length of its content in bytes; None where it is unknown."""
    name = _number(file)
    length = _number(file)
    bits = 7 * len(length)
    value = int.from_bytes(length) & ((1 << bits) - 1)
    return name, None if not length or value == (1 << bits) - 1 else value


def _number(file):
    """Returns the bytes of a number: the zeros before the first one tell how many more there are."""
    first = file.read(1)
    return first + file.read(8 - first[0].bit_length()) if first and first[0] else b""
