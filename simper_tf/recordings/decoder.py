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
# What the libraries read from the environment of this program: files alone, and of these none that name others.
ENVIRONMENT = {
    "OPENCV_FFMPEG_CAPTURE_OPTIONS": "protocol_whitelist;file|format_whitelist;3gp,apng,asf,av1,avi,dv,flv,gif,h263,"
    "h264,hevc,ivf,m4v,matroska,mjpeg,mov,mp4,mpeg,mpegts,mpegvideo,mpjpeg,mxf,nut,obu,ogg,rm,smjpeg,webm,wtv,yuv4mpegpipe",
    "OPENCV_FFMPEG_LOGLEVEL": "-8",
    "OPENCV_LOG_LEVEL": "SILENT",
    "MALLOC_ARENA_MAX": "2",  # Each thread's would take addresses.
    "OPENBLAS_NUM_THREADS": "1",
}


def main():
    """Answers requests until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that asks.
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    out = os.fdopen(os.dup(1), "wb")
    _tell(out, READY)
    for shown in (1, 2):  # Native libraries print what they like.
        os.dup2(os.open(os.devnull, os.O_WRONLY), shown)
    for line in sys.stdin:
        _answer(out, **json.loads(line))


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
        _tell(out, REFUSED, (f"a frame for which {MEMORY / 2**30:g} GiB are not enough", *captures.REMEDY))
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
