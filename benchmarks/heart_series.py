"""PPG and ECG series with known rates, and how other libraries read them."""

import csv
import dataclasses
import pathlib

import heartpy
import neurokit2
import numpy as np
import scipy.signal

# Beats per minute to which two libraries must agree on a real recording.
AGREEMENT = 1.0
# Of what disturbs generated recordings, in deviations of the signal.
NOISE, WANDER, BURST = 1.0, 3.0, 2.0
_SECONDS, _SAMPLING = 30, 100
_FIRST_SEED = 1000  # Lower ones were looked at while the readouts were made.
_SLOWEST, _FASTEST = 36.0, 210.0


@dataclasses.dataclass(frozen=True)
class Window:
    """A part of a series.

    Attributes:
        values: `(T,)` numbers.
        rate: Samples per second.
        bpm: Beats per minute, from the mean interval of its beats.
        is_ecg: Whether it is an ECG, and not a PPG.
    """

    values: np.ndarray
    rate: float
    bpm: float
    is_ecg: bool


def kinds(each: int, seconds: float, hop: float) -> dict[str, list[Window]]:
    """Returns windows by what they are of.

    Args:
        each: Generated recordings of a kind.
        seconds, hop: Of the windows.
    """
    found = {
        f"PPG, {place}": _real(values, rate, seconds, hop)
        for place, values, rate in (
            ("finger", *_plain("data.csv")),
            ("finger, 2 minutes", *_timed("data2.csv")),
            ("wrist, 11 minutes", *_dated("data3.csv")),
        )
    }
    for number, (signal, is_ecg) in enumerate((("PPG", False), ("ECG", True))):
        for disturbed in ("clean", "noisy", "wandering", "moving"):
            random = np.random.default_rng(_FIRST_SEED + number)
            made = [_generated(random, _FIRST_SEED + seed, is_ecg, disturbed) for seed in range(each)]
            found[f"{signal}, {disturbed}"] = [
                window for values, beats in made for window in _windows(values, _SAMPLING, beats, is_ecg, seconds, hop)
            ]
    return found


def autocorrelation(window: Window) -> float:
    """Returns the rate of the highest peak of the autocorrelation, in beats per minute; NaN where there is none."""
    values = scipy.signal.detrend(window.values)
    size = len(values)
    curve = np.correlate(values, values, "full")[size - 1 :] / np.arange(size, 0, -1)
    peaks, _ = scipy.signal.find_peaks(curve)
    inside = peaks[(peaks >= 60 * window.rate / _FASTEST) & (peaks <= 60 * window.rate / _SLOWEST)]
    return 60 * window.rate / inside[np.argmax(curve[inside])] if len(inside) else np.nan


def of_heartpy(window: Window) -> float:
    """Returns the rate that heartpy finds, in beats per minute; NaN where it refuses."""
    values = window.values
    try:
        if window.is_ecg:  # As its documentation has it for ECG.
            values = heartpy.remove_baseline_wander(values, window.rate)
        return float(heartpy.process(heartpy.scale_data(values), window.rate)[1]["bpm"])
    except (heartpy.exceptions.BadSignalWarning, ValueError, IndexError):
        return np.nan


def of_neurokit(window: Window) -> float:
    """Returns the rate that neurokit2 finds, in beats per minute; NaN where there are fewer than two beats."""
    try:
        beats = _beats(window.values, window.rate, window.is_ecg)
    except (ValueError, IndexError, ZeroDivisionError):
        return np.nan
    return 60 * window.rate / np.diff(beats).mean() if len(beats) > 1 else np.nan


READERS = {"autocorrelation": autocorrelation, "heartpy": of_heartpy, "neurokit2": of_neurokit}


def _beats(values, rate, is_ecg):
    """Returns samples of the beats that neurokit2 finds."""
    if is_ecg:
        return neurokit2.ecg_peaks(neurokit2.ecg_clean(values, rate), rate)[1]["ECG_R_Peaks"]
    return neurokit2.ppg_findpeaks(neurokit2.ppg_clean(values, rate), rate)["PPG_Peaks"]


def _generated(random, seed, is_ecg, disturbed):
    """Returns the values of a recording and the samples of its beats."""
    given = {"duration": _SECONDS, "sampling_rate": _SAMPLING, "heart_rate": random.uniform(45, 170)}
    if is_ecg:
        clean = neurokit2.ecg_simulate(**given, noise=0, random_state=seed)
    else:
        clean = neurokit2.ppg_simulate(**given, motion_amplitude=0, powerline_amplitude=0, random_state=seed)
    size, deviation = len(clean), np.std(clean)
    nearest = 0.6 * 60 / given["heart_rate"] * _SAMPLING  # Nothing else is as high so soon, without disturbances.
    beats, _ = scipy.signal.find_peaks(clean, distance=nearest, height=clean.min() + 0.5 * np.ptp(clean))
    values = clean.copy()
    if disturbed == "noisy":
        values += NOISE * deviation * random.normal(size=size)
    if disturbed == "wandering":
        slow = np.interp(np.arange(size), np.linspace(0, size, 8), random.normal(size=8))
        values += WANDER * deviation * slow / slow.std()
    if disturbed == "moving":
        start, length = random.integers(0, 2 * size // 3), size // 3
        burst = scipy.signal.lfilter([1], [1, -0.95], random.normal(size=length))
        values[start : start + length] += BURST * deviation * burst / burst.std()
    return values, beats


def _real(values, rate, seconds, hop):
    """Returns the windows of a recording in which two libraries agree."""
    working, _ = heartpy.process(values, rate)
    theirs = np.array(working["peaklist"])[np.array(working["binary_peaklist"], bool)]
    beats = _beats(values, rate, is_ecg=False)
    pairs = zip(
        _windows(values, rate, beats, False, seconds, hop), _windows(values, rate, theirs, False, seconds, hop),
        strict=True,
    )  # fmt: skip
    return [
        dataclasses.replace(first, bpm=(first.bpm + second.bpm) / 2)
        for first, second in pairs
        if abs(first.bpm - second.bpm) < AGREEMENT
    ]


def _windows(values, rate, beats, is_ecg, seconds, hop):
    """Returns all windows; the rate of one with fewer than three beats is NaN, and nothing agrees with it."""
    size, found = round(seconds * rate), []
    for start in range(0, len(values) - size + 1, round(hop * rate)):
        inside = beats[(beats >= start) & (beats < start + size)]
        bpm = 60 * rate / np.diff(inside).mean() if len(inside) > 2 else np.nan
        found.append(Window(np.asarray(values[start : start + size], float), rate, bpm, is_ecg))
    return found


def _plain(name):
    return np.loadtxt(_path(name)), 100.0


def _timed(name):
    table = np.loadtxt(_path(name), delimiter=",", skiprows=1)
    return table[:, 1], 1000 / np.diff(table[:, 0]).mean()


def _dated(name):
    with _path(name).open() as file:
        rows = list(csv.DictReader(file))
    return np.array([float(row["hr"]) for row in rows]), heartpy.get_samplerate_datetime(
        [row["datetime"] for row in rows], timeformat="%Y-%m-%d %H:%M:%S.%f"
    )


def _path(name):
    return pathlib.Path(heartpy.__file__).parent / "data" / name
