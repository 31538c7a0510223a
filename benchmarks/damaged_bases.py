"""Sound recordings of which it is known how often something repeats, small and of every format, to be damaged."""

import dataclasses
import fractions
import io
import pathlib
import struct

import av
import numpy as np

RATE = 25.0  # Frames or samples a second, of what does not say, too.
SECONDS = 8.0
# Ending -> encoder, pixels, options, of the videos.
VIDEOS = {
    ".mp4": ("libx264", "yuv420p", {"preset": "veryfast"}),
    ".mkv": ("libx264", "yuv420p", {"preset": "ultrafast"}),
    ".avi": ("mpeg4", "yuv420p", {}),
    ".mov": ("mjpeg", "yuvj420p", {}),
    ".webm": ("libvpx", "yuv420p", {"deadline": "realtime", "cpu-used": "8"}),
    ".ts": ("mpeg2video", "yuv420p", {}),
}


@dataclasses.dataclass(frozen=True)
class Base:
    """A sound recording.

    Attributes:
        ending: Of its name.
        content: Its bytes.
        truth: Hz at which something repeats in it.
    """

    ending: str
    content: bytes
    truth: float


def bases(folder: pathlib.Path) -> list[Base]:
    """Returns a recording of every format; the videos pass through a folder."""
    found = [Base(ending, video(folder / f"base{ending}", 1.2), 1.2) for ending in VIDEOS]
    found.append(Base(".csv", table(0.7).encode(), 0.7))
    found.append(Base(".wav", wav(100, swing(0.9, 100)), 0.9))
    found.append(Base(".wav", wav(8000, claps(1.1, 8000)), 1.1))
    found.append(Base(".npy", npy(swing(0.8, RATE)), 0.8))
    found.append(Base(".npy", npy(np.stack(list(frames(1.3, times(), 20, 28)))[..., 0]), 1.3))
    return found


def times(rate: float = RATE) -> np.ndarray:
    """Returns the times of samples in seconds, over `SECONDS`."""
    return np.arange(round(SECONDS * rate)) / rate


def frames(frequency: float, moments: np.ndarray, height: int = 48, width: int = 64):
    """Yields `(H, W, 3)` uint8 frames in which a patch goes from side to side before a pattern."""
    random = np.random.default_rng(7)
    behind = random.integers(60, 120, (height, width, 3), np.uint8)
    size, middle = height // 3, (width - height // 3) / 2
    patch = random.integers(150, 250, (size, size, 3), np.uint8)
    for moment in moments:
        left = round(middle + 0.7 * middle * np.sin(2 * np.pi * frequency * moment))
        frame = behind.copy()
        frame[size : 2 * size, left : left + size] = patch
        yield frame


def video(path: pathlib.Path, frequency: float, moments=None, size=(48, 64), codec=None) -> bytes:
    """Writes a video of `frames` at some times, and returns its bytes."""
    moments = times() if moments is None else moments
    codec, pixels, options = codec or VIDEOS[path.suffix]
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=round(RATE), options=options)
        stream.height, stream.width, stream.pix_fmt = *size, pixels
        # Other containers have a constant rate.
        tick = fractions.Fraction(1, 1000 if path.suffix in (".mp4", ".mkv") else round(RATE))
        stream.codec_context.time_base = tick
        container.start_encoding()  # Also where no frame comes.
        for moment, pixels_ in zip(moments, frames(frequency, moments, *size), strict=True):
            frame = av.VideoFrame.from_ndarray(pixels_, "rgb24")
            frame.pts = round(moment / tick)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path.read_bytes()


def swing(frequency: float, rate: float) -> np.ndarray:
    """Returns a sine at so many samples per second."""
    return np.sin(2 * np.pi * frequency * times(rate))


def claps(frequency: float, rate: int) -> np.ndarray:
    """Returns a tone that gets loud at a frequency, from -1 to 1."""
    return (0.55 + 0.45 * swing(frequency, rate)) * np.sin(2 * np.pi * 440 * times(rate))


def table(frequency: float, mark: str = ",", end: str = "\n") -> str:
    """Returns a sine as text of two columns, with what parts them and ends a line."""
    rows = [f"{time:.3f}{mark}{np.sin(2 * np.pi * frequency * time):.4f}" for time in times(50.0)]
    return end.join([f"time{mark}chest", *rows, ""])


def npy(array: np.ndarray) -> bytes:
    """Returns the bytes of an npy file."""
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def wav(rate: int, values: np.ndarray, bits: int = 16, form: int = 1, extended: bool = False, lies=()) -> bytes:
    """Returns a wav file.

    Args:
        rate: Samples a second.
        values: `(T,)` or `(T, C)` from -1 to 1.
        bits: Of a sample.
        form: 1 for integers, 3 for floats.
        extended: Whether the header is of the extensible kind.
        lies: Pairs of what the header says in place of the truth, of `form`, `rate`, `channels`, `align`, `speed`,
            `bits`, `riff` or `data`.
    """
    values = np.reshape(values, (len(values), -1))
    data = _samples(values, bits, form)
    channels, align = values.shape[1], values.shape[1] * bits // 8
    told = {"form": form, "channels": channels, "rate": rate, "speed": rate * align, "align": align, "bits": bits}
    told |= {"data": len(data)} | dict(lies)
    head = [told[name] % 2**size for name, size in
            (("form", 16), ("channels", 16), ("rate", 32), ("speed", 32), ("align", 16), ("bits", 16))]  # fmt: skip
    if extended:
        head[0] = 0xFFFE
    chunk = struct.pack("<HHIIHH", *head)
    if extended:
        chunk += struct.pack("<HHIH", 22, bits, 0, form) + bytes.fromhex("000000001000800000aa00389b71")
    note = b"bext" + struct.pack("<I", 4) + b"made"  # As recorders write.
    body = b"WAVE" + note + b"fmt " + struct.pack("<I", len(chunk)) + chunk
    body += b"data" + struct.pack("<I", told["data"] % 2**32) + data
    return b"RIFF" + struct.pack("<I", told.get("riff", len(body)) % 2**32) + body


def _samples(values, bits, form):
    if form == 3:
        return values.astype(f"<f{bits // 8}").tobytes()
    if bits == 8:
        return np.round(127 * values + 128).astype(np.uint8).tobytes()
    whole = np.round(values * (2 ** (bits - 1) - 1)).astype("<i4")
    return whole[..., None].view(np.uint8)[..., : bits // 8].tobytes()
