"""The program that decodes videos for another one, which it cannot take down with it; `apart` starts it.

It reads a request a line, as JSON, and answers with messages: a letter, the length of what follows, and that. `FRAME`
is a time in seconds and pixels; `END` a result, `REFUSED` what is wrong with the file, `DEFECT` a traceback, as JSON.
"""

import json
import os
import resource
import signal
import struct
import sys
import traceback

import cv2

from simper_tf.recordings import captures, mp4
from simper_tf.recordings.errors import RawDataError

HEAD, TIME = struct.Struct("<cI"), struct.Struct("<d")
READY, FRAME, END, REFUSED, DEFECT = b"r", b"f", b"e", b"x", b"d"
# Seconds until the next frame after which a decoder goes in a circle; one of 8K takes about one.
PATIENCE = 60
# Bytes of addresses: 8K video takes half of them, and what a damaged header asks for has no end.
MEMORY = 6 * 2**30
# What the libraries read from the environment of this program: files alone, and of these none that name others or hold
# frames without times.
ENVIRONMENT = {
    "OPENCV_FFMPEG_CAPTURE_OPTIONS": "protocol_whitelist;file|format_whitelist;3gp,apng,asf,av1,avi,dv,flv,gif,h264,"
    "hevc,ivf,m4v,matroska,mov,mp4,mpeg,mpegts,mpegvideo,mxf,nut,ogg,rm,smjpeg,webm,wtv,yuv4mpegpipe",
    "OPENCV_FFMPEG_LOGLEVEL": "-8",
    "OPENCV_LOG_LEVEL": "SILENT",
    "MALLOC_ARENA_MAX": "2",  # Each thread's would take addresses.
    "OPENBLAS_NUM_THREADS": "1",
}


def main(number):
    """Answers requests until there are no more, into a file descriptor: what others print does not get into it."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # Both survive from a program that does otherwise.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    _limit(resource.RLIMIT_AS, MEMORY)
    _limit(resource.RLIMIT_CORE, 0)
    out = os.fdopen(number, "wb")
    _tell(out, READY)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Native libraries print what they like.
    for line in sys.stdin:
        _answer(out, **json.loads(line))


def _limit(what, most):
    """Lowers a limit to `most`; one that is lower stays."""
    soft, hard = resource.getrlimit(what)
    known = [each for each in (soft, hard, most) if each != resource.RLIM_INFINITY]
    resource.setrlimit(what, (min(known), hard))


def _answer(out, path, interval):
    try:
        _alive()
        if interval is None:
            _tell(out, END, mp4.probe(path, heard=_alive))
        else:
            start, end, shape, box = interval
            for moment, frame in mp4.decoded(path, start, end, tuple(shape), box, _alive):
                _send(out, FRAME, TIME.pack(moment), frame)
                _alive()
            _tell(out, END)
    except RawDataError as error:
        _tell(out, REFUSED, (error.found, error.expected, error.action))
    except MemoryError:
        memory, _ = resource.getrlimit(resource.RLIMIT_AS)
        _tell(out, REFUSED, (f"a frame for which {memory / 2**30:.3g} GiB are not enough", *captures.REMEDY))
    except cv2.error as error:
        _tell(out, REFUSED, (f"decoding failed: {error}", *captures.REMEDY))
    except BrokenPipeError:  # Nobody wants the rest.
        os._exit(0)
    except Exception:
        _tell(out, DEFECT, traceback.format_exc())


def _alive():
    """Has the system end this program unless this is called again in time: what is native listens to nothing else."""
    signal.alarm(PATIENCE)


def _tell(out, letter, content=None):
    _send(out, letter, json.dumps(content).encode())


def _send(out, letter, *parts):
    signal.alarm(0)  # Whoever reads may take his time.
    out.write(HEAD.pack(letter, sum(memoryview(part).nbytes for part in parts)))
    for part in parts:
        out.write(part)
    out.flush()
