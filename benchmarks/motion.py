"""Heart rates of a wristband while somebody skips rope, beside a chest belt.

python -m benchmarks.motion --files=DIR --fingers=DIR [--document=docs/series.md]

DIR has recordings `NAME.csv` with channels `PPG...` and `Acc...`, and beside each the belt's `NAME_ref.csv` or
`NAME_HR_ref.csv`. SimPer learns from all recordings but the one that is read; ten of their windows are labeled. Or it
learns from fingers on the cameras of phones, as of `datasets/phone_ppg`, and reads the wrist as it is.
"""

import collections
import dataclasses
import pathlib
from typing import NamedTuple

import keras
import numpy as np
import pandas as pd

import simper_tf
from benchmarks import document
from datasets.phone_ppg import reader as fingers
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import result
from simper_tf.reading.series import motion, series_reader
from simper_tf.signals import harmonics, readout
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

COMMAND = "python -m benchmarks.motion"
SECONDS, HOP, BAND = 10.0, 5.0, (0.6, 3.5)  # 36 to 210 beats per minute.
RIGHT = 5.0  # Beats per minute: the belt shows a mean over some seconds.
LATE = 5.0  # Seconds by which the belt shows a rate late: whoever recorded it takes 4 to 6.
MOVES = 0.2  # Deviation of acceleration in g, from which on a window moves: at rest 0.005 at most, skipping above 0.6.
RATE = 25.0  # Samples a second that are learned from: 3.5 Hz, its harmonics, and views at 1.5 times the speed.
LABELS, STEPS = 10, 200  # As everywhere where few labels are told; after 500 steps the first recording reads the same.
READER, BESIDE, SUM = "reader, PPG alone", "reader, accelerometer beside it", "harmonic sum of the PPG"
TRANSFERRED = "SimPer of fingers, 10 of them labeled"
LEARNED = {"SimPer on the PPG, 10 labels": False, "SimPer on both, 10 labels": True}


class Recording(NamedTuple):
    """A recording of a wristband, with W windows of `SECONDS`.

    Attributes:
        times, values, names: `(T,)` seconds, `(T, C)` numbers and the names of the channels.
        starts: `(W,)` seconds.
        bpm: `(W,)` beats per minute by the belt.
        moves: `(W,)` whether the wrist moves.
    """

    times: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]
    starts: np.ndarray
    bpm: np.ndarray
    moves: np.ndarray

    def clips(self, with_motion: bool) -> np.ndarray:
        """Returns `(W, T, 1, 1, C)` float32 windows of the PPG, and of the accelerometer too."""
        pulse, moving = motion.channels(self.names)
        grid = self.starts[:, None] + np.arange(round(SECONDS * RATE)) / RATE
        used = self.values.T[pulse + moving * with_motion]
        clips = np.stack([np.interp(grid, self.times, channel) for channel in used], axis=-1)
        return standardized(clips[:, :, None, None])


def recordings(folder: pathlib.Path) -> dict[str, Recording]:
    """Name -> recording, of all in a folder that have a belt beside them."""
    found = {}
    for path in sorted(folder.glob("*.csv")):
        belts = [path.with_name(f"{path.stem}{end}.csv") for end in ("_HR_ref", "_ref")]
        if any(belt.exists() for belt in belts):
            found[path.stem] = _recording(path, next(belt for belt in belts if belt.exists()))
    return found


def _recording(path, belt):
    table = pd.read_csv(path, encoding="utf-8-sig")
    names = tuple(name for name in table if name.startswith(("PPG", "Acc")))
    table = table.dropna(subset=list(names))  # Of packets that were lost.
    times, values = table["Time(s)"].to_numpy(), table[list(names)].to_numpy(float)
    seconds, shown = belt_of(belt)
    starts = np.arange(0, min(times[-1], seconds[-1] - LATE) - SECONDS, HOP)
    inside = [(seconds >= start + LATE) & (seconds < start + LATE + SECONDS) for start in starts]
    strength = np.linalg.norm(values[:, motion.channels(names)[1]], axis=1)
    deviation = [strength[(times >= start) & (times < start + SECONDS)].std() for start in starts]
    bpm = np.array([shown[part].mean() for part in inside])
    return Recording(times, values, names, starts, bpm, np.array(deviation) > MOVES)


def belt_of(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """Returns seconds and beats per minute of a belt's file; some begin with two lines on the person."""
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    header = next(number for number, line in enumerate(lines) if "hr_bpm" in line or "HR (bpm)" in line)
    table = pd.read_csv(path, skiprows=header, encoding="utf-8-sig")
    if "hr_bpm" in table:
        return table["elapsed_seconds"].to_numpy(), table["hr_bpm"].to_numpy(float)
    table = table.dropna(subset=["HR (bpm)"])
    return pd.to_timedelta(table["Time"]).dt.total_seconds().to_numpy(), table["HR (bpm)"].to_numpy(float)


def read(recording: Recording, beside: bool) -> np.ndarray:
    """Returns beats per minute that the reader tells of the pulse in each window of the whole file, NaN for none."""
    pulse, moving = motion.channels(recording.names)
    used = sorted(pulse + moving * beside)
    names = tuple(recording.names[number] for number in used)
    reading = series_reader.reading_of_samples(recording.times, recording.values[:, used], band=BAND, names=names)
    of_pulse = [answer for answer in reading.answers if answer.channel is None or names[answer.channel][:3] == "PPG"]
    windows = result.windows(dataclasses.replace(reading, answers=tuple(of_pulse)), SECONDS, HOP)
    return np.array([60 * window.hertz or np.nan for window in windows[: len(recording.starts)]])


def summed(recording: Recording) -> np.ndarray:
    """Returns beats per minute by the sum of harmonics of the PPG."""
    clips = recording.clips(with_motion=False)[:, :, 0, 0]
    return 60 * harmonics.comb_peak(harmonics.total_power(clips), np.full(len(clips), RATE), BAND)


class Learned(NamedTuple):
    """A trained method, and the multiple of the heart at which its features run."""

    method: simper_tf.SimPer
    harmonic: int

    def read(self, clips: np.ndarray) -> np.ndarray:
        """Returns beats per minute of clips."""
        return 60 * readout.harmonic_frequency(self.method.encode(clips), RATE, BAND, self.harmonic)


def learned(clips: np.ndarray, bpm: np.ndarray, steps: int) -> Learned:
    """Returns SimPer learned from clips, of which `LABELS` are labeled."""
    keras.utils.set_random_seed(0)
    times = SpeedSets(num_views=5, speed_range=(2 / 3, 1.5))
    views = Views(times.longest_view(clips.shape[1]), times, interpolation="steady")
    method = simper_tf.SimPer(simper_tf.encoders.ENCODERS["small1d"](clips.shape[2:]), views)
    method.compile(keras.optimizers.Adam(3e-3))
    method.fit(clips, batch_size=16, epochs=max(round(steps * 16 / len(clips)), 1), verbose=0)
    few = np.linspace(0, len(clips) - 1, LABELS).round().astype(int)
    return Learned(method, readout.calibrate_harmonic(method.encode(clips[few]), bpm[few] / 60, RATE, BAND))


def of_fingers(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """Returns clips of fingers, `(N, T, 1, 1, 1)`, and their beats per minute."""
    examples = [
        example
        for path in fingers.find(folder)
        for _, example in fingers.clips(fingers.recording_of(path), SECONDS, HOP, RATE)
    ]
    clips = standardized(np.stack([example["clip"] for example in examples]))
    return mean_channel(clips), np.array([example["label"] for example in examples])


def standardized(clips: np.ndarray) -> np.ndarray:
    """Returns clips of mean 0 and deviation 1 in each channel, float32."""
    return np.float32((clips - clips.mean(axis=1, keepdims=True)) / (clips.std(axis=1, keepdims=True) + 1e-9))


def mean_channel(clips: np.ndarray) -> np.ndarray:
    """Returns clips of one channel: sensors have other colors, and all of them show the pulse."""
    return standardized(clips.mean(axis=-1, keepdims=True))


def answers(found: dict[str, Recording], folder: pathlib.Path, steps: int) -> dict[str, np.ndarray]:
    """Way to read -> beats per minute in all windows of all recordings; fingers lie in a folder."""
    ways, transferred = collections.defaultdict(list), learned(*of_fingers(folder), steps)
    for name, recording in found.items():
        others = [other for key, other in found.items() if key != name]
        ways[READER].append(read(recording, beside=False))
        ways[BESIDE].append(read(recording, beside=True))
        ways[SUM].append(summed(recording))
        for way, with_motion in LEARNED.items():
            clips = np.concatenate([other.clips(with_motion) for other in others])
            bpm = np.concatenate([other.bpm for other in others])
            ways[way].append(learned(clips, bpm, steps).read(recording.clips(with_motion)))
        ways[TRANSFERRED].append(transferred.read(mean_channel(recording.clips(with_motion=False))))
        print(name, *(f"{way}: {_shares(recording.bpm, parts[-1])}" for way, parts in ways.items()), sep=" | ")
    return {way: np.concatenate(parts) for way, parts in ways.items()}


def table(found: dict[str, Recording], ways: dict[str, np.ndarray]) -> str:
    """Markdown of the shares of windows that each way reads right and wrong, at rest and in motion."""
    bpm = np.concatenate([recording.bpm for recording in found.values()])
    moves = np.concatenate([recording.moves for recording in found.values()])
    parts = {"at rest": ~moves, "skipping": moves, "all": np.full(len(bpm), True)}
    lines = [[way, *(_shares(bpm[part], read[part]) for part in parts.values())] for way, read in ways.items()]
    titles = (f"{part}, {inside.sum()} windows: right, wrong" for part, inside in parts.items())
    return markdown_tables.markdown_table(["way to read", *titles], lines)


def _shares(bpm, read):
    errors = np.abs(read - bpm)
    return f"{np.mean(errors < RIGHT):.0%}, {np.mean(errors >= RIGHT):.0%}"


def main():
    """Reads all recordings in all ways, prints the shares and writes the table."""
    parser = document.flags(__doc__)
    parser.add_argument("--files", type=pathlib.Path, required=True)
    parser.add_argument("--fingers", type=pathlib.Path, required=True, help="Folder of `datasets/phone_ppg`.")
    parser.add_argument("--steps", type=int, default=STEPS, help="Of learning, for each recording that is left out.")
    args = parser.parse_args()
    found = recordings(args.files)
    if len(found) < 2:
        parser.error(f"--files={args.files}: fewer than two recordings with a belt beside them.")
    text = table(found, answers(found, args.fingers, args.steps))
    document.say(args.document, COMMAND, text)


if __name__ == "__main__":
    main()
