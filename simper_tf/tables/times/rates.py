"""Rates of sampling that words state: lines of a header, names of columns and files, names beside arrays."""

import itertools
import re
import unicodedata
from typing import NamedTuple

# Words of units of time, and their seconds.
SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "micros", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nanos", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0), **dict.fromkeys(("day", "days"), 86400.0),
}  # fmt: skip
_TIME = "|".join(sorted(SECONDS, key=len, reverse=True))
_OF_SAMPLES = r"(?:samples?|samps?|sa|points?|pts|frames?|readings?|s)"
_UNIT = (
    rf"(?:(?P<prefix>[km])?(?:hz|hertz|sps|fps|{_OF_SAMPLES}\s?(?:/|\bper\b|\ba\b)\s?(?P<of>{_TIME})"
    rf"|(?:1\s?)?(?:/|\bper\b)\s?(?P<per>{_TIME})|s\s?\^?-1)|(?P<time>{_TIME})(?:\s?(?:/|per)\s?samples?)?)"
    r"(?![a-zμ\d])"
)
# Whole and broken numbers: thousands set off by a space, comma, point, apostrophe or underscore; an exponent as e1 or
# x 10^1. What goes on as a range (0.5-15), a clock (10:21), a version (1.2.3) or a word (30abc) is none.
_NUMBER = (
    r"(?P<number>(?:\d{1,3}(?:[ ,.'’_]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?|(?:\.|(?<=[:=]),|(?<=[:=] ),)\d+)"
    r"(?:\s?(?:e|[x×*·]\s?10\s?(?:\^|\*\*)?\s?)\s?[+-]?\d\d?)?)(?![.,]?\d|:\d|/\d|[-–]\d|\s(?:-|–|to|bis)\s\d)"
)
# What stands before a number, without accents; between words are blanks, points, dashes, or nothing.
_SAMPLED = "samp[a-z]{0,5}"
_BY = (
    "(acq|acquisition|adc|camera|capture|daq|data|digiti[sz][a-z]{2,6}|frame|log|logging|measure|measurement|mess|output|poll"
    "|polling|recording|scan|update|video)"
)
_NAMES = {
    "rate": (
        f"{_SAMPLED} (rates?|freq[a-z]*|speed)", f"{_BY} (rate|freq|frequency|frequenz)", "f_?s(amp[a-z]*)?",
        "s_?freq[a-z]*|s_?rate|sr|fps|sps", f"{_OF_SAMPLES} (/|per|a) s(ec(ond)?)?", "abtastrate|abtastfrequenz",
        "(frequence|taux) d.echantillonnage", "(frecuencia|tasa) de muestreo", "frequenza di campionamento",
        "(frequencia|taxa) de amostragem",
    ),
    "interval": (
        f"{_SAMPLED} (time )?(interval|period|spacing|step|distance|increment)", f"{_BY} interval", "dt|dx",
        "(delta|Δ) (x|t|time)", "(x|t|time) (incr?|increment|interval|step|spacing|delta)", "epoch period|frame time",
        "abtastintervall", "periode d.echantillonnage", "periodo de muestreo",
    ),
    "step": (f"{_SAMPLED} time", "ts"),  # If it is short: a longer one may be that of the whole recording.
}  # fmt: skip
_NAME = "|".join(f"(?P<{kind}>{'|'.join(names).replace(' ', '[ _.-]{0,3}')})" for kind, names in _NAMES.items())
_START, _END = r"(?<![a-z\d])", r"(?:[ _][a-z]{1,5}\d?|\.)?(?![a-z\d])"  # fs_ecg too.
# Between a name and its number, at most so often: marks, units, and words that say no more than that it is one.
_FILLING = (
    r"(?:[\s:=,;|()\[\]{}<>~≈]|\s[-–]\s|\b(?:is|was|of|at|in|about|approx|ca|used|set|to|equals)\b\.?"
    rf"|{re.sub('[?]P<[a-z]+>', '?:', _UNIT)}){{0,8}}?"
)
# Said of a number with a unit alone: what was sampled "at", and "every".
_SAID = "(?:acquired|captured|digiti[sz]ed|logged|measured|recorded|sampl(?:ed|es|ing))"
_ALONE = r"(?<![\w.,-])"
# Ranks: said after resampling; under a name, or with a unit of samples; under a word that is the whole key;
# alone beside words of signals; in the line of a recorder.
_PATTERNS = (
    (0, rf"(?:(?:down|re|sub)[ -]?sampled|decimated|reduced|interpolated)\b.*?\b(?:to|at)\b\s*{_NUMBER}"),
    (1, rf"{_START}(?:{_NAME}){_END}{_FILLING}{_NUMBER}"),
    (1, rf"{_START}(?:(?P<hertz>{_SAID} (?:at|with|to|@)|sampling)|(?P<every>{_SAID} every)){_FILLING}{_NUMBER}"),
    (1, rf"{_ALONE}{_NUMBER}(?=\s*[km]?(?:[sf]ps\b|{_OF_SAMPLES}\s?(?:/|\bper\b|\ba\b)\s?[smh]))"),
    (1, rf"{_ALONE}{_NUMBER}(?=\s*(?:\w+\s?(?:/|per)\s?samples?\b|k?(?:hz|hertz)\s(?:sampl|abtast)))"),
    (2, rf"^[#%/;*]*\s?(?:(?P<rate>rate|hz)|(?P<every>interval)|(?P<interval>increment)){_FILLING}{_NUMBER}"),
    (1, rf"(?:^|[,;]\s*)(?P<rate>sampling)\s?[:=]\s?{_NUMBER}(?=[,;]|\s*$)"),
    (2, rf"^[#%/;*]*\s?(?P<every>clock(?=.{{1,20}}[mµμun]s\b)){_FILLING}{_NUMBER}"),
    (3, rf"{_ALONE}{_NUMBER}\s*k?(?:hz|hertz)(?![a-z])"),
    (4, rf"\bfile created by\b(?:(?!filter|notch|pass|cut).)*\bat\s*{_NUMBER}(?=\s?hz\b)"),
)  # fmt: skip
_PATTERNS = tuple((rank, re.compile(pattern, re.IGNORECASE)) for rank, pattern in _PATTERNS)
# What is said of the recorder, or of the samples before they were made fewer, is not said of these.
_OTHERS = re.compile(r"\b(?:orig\w*|max\w*|min\w*|supported|available|before|possible|nyquist|display|screen|over)\b")
_LONE = 3  # Of a number of Hz that is a signal's if all words beside it say so.
_SIGNALS = re.compile(
    r"[ehp]?[ecpmg]{1,2}g|bvp|eda|gsr|acc\w*|gyro\w*|imu|signals?|data|recording|channels?|leads?|i+|at|[xyz]|red|green|blue|n?ir"
)
_SESSIONS = re.compile(r"s|sub|subject|p|patient|person|rec|record|trial|run|session|test|file|raw|fs|sampl\w+|rate")
_UNIT_BEHIND = re.compile(rf"[\s,;|()\[\]]*{_UNIT}", re.IGNORECASE)
_UNIT_BETWEEN = re.compile(rf"(?<![a-zμ]){_UNIT}", re.IGNORECASE)  # Such as _ms in dt_ms.
_GOES_ON = re.compile(
    r"\s+(?:and|with|for|on|in|per|each|using|at|filter\w*|ch\w*|samples?)\b|\s*(?:[^\w\s]|$)|\t", re.IGNORECASE
)
_GROUPED = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_CELL = re.compile(rf"\W*{_NUMBER}\W*", re.IGNORECASE)
_LONG, _MOST = 2**11, 2**15  # Letters of a line, and of all lines, that are looked at.
_FASTEST = 1e7  # Samples a second: faster ones are of no recording of what repeats.
_LONGEST = 1.0  # Seconds of a "sampling time" that is a step: a longer one may be that of the whole recording.
SAME = 0.05  # Share by which two rates of one recording differ: a nominal 30 is 29.4 on a phone.
_KINDS = (*_NAMES, "hertz", "every")
# Steps of Polar's files, in seconds without a word of them; 238 and 204 there are none.
_POLAR, _POLARS_STEPS = "[Params]", {f"Interval={seconds}" for seconds in (1, 2, 5, 15, 60, 120, 240, 480)}
# First lines of Vicon's exports, whose second is the rate, and a line beside which Qualisys calls it FREQUENCY alone.
_OF_VICON, _OF_QUALISYS = ("Devices", "Trajectories", "Model Outputs", "Joints", "Segments"), "NO_OF_FRAMES\t"
_QUOTED = 60  # Letters of a line that a note quotes.
# More about a name in brackets: all but units and rates.
_ASIDE = re.compile(
    r"\((?=[^)]*[a-z]{3})(?![^)]*(?:sampl|decimat))(?!\s*[\d.,]*\s*(?:k?hz|hertz|\w+\s?(?:/|per)\s?\w+|m?sec\w*|minutes?)\s*\))[^)]*\)",
    re.IGNORECASE,
)


class Stated(NamedTuple):
    """A rate that words state.

    Attributes:
        rate: Samples per second.
        words: Where it is stated.
    """

    rate: float
    words: str


def stated(lines: list[str], decimal: str = ".") -> list[Stated]:
    """Returns the rates of sampling that lines state, those that differ; none of filters, versions or hearts.

    Args:
        lines: Of a header.
        decimal: Decimal sign of the numbers below them: it tells thousands from decimals in 1,000.

    Example: `stated(["Notch: 50 Hz", "Sampling rate: 1,000 Hz"])` is `[Stated(1000.0, "Sampling rate: 1,000 Hz")]`.
    """
    found, left, differing = [], _MOST, []
    lines = _of_programs(lines)
    for line in (*lines, *_columns_of(lines)):
        left -= min(len(line), _LONG)
        if left >= 0:
            found += _of_line(line[:_LONG], decimal)
    best = min((rank for rank, _ in found), default=0)
    for rank, claim in found:
        if rank == best and not any(agree(claim.rate, other.rate) for other in differing):
            differing.append(claim)
    return differing


def _of_programs(lines):
    """Returns lines in which rates that only a program tells by their place are told in words."""
    firsts = [line.strip(' ,;\t"') for line in lines[:2]]
    if firsts[:1] == [_POLAR]:
        return [f"{line} s" if line.strip() in _POLARS_STEPS else line for line in lines]
    if firsts[:1] and firsts[0] in _OF_VICON and len(firsts) > 1:
        return [f"sampling rate: {firsts[1]} Hz", *lines]
    if any(line.startswith(_OF_QUALISYS) for line in lines):
        return [f"sampling {line.lower()}" if line.startswith("FREQUENCY\t") else line for line in lines]
    return lines


def agree(first: float, second: float) -> bool:
    """Returns whether two rates are of one recording, but for what rounding and clocks do."""
    return abs(first / second - 1) < SAME


def of_value(name: str, value: float) -> float | None:
    """Returns the rate that a number under a name states, such as 250 under `fs`; None under another name."""
    name = f"sampling {name}" if name.lower() in ("freq", "frequency") else name  # In a header it may be a tone's.
    rates = stated([f"{name}: {value!r}"])
    return rates[0].rate if rates else None


def of_file_name(stem: str) -> list[Stated]:
    """Returns the rate that the name of a file states, such as `ecg_1000hz`; none of `sine_1hz` or `notch_50hz`."""
    match = re.search(r"(?<![\d.])(\d+(?:\.\d+)?)\s?hz(?![a-z])", stem.lower())
    words = re.findall(r"[a-z]+", re.sub(r"\d+(\.\d+)?\s?hz", " ", stem.lower()))
    is_sampling = match and all(_SIGNALS.fullmatch(word) or _SESSIONS.fullmatch(word) for word in words)
    return [Stated(float(match[1]), stem)] if is_sampling and float(match[1]) > 0 else []


def _columns_of(lines):
    """Yields `name: value` of rows of names with a row of values below, as some headers have them."""
    for names, values in itertools.pairwise(lines):
        for mark in ",;\t|":
            keys, cells = (row.rstrip().removesuffix(mark).split(mark) for row in (names, values))
            if len(keys) == len(cells) > 1:
                pairs = zip(keys, cells, strict=True)
                yield from (
                    f"{key}: {cell}" for key, cell in pairs if _CELL.fullmatch(cell) and not re.search(r"\d", key)
                )


def _of_line(line, decimal):
    """Returns ranks and rates of all that a line states."""
    words = line.strip(" #%/;*\t")[:_QUOTED]
    line = re.sub(r"(?<=10)(?=[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹])", "^", line.replace('"', "").replace("'", "’"))
    line = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", line)).replace("−", "-")  # No accents.
    line = re.sub(r"(?<=[a-z]{2})(?=(?:[MU]s|Hz)\b)", "_", line)  # As in SampleIntervalMs.
    if decimal != ",":  # A cell of its own follows the mark.
        line = re.sub(r"(?<=[:=])(\s?),(?=\d)", r"\1 ", line)
    if clock := re.search(r" \(hh:mm:ss\) (\d\d):(\d\d):(\d\d)\b", line):
        seconds = 3600 * int(clock[1]) + 60 * int(clock[2]) + int(clock[3])
        line = line.replace(clock[0], f": {seconds} s")
    line = re.sub(r"([\[(])\s*1\s*/\s*s(?:ec)?\s*(?=[\])])", r"\1Hz", line)
    line = re.sub(r"(?<=[^\s#%/;*])([ \t])\1+", r"\1", _ASIDE.sub(" ", line))
    found = []
    for rank, pattern in _PATTERNS:
        for match in pattern.finditer(line):
            beside = f"{line[: match.start()]} {line[match.end() :]}".lower() if rank == _LONE else ""
            if all(map(_SIGNALS.fullmatch, re.findall(r"[^\W\d_]+", beside))):
                rate = _rate(line, match, decimal)
                found += [(rank, Stated(rate, words))] if rate and rate < _FASTEST else []
    return found


def _rate(line, match, decimal):
    """Returns the rate that a match states; None if its number lacks a unit that it needs, or says another thing."""
    kind = next((kind for kind in _KINDS if match.groupdict().get(kind)), "")
    if _OTHERS.search(re.split(r"[,;|\t(\d]", line[: match.start()].lower())[-1].rstrip()):
        return None
    unit, value = _UNIT_BEHIND.match(line, match.end("number")), _value(match["number"], decimal)
    if not value or not (unit or _GOES_ON.match(line, match.end("number"))):
        return None
    unit = unit or _UNIT_BETWEEN.search(line, match.end(kind or "number"), match.start("number"))
    if unit is None:
        if kind in ("", "hertz", "every") or (kind == "step" and value >= _LONGEST):
            return None
        return value if kind == "rate" else 1 / value
    if unit["time"]:
        seconds = value * SECONDS[unit["time"].lower()]
        is_wrong = (kind == "step" and seconds >= _LONGEST) or kind == "hertz"
        return None if is_wrong else 1 / seconds
    prefix = {None: 1.0, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6}[unit["prefix"]]
    return value * prefix / SECONDS[(unit["of"] or unit["per"] or "s").lower()]


def _value(written, decimal):
    """Returns a number as it is written: 1,000 and 1 000 are thousands unless the comma is the decimal sign."""
    plain = re.sub(r"\s?(?:e|[x×*·]\s?10\s?(?:\^|\*\*)?)\s*(?=[+-]?\d+$)", "e", written, flags=re.IGNORECASE)
    digits, _, power = re.sub(r"[ '’_]", "", plain).partition("e")
    marks = re.findall(r"[.,]", digits)
    if len(marks) > 1 or (marks and marks[0] != decimal and not power and _GROUPED.fullmatch(digits)):
        digits = digits.replace(marks[0], "")
    return float(f"{digits.replace(',', '.')}e{power or 0}")
