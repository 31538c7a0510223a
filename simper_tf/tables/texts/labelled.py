"""Lines of programs: a label beside each number, as `t=1034 ax=0.21`, a time before all, brackets around them."""

import re
from collections.abc import Callable, Sequence

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_CELL = re.compile(rf"\s*([^\W\d][\w.()/°\[\]-]*)\s*[:=]\s*({_NUMBER})\s*(?:[,;|\s]|$)", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(\[{]+\s*(.*\S)\s*[)\]}]+[\s,;]*")
_IN_BRACKETS = re.compile(r"""[ub]?('[^']*'|"[^"]*")|([^\s,;'"()\[\]{}]+)""")
_TIME = re.compile(r"[\d:.,/ T-]*\d:\d\d[\d:.,]*")
_OF_BOARD = re.compile(r"\s*[EWIDV] \((\d+)\) [^:]+: ")  # As ESP-IDF logs: I (1234) SENSOR: x=5, after so many ms.
_LONGEST = 1000  # Letters of a line: boards print fewer than a hundred.
_FEWEST, _MOSTLY = 8, 0.9  # Lines, and share of them that are alike: others are messages of the device.


def of_lines(lines: Sequence[str]) -> tuple[str, Callable[[str], str]] | None:
    """Returns the names of the columns in a line, and what writes a line without labels and arrows; None for others.

    Of a line that is unlike most others it makes an empty one.

    Example: `of_lines(["a=1 b=2"] * 8)[1]("a=3 b=4")` is `3,4`.
    """
    if len(lines) < _FEWEST or max(map(len, lines)) > _LONGEST:
        return None
    if sum(_in_brackets(line) != "" for line in lines) > _MOSTLY * len(lines):
        return "", _in_brackets
    forms = [_form(line)[:2] for line in lines[-(len(lines) + 1) // 2 :]]
    usual = max(set(forms), key=forms.count)
    if not any(usual) or forms.count(usual) < _MOSTLY * len(forms):
        return None
    has_time, names = usual

    def plain(line):
        *form, cells = _form(line)
        return ",".join(cells) if tuple(form) == usual else ""

    return ",".join([*["time"] * has_time, *names]) if names else "", plain


def _form(line):
    """Returns whether a time begins a line, the names of its numbers, and its cells."""
    if match := _OF_BOARD.match(line):
        time, rest = match[1], line[match.end() :]
    else:
        time, _, rest = line.rpartition(" -> ")
        time = time.strip()
        if time and not _TIME.fullmatch(time):
            return False, (), ()
    cells, end = [], 0
    while match := _CELL.match(rest, end):
        cells, end = [*cells, match.groups()], match.end()
    if end < len(rest):
        cells = []
    if not (time or cells):
        return False, (), ()
    values = [value for _, value in cells] or re.split(r"\s*[,;]\s*|\s+", rest.strip())
    return bool(time), tuple(name for name, _ in cells), [*[time] * bool(time), *values]


def _in_brackets(line):
    """Returns the cells of a line in brackets, as Python prints it, such as `(u'498 512', 1.5e9)`; "" of others.

    Text of several numbers is a cell for each.
    """
    if not (match := _BRACKETS.fullmatch(line)):
        return ""
    cells = []
    for quoted, bare in _IN_BRACKETS.findall(match[1]):
        words = quoted[1:-1].split() or [""]
        are_numbers = all(re.fullmatch(_NUMBER, word, re.IGNORECASE) for word in words)
        cells += [bare] if bare else words if are_numbers else [quoted[1:-1].replace(",", " ")]
    return ",".join(cells)
