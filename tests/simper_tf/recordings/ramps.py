"""Videos whose frames tell by their level which one they are, written and read."""

import fractions

import av
import numpy as np

from benchmarks import scheduling
from simper_tf.recordings import video

SHAPE = 48, 64
EVEN = np.arange(50) / 25
# 20 frames per second for a second, then 40 for half a second.
VARYING = np.concatenate([np.arange(20) / 20, 1 + np.arange(20) / 40])
CLOCK = fractions.Fraction(1, 12_800)


def ramp(number, shape=SHAPE):
    """Returns frames of which number k has the level 20 + 4 k, so that a frame read tells which one it is."""
    return (np.full((*shape, 3), 20 + 4 * k, np.uint8) for k in range(number))


def grainy(number, shape=SHAPE):
    """Returns a `ramp` whose frames take some kilobytes each, as those of camcorders do."""
    grain = np.random.default_rng(0).integers(-15, 16, (number, *shape, 3))
    return ((one + part).clip(0, 255).astype(np.uint8) for one, part in zip(ramp(number, shape), grain, strict=True))


def noise(number, shape=SHAPE):
    return np.random.default_rng(0).integers(0, 256, (number, *shape, 3), np.uint8)


def write(path, pictures, times=None, codec="libx264", pixels="yuv420p", rate=25, form=None, options=None, **files):
    """Writes pictures at some times; of those containers that hold none, or a constant rate, at that rate.

    Args:
        files: `sound`, seconds of silence beside the pictures; `last`, seconds that the last one stays; or options of
            the container.
    """
    sound, last, pictures = files.pop("sound", 0), files.pop("last", None), list(pictures)
    with scheduling.kept(), av.open(str(path), "w", format=form, options=files) as container:
        stream = container.add_stream(codec, rate=rate, options=options or {})
        heard = container.add_stream("mp2", rate=44100, layout="mono") if sound else None
        stream.height, stream.width, stream.pix_fmt = *pictures[0].shape[:2], pixels
        if times is not None:
            stream.codec_context.time_base = CLOCK
        packets = []
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, "rgb24")
            if times is not None:
                frame.pts, frame.time_base = round(times[number] / CLOCK), CLOCK
            packets += stream.encode(frame)
        packets += stream.encode()
        if last is not None:
            packets[-1].duration = round(last / packets[-1].time_base)
        container.mux(packets)
        for start in range(0, int(44100 * sound), 1152):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1152), np.int16), "s16", "mono")
            frame.sample_rate, frame.pts, frame.time_base = 44100, start, fractions.Fraction(1, 44100)
            container.mux(heard.encode(frame))
    return path


def numbers(frames):
    """Returns which frames of a `ramp` some are."""
    return np.round((np.mean(frames, axis=(1, 2, 3)) - 20) / 4).astype(int)


def read(path, *words, **named):
    times, frames = zip(*video.decoded(path, *words, **{"shape": (12, 16)} | named), strict=True)
    return np.array(times), np.stack(frames)
