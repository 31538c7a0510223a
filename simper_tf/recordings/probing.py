"""Facts of videos, without decoding where packets tell them, inside the worker."""

import pathlib
from collections.abc import Iterator
from typing import NamedTuple

import av
import numpy as np

from simper_tf.recordings import video
from simper_tf.recordings.decoding import ONE_EACH, Decoder, shape_shown, stamp_of
from simper_tf.recordings.opened_video import open_file, packets, unreadable
from simper_tf.utils import worker

# One more than the packets of frames that are shown before one that comes first, as encoders have it.
_REORDERED = 9
# Codecs of drawings, which leave out what stays exactly as it was: no frame is made of a forecast.
DRAWN = ("gif", "apng")


class _Times(NamedTuple):
    """Seconds of all frames, rising, of those stored as whole pictures, and of the end of all that is in the file."""

    shown: np.ndarray
    keys: np.ndarray
    end: float
    num_bytes: int
    lost: np.ndarray  # Whether frames were lost between two.
    repeated: int = 0  # How many had the time of the one before.


def probe(path, rate) -> Iterator[tuple]:
    """Yields the fields of a `video.VideoInfo`, and no content.

    Args:
        path: The file.
        rate: Frames per second of a stream without times that states none; None refuses it.

    Raises:
        RawDataError: as `video.probe`.
    """
    with open_file(path, rate) as opened:
        origin, first = next(Decoder(opened).timed(), (0.0, None))
        if first is None:
            raise unreadable(path, "no frame that can be decoded")
        height, width = shape_shown(first)
        codec, pixel_format = opened.stream.codec_context.name, first.format.name
    times, at_once = _times(path, rate, origin), 0
    if len(times.shown) == 1 and times.repeated:
        at_once = 1 + times.repeated
        times = _times_of_frames(path, rate, at_once)
    with open_file(path, rate, at_once) as opened:
        notes, stated = _notes(opened, times, at_once), opened.stream.frames
        notes += _note_on_streams(opened, width, height)
    gaps = np.diff(times.shown)
    if not len(gaps):
        raise unreadable(path, "a single frame")
    average = len(gaps) / float(times.shown[-1] - times.shown[0])
    if average > video.MAX_RATE:
        raise unreadable(path, f"{average:g} frames per second")
    start, count = times.shown[0], len(times.shown)
    notes += _note_on_repeated(times, average)
    yield {
        "width": width, "height": height, "rate": average, "seconds": count / average, "num_frames": count,
        "stated_frames": stated, "keys": ((times.shown if codec in DRAWN else times.keys) - start).tolist(),
        "bits": 8 * times.num_bytes / (width * height * count), "codec": codec, "pixel_format": pixel_format,
        "longest_gap": float(np.max(gaps, where=~times.lost, initial=0.0)), "notes": notes, "at_once": at_once,
    }, b""  # fmt: skip


def _times(path, rate, origin):
    """Returns the `_Times` of a file, without decoding it where that tells them."""
    with open_file(path, rate) as opened:
        return _times_of_index(opened) or _times_of_packets(opened, origin) or _times_of_frames(path, rate)


def _times_of_packets(opened, origin):
    """Returns the `_Times` that packets tell without being decoded; None where they do not tell them alone."""
    stream, base = opened.stream, float(opened.stream.time_base)
    if opened.rate or stream.codec_context.name not in ONE_EACH:
        return None
    shown, keys, end, total = [], [], 0.0, 0
    for packet in packets(opened, *opened.container.streams.video, *opened.container.streams.audio):
        worker.allow()
        stamp = stamp_of(opened, packet)
        if stamp is not None:
            end = max(end, float((stamp + (packet.duration or 0)) * packet.time_base))
        if packet.stream_index == stream.index:
            total += packet.size
            if stamp is None:
                return None
            if not packet.is_discard:
                shown.append(stamp * base)
                keys.append(packet.is_keyframe)
    shown = _without_strays(np.array(shown))
    if (np.diff(np.sort(shown)) == 0).any():  # Decoding tells whether these are fields, or frames.
        return None
    shown, order = np.unique(shown, return_index=True)
    keys = np.array(keys, bool)[order]
    kept = np.isfinite(shown) & (shown >= (-np.inf if opened.container.format.name == "avi" else origin - 1e-9))
    return _Times(shown[kept], shown[keys & kept], end, total, np.zeros(max(kept.sum() - 1, 0), bool))


def _without_strays(moments):
    """Returns times of packets, with NaN for each that is false: later than those after it, or before those before."""
    reach = _REORDERED
    around = np.lib.stride_tricks.sliding_window_view(np.pad(moments, reach - 1, "edge"), 2 * reach - 1)
    usual = np.median(around, axis=1)  # As SciPy's filter has it, which takes a quarter of a second to load.
    strays = np.zeros(len(moments), bool)  # Nobody knows what was before the first, and what follows the last.
    strays[:-reach] |= moments[:-reach] > usual[reach:] + video.LONGEST_GAP
    strays[reach:] |= moments[reach:] < usual[:-reach] - video.LONGEST_GAP
    return np.where(strays, np.nan, moments)


def _times_of_index(opened):
    """Returns the `_Times` of an AVI file with a whole index of pictures as they are, without reading them."""
    stream, size = opened.stream, pathlib.Path(opened.path).stat().st_size
    if opened.container.format.name != "avi" or stream.codec_context.name != "rawvideo":
        return None
    entries = list(stream.index_entries)
    held = [entry for entry in entries if entry.size and entry.pos + entry.size <= size]
    if len(entries) != stream.frames or not held:
        return None
    times = np.array([entry.timestamp for entry in held]) * float(stream.time_base)
    size = sum(entry.size for entry in held)
    return _Times(times, times, times[-1] + float(stream.time_base), size, np.zeros(len(held) - 1, bool))


def _times_of_frames(path, rate, at_once=0):
    with open_file(path, rate, at_once) as opened:
        decoder = Decoder(opened)
        frames = [(moment, frame.key_frame, decoder.lost) for moment, frame in decoder.timed()]
    shown, is_key, lost = np.array(frames).reshape(-1, 3).T
    end = 2 * shown[-1] - shown[-2] if len(shown) > 1 else 0.0
    return _Times(shown, shown[is_key > 0], end, pathlib.Path(path).stat().st_size, np.diff(lost) > 0, decoder.repeated)


def _notes(opened, times, at_once):
    """Returns sentences on what the file states and does not hold."""
    stream, container = opened.stream, opened.container
    if opened.rate:
        begin = "All frames have one time: they" if at_once else "The file holds no times: its frames"
        return [f"{begin} are taken as {opened.rate:.4g} a second."]
    begin = float((stream.start_time or 0) * stream.time_base)
    stated = float(stream.duration * stream.time_base) if stream.duration else None
    if stated is None and container.duration:
        stated, begin = container.duration / av.time_base, (container.start_time or 0) / av.time_base
        stated -= begin if 0 < begin < stated else 0.0  # Matroska may state when the last frame ends.
    seconds = times.end - begin
    if stated and seconds < stated - max(0.5, 0.05 * stated):
        return [f"The file states {stated:.2f} s and holds {seconds:.2f} s: the rest is missing or damaged."]
    return []


def _note_on_repeated(times, rate):
    """Returns a sentence on times that repeat, if there are any."""
    often = f"{times.repeated:,} of {len(times.shown):,} time stamps repeat"
    return [f"{often}: the frames are spread evenly, {rate:.4g} a second."] * bool(times.repeated)


def _note_on_streams(opened, width, height):
    """Returns a sentence on video streams that are not read, if there are any but pictures of covers."""
    covers = av.stream.Disposition.attached_pic
    count = sum(not stream.disposition & covers for stream in opened.container.streams.video)
    return [f"1 of {count} video streams is read, the one of {width} x {height}."] * (count > 1)
