"""PURE: recordings `SS-TT` of subject SS in setup TT, as PNG frames named by their capture time, and a JSON file.

Both public layouts are read: the original one, `SS-TT/SS-TT/Image<nanoseconds>.png` beside `SS-TT/SS-TT.json`, and the
flat one with frames and JSON in `SS-TT/`. Camera (30 Hz) and oximeter (60 Hz) share a clock but neither start nor end
together: the PPG is interpolated at the frames' times, and frames outside its span are left out.

Format: Stricker, Müller and Gross, RO-MAN 2014. Of 60 recordings 59 exist: 06-02 is distributed as an empty folder.
"""

import json
import logging
import re

import numpy as np

from simper_tf.data import checks, face_recordings
from simper_tf.recordings import pictures
from simper_tf.signals import pulse
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError

KNOWN_EMPTY = "06-02"
SUBJECTS = tuple(f"{number:02d}" for number in range(1, 11))  # All that are published.
# The 59 recordings that exist. Setups: steady, talking, slow and fast translation, small and medium rotation.
RECORDINGS = tuple(
    name for subject in SUBJECTS for setup in range(1, 7) if (name := f"{subject}-{setup:02d}") != KNOWN_EMPTY
)
COPY_AGAIN = "The copy is incomplete or damaged: copy the recording again."

_log = logging.getLogger(__name__)


def find(root):
    """Returns the recordings' folders under `root`, in order, without the one that is known to be empty."""
    named = (entry for entry in raw_files.entries(root) if re.fullmatch(r"\d\d-\d\d", entry.name))
    folders = [entry for entry in named if raw_files.is_folder(entry)]
    if not folders:
        raise RawDataError(root, "no folder named SS-TT", "01-01/, 01-02/, ...", "Point manual_dir at the PURE folder.")
    for folder in folders:
        if _is_known_empty(folder):
            _log.warning("Skipped %s: the data set is distributed with this folder empty", folder.name)
    return [folder for folder in folders if not _is_known_empty(folder)]


def recording_of(folder):
    """Returns the `FaceRecording` of a folder; frames are decoded later, on demand.

    Raises:
        RawDataError: a file is missing, truncated or not in the documented format, or frames and JSON disagree.
    """
    path = folder / f"{folder.name}.json"
    image_times, package_times, waveform = _read_json(path)
    frames = _frame_files(folder)
    _refuse_others(folder, image_times, frames)
    try:
        package_times, num_moved = pulse.increasing(package_times)
    except ValueError as error:
        raise RawDataError(path, str(error), "increasing times in /FullPackage", COPY_AGAIN) from error
    ppg, inside = pulse.at_times(waveform, package_times, image_times)
    if inside.sum() < 2:
        raise RawDataError(path, f"{inside.sum()} frames within the PPG's time", "clocks that overlap", COPY_AGAIN)
    # A bridge over a long pause of the oximeter is no pulse. Not-a-number makes the clips that contain it skipped.
    after = np.searchsorted(package_times, image_times).clip(1, len(package_times) - 1)
    ppg[package_times[after] - package_times[after - 1] > face_recordings.MAX_GAP_NS] = np.nan
    kept = [frames[time] for time in image_times[inside].tolist()]
    counts = {
        "PPG time stamps moved forward": num_moved,
        "frames outside the PPG's time left out": len(inside) - len(kept),
        "PNG files unknown to the JSON ignored": len(frames) - len(image_times),
    }
    return face_recordings.FaceRecording(
        id=folder.name,
        subject=folder.name[:2],
        times=image_times[inside],
        series={"ppg": ppg[inside]},
        frames=lambda: _read_frames(kept),
        notes=tuple(f"{count} {what}" for what, count in counts.items() if count),
    )


def checkup(root, config):
    """Returns the `Checkup` of a folder as `find` takes it, for the config of the builder."""
    return checks.by_subject(find(root), RECORDINGS, SUBJECTS, recording_of, _files, _device_rates, config)


def _files(folder):
    """Returns the paths of the JSON and of the frames; without these where the folder cannot be listed."""
    try:
        frames = sorted(_frame_files(folder).items())
    except RawDataError:  # The reading of the recording will say so, and of the others what is to be said of them.
        frames = []
    return folder / f"{folder.name}.json", *(path for _, path in frames)


def _device_rates(folder):
    packages = json.loads((folder / f"{folder.name}.json").read_bytes())["/FullPackage"]
    rates = [package["Value"].get("pulseRate") for package in packages]
    rates = [rate if type(rate) in (int, float) else 0.0 for rate in rates]
    return np.array([package["Timestamp"] for package in packages], np.int64), np.array(rates, np.float64)


def _is_known_empty(folder):
    return folder.name == KNOWN_EMPTY and not raw_files.below(folder, lambda name: name.endswith((".json", ".png")))


def _frame_files(folder):
    """Returns {nanoseconds: path}, of anything that lies among the frames of a recording only the frames."""
    nested = folder / folder.name
    entries = raw_files.entries(nested if raw_files.is_folder(nested) else folder)
    matches = ((re.fullmatch(r"Image(\d{1,19})\.png", entry.name), entry) for entry in entries)
    return {int(match[1]): entry for match, entry in matches if match}


def _read_json(path):
    """Returns the frames' times and the PPG's times, int64 nanoseconds, and the PPG, float64."""
    raw_files.refuse_unreadable(path, "the JSON of the recording", COPY_AGAIN)
    try:
        content = json.loads(path.read_bytes())
        images, packages = content["/Image"], content["/FullPackage"]
        image_times = [_nanoseconds(image["Timestamp"]) for image in images]
        package_times = [_nanoseconds(package["Timestamp"]) for package in packages]
        waveform = np.array([_number(package["Value"]["waveform"]) for package in packages])
    # What a wrong nesting, a missing key, a wrong type or bytes that are no text raise, in this order.
    except (TypeError, LookupError, ValueError, OverflowError, RecursionError) as error:
        found = f"{type(error).__name__}: {error}"
        expected = 'lists "/Image" of {"Timestamp"} and "/FullPackage" of {"Timestamp", "Value": {"waveform"}}'
        raise RawDataError(path, found, expected, COPY_AGAIN) from error
    if not images or len(packages) < 2 or not np.isfinite(waveform).all():
        found = f"{len(images)} frames, {len(packages)} PPG samples, {np.isfinite(waveform).sum()} of them finite"
        raise RawDataError(path, found, "a frame and two finite samples or more", COPY_AGAIN)
    return np.array(sorted(set(image_times)), np.int64), np.array(package_times, np.int64), waveform


def _nanoseconds(value):
    # A float would have lost the nanoseconds already, and a bool is an int to Python.
    if type(value) is not int or not 0 <= value < 2**62:
        raise ValueError(f"the time stamp {value!r}")
    return value


def _number(value):
    if type(value) not in (int, float):
        raise ValueError(f"the PPG value {value!r}")
    return float(value)


def _refuse_others(folder, image_times, frames):
    """Raises RawDataError unless the frames are those of the JSON, and none is truncated."""
    times = image_times.tolist()
    missing = [time for time in times if time not in frames]
    if missing:
        raise RawDataError(
            folder,
            f"{len(times) - len(missing)} frames; Image{missing[0]}.png is the first missing",
            f"the {len(times)} of its JSON",
            COPY_AGAIN,
        )
    # Frames that do not belong to a recording come before or after it; in its midst they are missing in the JSON.
    unknown = sorted(time for time in frames.keys() - times if times[0] < time < times[-1])
    if unknown:
        found = f"Image{unknown[0]}.png and {len(unknown) - 1} more that the JSON does not have"
        raise RawDataError(folder, found, f"the {len(times)} frames of its JSON", COPY_AGAIN)
    paths = [frames[time] for time in times]
    for path, header in zip(paths, pictures.headers(paths), strict=True):
        if header.format != "PNG":
            raise RawDataError(path, f"a picture of the format {header.format}", "PNG", COPY_AGAIN)


def _read_frames(paths):
    """Yields `(H, W, 3)` uint8 RGB frames."""
    shape = None
    for number, frame in pictures.frames(paths):
        path, shape = paths[number], shape or frame.shape
        if frame.shape != shape:
            raise RawDataError(path, f"a frame of shape {frame.shape}", f"one of shape {shape}", COPY_AGAIN)
        yield frame
