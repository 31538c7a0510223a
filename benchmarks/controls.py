"""Series in which nothing repeats, of a minute to a day: how many recordings are given a number?

python -m benchmarks.controls [--seconds 60 600] [--files FILE ...] [--document=docs/series.md]
"""

import itertools
import pathlib

import numpy as np
from scipy import signal

from benchmarks import document
from simper_tf.evaluation import markdown_tables
from simper_tf.reading.series import series_reader
from simper_tf.tables import series_files

COMMAND = "python -m benchmarks.controls"
# A resonance of quality Q makes it of white noise. At Q 4 intervals are as uneven as a slow breath's.
BANDS = {"noise of a band, Q 1": 1.0, "noise of a band, Q 2": 2.0, "noise of a band, Q 4": 4.0}
KINDS = ("white noise", "pink noise", "brown noise", "walk with drift", "coarse walk", "drift", "steps", *BANDS)
# Seconds, samples a second, channels, and recordings of a kind. Ten minutes take two seconds of a core, a day two
# minutes. Rates are those of breath, of watches, and of an ECG.
CASES = (
    (60, 4.0, 1, 30), (60, 25.0, 1, 20), (60, 25.0, 3, 10), (60, 100.0, 1, 10), (600, 4.0, 1, 8), (3600, 4.0, 1, 2),
    (86400, 1.0, 1, 2),
)  # fmt: skip
_KNOTS, _EDGES = 0.5, 0.4  # A second: of what drifts, and of steps.
_MIDDLE = 0.05  # Of a band, in cycles a sample: 20 samples show each wave.


def made(kind: str, times: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns `(T,)` values in which nothing repeats.

    Args:
        kind: Of `KINDS`, or "one burst".
        times: `(T,)` seconds at even steps from 0.
        random: Of the noise.
    """
    noise, seconds = random.normal(size=len(times)), float(times[-1])
    if kind == "pink noise":
        waves = np.fft.rfft(noise)
        return np.fft.irfft(waves / np.sqrt(np.maximum(np.arange(len(waves)), 1)), len(noise))
    if kind == "brown noise":
        return np.cumsum(noise)
    if kind == "walk with drift":
        return np.cumsum(noise + 0.05)
    if kind == "coarse walk":  # As of a thermometer that shows steps of a tenth.
        return np.round(0.3 * np.cumsum(noise)) / 10
    if kind == "drift":
        knots = max(round(_KNOTS * seconds), 5)
        return np.interp(times, np.linspace(0, seconds, knots), 10 * random.normal(size=knots)) + 0.3 * noise
    if kind == "steps":
        edges = np.sort(random.uniform(0, seconds, max(round(_EDGES * seconds), 4)))
        return 5 * random.normal(size=len(edges) + 1)[np.searchsorted(edges, times)] + 0.3 * noise
    if kind in BANDS:
        return signal.lfilter(*signal.iirpeak(_MIDDLE, BANDS[kind], fs=1.0), noise)
    if kind == "one burst":
        middle = random.uniform(0.2 * seconds, 0.8 * seconds)
        return noise * (0.1 + np.exp(-0.5 * ((times - middle) / 0.7) ** 2))
    return noise


def is_answered(times: np.ndarray, values: np.ndarray) -> bool:
    """Returns whether a number is told of a recording."""
    return bool(series_reader.reading_of_samples(times - times[0], values).clear)


def of_files(paths: list[pathlib.Path], seconds: int) -> list[bool]:
    """Returns whether each part of so many seconds of files is answered."""
    answered = []
    for recording in map(series_files.series_of, paths):
        times = recording.times - recording.times[0]
        for start in np.arange(0, times[-1] - 0.99 * seconds, seconds):
            inside = (times >= start) & (times < start + seconds)
            answered.append(is_answered(times[inside], recording.values[inside]))
    return answered


def report(lengths: list[int], paths: list[pathlib.Path]) -> str:
    """Returns a table of how many recordings of each kind and length are answered."""
    rows = [[kind] for kind in (*KINDS, *(["real"] if paths else []), "**all**")]
    cases, left = [case for case in CASES if case[0] in lengths], set(lengths)
    for seconds, rate, channels, each in cases:
        times = np.arange(0, seconds, 1 / rate)
        answered = [[is_answered(times, _channels(kind, times, channels, k)) for k in range(each)] for kind in KINDS]
        answered += [of_files(paths, seconds) if seconds in left else []] * bool(paths)  # They have rates of their own.
        left -= {seconds}
        answered.append(list(itertools.chain(*answered)))
        for row, those in zip(rows, answered, strict=True):
            row.append(f"{sum(those)} of {len(those)}" if those else "")
            print(seconds, rate, channels, row[0], row[-1], flush=True)
    return markdown_tables.markdown_table(["nothing repeats in", *(_title(*case[:3]) for case in cases)], rows)


def _channels(kind, times, number, seed):
    """Returns `(T, number)`, each by itself."""
    random = np.random.default_rng(seed)
    return np.stack([made(kind, times, random) for _ in range(number)], axis=1)


def _title(seconds, rate, channels):
    unit, size = next((unit, size) for unit, size in (("h", 3600), ("min", 60)) if seconds >= size)
    return f"{seconds / size:g} {unit}, {rate:g} a second" + f", {channels} channels" * (channels > 1)


def main():
    """Reads all controls and prints the table."""
    lengths = list(dict.fromkeys(case[0] for case in CASES))
    parser = document.flags(__doc__)
    parser.add_argument("--seconds", type=int, nargs="+", choices=lengths, default=lengths, help="Lengths.")
    parser.add_argument("--files", type=pathlib.Path, nargs="+", default=[], help="Real ones, cut to these lengths.")
    args = parser.parse_args()
    written = report(args.seconds, args.files)
    document.say(args.document, COMMAND, written)


if __name__ == "__main__":
    main()
