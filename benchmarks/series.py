"""Heart rates of real and generated PPG and ECG beside autocorrelation, heartpy and neurokit2: make series.

python -m benchmarks.series [--files ../shared/real/series ../shared/real/phone_ppg] [--document=docs/series.md]

Every reader gets the same windows of 10 s. This package reads the whole files too.
"""

import dataclasses
import pathlib
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.ndimage
import scipy.signal

from benchmarks import document
from benchmarks.controls import made
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import result
from simper_tf.reading.series import beats, series_reader
from simper_tf.tables import series_files
from simper_tf.utils.errors import RawDataError

COMMAND = "python -m benchmarks.series"
SECONDS, HOP, BAND = 10.0, 5.0, (0.6, 3.5)  # 36 to 210 beats per minute.
RIGHT, AGREEMENT = 3.0, 1.0  # Beats per minute: of a right answer, and to which two detectors agree on the truth.
SURE = 0.5  # Confidence from which on an answer counts.
CLOCKS, EVEN_RATE = 5.0, 50.0  # Seconds by which the clocks of two devices may differ; samples a second to find them.
# File -> rate where it has none, whether it is an ECG, the channels that are given, where its beats are marked, and its
# name in print, if not its own. Marks are a file of sample numbers at the rate, or of milliseconds between beats. None:
# where two detectors agree.
KNOWN = {
    "heartpy_118e*.csv": (360.0, True, None, "heartpy_118e00_ann.csv", ""),
    "s[0-9][0-9].csv": (None, False, None, "{stem}.RR", "fingers on phones"),
    "ecg_*.csv": (None, True, None, None, ""), "biosppy_*.txt": (None, False, None, None, ""),
    "datetime_*.csv": (None, False, None, None, ""), "timer_*.csv": (None, False, None, None, ""),
    "rounded_times_*.csv": (None, True, (4,), None, ""), "*.hea": (None, True, (0,), None, ""),
}  # fmt: skip
# What the other libraries need of a PPG, on phones: samples a second at least, and for heartpy a band in Hz.
PEERS_RATE, PEERS_BAND = 100.0, (0.7, 3.5)
# Forms of a PPG: its sign, as some sensors show blood as dark, and whether it is band-passed.
FORMS = ((1, False), (-1, False), (1, True), (-1, True))
_DISTURBED = ("clean", "noisy", "wandering", "moving")
_CONTROLS = ("white noise", "brown noise", "drift", "steps", "one burst")


@dataclasses.dataclass(frozen=True)
class Window:
    """A part of a series.

    Attributes:
        kind: What it is of.
        times: `(T,)` seconds.
        values: `(T, C)` numbers.
        is_ecg: Whether it is an ECG, and not a PPG.
        bpm: Beats per minute, by the mean interval of its beats; NaN where nothing repeats.
        whole: Beats per minute that this package reads there in the whole recording, NaN for none.
    """

    kind: str
    times: np.ndarray
    values: np.ndarray
    is_ecg: bool
    bpm: float
    whole: float = np.nan

    def even(self) -> tuple[np.ndarray, float]:
        """Returns its first channel at even steps, and its rate."""
        step = float(np.median(np.diff(self.times)))
        grid = np.arange(self.times[0], self.times[-1] + step / 2, step)
        return np.interp(grid, self.times, self.values[:, 0].astype(float)), 1 / step


def main():
    parser = document.flags(__doc__)
    folders = [pathlib.Path("../shared/real", name) for name in ("series", "phone_ppg")]
    parser.add_argument("--files", type=pathlib.Path, nargs="+", default=folders, help="Folders.")
    parser.add_argument("--each", type=int, default=8, help="Generated recordings a kind.")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # The other libraries warn of every window that they cannot read.
    hearts = [*(heart for folder in args.files for heart in real_hearts(folder)), *generated_hearts(args.each)]
    text = compared([*(window for heart in hearts for window in windows(heart)), *controls(10 * args.each)])
    document.say(args.document, COMMAND, text)


def compared(windows: list[Window]) -> str:
    """Returns tables of what each reader says of each kind of windows, and of how far confidence can be trusted."""
    truth, kinds = np.array([window.bpm for window in windows]), np.array([window.kind for window in windows])
    reads = [own(window) for window in windows]
    answers = {"simper_tf": np.array([bpm if sure >= SURE else np.nan for bpm, sure in reads])}
    answers["whole file"] = np.array([window.whole for window in windows])
    answers["autocorrelation"] = np.array([autocorrelation(window) for window in windows])
    answers |= {name: of_peer(detector, windows, truth, kinds) for name, detector in PEERS.items()}
    parts = {part: np.array([kind.startswith(part) for kind in kinds]) for part in ("generated", "control")}
    parts = {"real": ~np.any(list(parts.values()), axis=0), **parts}
    groups = {kind: kinds == kind for kind in dict.fromkeys(kinds)}
    groups |= {f"**all {part}**": inside for part, inside in parts.items()}
    lines = [
        [group, str(inside.sum()), *(measures(truth[inside], found[inside]) for found in answers.values())]
        for group, inside in groups.items() if inside.any()
    ]  # fmt: skip
    text = markdown_tables.markdown_table(["series", "windows", *(f"{name}: right, wrong" for name in answers)], lines)
    bpm, sure = np.array(reads).T
    rows = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8, 0.9):
        inside = (sure >= low) & (sure < {0.8: 0.9, 0.9: 1.01}.get(low, low + 0.2))
        share = f"{np.mean(np.abs(bpm - truth)[inside] < RIGHT):.0%}" if inside.any() else ""
        rows.append([f"from {low:g}", str(inside.sum()), share])
    return f"{text}\n\n{markdown_tables.markdown_table(['confidence', 'windows', 'first candidate right'], rows)}"


def measures(truth: np.ndarray, found: np.ndarray) -> str:
    """Returns, in print, the shares of windows read right and wrong; NaN is no answer."""
    errors = np.abs(found - truth)
    return f"{np.mean(errors < RIGHT):.1%}, {np.mean(np.isfinite(found) & ~(errors < RIGHT)):.1%}"


def own(window: Window) -> tuple[float, float]:
    """Returns the rate that this package reads, in beats per minute, and its confidence."""
    found = beats.find(window.times, window.values, BAND)
    return 60 * found.frequency, found.confidence


def autocorrelation(window: Window) -> float:
    """Returns the rate of the highest peak of the autocorrelation, in beats per minute; NaN where there is none."""
    values, rate = window.even()
    values = scipy.signal.detrend(values)
    curve = scipy.signal.correlate(values, values)[len(values) - 1 :] / np.arange(len(values), 0, -1)
    peaks, _ = scipy.signal.find_peaks(curve)
    inside = peaks[(peaks >= rate / BAND[1]) & (peaks <= rate / BAND[0])]
    return 60 * rate / inside[np.argmax(curve[inside])] if len(inside) else np.nan


def of_peer(detector: Callable, windows: list[Window], truth: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Returns what another library reads of windows, in beats per minute, NaN for nothing.

    Of each kind it is that of one of `FORMS`: most windows right, and of those the fewest wrong.
    """
    answers = np.array([[_mean_rate(detector, window, *form) for window in windows] for form in FORMS])
    right = np.abs(answers - truth) < RIGHT
    best = np.full(len(windows), np.nan)
    for kind in dict.fromkeys(kinds):
        of_kind = kinds == kind
        scores = [(right[form, of_kind].sum(), np.isnan(answers[form, of_kind]).sum()) for form in range(len(FORMS))]
        best[of_kind] = answers[scores.index(max(scores)), of_kind]
    return best


def in_form(window: Window, sign: int, is_filtered: bool) -> tuple[np.ndarray, float]:
    """Returns the first channel of a window as another library takes it, and its rate; an ECG is left as it is."""
    values, rate = window.even()
    if window.is_ecg:
        return values, rate
    if rate < PEERS_RATE:
        times = np.arange(0, (len(values) - 1) / rate, 1 / PEERS_RATE)
        values, rate = np.interp(times, np.arange(len(values)) / rate, values), PEERS_RATE
    if is_filtered:
        sections = scipy.signal.butter(3, PEERS_BAND, "bandpass", fs=rate, output="sos")
        values = scipy.signal.sosfiltfilt(sections, values)
    return sign * values, rate


def _mean_rate(detector, window, sign, is_filtered):
    try:
        found = detector(*in_form(window, sign, is_filtered), window.is_ecg)
    except Exception:  # Of windows that they cannot read, both raise what they ran into.
        return np.nan
    return 60 / np.diff(found).mean() if len(found) > 1 else np.nan


def heartpy_beats(values: np.ndarray, rate: float, is_ecg: bool) -> np.ndarray:
    """Returns seconds of the beats that heartpy finds, as its documentation has it."""
    import heartpy

    values = heartpy.remove_baseline_wander(values, rate) if is_ecg else values
    working, _ = heartpy.process(heartpy.scale_data(values), rate)
    return np.array(working["peaklist"])[np.array(working["binary_peaklist"], bool)] / rate


def neurokit_beats(values: np.ndarray, rate: float, is_ecg: bool) -> np.ndarray:
    """Returns seconds of the beats that neurokit2 finds."""
    import neurokit2

    if is_ecg:
        return neurokit2.ecg_peaks(neurokit2.ecg_clean(values, rate), rate)[1]["ECG_R_Peaks"] / rate
    return neurokit2.ppg_findpeaks(neurokit2.ppg_clean(values, rate), rate)["PPG_Peaks"] / rate


PEERS: dict[str, Callable] = {"heartpy": heartpy_beats, "neurokit2": neurokit_beats}


class Heart(NamedTuple):
    """A recording of a heart.

    Attributes:
        kind: What it is of.
        times: `(T,)` seconds.
        values: `(T, C)` numbers.
        is_ecg: Whether it is an ECG, and not a PPG.
        truth: Beats per minute in the window from a second on; NaN where that is not known.
    """

    kind: str
    times: np.ndarray
    values: np.ndarray
    is_ecg: bool
    truth: Callable[[float], float]


def real_hearts(folder: pathlib.Path) -> Iterator[Heart]:
    """Yields the files of a folder that `KNOWN` tells of."""
    for pattern, (rate, is_ecg, used, marked, kind) in KNOWN.items():
        for path in sorted(folder.glob(pattern)):
            if path.match("*_ann*"):
                continue
            try:
                recording = series_files.series_of(path, rate)
            except RawDataError as error:
                print(error)
                continue
            values = recording.values[:, used] if used else recording.values
            truth = _truth(path, marked, recording, values, is_ecg)
            yield Heart(kind or path.stem, recording.times, values, is_ecg, truth)


def _truth(path, marked, recording, values, is_ecg):
    """Returns the rate between two times, as a function."""
    beside = path.with_name(marked.format(stem="_".join(path.stem.split("_")[:2]))) if marked else path
    if path.suffix == ".hea" and path.with_suffix(".atr").exists():
        import wfdb

        note = wfdb.rdann(str(path.with_suffix("")), "atr")
        marks = note.sample[[symbol not in '+~|"x[]!()' for symbol in note.symbol]] * np.median(
            np.diff(recording.times)
        )
        return lambda start: _rate(marks, start)
    if marked and beside.exists() and beside.suffix == ".RR":
        marks = np.cumsum(np.float64([0, *beside.read_text().split()])) / 1000
        marks += offset(marks, recording.times, values[:, 0])
        return lambda start: _rate(marks, start)
    if marked and beside.exists():
        marks = np.loadtxt(beside) * np.median(np.diff(recording.times))
        return lambda start: _rate(marks, start)
    even = in_form(Window("", recording.times, values, is_ecg, np.nan), 1, False)
    pair = [detector(*even, is_ecg) for detector in (heartpy_beats, neurokit_beats)]

    def agreed(start):
        first, second = (_rate(marks, start) for marks in pair)
        return (first + second) / 2 if abs(first - second) < AGREEMENT else np.nan

    return agreed


def _rate(marks, start):
    """Returns beats per minute between the first and the last of three marks or more in a window, NaN for fewer."""
    inside = marks[(marks >= start) & (marks < start + SECONDS)]
    return 60 / np.diff(inside).mean() if len(inside) > 2 else np.nan


def offset(marks: np.ndarray, times: np.ndarray, values: np.ndarray) -> float:
    """Returns the seconds by which marks are late by the clock of a series, within `CLOCKS`.

    It makes the wave most alike at all marks: the power of the mean of what surrounds them is highest.

    Args:
        marks: `(M,)` seconds of beats, by a clock of their own.
        times: `(T,)` seconds.
        values: `(T,)` numbers.
    """
    grid = np.arange(times[0], times[-1], 1 / EVEN_RATE)
    sections = scipy.signal.butter(2, [BAND[0], 5.0], "bandpass", fs=EVEN_RATE, output="sos")
    wave = scipy.signal.sosfiltfilt(sections, np.interp(grid, times, values))
    wave /= np.sqrt(scipy.ndimage.gaussian_filter1d(wave**2, EVEN_RATE)) + 1e-9 * wave.std()
    around = np.arange(-0.4, 0.5, 1 / EVEN_RATE)

    def alike(shift):
        inside = marks[(marks + shift > times[0] + 0.4) & (marks + shift < times[-1] - 0.5)]
        return np.mean(np.interp(inside[:, None] + shift + around, grid, wave).mean(axis=0) ** 2)

    return float(max(np.arange(-CLOCKS, CLOCKS, 1 / EVEN_RATE), key=alike))


def windows(heart: Heart) -> Iterator[Window]:
    """Yields the windows of a recording in which its rate is known."""
    kind, times, values, is_ecg, truth = heart
    step = np.median(np.diff(times))
    spans = result.windows(series_reader.reading_of_samples(times, values), SECONDS, HOP)
    whole = {round(span.start / HOP): 60 * span.hertz or np.nan for span in spans}
    for number, start in enumerate(np.arange(0, times[-1] + 1.5 * step - SECONDS, HOP)):
        inside, bpm = (times >= start) & (times < start + SECONDS), truth(start)
        if np.isfinite(bpm) and inside.sum() > SECONDS:
            yield Window(kind, times[inside] - start, values[inside], is_ecg, bpm, whole.get(number, np.nan))


def controls(each: int) -> Iterator[Window]:
    """Yields windows in which nothing repeats, 30 samples a second: noises, drift, steps and single bursts."""
    random, times = np.random.default_rng(3000), np.arange(0, SECONDS, 1 / 30)
    for kind in _CONTROLS:
        for _ in range(each):
            values = made(kind, times, random)[:, None]
            clear = series_reader.reading_of_samples(times, values).clear
            yield Window(f"control, {kind}", times, values, False, np.nan, 60 * clear[0].hertz if clear else np.nan)


def generated_hearts(each: int) -> Iterator[Heart]:
    """Yields recordings that neurokit2 generates: PPG and ECG, as they are and disturbed."""
    import neurokit2

    random, rate = np.random.default_rng(1000), 100
    for name, disturbed in ((name, disturbed) for name in ("PPG", "ECG") for disturbed in _DISTURBED):
        for number in range(each):
            given = {"duration": 30, "sampling_rate": rate, "heart_rate": random.uniform(45, 170)}
            given["random_state"] = 1000 + number
            if name == "ECG":
                clean = neurokit2.ecg_simulate(**given, noise=0)
            else:
                clean = neurokit2.ppg_simulate(**given, motion_amplitude=0, powerline_amplitude=0)
            apart = 0.6 * 60 / given["heart_rate"] * rate  # Nothing else is as high so soon, without disturbances.
            marks, _ = scipy.signal.find_peaks(clean, distance=apart, height=clean.min() + 0.5 * np.ptp(clean))
            values = disturbance(disturbed, clean, random)[:, None]
            truth = lambda start, marks=marks / rate: _rate(marks, start)  # noqa: E731
            yield Heart(f"generated {name}, {disturbed}", np.arange(len(clean)) / rate, values, name == "ECG", truth)


def disturbance(kind: str, values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns `(T,)` values with noise, a slow baseline, or a burst over a third of them."""
    size, deviation = len(values), values.std()
    if kind == "noisy":
        return values + deviation * random.normal(size=size)
    if kind == "wandering":
        slow = np.interp(np.arange(size), np.linspace(0, size, 8), random.normal(size=8))
        return values + 3 * deviation * slow / slow.std()
    if kind == "moving":
        start, length = random.integers(0, 2 * size // 3), size // 3
        burst = scipy.signal.lfilter([1], [1, -0.95], random.normal(size=length))
        return values + np.pad(2 * deviation * burst / burst.std(), (start, size - start - length))
    return values


if __name__ == "__main__":
    main()
