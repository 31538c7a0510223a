"""JSON under any ending: one value, or values one after another, such as an object a line."""

import json
import pathlib
import re

from simper_tf.utils import raw_files

_MARK = b"\xef\xbb\xbf"  # Of UTF-8.
_LINES = 3  # By which lines of JSON are told.
_MOST, _LONGEST = 2**28, 2**24  # Bytes of a text that is tried as a whole, and of a line.
_BETWEEN = re.compile(r"[\s,\x1e]*")  # Of values; the last one as RFC 7464 has it.


def is_one(path: pathlib.Path) -> bool:
    """Returns whether a text is JSON: as a whole, or an object or array in each of its first lines."""
    if not _begins(path):
        return False
    return all(map(_is_value, _first_lines(path))) or (path.stat().st_size < _MOST and _is_value(path.read_bytes()))


def is_series(path: pathlib.Path) -> bool:
    """Returns whether the first lines of a text each are an object or array with a number in it."""
    lines = _first_lines(path) if _begins(path) else []
    return len(lines) == _LINES and all(_is_value(line) and re.search(rb"[\[:,]\s*-?\d", line) for line in lines)


def values_of(content: str) -> tuple[object, list[str]]:
    """Returns the value that JSON holds, or a list of those one after another, and notes; ValueError where it is none.

    A last line that is cut off, as where power was lost, is left out.

    Example: `values_of('{"x": 1}\\n{"x": 2}')` is `[{"x": 1}, {"x": 2}], []`.
    """
    decoder, values, at = json.JSONDecoder(), [], 0
    while (at := _BETWEEN.match(content, at).end()) < len(content):
        try:
            value, at = decoder.raw_decode(content, at)
        except ValueError:
            if len(values) < _LINES or "\n" in content[at:].rstrip():
                raise
            return values, ["The last line is cut off, and left out."]
        values.append(value)
    if not values:
        raise ValueError("nothing is in it")
    return (values[0] if len(values) == 1 else values), []


def _begins(path):
    """Returns whether a file begins as an object or array in a text: most do not, and are read no further."""
    start = raw_files.head(path)
    return start.lstrip(_MARK + b" \r\n\t")[:1] in (b"{", b"[") and raw_files.is_text(start)


def _first_lines(path):
    with path.open("rb") as file:
        lines = [file.readline(_LONGEST) for _ in range(3 * _LINES)]
    return [line for line in lines if line.strip(_MARK + b" \r\n")][:_LINES]


def _is_value(content):
    try:
        return isinstance(json.loads(content.removeprefix(_MARK).strip(b" \t\r\n,\x1e")), list | dict)
    except ValueError:  # So is a wrong encoding.
        return False
