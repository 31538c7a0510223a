"""UBFC-rPPG, DATASET_2: `subject<N>/vid.avi` and `subject<N>/ground_truth.txt`.

The text has three lines of numbers, one for each video frame: the PPG, the oximeter's own heart rate (which the
authors did not use, for it lags and drops out) and the time in seconds. The cameras ran at 29.3 to 29.8 frames per
second, not 30. DATASET_1 (`<N>-gt` folders) is another format and is left alone.

Format: Bobbia et al., Pattern Recognition Letters 124, 2019, and the readme that comes with the data.
"""

import re

import numpy as np

from simper_tf.data import checks, face_recordings
from simper_tf.recordings import video
from simper_tf.signals import pulse
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError

# The numbers of the 42 subjects that exist.
NUMBERS = (1, 3, 4, 5, *range(8, 19), 20, *range(22, 28), *range(30, 50))
SUBJECTS = tuple(f"subject{number}" for number in NUMBERS)
# The video and the text may differ by this fraction of their lengths, at the end; more is a truncated copy.
MAX_SURPLUS = 0.01
# The clock of the text and the rate of the container may differ by this fraction.
MAX_RATE_ERROR = 0.05
DOWNLOAD_AGAIN = "The copy is incomplete or damaged: download the file again."


def find(root):
    """Returns the recordings' folders under `root` or `root/DATASET_2`, by subject number; RawDataError if none is."""
    base = root / "DATASET_2" if raw_files.is_folder(root / "DATASET_2") else root
    numbered = [
        (int(match[1]), folder)
        for folder in raw_files.entries(base)
        if (match := re.fullmatch(r"subject(\d+)", folder.name)) and raw_files.is_folder(folder)
    ]
    if not numbered:
        raise RawDataError(
            base,
            "no folder named subject<N>",
            "subject1/, subject3/, ...",
            "Point manual_dir at DATASET_2 of UBFC-rPPG.",
        )
    return [folder for _, folder in sorted(numbered)]


def recording_of(folder):
    """Returns the `FaceRecording` of a subject; frames are decoded later, on demand.

    Raises:
        RawDataError: a file is missing, truncated or not in the documented format, or the two disagree.
    """
    ppg, _, times = _read_ground_truth(folder / "ground_truth.txt")
    path = folder / "vid.avi"
    info = _probed(path)
    num_frames = min(len(times), info.num_frames)
    if max(len(times), info.num_frames) - num_frames > MAX_SURPLUS * len(times):
        raise RawDataError(
            path,
            f"{info.num_frames} frames",
            f"{len(times)}, one for each value of ground_truth.txt",
            "One of the two files is truncated: download both again.",
        )
    times, num_moved = _increasing(folder / "ground_truth.txt", times)
    _refuse_other_rate(path, info.rate, times)
    notes = [f"{num_moved} time stamps moved forward"] if num_moved else []
    if len(times) != info.num_frames:
        notes.append(f"{info.num_frames} frames for {len(times)} values: the surplus at the end is unused")
    return face_recordings.FaceRecording(
        id=folder.name,
        subject=folder.name,
        times=times[:num_frames],
        series={"ppg": ppg[:num_frames]},
        frames=lambda: _read_frames(path, num_frames, info.num_frames),
        notes=tuple(notes),
    )


def _probed(path):
    """Returns the `video.VideoInfo` of a file; its frames must be whole, and not compressed: that takes the pulse."""
    info = video.probe(path)
    if info.codec != "rawvideo" or info.pixel_format != "bgr24":
        found = f"{info.pixel_format} pixels compressed as {info.codec}"
        raise RawDataError(path, found, "an uncompressed video, 24-bit BGR", DOWNLOAD_AGAIN)
    row = 3 * info.width
    sizes = [8 * stored / info.width for stored in (row, row + -row % 4)]  # Rows may be padded.
    if info.num_frames != info.stated_frames or not any(abs(info.bits - size) < 1e-6 for size in sizes):
        found = f"{info.num_frames} frames of {info.bits:.6g} bits a pixel"
        expected = f"{info.stated_frames} frames of {info.width} x {info.height} whole pixels, by its header"
        raise RawDataError(path, found, expected, DOWNLOAD_AGAIN)
    return info


def _read_frames(path, count, held):
    """Yields the first frames, `(H, W, 3)` uint8 RGB; the file must hold so many: one lost would shift those behind."""
    read = 0
    for _, frame in video.decoded(path):
        read += 1
        if read <= count:
            yield frame
    if read < held:
        raise RawDataError(path, f"only {read} decodable frames", f"{held}", DOWNLOAD_AGAIN)


def checkup(root, config):
    """Returns the `Checkup` of a folder as `find` takes it, for the config of the builder."""
    return checks.by_subject(find(root), SUBJECTS, SUBJECTS, recording_of, _files, _device_rates, config)


def _files(folder):
    return folder / "ground_truth.txt", folder / "vid.avi"


def _device_rates(folder):
    _, rates, times = _read_ground_truth(folder / "ground_truth.txt")
    return times, rates


def _read_ground_truth(path):
    """Returns the PPG and the device's heart rate, float64, and the times, int64 nanoseconds."""
    raw_files.refuse_unreadable(path, "the PPG of the recording", "Copy the recording again.")
    try:
        lines = [line.split() for line in path.read_text(encoding="ascii").splitlines() if line.strip()]
        rows = [np.array(line, dtype=np.float64) for line in lines]
    except ValueError as error:  # Of which UnicodeDecodeError is one.
        raise _bad_text(path, f"text that is no number ({error})") from error
    if len(rows) != 3 or len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        raise _bad_text(path, f"lines of {[len(row) for row in rows]} numbers")
    ppg, rates, seconds = rows
    # A day bounds the times, so that a broken exponent cannot overflow the nanoseconds.
    if not (np.isfinite(ppg).all() and (np.abs(seconds) < 86_400).all()):
        raise _bad_text(path, "values that are not finite, or times beyond a day")
    return ppg, rates, np.rint(seconds * 1e9).astype(np.int64)


def _bad_text(path, found):
    expected = "3 lines (PPG, heart rate, seconds) of equally many numbers"
    return RawDataError(path, found, expected, "Download the file again.")


def _increasing(path, times):
    try:
        return pulse.increasing(times)
    except ValueError as error:
        raise RawDataError(
            path, str(error), "increasing times in its third line", "Download the file again."
        ) from error


def _refuse_other_rate(path, rate, times):
    measured = (len(times) - 1) / (float(times[-1] - times[0]) * 1e-9)
    if abs(measured - rate) > MAX_RATE_ERROR * rate:
        raise RawDataError(
            path,
            f"{rate:.3f} frames per second",
            f"about {measured:.3f}, by the times of ground_truth.txt",
            "The two files do not belong together: download both again.",
        )
