"""Units in which answers are given; nothing heavy is imported here, as the commands declare a flag of them."""

# A flag's value -> in print.
UNITS = {"hz": "Hz", "bpm": "bpm", "per_minute": "per minute", "count": "repetitions"}
# Units of time in print, and their seconds.
CLOCKS = {"years": 31557600.0, "days": 86400.0, "hours": 3600.0, "minutes": 60.0}


def clock(seconds: float, least: float = 2.0) -> tuple[str, float]:
    """Returns the longest unit of time of which something lasts so many, and its seconds.

    Example:
        >>> clock(150), clock(100)
        (('minutes', 60.0), ('s', 1.0))
    """
    return next((pair for pair in CLOCKS.items() if seconds >= least * pair[1]), ("s", 1.0))


def value(hertz: float, count: float, unit: str) -> float:
    """Returns a frequency, or a count, in a unit of `UNITS`.

    Example:
        >>> value(1.5, 30, "bpm"), value(1.5, 30, "count")
        (90.0, 30)
    """
    return {"hz": hertz, "count": count}.get(unit, 60 * hertz)
