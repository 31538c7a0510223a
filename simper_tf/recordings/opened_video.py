"""Video files opened by FFmpeg.

It gets an open file and no name, may open nothing else, and reads only formats that hold pictures themselves.
"""

import contextlib
import os
import pathlib
from typing import NamedTuple

import av

from simper_tf.recordings import video
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError

VIDEO = "a complete video file that FFmpeg decodes"
_AGAIN = "Fetch it again, or leave it out."
_LISTEN = "Convert it to WAV, of which the loudness is read."
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
# Packets that come with an error, before the rest is given up.
_MOST_ERRORS = 100
# Of a whole video, and for each byte of its file where there are more: a still picture for hours has less.
_MOST_PIXELS, _MOST_PIXELS_A_BYTE = 2**33, 2**16
# Bytes of a GIF, of which FFmpeg keeps all up to the end of a frame.
_LARGEST_GIF = 2**30
_MOST_FRAMES = 10**7  # Some days.
# After so many seconds clocks of MPEG start at 0 again, and files cut from a broadcast may state one turn too many.
_CLOCK_SECONDS = 2**33 / 90_000


class Opened(NamedTuple):
    """An open file: its container, the stream of pictures, and how fast frames without times come, if they do."""

    path: str
    container: av.container.InputContainer
    stream: av.video.stream.VideoStream
    rate: float | None


@contextlib.contextmanager
def open_file(path, rate, at_once=0):
    """Yields the `Opened` of a file, for the time of a block.

    Args:
        path: The file.
        rate: Frames per second of a stream without times that states none; None refuses it.
        at_once: Frames that are known to have one time, which is none; else 0.

    Raises:
        RawDataError: it is no video, or states more than it can hold.
    """
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
                if container.streams.audio:
                    raise RawDataError(path, "sound alone", VIDEO, _LISTEN)
                raise RawDataError(path, "no pictures in it", VIDEO, _CONVERT)
            if stream.codec_context is None:
                raise RawDataError(path, "pictures of a codec that nobody knows", VIDEO, _CONVERT)
            if not (stream.height and stream.width):
                raise unreadable(path, "a header of no pixels, or of far more than a picture has")
            raw_files.refuse_huge(path, stream.height, stream.width, _AGAIN)
            _refuse_endless(path, container, stream)
            # One frame after the other: threads race for damaged ones, and hide the damage another way each time.
            stream.thread_type = "NONE"
            stream.codec_context.options = {"max_pixels": _OPTIONS["max_pixels"]}
            yield Opened(path, container, stream, _rate_of_timeless(path, container, stream, rate, at_once))


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
    pixels, size = count * stream.width * stream.height, pathlib.Path(path).stat().st_size
    if pixels > max(_MOST_PIXELS, _MOST_PIXELS_A_BYTE * size) or count > _MOST_FRAMES:
        found = f"a header of {count:,.0f} frames of {stream.width} x {stream.height} pixels in {size:,} bytes"
        raise RawDataError(path, found, "no more than so few bytes can hold", _AGAIN)


def _rate_of_timeless(path, container, stream, rate, at_once):
    """Returns frames per second of a stream without times; None where frames have theirs."""
    form = container.format.name
    if form not in _TIMELESS and not at_once:
        return None
    is_stating = form in _TIMELESS and form != "h263"  # Whose clock says nothing.
    stated = float(stream.guessed_rate or 0) if is_stating else 0.0
    if rate or (0 < stated <= video.MAX_RATE and stated != float(_UNSTATED)):
        return rate or stated
    expected = "a video that holds the times of its frames"
    action = "Name the rate at which they were recorded, such as `rate=30`."
    found = f"{at_once} frames that all have one time" if at_once else "frames without times"
    raise RawDataError(path, found, expected, action)


def packets(opened: Opened, *streams):
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


def unreadable(path, found):
    """Returns the error of a video in which that was found."""
    return RawDataError(path, found, VIDEO, _AGAIN)
