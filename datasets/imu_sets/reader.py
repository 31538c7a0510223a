"""Sets of exercises with counts: acceleration of a wrist during a set, and how many repetitions the set had.

`FOLDER/NAME.csv` has a row for each of 50 samples a second, without a header: `x,y,z,exercise,intensity,weight,
repetitions`, the acceleration in g, the rest the same in all rows. What is not known is empty.

Format: muvr/muvr-training-data, folder `labelled`.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy import ndimage

from simper_tf.data import checks
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError

# Samples per second: the watch's program asks for these, and sends a block after 2.05 s; files are whole blocks of 102.
RATE = 50
# Folders with counts. The published data have another, whose sets nobody counted.
FOLDERS = ("arms", "back", "chest")
# Files of blocks of so many samples jump at the edges of blocks, seven times as far as elsewhere: blocks are missing.
LOSSY_BLOCK = 112
# The watch is on one wrist. Of these each arm lifts in its turn, and both are counted.
ALTERNATING = {"alt-dumbbell-biceps-curl"}
# Repetitions per second of a whole set. Others are 0.1 to 0.75: ten in 2 s are of a file that was cut short.
PER_SECOND = (0.05, 1.2)
HEADER = "x,y,z,exercise,intensity,weight,repetitions"  # Not in the files.
COLUMNS = 7
COPY_AGAIN = "The copy is incomplete or damaged: copy the file again."


class Set(NamedTuple):
    """One set of an exercise, N samples."""

    id: str  # Such as "arms/labelled_arms_jan-2_1".
    folder: str
    subject: str  # The exercise.
    count: float | None  # Repetitions that the wrist makes; None where nobody counted.
    acceleration: np.ndarray  # (N, 3) float64, in g.


def find(root):
    """Returns the paths `FOLDER/NAME.csv` of all folders, in order; a RawDataError if there is none."""
    folders = [path for path in raw_files.entries(root) if raw_files.is_folder(path)]
    paths = [path for folder in folders for path in raw_files.entries(folder) if path.suffix == ".csv"]
    if not paths:
        expected = "arms/NAME.csv and so on"
        raise RawDataError(root, "no set", expected, "Point manual_dir at the folder `labelled` of the repository.")
    return paths


def recording_of(path):
    """Returns the `Set` of a file, less a last row that breaks off; a RawDataError if it is of another format."""
    raw_files.refuse_unreadable(path, "a file of a set", COPY_AGAIN)
    try:
        rows = [line.split(",") for line in path.read_text(encoding="ascii").splitlines()]
        rows = rows[:-1] if rows and len(rows[-1]) < COLUMNS else rows
        if {len(row) for row in rows} != {COLUMNS}:
            raise ValueError("rows of other lengths")
        acceleration = np.array([row[:3] for row in rows], np.float64)
        if not np.isfinite(acceleration).all():
            raise ValueError("acceleration that is not finite")
        exercise, count = rows[0][3], float(rows[0][6] or "nan")
    except ValueError as error:  # Of bytes that are no text and cells that are no numbers.
        raise RawDataError(path, str(error).partition("\n")[0], f"rows of {HEADER}", COPY_AGAIN) from error
    if len({(row[3], row[6]) for row in rows}) > 1:
        raise RawDataError(path, "several exercises or counts", "a file for each set", COPY_AGAIN)
    arms = 2 if exercise in ALTERNATING else 1
    folder = path.parent.name
    known = None if np.isnan(count) else count / arms
    return Set(f"{folder}/{path.stem}", folder, exercise, known, acceleration)


def moving_part(acceleration):
    """Returns the first sample of the part of a set in which it is done, and the sample behind its last.

    Before and after it the wrist rests, or the person lies down or lets go of the weight. It is the longest stretch in
    which the wrist moves at least half as much as in the median second, and in which its direction, a mean over three
    seconds, is at most 0.5 g from that of the set. No frequency is asked for.
    """
    slow, slower = (ndimage.uniform_filter1d(acceleration, seconds * RATE, axis=0) for seconds in (3, 4))
    motion = ndimage.uniform_filter1d(np.square(acceleration - slower).sum(axis=1), RATE) ** 0.5
    away = np.linalg.norm(slow - np.median(slow, axis=0), axis=1)
    is_on = (motion > 0.5 * np.median(motion)) & (away < 0.5)
    on = np.flatnonzero(is_on)
    if not len(on):
        return 0, len(acceleration)
    stretches = np.split(on, np.flatnonzero(np.diff(on) > 1.5 * RATE) + 1)  # A rest between two repetitions is shorter.
    longest = max(stretches, key=lambda stretch: stretch[-1] - stretch[0])
    return int(longest[0]), int(longest[-1]) + 1


def problem_of(recording):
    """Returns why a set gives no clip, in words; empty where it gives one."""
    if recording.count is None:
        return "nobody counted its repetitions"
    if len(recording.acceleration) % LOSSY_BLOCK == 0:
        return f"its samples come in blocks of {LOSSY_BLOCK}, between which others are missing"
    start, stop = moving_part(recording.acceleration)
    pace, (low, high) = recording.count * RATE / (stop - start), PER_SECOND
    if not low <= pace <= high:
        return f"{pace:.2g} repetitions per second, beyond {low:g} to {high:g}"
    return ""


def clips(recording, num_samples):
    """Yields the id and the example of a set, its moving part at a number of samples; nothing if it has a problem.

    Each sample is the mean over its share of the part. The example has `clip` (T, 1, 1, 3) float32 in g, `rate`,
    `label`, `id` and `subject`.
    """
    if not problem_of(recording):
        start, stop = moving_part(recording.acceleration)
        sums = np.cumsum(np.pad(recording.acceleration, ((1, 0), (0, 0))), axis=0)
        edges = np.linspace(start, stop, num_samples + 1)
        at_edges = [np.interp(edges, np.arange(len(sums)), axis) for axis in sums.T]
        means = np.diff(at_edges) / np.diff(edges)
        yield recording.id, {
            "clip": np.float32(means).T[:, None, None], "rate": num_samples * RATE / (stop - start),
            "label": recording.count, "id": recording.id, "subject": recording.subject,
        }  # fmt: skip


def splits(recordings, config):
    """Returns `{"train": sets, "validation": sets, "test": sets}`, no exercise in two of them; an empty one is refused.

    The folder of the config is tested. Of each other folder one exercise validates, the first by its name.
    """
    usable = [recording for recording in recordings if not problem_of(recording)]
    tested = [recording for recording in usable if recording.folder == config.tested]
    others = [recording for recording in usable if recording.folder != config.tested]
    first = {
        folder: min(recording.subject for recording in members)
        for folder, members in itertools.groupby(others, lambda recording: recording.folder)
    }
    taken = {recording.subject for recording in tested}
    parts = {
        "train": [member for member in others if member.subject not in {*first.values(), *taken}],
        "validation": [member for member in others if member.subject in {*first.values()} - taken],
        "test": tested,
    }
    for part, members in parts.items():
        if not members:
            reasons = [f"{member.id}: {problem}" for member in recordings if (problem := problem_of(member))]
            raise ValueError(f"The {part} split would be empty. {'; '.join(reasons[:3])}")
    return parts


def checkup(root, config):
    """Returns the `Checkup` of a folder as `find` takes it, for the config of the builder."""
    paths = find(root)

    def report(recording):
        problem = problem_of(recording)
        start, stop = moving_part(recording.acceleration)
        return checks.Report(
            subject=recording.subject, frames=len(recording.acceleration), rate=RATE, seconds=(stop - start) / RATE,
            labels=() if problem else (recording.count,), skipped=(f"{recording.id}: {problem}",) * bool(problem),
        )  # fmt: skip

    there = {path.parent.name for path in paths}
    return checks.of_series(
        {f"{path.parent.name}/{path.stem}": (path,) for path in paths},
        read=recording_of, report=report, clips=lambda recording: clips(recording, config.num_samples),
        splits=lambda recordings: splits(recordings, config),
        missing=[name for name in FOLDERS if name not in there],
    )  # fmt: skip
