"""A miniature Countix: discs that swing a known number of times, as h264 mp4 files and annotation CSVs."""

import csv
import fractions
import itertools
import json
import math
import pathlib

import numpy as np

HEIGHT, WIDTH = 96, 128  # Pixels of the videos.
CLASSES = ("bouncing ball (not juggling)", "mountain climber (exercise)", "using a sledge hammer")
SPLITS = ("train", "val", "test")

_COLUMNS = ("video_id", "class", "kinetics_start", "kinetics_end", "repetition_start", "repetition_end", "count")
_ID_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
# What tests write, and the config in which each split of it has a few clips.
SMALLEST = {"subjects": 2, "seconds": 4}, {"size": 12, "num_frames": 80}


def write(out, subjects=3, seconds=10, seed=0):
    """Writes `countix_{train,val,test}.csv`, the videos they name, and `truth.json`.

    Of each split there are `subjects` usable clips, of a whole number of seconds from 2. A segment takes 84 % of its
    clip, so a reader that wants `20 * seconds` frames finds them at 25 frames per second, as with the real data. Beside
    the usable clips there are, in the training split, a second segment of one clip, a missing video and one of too few
    frames a second; in the validation split a segment of 2 seconds at most, and one annotated twice with different
    counts. Of every three usable clips the first is stored as the whole video under its bare id, from 3 seconds before
    the clip, and the second has a varying frame rate. One id starts with a dash.

    Returns the truth, also written: for each split a list with, for each row of the CSV, its `row`, `video_id`, the
    `count` as annotated, the `true_count` of swings, the `turns` per second, the time `phase` in seconds of the video
    at which a swing starts, and `usable` or the reason why not.
    """
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    truth = {}
    for split in SPLITS:
        clips = [_clip(rng, index, seconds) for index in range(subjects)]
        rows = [_row(clip, clip["count"]) for clip in clips] + _special_rows(rng, split, clips, seconds)
        _write_csv(out / f"countix_{split}.csv", rows, with_class=split != "test")
        for clip in {row["clip"]["video_id"]: row["clip"] for row in rows if row["reason"] != "missing"}.values():
            _write_video(out / "videos" / split / clip["class"], clip, rng)
        truth[split] = [_truth(index, row) for index, row in enumerate(rows)]
    (out / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return truth


def _clip(rng, index, seconds, rate=None):
    """Draws one video: what moves in it, how often, and its annotation."""
    letters = "".join(rng.choice(list(_ID_LETTERS), 10))
    is_whole = index % 3 == 0
    start = 3 if is_whole else int(rng.integers(3, 300))
    count = int(rng.integers(6, 13))
    duration = 0.84 * seconds
    return {
        "video_id": ("-" if index == 1 else "a") + letters,
        "class": CLASSES[index % len(CLASSES)],
        "clip_start": start,
        "clip_end": start + seconds,
        "start": start + round(0.08 * seconds, 6),
        "duration": duration,
        "count": count,
        "turns": count / duration,
        "is_whole": is_whole,
        "times": _frame_times(seconds + 3 * is_whole, rate, varying=rate is None and index % 3 == 1, index=index),
    }


def _frame_times(seconds, rate, varying, index):
    if varying:  # From 20 frames per second to 40, in the manner of a telephone that adapts to the light.
        slow = np.arange(10 * seconds) / 20
        return np.concatenate([slow, seconds / 2 + np.arange(20 * seconds) / 40])
    rate = rate or (25, 25, 30)[index % 3]
    return np.arange(int(rate * seconds)) / rate


def _special_rows(rng, split, clips, seconds):
    if split == "train":
        slow, lost = _clip(rng, 3, seconds, rate=150 / max(seconds, 10)), _clip(rng, 4, seconds)
        # One swing less than the whole segment, from one swing later: at 30 frames per second still long enough.
        again = _clip(rng, 2, seconds)
        later = _row(again, again["count"] - 1, offset=1 / again["turns"])
        few_frames = _row(slow, slow["count"], reason="few frames")
        return [few_frames, _row(again, again["count"]), later, _row(lost, lost["count"], reason="missing")]
    if split == "val":
        clip = clips[0]
        short = {**_row(clip, clip["count"] - 1, reason="short segment"), "end": clip["start"] + min(2, 0.2 * seconds)}
        return [short, {**_row(clip, clip["count"]), "count": clip["count"] + 1}]
    return []


def _row(clip, true_count, offset=0.0, reason=None):
    """One annotated segment of a clip, from `offset` seconds after the clip's usual start, `true_count` swings long."""
    start = clip["start"] + offset
    end = start + (true_count / clip["turns"] if reason is None else clip["duration"])
    return {"clip": clip, "count": true_count, "true_count": true_count, "start": start, "end": end, "reason": reason}


def _truth(index, row):
    clip = row["clip"]
    return {
        "row": index,
        "video_id": clip["video_id"],
        "count": row["count"],
        "true_count": row["true_count"],
        "turns": clip["turns"],
        "phase": clip["start"],
        "usable": row["reason"] or True,
    }


def _write_csv(path, rows, with_class):
    columns = [name for name in _COLUMNS if with_class or name != "class"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            clip = row["clip"]
            times = {"kinetics_start": clip["clip_start"], "kinetics_end": clip["clip_end"]}
            times |= {"repetition_start": f"{row['start']:.6f}", "repetition_end": f"{row['end']:.6f}"}
            writer.writerow({**clip, **times, "count": row["count"]})


def _write_video(folder, clip, rng):
    stem = (
        clip["video_id"] if clip["is_whole"] else f"{clip['video_id']}_{clip['clip_start']:06d}_{clip['clip_end']:06d}"
    )
    folder.mkdir(parents=True, exist_ok=True)
    background = rng.integers(20, 90, (HEIGHT // 8, WIDTH // 8, 3)).repeat(8, 0).repeat(8, 1).astype(np.uint8)
    phase = clip["start"] - (0 if clip["is_whole"] else clip["clip_start"])
    frames = [_frame(background, math.tau * clip["turns"] * (time - phase)) for time in clip["times"]]
    encode(folder / f"{stem}.mp4", frames, clip["times"])


def _frame(background, angle):
    """A disc that swings from side to side: one whole swing for each full turn of `angle`, in radians."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    centre = WIDTH * (0.5 + 0.3 * math.sin(angle))
    disc = np.clip(0.5 + 12 - np.hypot(y - HEIGHT / 2, x - centre), 0, 1)[..., None]
    return (background * (1 - disc) + np.array([240, 220, 120]) * disc).astype(np.uint8)


def encode(path, frames, times, **options):
    """Writes an iterable of RGB uint8 frames, each shown from its own time in seconds on, as h264 in an mp4 file.

    Options are those of the encoder x264, such as `preset="ultrafast"`.
    """
    import av  # Only this stand-in needs it: it is installed with the extra `test`, not with the package.

    clock = fractions.Fraction(1, 90_000)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options=options)
        stream.pix_fmt, stream.codec_context.time_base = "yuv420p", clock
        frames = iter(frames)
        first = next(frames)
        stream.height, stream.width = first.shape[:2]
        for frame, time in zip(itertools.chain([first], frames), times, strict=True):
            picture = av.VideoFrame.from_ndarray(frame, "rgb24")
            picture.pts, picture.time_base = round(time / clock), clock
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
