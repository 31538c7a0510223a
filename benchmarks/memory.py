"""Peak memory of one worker that reads raw data of full size, by format.

python -m benchmarks.memory

Each set of files is written to a temporary folder, read in a process of its own by what the builders call, and deleted:
at most 3 GB of disk, about 5 minutes.
"""

import itertools
import pathlib
import tempfile
import time

import trainers.quiet  # noqa: F401

# isort: split
import numpy as np

from benchmarks.timing import peak_gib
from datasets.countix import reader as countix
from datasets.countix import standin as countix_standin
from datasets.scamps import reader as scamps
from datasets.scamps import standin as scamps_standin
from datasets.ubfc import reader as ubfc
from datasets.ubfc import standin as ubfc_standin
from simper_tf.data import face_recordings, standin_faces
from simper_tf.evaluation import markdown_tables

VIDEO_BYTES = 2 * 2**30
FRAME = (480, 640)  # Height and width, of UBFC-rPPG.
# A whole video of three minutes, as large as one of an hour at a usual quality; the segment lies at its end.
COUNTIX = countix.Segment(0, "abcdefghijk", "", 170, 180, 170.5, 179.5, 8)
HEADER = ("format", "files, GiB", "peak, GiB", "above nothing read, GiB", "seconds")


def main():
    """Measures every format and prints the table."""
    base, lines = peak_of("nothing", ""), []
    print(f"A process that has loaded the package and read nothing: {base:.2f} GiB", flush=True)
    for name, (write, _) in FORMATS.items():
        with tempfile.TemporaryDirectory(prefix="memory-") as folder:
            print(f"writing {name} ...", flush=True)
            write(pathlib.Path(folder))
            size = sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file()) / 2**30
            print(f"reading {size:.2f} GiB of {name} ...", flush=True)
            began, peak = time.monotonic(), peak_of(name, folder)
            numbers = (f"{value:.2f}" for value in (size, peak, peak - base))
            lines.append([name, *numbers, f"{time.monotonic() - began:.0f}"])
    print(markdown_tables.markdown_table(HEADER, lines))


def peak_of(name, folder) -> float:
    """Returns the GiB of a process that reads what lies in a folder."""
    return peak_gib("import sys; from benchmarks import memory; memory.read(*sys.argv[1:])", name, folder)


def read(name, folder):
    """Reads what lies in a folder as a builder would, and keeps no example."""
    if name in FORMATS:
        for _ in FORMATS[name][1](pathlib.Path(folder)):
            pass


def _noise(height, width):
    """Yields frames without end, which no encoder can make small."""
    rng = np.random.default_rng(0)
    while True:
        yield np.frombuffer(rng.bytes(height * width * 3), np.uint8).reshape(height, width, 3)


def _write_ubfc(folder):
    count = VIDEO_BYTES // (FRAME[0] * FRAME[1] * 3)
    times, frames, subject = np.arange(count) / 29.5, itertools.islice(_noise(*FRAME), count), folder / "subject1"
    subject.mkdir()
    ubfc_standin.write_avi(subject / "vid.avi", frames, 29.5, *FRAME)
    pulse = standin_faces.ppg(72, times)
    ubfc_standin.write_ground_truth(subject / "ground_truth.txt", pulse, np.full(count, 72.0), times)


def _read_ubfc(folder):
    return face_recordings.face_clips(ubfc.recording_of(folder / "subject1"), 36, 180, 180)


def _write_scamps(folder):
    times = np.arange(600) / scamps.RATE
    images = np.stack(list(itertools.islice(_noise(240, 240), len(times))))
    scamps_standin.write_mat(folder / "P000001.mat", images, standin_faces.ppg(72, times), np.sin(1.6 * times), True)


def _read_scamps(folder):
    return scamps.clips(str(folder / "P000001.mat"), 36, 600, 600)


def _write_countix(folder):
    times = np.arange(COUNTIX.clip_end * 25) / 25
    frames = itertools.islice(_noise(*FRAME), len(times))
    countix_standin.encode(folder / "abcdefghijk.mp4", frames, times, preset="ultrafast", qp="8")


def _read_countix(folder):
    yield countix.read_segment(countix.Located(COUNTIX, str(folder / "abcdefghijk.mp4"), 0))


# Name -> how such files are written, and how a builder reads them.
FORMATS = {
    "ubfc": (_write_ubfc, _read_ubfc),
    "scamps": (_write_scamps, _read_scamps),
    "countix": (_write_countix, _read_countix),
}


if __name__ == "__main__":
    main()
