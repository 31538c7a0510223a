"""Countix: annotated segments of repeated action in Kinetics videos -> clips and counts.

The annotation's four times are seconds of the original video; a Kinetics clip starts at `kinetics_start` of it.

Reference: Dwibedi et al., Counting Out Time, CVPR 2020, https://arxiv.org/abs/2006.15418
"""

import csv
import functools
import logging
import pathlib
import re
from typing import NamedTuple

import numpy as np

from simper_tf.data import checks
from simper_tf.recordings import video
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError

TFDS_SPLITS = {"train": "train", "val": "validation", "test": "test"}
FITS = ("resample", "crop")
VIDEO_SUFFIXES = (".avi", ".mkv", ".mov", ".mp4", ".webm")
# Seconds by which a segment may leave its clip: rounding in the annotations, not more (0.3 ms was seen).
SLACK = 0.25

_TIMES = ("kinetics_start", "kinetics_end", "repetition_start", "repetition_end")
_VIDEO_ID = re.compile(r"[A-Za-z0-9_-]{11}")


class Segment(NamedTuple):
    """One row of an annotation file. Times are seconds of the original video."""

    row: int  # Position in the file, from 0.
    video_id: str
    action: str  # Empty in the test file, which has no such column.
    clip_start: int
    clip_end: int
    start: float
    end: float
    count: int

    @property
    def stem(self):
        """The file name Kinetics gives to this clip, without its ending."""
        return f"{self.video_id}_{self.clip_start:06d}_{self.clip_end:06d}"

    @property
    def key(self):
        # The row makes it unique: a clip has several segments, and two rows may agree in everything but the count.
        return f"{self.stem}_{self.row:05d}"


class Located(NamedTuple):
    """A segment and where its frames are."""

    segment: Segment
    path: str  # Empty where no video was found.
    offset: int  # Second of the original video at which the file starts.


def find_annotations(root, split):
    """Returns the path of `countix_<split>.csv` in a folder, or below it as the archive unpacks; else RawDataError."""
    name = f"countix_{split}.csv"
    for path in (pathlib.Path(root, name), pathlib.Path(root, "countix", name)):
        if path.is_symlink() or path.exists():
            return path
    raise RawDataError(
        root, f"no {name}, here or in its folder countix", "three annotation files", "Unpack countix.tar.gz there."
    )


def read_annotations(path):
    """Returns the `Segment`s of an annotation file in its order, with or without the column `class`.

    A RawDataError names the line of a value that cannot be true, or says that the file is no such table.
    """
    raw_files.refuse_unreadable(path, "Countix annotations", "Unpack countix.tar.gz again.")
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8-sig")
        reader = csv.DictReader(text.splitlines(), strict=True)
        rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _bad_annotation(path, f"it cannot be read: {error}") from error
    missing = {"video_id", *_TIMES, "count"} - set(reader.fieldnames or ())
    if missing:
        raise _bad_annotation(path, f"the header {reader.fieldnames} lacks {sorted(missing)}")
    # The published files end in a newline; without it a count cut from 12 to 1 would pass for a count.
    if not rows or not text.endswith("\n"):
        raise _bad_annotation(path, f"{len(rows)} rows, the last of them cut off")
    return [_segment(path, index, row) for index, row in enumerate(rows)]


def _segment(path, index, row):
    try:
        segment = Segment(
            index,
            row["video_id"],
            row.get("class", ""),
            *(int(row[name]) for name in _TIMES[:2]),
            *(float(row[name]) for name in _TIMES[2:]),
            int(row["count"]),
        )
        in_clip = segment.clip_start - SLACK <= segment.start < segment.end <= segment.clip_end + SLACK
    except (TypeError, ValueError, OverflowError) as error:
        raise _bad_annotation(path, f"line {index + 2}: {error}") from error
    if None in row or None in row.values() or not _VIDEO_ID.fullmatch(segment.video_id):
        raise _bad_annotation(path, f"line {index + 2}: {row}")
    if not (segment.clip_start >= 0 and in_clip and segment.count >= 1):
        raise _bad_annotation(path, f"line {index + 2}: a count or times that cannot be: {segment}")
    return segment


def index_videos(root):
    """Returns `{stem: path}` of the video files anywhere below `root`; of equal stems the first path in order."""
    paths = raw_files.below(root, lambda name: name.lower().endswith(VIDEO_SUFFIXES))
    return {path.stem: path for path in reversed(paths)}


def locate(segment, videos):
    """Returns the `Located` segment: in a Kinetics clip, else in the whole video `<id>.*`, else with an empty path."""
    if segment.stem in videos:
        return Located(segment, str(videos[segment.stem]), segment.clip_start)
    return Located(segment, str(videos.get(segment.video_id, "")), 0)


def locate_all(root):
    """Returns what a build reads: `{split: [Located]}`, by the names of TFDS, of splits that have any video.

    Raises RawDataError: an annotation file is missing or damaged, or there is none of the annotated videos.
    """
    videos = index_videos(root)
    splits = {}
    for split, name in TFDS_SPLITS.items():
        segments = read_annotations(find_annotations(root, split))
        located = [locate(segment, videos) for segment in segments]
        if any(item.path for item in located):
            splits[name] = located
    if not splits:
        raise RawDataError(root, "none of the annotated videos", "<id>_<start>_<end>.mp4 files", "Fetch some.")
    return splits


def checkup(root, config):
    """Returns the `Checkup` of a folder, segment by segment, for the config of the builder; errors as `locate_all`."""
    units, missing, splits = [], [], {}
    for split, located in locate_all(root).items():
        splits[split] = [f"{split}/{item.segment.key}" for item in located]
        missing += [name for name, item in zip(splits[split], located, strict=True) if not item.path]
        for name, item in zip(splits[split], located, strict=True):
            paths = (pathlib.Path(item.path),) if item.path else ()
            units.append(checks.Unit(name, paths, functools.partial(_examine, item, config)))
    return checks.Checkup(units, missing, functools.partial(checks.outcome, splits))


def _examine(item, config, decode):
    """A bad video is left out of the build and never stops it; without decoding, one that opens passes for good."""
    if not decode and item.path:
        try:
            info = video.probe(item.path)
        except RawDataError as error:
            return checks.Report(skipped=(str(error),))
        return checks.Report("", "", info.num_frames, info.rate, info.seconds, (item.segment.count,))
    _, example, reason = read_or_skip(item, num_frames=config.num_frames, size=config.size, fit=config.fit)
    if example is None:
        return checks.Report(skipped=(reason,))
    clip, rate = example["clip"], float(example["rate"])
    notes = tuple(checks.unmoving(clip))
    return checks.Report("", "", len(clip), rate, (len(clip) - 1) / rate, (float(example["label"]),), (), notes)


def read_segment(located, num_frames=200, size=96, fit="resample"):
    """Reads one example from a `Located` segment: a dict with `num_frames` frames of `size` pixels a side.

    The fit `"resample"` takes frames at equal steps of time from the first of the segment to the last, each the nearest
    one, which leaves the count true; `"crop"` takes the first ones.

    `clip` `(num_frames, size, size, 3)` uint8 RGB, `rate` in frames per second of the clip, `label` the repetitions in
    the clip (`"crop"`: the annotated count times the share of time kept, so not an integer), `count` as annotated,
    `class`, `id`.

    A RawDataError says that the video is missing, damaged, or shows the segment in fewer than `num_frames` frames, or
    in fewer than two for each repetition; a ValueError that the fit is unknown.
    """
    if fit not in FITS:
        raise ValueError(f"fit is one of {FITS}. Received {fit!r}.")
    segment, path, offset = located
    if not path:
        raise RawDataError(
            segment.stem,
            "no video",
            f"{segment.stem}.mp4 or {segment.video_id}.mp4 anywhere in the raw data",
            "Fetch it, or leave it out.",
        )
    frames, times = video.read_interval(path, segment.start - offset, segment.end - offset, size)
    if len(frames) < num_frames:
        raise RawDataError(
            path,
            f"{len(frames)} frames in the segment {segment.start} to {segment.end} s",
            f"at least {num_frames}",
            "Leave it out, or ask for fewer frames.",
        )
    if 2 * segment.count > len(frames):
        raise RawDataError(
            segment.key,
            f"{segment.count} repetitions in {len(frames)} frames",
            "at least two frames to a repetition",
            "Correct the annotation, or leave it out.",
        )
    kept = _nearest(times, num_frames) if fit == "resample" else np.arange(num_frames)
    duration = times[kept[-1]] - times[0]
    return {
        "clip": frames[kept],
        "rate": np.float32((num_frames - 1) / duration),
        "label": np.float32(segment.count * duration / (times[-1] - times[0])),
        "count": segment.count,
        "class": segment.action,
        "id": segment.key,
        "subject": segment.video_id,
    }


def read_or_skip(located, **options):
    """Returns `(key, example, None)` or `(key, None, reason)`, of plain values, so that Beam can send it to workers."""
    try:
        return located.segment.key, read_segment(located, **options), None
    except RawDataError as error:
        logging.getLogger(__name__).warning("Skipped %s", error)
        return located.segment.key, None, str(error)


def _nearest(times, num_frames):
    """Indices of the frames nearest to `num_frames` equally spaced times."""
    middles = (times[1:] + times[:-1]) / 2
    return np.searchsorted(middles, np.linspace(times[0], times[-1], num_frames))


def _bad_annotation(path, found):
    return RawDataError(
        path,
        found,
        f"Countix annotations: video_id of 11 characters, [class], {', '.join(_TIMES)} in seconds with the segment "
        "inside its clip, and a count of at least 1",
        "Unpack countix.tar.gz again.",
    )
