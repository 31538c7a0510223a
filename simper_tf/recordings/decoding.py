"""Video files decoded by FFmpeg, inside the worker: facts without decoding where packets tell them, and small frames.

FFmpeg gets an open file and no name, may open nothing else, and reads only formats that hold pictures themselves.
"""

import contextlib
import itertools
import os
from collections.abc import Iterator
from typing import NamedTuple

import av
import numpy as np

from simper_tf.recordings import video
from simper_tf.utils import raw_files, worker
from simper_tf.utils.errors import RawDataError

VIDEO = "a complete video file that FFmpeg decodes"
_AGAIN = "Fetch it again, or leave it out."
_CONVERT = "Fetch it again, convert it to MP4, or leave it out."
# Streams of frames without times; some of them state a rate.
_TIMELESS = {"h263", "h264", "hevc", "m4v", "mpegvideo", "mjpeg", "mpjpeg", "obu"}
# A rate that no stream states: FFmpeg takes it for those that state none.
_UNSTATED = "997"
_OPTIONS = {
    "protocol_whitelist": "none",
    "format_whitelist": "3gp,apng,asf,av1,avi,dv,flv,gif,ivf,matroska,mov,mp4,mpeg,mpegts,mxf,nut,ogg,rm,smjpeg,webm,"
    "wtv,yuv4mpegpipe," + ",".join(sorted(_TIMELESS)),
    "framerate": _UNSTATED,
    "max_pixels": str(4 * raw_files.MAX_PIXELS),  # Of those up to it the size can be told.
}
# Codecs of which one packet holds one frame that is shown, so that packets tell the times of frames.
_ONE_EACH = {"av1", "ffv1", "gif", "h264", "hevc", "libdav1d", "mjpeg", "prores", "rawvideo", "vp9"}
# Frames in a row, and packets, that come with a time already passed, or with an error, before the rest is given up.
_MOST_LATE, _MOST_ERRORS = 16, 100
# Late frames of which a single one may have a false time.
_MIXED = 2
# One more than the packets of frames that are shown before one that comes first, as encoders have it.
_REORDERED = 9
# Of a whole video, and for each byte of its file where there are more: a still picture for hours has less.
_MOST_PIXELS, _MOST_PIXELS_A_BYTE = 2**33, 2**16
# Bytes of a GIF, of which FFmpeg keeps all up to the end of a frame.
_LARGEST_GIF = 2**30
_MOST_FRAMES = 10**7  # Some days.
# After so many seconds clocks of MPEG start at 0 again, and files cut from a broadcast may state one turn too many.
_CLOCK_SECONDS = 2**33 / 90_000
_BATCH_BYTES, _BATCH_FRAMES = 2**20, 64
_SCALING = av.video.reformatter.Interpolation
_AREA = _SCALING.AREA | _SCALING.ACCURATE_RND | _SCALING.FULL_CHR_H_INT


class _Opened(NamedTuple):
    """An open file: its container, the stream of pictures, and how fast frames without times come, if they do."""

    path: str
    container: av.container.InputContainer
    stream: av.video.stream.VideoStream
    rate: float | None


class _Times(NamedTuple):
    """Seconds of all frames, rising, of those stored as whole pictures, and of the end of all that is in the file."""

    shown: np.ndarray
    keys: np.ndarray
    end: float
    num_bytes: int
    lost: np.ndarray  # Whether frames were lost between two.


def probe(path, rate) -> Iterator[tuple]:
    """Yields the fields of a `video.VideoInfo`, and no content.

    Args:
        path: The file.
        rate: Frames per second of a stream without times that states none; None refuses it.

    Raises:
        RawDataError: as `video.probe`.
    """
    with _opened(path, rate) as opened:
        origin, first = next(_Decoder(opened).timed(), (0.0, None))
        if first is None:
            raise unreadable(path, "no frame in it can be decoded")
        height, width = _shape_shown(first)
        codec, pixel_format = opened.stream.codec_context.name, first.format.name
    with _opened(path, rate) as opened:
        times = _times_of_index(opened) or _times_of_packets(opened, origin) or _times_of_frames(path, rate)
        notes, stated = _notes(opened, times), opened.stream.frames
    gaps = np.diff(times.shown)
    if not len(gaps):
        raise unreadable(path, "a single frame")
    average = len(gaps) / float(times.shown[-1] - times.shown[0])
    if average > video.MAX_RATE:
        raise unreadable(path, f"{average:g} frames per second")
    start, count = times.shown[0], len(times.shown)
    yield {
        "width": width, "height": height, "rate": average, "seconds": count / average, "num_frames": count,
        "stated_frames": stated, "keys": (times.keys - start).tolist(),
        "bits": 8 * times.num_bytes / (width * height * count), "codec": codec, "pixel_format": pixel_format,
        "longest_gap": float(np.max(gaps, where=~times.lost, initial=0.0)), "notes": notes,
    }, b""  # fmt: skip


def frames(path, start, end, shape, box, rate) -> Iterator[tuple]:
    """Yields batches of small frames: their times and shape, and their bytes; then how many frames were lost.

    Arguments are those of `video.decoded`.

    Raises:
        RawDataError: as `video.decoded`.
    """
    with _opened(path, rate) as opened:
        batch, origin, decoder = [], None, _Decoder(opened)
        scaler = av.video.reformatter.VideoReformatter()  # One, for it is dear to set up.
        for moment, frame in decoder.timed():
            origin = moment if origin is None else origin
            if moment - origin >= end:
                break
            if moment - origin >= start:
                batch.append((moment - origin, _small(path, scaler, frame, shape, box)))
            if batch and (len(batch) == _BATCH_FRAMES or len(batch) * batch[0][1].nbytes >= _BATCH_BYTES):
                yield _packed(batch)
                batch = []
        if origin is None:
            raise unreadable(path, "no frame in it can be decoded")
    if batch:
        yield _packed(batch)
    yield {"times": [], "shape": (0, *shape, 3), "lost": decoder.lost, "lead": decoder.lead}, b""


def _packed(batch):
    pictures = np.ascontiguousarray([picture for _, picture in batch])  # Turned ones are stored by column.
    return {"times": [moment for moment, _ in batch], "shape": pictures.shape}, memoryview(pictures).cast("B")


@contextlib.contextmanager
def _opened(path, rate):
    raw_files.refuse_unreadable(path, VIDEO, _AGAIN)
    # As a number: names would be read for patterns, protocols and endings.
    with os.fdopen(os.open(path, os.O_RDONLY), "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if file.read(4) == b"GIF8" and size > _LARGEST_GIF:
            raise RawDataError(path, f"a GIF of {size / 2**30:.3g} GiB", "one of 1 GiB at most", _CONVERT)
        file.seek(0)
        try:
            container = av.open(file, options=_OPTIONS, metadata_errors="replace", buffer_size=2**18)
        except MemoryError:
            raise
        except (av.FFmpegError, ValueError) as error:
            raise RawDataError(path, f"what cannot be opened as a video{_complaint(file)}", VIDEO, _CONVERT) from error
        with container:
            stream = container.streams.best("video")
            if stream is None:
                raise RawDataError(path, "no pictures in it", VIDEO, _CONVERT)
            if stream.codec_context is None:
                raise RawDataError(path, "pictures of a codec that nobody knows", VIDEO, _CONVERT)
            if not (stream.height and stream.width):
                raise unreadable(path, "a header of no pixels, or of far more than a picture has")
            raw_files.refuse_huge(path, stream.height, stream.width, _AGAIN)
            _refuse_endless(path, container, stream)
            stream.thread_type = "AUTO"
            stream.codec_context.options = {"max_pixels": _OPTIONS["max_pixels"]}
            yield _Opened(path, container, stream, _rate_of_timeless(path, container, stream, rate))


def _complaint(file):
    """Returns what FFmpeg says of a file that it does not open, such as "moov atom not found", if anything."""
    file.seek(0)
    av.logging.set_skip_repeated(False)
    av.logging.set_level(av.logging.ERROR)
    with av.logging.Capture() as said, contextlib.suppress(av.FFmpegError, ValueError):
        av.open(file, options=_OPTIONS).close()
    av.logging.set_level(None)
    words = said[-1][2].split(" '")[0].strip() if said else ""  # Without what it quotes.
    return f" ({words})" if words else ""


def _refuse_endless(path, container, stream):
    """Raises RawDataError where a small file states more pixels than a day of computing decodes."""
    seconds = (container.duration or 0) / av.time_base % _CLOCK_SECONDS
    count = stream.frames or seconds * float(stream.average_rate or 0)
    pixels, size = count * stream.width * stream.height, os.path.getsize(path)  # noqa: PTH202
    if pixels > max(_MOST_PIXELS, _MOST_PIXELS_A_BYTE * size) or count > _MOST_FRAMES:
        found = f"a header of {count:,.0f} frames of {stream.width} x {stream.height} pixels in {size:,} bytes"
        raise RawDataError(path, found, "no more than so few bytes can hold", _AGAIN)


def _rate_of_timeless(path, container, stream, rate):
    """Returns frames per second of a stream without times; None where frames have theirs."""
    if container.format.name not in _TIMELESS:
        return None
    stated = float(stream.guessed_rate or 0) if container.format.name != "h263" else 0.0  # Whose clock says nothing.
    if rate or (0 < stated <= video.MAX_RATE and stated != float(_UNSTATED)):
        return rate or stated
    expected = "a video that holds the times of its frames"
    action = "Name the rate at which they were recorded, such as `rate=30`."
    raise RawDataError(path, "frames without times", expected, action)


def _packets(opened, *streams):
    """Yields the packets of streams that hold something; where reading fails it goes on behind, some times."""
    count = 0
    for _ in range(_MOST_ERRORS):
        try:
            for packet in opened.container.demux(*streams):
                count += 1
                if count > 2 * _MOST_FRAMES:
                    raise unreadable(opened.path, "an index without end")
                if packet.size:
                    yield packet
        except av.FFmpegError:
            continue
        except IndexError:  # At the end PyAV stumbles over streams that began in the middle of the file.
            pass
        return


class _Decoder:
    """The frames of an open file, in the order shown.

    A frame is lost if its packet cannot be decoded, if it does not come, or if it comes too late. After two that
    come too late all are, up to the next key frame: the decoder takes pictures of other moments for them.

    Attributes:
        lost: Frames lost so far.
        lead: Seconds of lost frames before the first that is shown.
    """

    def __init__(self, opened):
        self._opened, self.lost, self.lead = opened, 0, 0.0
        self._tells = not opened.rate and opened.stream.codec_context.name in _ONE_EACH
        # Stamps of packets whose frames have not come, the first of all; packets refused; frames late since a key.
        self._expected, self._first, self._refused, self._late = set(), None, 0, 0

    def timed(self):
        """Yields `(seconds, frame)`, rising.

        AVI files hold the order of decoding alone, which is even. A frame without a time comes as long after the one
        before as that one did. One that is not later than the one before it is left out; many in a row end the video.
        """
        last, late = None, 0
        for (moment, stamp, frame), (after, *_) in itertools.pairwise(itertools.chain(self._stamped(), [(None,)])):
            if None not in (last, after) and last < after < moment - video.LONGEST_GAP:  # Its time is false.
                self._expected.discard(stamp)
                self.lost += 1
                continue
            is_late = last is not None and moment <= last
            late = late + 1 if is_late else 0
            if late > _MOST_LATE:
                break
            if self._is_whole(frame, stamp, is_late):
                if last is None:
                    self._begin(moment)
                last = moment
                yield moment, frame
        self.lost += len(self._expected)

    def _stamped(self):
        """Yields seconds, stamp and frame of all that the decoder hands out."""
        last, step, base = None, 0.0, float(self._opened.stream.time_base)
        for number, frame in enumerate(self._decoded()):
            stamp = _stamp(self._opened, frame)
            if self._opened.rate:
                moment = (number + self._refused) / self._opened.rate
            elif stamp is not None:
                moment = stamp * base
            elif last is None:
                continue
            else:
                moment = last + step
            if last is None or moment > last:
                last, step = moment, moment - last if last is not None else 0.0
            yield moment, stamp, frame

    def _decoded(self):
        """Yields all that the decoder hands out; packets that it refuses are left out."""
        opened = self._opened
        for packet in itertools.chain(_packets(opened, opened.stream), [None]):  # The last has it hand out all.
            worker.allow()
            if self._tells and packet is not None and not packet.is_discard:
                self._expect(_stamp(opened, packet))
            try:
                shown = opened.stream.codec_context.decode(packet)
            except MemoryError:
                raise
            except av.FFmpegError:
                self._refused += 1
                self.lost += not self._tells
                continue
            yield from shown

    def _expect(self, stamp):
        if stamp is not None:
            self._expected.add(stamp)
            self._first = min(stamp, self._first if self._first is not None else stamp)

    def _begin(self, moment):
        """Has no frames count as lost that come shortly before the first that stands by itself: cuts leave some."""
        lead = moment - float(self._first * self._opened.stream.time_base) if self._first is not None else 0.0
        if lead > video.LONGEST_GAP:
            self.lead = lead
        else:
            self.lost = 0

    def _is_whole(self, frame, stamp, is_late):
        """Returns whether a frame is shown; counts those that should have come before it."""
        if frame.interlaced_frame:  # Of which each field may have a packet.
            self._tells, self._expected = False, set()
        missing = {one for one in self._expected if stamp is not None and one < stamp}
        is_new = not self._tells or stamp in self._expected
        self._expected -= missing | {stamp}
        self._late = is_late + (0 if frame.key_frame else self._late)
        is_whole = not is_late and self._late < _MIXED
        self.lost += len(missing) + (is_new and not is_whole)
        return is_whole


def _stamp(opened, packet_or_frame):
    """Returns the time in ticks, or of AVI files, which hold no other, the place in the order of decoding."""
    return packet_or_frame.dts if opened.container.format.name == "avi" else packet_or_frame.pts


def _times_of_packets(opened, origin):
    """Returns the `_Times` that packets tell without being decoded; None where they do not tell them alone."""
    stream, base = opened.stream, float(opened.stream.time_base)
    if opened.rate or stream.codec_context.name not in _ONE_EACH:
        return None
    shown, keys, end, total = [], [], 0.0, 0
    for packet in _packets(opened, *opened.container.streams.video, *opened.container.streams.audio):
        worker.allow()
        stamp = _stamp(opened, packet)
        if stamp is not None:
            end = max(end, float((stamp + (packet.duration or 0)) * packet.time_base))
        if packet.stream_index == stream.index:
            total += packet.size
            if stamp is None:
                return None
            if not packet.is_discard:
                shown.append(stamp * base)
                keys.append(packet.is_keyframe)
    shown, order = np.unique(_without_strays(np.array(shown)), return_index=True)
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
    stream, size = opened.stream, os.path.getsize(opened.path)  # noqa: PTH202
    if opened.container.format.name != "avi" or stream.codec_context.name != "rawvideo":
        return None
    entries = list(stream.index_entries)
    held = [entry for entry in entries if entry.size and entry.pos + entry.size <= size]
    if len(entries) != stream.frames or not held:
        return None
    times = np.array([entry.timestamp for entry in held]) * float(stream.time_base)
    size = sum(entry.size for entry in held)
    return _Times(times, times, times[-1] + float(stream.time_base), size, np.zeros(len(held) - 1, bool))


def _times_of_frames(path, rate):
    with _opened(path, rate) as opened:
        decoder = _Decoder(opened)
        frames = [(moment, frame.key_frame, decoder.lost) for moment, frame in decoder.timed()]
    shown, is_key, lost = np.array(frames).reshape(-1, 3).T
    end = 2 * shown[-1] - shown[-2] if len(shown) > 1 else 0.0
    return _Times(shown, shown[is_key > 0], end, os.path.getsize(path), np.diff(lost) > 0)  # noqa: PTH202


def _notes(opened, times):
    """Returns sentences on what the file states and does not hold."""
    stream, container = opened.stream, opened.container
    if opened.rate:
        return [f"The file holds no times: its frames are taken as {opened.rate:.4g} a second."]
    begin = float((stream.start_time or 0) * stream.time_base)
    stated = float(stream.duration * stream.time_base) if stream.duration else None
    if stated is None and container.duration:
        stated, begin = container.duration / av.time_base, (container.start_time or 0) / av.time_base
    seconds = times.end - begin
    if stated and seconds < stated - max(0.5, 0.05 * stated):
        return [f"The file states {stated:.2f} s and holds {seconds:.2f} s: the rest is missing or damaged."]
    return []


def _shape_shown(frame):
    """Returns height and width after the rotation that the file asks for."""
    return (frame.width, frame.height) if _turns(frame) % 2 else (frame.height, frame.width)


def _turns(frame):
    """Returns quarter turns, counterclockwise, from a frame as stored to how it is shown."""
    return round(frame.rotation / 90) % 4


def _small(path, scaler, frame, shape, box):
    """Returns a frame as shown, or a box in it, `(*shape, 3)` uint8 RGB by area averaging."""
    turns = _turns(frame)
    try:
        if box is not None or frame.interlaced_frame:  # Lines of both fields are averaged like those of one.
            frame = frame.reformat(format="rgb24", interpolation=_AREA)
            picture = np.rot90(frame.to_ndarray(), turns)
            left, top, width, height = box or (0, 0, picture.shape[1], picture.shape[0])
            part = np.ascontiguousarray(picture[top : top + height, left : left + width])
            frame, turns = av.VideoFrame.from_ndarray(part, "rgb24"), 0
        height, width = shape[::-1] if turns % 2 else shape
        small = scaler.reformat(frame, width, height, "rgb24", interpolation=_AREA, threads=1)
    except MemoryError:
        raise
    except (av.FFmpegError, ValueError) as error:
        raise unreadable(path, f"a frame of {frame.format.name} pixels that cannot be converted") from error
    return np.rot90(small.to_ndarray(), turns) if turns else small.to_ndarray()


def unreadable(path, found):
    """Returns the error of a video in which that was found."""
    return RawDataError(path, found, VIDEO, _AGAIN)
