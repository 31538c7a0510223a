"""Units in which answers are given; nothing heavy is imported here, as the commands declare a flag of them."""

# A flag's value -> in print.
UNITS = {"hz": "Hz", "bpm": "bpm", "per_minute": "per minute", "count": "repetitions"}


def value(hertz: float, count: float, unit: str) -> float:
    """Returns a frequency, or a count, in a unit of `UNITS`.

    Example:
        >>> value(1.5, 30, "bpm"), value(1.5, 30, "count")
        (90.0, 30)
    """
    return {"hz": hertz, "count": count}.get(unit, 60 * hertz)
