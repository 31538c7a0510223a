"""Rows of measurements: their form, alternating calls, growth, and the peak memory of another process."""

import dataclasses
import math
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable

# Not getrusage, whose maximum a new program inherits from the process that started it.
_TELL_PEAK = """
import atexit, pathlib
atexit.register(lambda: print(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]))
"""


@dataclasses.dataclass(frozen=True)
class Row:
    """A measurement at two sizes.

    Attributes:
        measure: Function of a size that returns ours and the reference, or None where there is nothing to compare with.
        sizes: The smaller and the larger size.
        counted: What a size counts, such as `clips`.
        unit: Unit of both values: `s` and `GiB` should be low, everything else is a rate and should be high.
    """

    measure: Callable[[int], tuple[float, float | None]]
    sizes: tuple[int, ...]
    counted: str
    unit: str = "s"


def results(name: str, row: Row):
    """Yields the measured values of a row, a dictionary a size.

    `ratio` says how many times better ours is than the reference. `exponent`, of the larger size, is the order of
    growth of ours: 1 where twice the size takes twice as long, 0 for a rate that does not depend on it.
    """
    before = None
    for size in row.sizes:
        ours, other = row.measure(size)
        ratio = None if other is None else (other / ours if row.unit in ("s", "GiB") else ours / other)
        yield {
            "name": name, "counted": row.counted, "size": size, "unit": row.unit, "ours": ours, "reference": other,
            "ratio": ratio, "exponent": before and exponent(before, (size, ours)),
        }  # fmt: skip
        before = size, ours


def exponent(small: tuple[float, float], large: tuple[float, float]) -> float | None:
    """Returns the p of `value = c * size**p` through two pairs of size and value; None where a value is not finite."""
    (size, value), (large_size, large_value) = small, large
    growth = large_value / value if value else math.inf
    return math.log(growth) / math.log(large_size / size) if 0 < growth < math.inf else None


def alternate(*calls: Callable[[], object], repeats: int = 7) -> list[float]:
    """Returns the best seconds of each call out of rounds in which they take turns, after one round that is not timed.

    A busy machine so disturbs all alike.
    """
    for call in calls:
        call()
    rounds = [[seconds(call) for call in calls] for _ in range(repeats)]
    return [min(times) for times in zip(*rounds, strict=True)]


def seconds(call: Callable[[], object]) -> float:
    """Returns the seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def peak_gib(code: str, *arguments: object) -> float:
    """Runs lines of Python in a process of their own and returns the largest resident size it had, in GiB.

    Args:
        code: The lines, which find the arguments in `sys.argv[1:]`.
        *arguments: Shown as text.

    Raises:
        subprocess.CalledProcessError: they failed.
    """
    command = [sys.executable, "-c", _TELL_PEAK + code, *map(str, arguments)]
    root = pathlib.Path(__file__).parents[1]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=root)
    return int(run.stdout.splitlines()[-1]) / 2**20
