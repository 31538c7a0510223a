"""Seconds and memory that single recordings take through the command, its start among them.

python -m benchmarks.startup [--hours=1] [--minutes=1] [--document=docs/your_own_data.md]

Each line is a call of its own; of one that takes less than 10 seconds it is the middle one of three. CPU seconds and MB
are of all its processes together, MB without what they share.
"""

import pathlib
import sys
import tempfile

import cv2
import numpy as np

from benchmarks import document, folder
from simper_tf.commands.mp4 import Writer
from simper_tf.evaluation import markdown_tables

COMMAND = "python -m benchmarks.startup"
RATE, HERTZ = 250, 1.1  # Of the long recording, which is shaped as an ECG is.
SHORT = 10  # Seconds of a call that is made three times.
HEADER = ("", "seconds", "CPU seconds", "MB")


def beats(seconds: float, seed: int = 0) -> np.ndarray:
    """Returns `(T,)` float32 of a heart whose intervals differ by 3 %, with noise."""
    random, count = np.random.default_rng(seed), int(seconds * RATE)
    intervals = random.normal(1 / HERTZ, 0.03 / HERTZ, int(1.2 * seconds * HERTZ) + 2)
    places = (np.cumsum(intervals) * RATE).astype(int)
    spikes = np.zeros(count, np.float32)
    spikes[places[places < count]] = 1
    shape = np.exp(-((np.arange(-20, 21) / 4) ** 2)).astype(np.float32)
    noise = random.normal(0, 0.03, count).astype(np.float32)
    return np.convolve(spikes, shape, "same") + noise


def film(path: pathlib.Path, seconds: float = 20, width: int = 320, height: int = 240):
    """Writes a film of 25 frames a second in which a disc swings before noise."""
    random, middle = np.random.default_rng(0), height // 2
    noise = random.normal(70, 4, (16, height, width, 3)).clip(0, 255).astype(np.uint8)  # New of each frame takes hours.
    with Writer(path, height, width, {"preset": "veryfast"}) as out:
        for number, moment in enumerate(np.arange(0, seconds, 0.04)):
            picture = np.roll(noise[number % 16], 37 * number % height, 0)
            across = width // 2 + round(0.3 * width * np.sin(2 * np.pi * 0.8 * moment))
            cv2.circle(picture, (across, middle), 3 * height // 20, (220, 200, 60), -1)
            out.add(moment, picture)


def lines(place: pathlib.Path, hours: float, minutes: float) -> list[list[str]]:
    """Returns a row a call."""
    long = beats(3600 * hours)
    np.save(place / "long.npy", long)
    for name, values in (("long.csv", long), ("short.csv", long[: 20 * RATE])):
        times = np.arange(len(values)) / RATE
        np.savetxt(place / name, np.stack([times, values], 1), "%.4f", ",", header="time,ecg", comments="")
    film(place / "film.mp4")
    film(place / "long.mp4", 60 * minutes, 640, 360)
    read, whole = ["predict", f"--out={place / 'out'}", "--again"], f"{hours:g} h at {RATE} Hz"
    calls = {
        "`simper --help`": ["--help"],
        "a series of 20 s": [*read, place / "short.csv"],
        "the same without a picture": [*read, place / "short.csv", "--pictures=none"],
        "a film of 20 s, 320 x 240 pixels": [*read, place / "film.mp4"],
        f"a minute of {whole}, `.npy --end=60`": [
            *read,
            place / "long.npy",
            f"--rate={RATE}",
            "--end=60",
        ],
        f"a minute of {whole}, `.csv --end=60`": [*read, place / "long.csv", "--end=60"],
        f"{whole}, `.npy`": [*read, place / "long.npy", f"--rate={RATE}"],
        f"{whole}, `.csv`": [*read, place / "long.csv"],
        f"a film of {minutes:g} min, 640 x 360 pixels": [*read, place / "long.mp4"],
    }
    folder.watched([sys.executable, "-m", "simper_tf", *read, place / "film.mp4"])  # Compiles the modules once.
    rows = []
    for what, words in calls.items():
        took = typical([sys.executable, "-m", "simper_tf", *words])
        rows.append([what, f"{took.seconds:.2f}", f"{took.computing:.2f}", f"{took.megabytes:.0f}"])
        print(rows[-1], flush=True)
    return rows


def typical(words: list) -> folder.Took:
    """Returns what a call took; of a short one, which other work may disturb, the middle one of three."""
    took = [folder.watched(words)]
    while took[0].seconds < SHORT and len(took) < 3:
        took.append(folder.watched(words))
    return sorted(took, key=lambda call: call.computing)[len(took) // 2]


def main():
    """Measures all calls and prints the table."""
    parser = document.flags(__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="Of the long recording.")
    parser.add_argument("--minutes", type=float, default=1.0, help="Of the long film.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        table = markdown_tables.markdown_table(HEADER, lines(pathlib.Path(name), asked.hours, asked.minutes))
    document.say(asked.document, COMMAND, table)


if __name__ == "__main__":
    main()
