"""Rates of sampling that words state: lines of a header, names of columns and files, names beside arrays."""

import itertools
import re
from typing import NamedTuple

# Whole and broken numbers: thousands set off by a space (thin ones too), comma, point, apostrophe or underscore; an
# exponent as e1, x 10^1 or x 10¹. What goes on as a range (0.5-15), a clock (10:21), a version (1.2.3) or a word
# (30abc) is none.
_NUMBER = (
    r"(?P<number>(?:\d{1,3}(?:[ ,.'’_]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?|(?:\.|(?<=[:=]),|(?<=[:=] ),)\d+)"
    r"(?:\s?(?:e|[x×*·]\s?10\s?(?:\^|\*\*)?\s?)\s?[+-]?\d\d?)?)(?![.,]?\d|:\d|/\d|[-–]\d|\s(?:-|–|to|bis)\s\d)"
)
# Words of units of time, and their seconds.
SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "micros", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nanos", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0), **dict.fromkeys(("day", "days"), 86400.0),
}  # fmt: skip
_TIME = rf"(?P<time>{'|'.join(sorted(SECONDS, key=len, reverse=True))})"
_OF_SAMPLES = r"(?:samples?|samps?|sa|points?|pts|frames?|readings?|s)"
_UNIT = (
    rf"(?:(?P<prefix>[km])?(?:hz|hertz|sps|fps|{_OF_SAMPLES}\s?(?:/|\bper\b|\ba\b)\s?{_TIME.replace('time', 'of')}"
    rf"|(?:1\s?)?(?:/|\bper\b)\s?{_TIME.replace('time', 'per')}|s\s?\^?(?:-|⁻|−)[1¹])"
    rf"|{_TIME}(?:\s?(?:/|per)\s?samples?)?)(?![a-zµμ\d])"
)
# Between a name and its number, at most so often: marks, units, and words that say no more than that it is one.
_FILLING = (
    r"(?P<filling>(?:[\s:=,;|()\[\]{}<>~≈]|\s[-–]\s|\b(?:is|was|of|at|in|about|approx|ca|used|set|to|equals)\b\.?"
    rf"|{re.sub('[?]P<[a-z]+>', '?:', _UNIT)}){{0,8}}?)"
)
_WHO = (
    r"(?:data|acq(?:uisition)?|recording|logging|log|scan|digiti[sz]\w{2,6}|capture|measure(?:ment)?|poll(?:ing)?|output|daq"
    r"|adc|frame|camera|video|update|mess)"
)
_RATES = (
    r"samp[a-z]{0,5}[ _.-]{0,3}(?:rate|freq\w*|speed)s?|f_?s(?:amp\w*)?|s_?freq\w*|s_?rate|sr|fps|sps"
    rf"|{_WHO}[ _.-]{{0,3}}(?:rate|freq(?:uency)?|frequenz)|{_OF_SAMPLES} ?(?:/|per|a) ?s(?:ec(?:ond)?)?"
    r"|abtast(?:rate|frequenz)|(?:fr[ée]quence|taux) d.[ée]chantillonnage|(?:frecuencia|tasa) de muestreo"
    r"|frequenza di campionamento|(?:taxa|frequ[êe]ncia) de amostragem"
)
_INTERVALS = (
    r"samp[a-z]{0,5}[ _.-]{0,3}(?:interval|period|spacing|step|distance|increment)|(?:delta|Δ)[ _]?(?:x|t|time)|d[tx]"
    r"|(?:x|time|t)[ _.-]{0,3}(?:incr?|increment|interval|step|spacing|delta)|epoch[ _.-]{0,3}period"
    rf"|{_WHO}[ _.-]{{0,3}}interval|frame[ _.-]{{0,3}}time"
    r"|abtastintervall|p[ée]r[ií]ode? d(?:.[ée]chantillonnage|e muestreo)"
)
# Said of a number with a unit alone: what was sampled "at", and "every".
_SAID = r"(?:sampl[a-z]{1,4}|recorded|acquired|digiti[sz]ed|logged|measured|captured)"
_START, _END = r"(?<![a-z\d])", r"(?:[ _][a-z]{1,5}\d?|\.)?(?![a-z\d])"  # fs_ecg too.
# What is said of the recorder, or of the samples before they were made fewer, is not said of these.
_OTHERS = re.compile(
    r"\b(?:orig\w*|max\w*|min\w*|supported|available|before|possible|nyquist|display|screen|over)\b|\bfrom$"
)
# Beside a lone number of Hz these words say that it is a signal's.
_SIGNALS = re.compile(
    r"[ehp]?[ecpmg]{1,2}g|bvp|eda|gsr|acc\w*|gyro\w*|imu|signals?|data|recording|channels?|leads?|i+|at|[xyz]|red|green|blue|n?ir"
)
_SESSIONS = re.compile(r"s|sub|subject|p|patient|person|rec|record|trial|run|session|test|file|raw|fs|sampl\w+|rate")
# Ranks: said after resampling; under a name; under a word that is the whole key; a lone frequency of a signal.
_PATTERNS = (
    (0, rf"(?:(?:down|re|sub)[ -]?sampled|decimated|reduced|interpolated)\b.*?\b(?:to|at)\b(?P<filling>\s*){_NUMBER}"),
    (1, rf"{_START}(?P<rate>{_RATES}){_END}{_FILLING}{_NUMBER}"),
    (1, rf"{_START}(?P<interval>{_INTERVALS}){_END}{_FILLING}{_NUMBER}"),
    (1, rf"{_START}(?P<short>samp[a-z]{{0,5}}[ _.-]{{0,3}}time|ts){_END}{_FILLING}{_NUMBER}"),
    (1, rf"{_START}(?P<hertz>{_SAID} (?:at|with|to|@)|sampling){_FILLING}{_NUMBER}"),
    (1, rf"{_START}(?P<every>{_SAID} every)(?P<filling>\s*){_NUMBER}"),
    (1, rf"(?<![\w.,])(?P<filling>){_NUMBER}(?=\s*[km]?(?:[sf]ps\b|{_OF_SAMPLES}\s?(?:/|\bper\b|\ba\b)\s?[smh]))"),
    (1, rf"(?<![\w.,])(?P<filling>){_NUMBER}(?=\s*\w+\s?(?:/|per)\s?samples?\b)"),
    (1, rf"(?<![\w.,])(?P<filling>){_NUMBER}(?=\s*k?(?:hz|hertz)\s(?:sampl|abtast))"),
    (2, rf"^[#%/;*]*\s?(?P<rate>rate|hz){_FILLING}{_NUMBER}"),
    (2, rf"^[#%/;*]*\s?(?P<every>interval|clock(?=.{{1,20}}[mµμun]s\b)){_FILLING}{_NUMBER}"),
    (2, rf"^(?P<interval>increment){_FILLING}{_NUMBER}"),
    (3, rf"\bfile created by\b(?:(?!filter|notch|pass|cut).)*\bat(?P<filling>\s*){_NUMBER}(?=\s?hz\b)"),
)  # fmt: skip
_PATTERNS = tuple((rank, re.compile(pattern, re.IGNORECASE)) for rank, pattern in _PATTERNS)
_LONE = re.compile(rf"(?<![\w.,-]){_NUMBER}\s*(?P<kilo>k?)(?:hz|hertz)(?![a-z])", re.IGNORECASE)
_UNITS = re.compile(rf"[\s,;|\t()\[\]]*{_UNIT}", re.IGNORECASE)
_GOES_ON = re.compile(
    r"\s+(?:and|with|for|on|in|per|each|using|at|filter\w*|ch\w*|samples?)\b|\s*(?:[^\w\s]|$)|\s*[,;|\t]", re.IGNORECASE
)
_GROUPED = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_CELL, _DIGIT = re.compile(rf"\W*{_NUMBER}\W*", re.IGNORECASE), re.compile(r"\d")
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_LONG, _MOST = 2**11, 2**15  # Letters of a line, and of all lines, that are looked at.
_FASTEST = 1e7  # Samples a second: faster ones are of no recording of what repeats.
_LONGEST = 1.0  # Seconds of a "sampling time" that is a step: a longer one may be that of the whole recording.
SAME = 0.05  # Share by which two rates of one recording differ: a nominal 30 is 29.4 on a phone.
_KINDS = ("rate", "interval", "short", "hertz", "every")
# Steps of Polar's files, in seconds without a word of them; 238 and 204 there are none.
_POLAR, _POLARS_STEPS = "[Params]", {f"Interval={seconds}" for seconds in (1, 2, 5, 15, 60, 120, 240, 480)}
_SHORT, _QUOTED = 4, 60  # Letters of names that are short, and of a line that a note quotes.
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
    if lines and lines[0].strip() == _POLAR:
        lines = [f"{line} s" if line.strip() in _POLARS_STEPS else line for line in lines]
    for line in itertools.chain(lines, _columns_of(lines)):
        left -= min(len(line), _LONG)
        if left >= 0:
            found += _of_line(line[:_LONG], decimal)
    best = min((rank for rank, _ in found), default=0)
    for rank, claim in found:
        if rank == best and not any(agree(claim.rate, other.rate) for other in differing):
            differing.append(claim)
    return differing


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
                yield from (f"{key}: {cell}" for key, cell in pairs if _CELL.fullmatch(cell) and not _DIGIT.search(key))


def _of_line(line, decimal):
    """Returns ranks and rates of all that a line states."""
    line = re.sub(r"[\u00a0\u2007\u2009\u202f]", " ", line).replace('"', "").replace("'", "’")
    line = re.sub(r"(?<=10)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda raised: f"^{raised[0].translate(_RAISED)}", line)
    line = re.sub(r"(?<=[a-z]{2})(?=(?:[MU]s|Hz)\b)", "_", line)  # As in SampleIntervalMs.
    if decimal != ",":  # A cell of its own follows the mark.
        line = re.sub(r"(?<=[:=])(\s?),(?=\d)", r"\1 ", line)
    line = re.sub(r"(?<=[a-z]) \(hh:mm:ss\) (\d\d):(\d\d):(\d\d)\b", _in_seconds, line)
    line = re.sub(r"([\[(])\s*1\s*/\s*s(?:ec)?\s*(?=[\])])", r"\1Hz", line)
    line = re.sub(r"(?<=[^\s#%/;*])([ \t])\1+", r"\1", _ASIDE.sub(" ", line))
    words = line.strip(" #%/;*\t")[:_QUOTED]
    matches = [(rank, _rate(line, match, decimal)) for rank, pattern in _PATTERNS for match in pattern.finditer(line)]
    found = [(rank, Stated(rate, words)) for rank, rate in matches if rate and rate < _FASTEST]
    lone = None if found else _LONE.search(line)
    beside = lone and re.findall(r"[^\W\d_]+", f"{line[: lone.start()]} {line[lone.end() :]}".lower())
    if lone and all(map(_SIGNALS.fullmatch, beside)):
        rate = _value(lone["number"], decimal) * (1e3 if lone["kilo"] else 1)
        found = [(3, Stated(rate, words))] if 0 < rate < _FASTEST else []
    return found


def _rate(line, match, decimal):
    """Returns the rate that a match states; None if its number lacks a unit that it needs, or says another thing."""
    kind, name = next(
        ((kind, name) for kind, name in match.groupdict().items() if kind in _KINDS and name), ("hertz", "")
    )
    if _OTHERS.search(re.split(r"[,;|\t(\d]", line[: match.start()].lower())[-1].rstrip()):
        return None
    unit, value = _UNITS.match(line, match.end("number")), _value(match["number"], decimal)
    rest = line[(unit or match).end() :] if unit else line[match.end("number") :]
    if not value or not (unit or _GOES_ON.match(rest)):
        return None
    is_device = not match["filling"].strip() and len(name) < _SHORT and rest.strip()  # Such as FS 2 v1.1.
    between = line[match.end(kind) if name else match.start("filling") : match.start("number")]  # Such as _ms in dt_ms.
    if (unit := unit or re.search(rf"(?<![a-zµμ]){_UNIT}", between, re.IGNORECASE)) is None:
        if kind in ("hertz", "every") or is_device or (kind == "short" and value >= _LONGEST):
            return None
        return value if kind == "rate" else 1 / value
    if unit["time"]:
        seconds = value * SECONDS[unit["time"].lower()]
        is_wrong = (kind == "short" and seconds >= _LONGEST) or (kind == "hertz" and name)
        return None if is_wrong else 1 / seconds
    prefix = {None: 1.0, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6}[unit["prefix"]]
    return None if kind == "every" else value * prefix / SECONDS[(unit["of"] or unit["per"] or "s").lower()]


def _in_seconds(clock):
    hours, minutes, seconds = map(int, clock.groups())
    return f": {3600 * hours + 60 * minutes + seconds} s"


def _value(written, decimal):
    """Returns a number as it is written: 1,000 and 1 000 are thousands unless the comma is the decimal sign."""
    parts = re.split(r"\s?(?:e|[x×*·]\s?10\s?(?:\^|\*\*)?\s?)\s?(?=[+-]?\d+$)", written, flags=re.IGNORECASE)
    digits = re.sub(r"[ '’_]", "", parts[0])
    marks = re.findall(r"[.,]", digits)
    is_grouped = marks and marks[0] != decimal and len(parts) == 1 and _GROUPED.fullmatch(digits)
    if len(marks) > 1 or is_grouped:
        digits = digits.replace(marks[0], "")
    return float(digits.replace(",", ".")) * 10.0 ** int(parts[1] if len(parts) > 1 else 0)
