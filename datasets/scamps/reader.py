"""SCAMPS: 2,800 synthetic faces, one MATLAB v7.3 file (`P000001.mat`, HDF5 inside) of 600 frames at 30 Hz each.

MATLAB writes the axes of an array in reverse: what is (height, width, color, frame) there is (color, width, height,
frame) here. `Xsub` is the face already cut out, 240 x 240 floats in [0, 1]; `RawFrames`, a gigabyte more, is never
read. The masks are one frame shorter than the video and are not used.

Format: https://github.com/danmcduff/scampsdataset and McDuff et al., NeurIPS 2022, https://arxiv.org/abs/2206.04197
"""

import contextlib
import csv
import functools
import hashlib
import itertools
import math
import pathlib
import re

import cv2
import numpy as np

from simper_tf.data import checks, face_recordings, hdf5
from simper_tf.utils import raw_files, worker
from simper_tf.utils.errors import RawDataError

RATE = 30.0  # Frames per second; the files hold no clock.
# Bounds memory. Not smaller, for where a compressed chunk spans all frames each slice decompresses the whole video.
SLICE_BYTES = 256 * 2**20
MAX_SIDE = 4096  # Pixels; more is a damaged header.
SERIES = {"ppg": "d_ppg", "breathing": "d_br"}
SPLITS = ("train", "validation", "test")
# The names of the 2,800 files that exist.
EXPECTED = tuple(f"P{number:06d}" for number in range(1, 2801))
PAPER_COUNTS = (2000, 400, 400)  # Of the files, by the SimPer paper.
OFFICIAL_SPLIT = "ScampsTrainTestSplit.csv"
_FILE = "a MATLAB v7.3 (HDF5) file of SCAMPS"
DOWNLOAD_AGAIN = "The copy is incomplete or damaged: unpack the archive again."


def find(root):
    """Returns the paths of all files `P<six digits>.mat` below `root` by name; refuses none, and one name twice."""
    paths = sorted(raw_files.below(root, re.compile(r"P\d{6}\.mat").fullmatch), key=lambda path: path.stem)
    if not paths:
        raise RawDataError(
            root, "no file named P<six digits>.mat", "P000001.mat, ...", "Unpack scamps_videos.tar.gz into manual_dir."
        )
    for first, second in itertools.pairwise(paths):
        if first.stem == second.stem:
            raise RawDataError(second, f"a second file of the name, beside {first}", "one", "Remove one of the two.")
    return paths


def recording_of(path):
    """Returns the `FaceRecording` of a file; its frames are floats in [0, 1], read later and in slices.

    A file that is truncated, of another MATLAB version or of another format is a RawDataError.
    """
    parts = dict(worker.answers(f"{__name__}:series", path))
    series = {name: np.frombuffer(content) for name, content in parts.items()}
    num_frames = len(next(iter(series.values())))
    return face_recordings.FaceRecording(
        id=path.stem,
        subject="",  # The files do not say whose face was rendered.
        times=np.rint(np.arange(num_frames) * (1e9 / RATE)).astype(np.int64),
        series=series,
        frames=lambda: read_frames(path),
    )


def read_frames(path):
    """Yields `(H, W, 3)` float32 RGB frames in [0, 1], holding at most 256 MiB of the file at a time."""
    for shape, content in worker.answers(f"{__name__}:frames", path):
        yield np.frombuffer(content, np.float32).reshape(shape)


def series(path: str):
    """Yields name and float64 bytes of each series of a file; runs in the worker."""
    path = pathlib.Path(path)
    with _opened(path) as file:
        num_frames = _frames_dataset(path, file).shape[3]
        for name, key in SERIES.items():
            yield name, _read_series(path, file, key, num_frames).tobytes()


def frames(path: str):
    """Yields shape and float32 bytes of each frame of a file; runs in the worker."""
    path, start, num_frames = pathlib.Path(path), 0, 1
    while start < num_frames:
        with _opened(path) as file:
            held = _frames_dataset(path, file)
            if start == 0:
                hdf5.refuse_damaged(held)
            num_frames = held.shape[3]
            length = max(1, SLICE_BYTES // (held.dtype.itemsize * math.prod(held.shape[:3])))
            block = held[..., start : start + length]
        start += length
        worker.allow()
        if not (block.min() >= 0.0 and block.max() <= 1.0):  # Also false for not-a-number.
            raise RawDataError(
                path, f"Xsub between {block.min()} and {block.max()}", "colors in [0, 1]", DOWNLOAD_AGAIN
            )
        for index in range(block.shape[3]):
            frame = np.ascontiguousarray(block[..., index].T, np.float32)
            yield frame.shape, frame.tobytes()


def clips(path, size, window, stride):
    """Yields `(id, example)` of each usable clip of a file; plain values in and out, for Beam workers.

    Frames are shrunk by averaging areas. An id is such as "P000001/00000", an example a dict of `clip` (window, size,
    size, 3) uint8, `rate`, `label`, `id`, `ppg` and `breathing`, both (window,) float32. A file that is damaged, or
    shorter than one clip, is a RawDataError.
    """
    recording = _read_whole(pathlib.Path(path), window)
    frames = (_to_uint8(frame, size) for frame in recording.frames())
    yield from face_recordings.clips(recording, frames, window, stride)


def checkup(root, config):
    """Returns the `Checkup` of a folder as `find` takes it, for the config of the builder."""
    paths = find(root)
    names = {path.stem for path in paths}
    units = [checks.Unit(path.stem, (path,), functools.partial(_examine, path, config)) for path in paths]
    missing = [name for name in EXPECTED if name not in names]
    return checks.Checkup(units, missing, functools.partial(_decide, paths, root, config))


def _examine(path, config, decode):
    read = functools.partial(_read_whole, window=config.window)
    report = checks.of_recording(read, path, config.window, config.stride)
    all_clips = functools.partial(clips, path, config.size, config.window, config.stride)
    return checks.decoded(report, all_clips) if decode and not report.problem else report


def _decide(paths, root, config, reports):
    parts = usable_split(paths, root, config)
    return checks.outcome({part: [path.stem for path in chosen] for part, chosen in parts.items()}, reports)


def _read_whole(path, window):
    """Returns the `FaceRecording` of a file that has one clip at least."""
    recording = recording_of(path)
    if len(recording.times) < window:
        action = "Lower the window in the builder's config."
        raise RawDataError(path, f"{len(recording.times)} frames", f"{window}, for one clip", action)
    return recording


def usable_split(paths, root, config):
    """Returns what `split` does, by the rule of a builder's config, if each part gives a clip; errors as there.

    It reads headers and labels of all files, so that a truncated one stops a build now and not after hours.
    """
    parts = split(paths, root, config.split, config.seed)
    recordings = {part: [recording_of(path) for path in chosen] for part, chosen in parts.items()}
    face_recordings.require_clips(recordings, config.window, config.stride)
    return parts


def split(paths, root, rule, seed):
    """Divides the paths of `find` into `{"train": paths, "validation": paths, "test": paths}` by a rule.

    "official" reads ScampsTrainTestSplit.csv in `root`, "folders" goes by folders named Train, Val and Test, "random"
    divides the names of the 2,800 published files as 2000 : 400 : 400 by a hash with the seed, so that a file keeps its
    part whichever others are there; only where that leaves a part empty it divides those at hand so.

    Files that the CSV does not name, and files outside the three folders, are in none. A rule that gives no file to
    validation takes it from the training files, a sixth of them by the hash, as in the paper; one that gives none to
    test leaves that out. A RawDataError says that the CSV is missing or names no file, that no file lies in such
    folders, or that there are fewer than three; a ValueError that there is no such rule.
    """
    if rule == "random":
        return _random_split(paths, root, seed)
    if rule not in ("official", "folders"):
        raise ValueError(f'The split rule is "random", "official" or "folders". Received {rule!r}.')
    names = _official_splits(root / OFFICIAL_SPLIT) if rule == "official" else _folder_splits(paths, root)
    parts = {part: [path for path in paths if names.get(path.stem) == part] for part in SPLITS}
    if len(parts["train"]) < (1 if parts["validation"] else 2):
        found = f'{len(parts["train"]) or "no"} training file by the rule "{rule}"'
        raise RawDataError(root, found, "some to train and to validate", 'Use the split rule "random".')
    if not parts["validation"]:
        count = max(1, len(parts["train"]) * PAPER_COUNTS[1] // sum(PAPER_COUNTS[:2]))
        held_out = {*_by_hash([path.stem for path in parts["train"]], seed)[:count]}
        parts["validation"] = [path for path in parts["train"] if path.stem in held_out]
        parts["train"] = [path for path in parts["train"] if path.stem not in held_out]
    return {part: chosen for part, chosen in parts.items() if chosen}


def _random_split(paths, root, seed):
    if len(paths) < 3:
        raise RawDataError(root, f"{len(paths)} files", "3 or more, to divide in three", "Copy more files.")
    held_out, at_hand = _held_out(EXPECTED, seed), {path.stem for path in paths}
    if {held_out.get(stem, "train") for stem in at_hand} != {*SPLITS}:
        held_out = _held_out(at_hand, seed)
    return {part: [path for path in paths if held_out.get(path.stem, "train") == part] for part in SPLITS}


def _held_out(stems, seed):
    """Returns `{stem: "test" or "validation"}` of as large shares as the paper holds out, by a hash of the stems."""
    shuffled = _by_hash(stems, seed)
    num_test, num_validation = (
        max(1, round(count / sum(PAPER_COUNTS) * len(shuffled))) for count in PAPER_COUNTS[:0:-1]
    )
    validation = shuffled[num_test : num_test + num_validation]
    return dict.fromkeys(shuffled[:num_test], "test") | dict.fromkeys(validation, "validation")


def _by_hash(stems, seed):
    return sorted(stems, key=lambda stem: hashlib.sha256(f"{seed} {stem}".encode()).digest())


def _folder_splits(paths, root):
    return {path.stem: part for path in paths for name in path.relative_to(root).parts if (part := _part(name))}


def _official_splits(path):
    """Returns {stem: part}, finding names and parts by their looks: the file's columns are not documented."""
    raw_files.refuse_unreadable(path, "the official split", 'Download it, or use the split rule "random".')
    try:
        header, *rows = csv.reader(path.read_text(encoding="utf-8-sig").splitlines())
    except (ValueError, csv.Error) as error:  # UnicodeDecodeError is a ValueError.
        raise RawDataError(path, "no table", "a CSV file with a header", "Download it again.") from error
    names = {}
    for row in rows:
        in_row = next((part for cell in row if (part := _part(cell))), None)
        for column, cell in zip(header, row, strict=False):
            part = in_row or _part(column)
            if part and (match := re.search(r"P?(\d{6})(\.mat)?$", cell.strip())):
                names["P" + match[1]] = part
    return names


def _part(word):
    match = re.fullmatch(r"(train|val|test)(ing|idation)?", word.strip().lower())
    return match and {"train": "train", "val": "validation", "test": "test"}[match[1]]


def _to_uint8(frame, size):
    small = cv2.resize(frame, (size, size), interpolation=cv2.INTER_AREA)
    return np.rint(small * 255.0).astype(np.uint8)


@contextlib.contextmanager
def _opened(path):
    try:
        with hdf5.opened(path, _FILE, DOWNLOAD_AGAIN) as file:
            yield file
    except RawDataError:
        raise
    except Exception as error:  # HDF5 reports damage through a dozen exception types.
        found = f"{type(error).__name__}: {error}"
        raise RawDataError(path, found, _FILE, DOWNLOAD_AGAIN) from error


def _frames_dataset(path, file):
    frames = hdf5.dataset(file, "Xsub")
    sides = frames.shape[1:3]
    in_range = len(frames.shape) == 4 and all(0 < side <= MAX_SIDE for side in sides) and frames.shape[3] > 1
    if not in_range or frames.shape[0] != 3:
        raise RawDataError(path, f"Xsub of shape {frames.shape}", "(3, width, height, frames)", DOWNLOAD_AGAIN)
    if frames.dtype.kind != "f":
        raise RawDataError(path, f"Xsub of type {frames.dtype}", "floats in [0, 1]", DOWNLOAD_AGAIN)
    return frames


def _read_series(path, file, key, num_frames):
    series = hdf5.dataset(file, key)
    if series.shape not in ((num_frames, 1), (1, num_frames), (num_frames,)):
        raise RawDataError(path, f"{key} of shape {series.shape}", f"({num_frames}, 1), as Xsub has", DOWNLOAD_AGAIN)
    hdf5.refuse_damaged(series)
    values = series[()].astype(np.float64).ravel()
    if not np.isfinite(values).all():
        raise RawDataError(path, f"{key} with values that are not finite", "finite ones", DOWNLOAD_AGAIN)
    return values
