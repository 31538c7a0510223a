"""Videos that are damaged, odd, or ask for what no file should have."""

import io
import pathlib
import struct
import zlib

import av
import cv2
import numpy as np

from benchmarks import damaged_bases as base

_TABLES = (b"stts", b"ctts", b"stsz", b"stsc", b"stco", b"elst", b"mdhd", b"mvhd", b"tkhd", b"stsd", b"stss")
_HUGE = (0xFFFFFFFF, 0xFFFFFFF0, 0x7FFFFFFF, 0x10000000)


def huge_box(random, whole):
    """Returns an mp4 file a box of which states a huge size."""
    content = bytearray(whole[".mp4"])
    name = [b"ftyp", b"moov", b"trak", b"mdia", b"stbl", b"mdat", *_TABLES][random.integers(17)]
    place = content.find(name)
    if place >= 4:
        struct.pack_into(">I", content, place - 4, int(random.choice(_HUGE)))
    return bytes(content)


def damaged_table_of_an_mp4(random, whole):
    """Returns an mp4 file in one of whose tables numbers are others, or very many are stated."""
    content = bytearray(whole[".mp4"])
    place = content.find(_TABLES[random.integers(len(_TABLES))])
    if place >= 4:
        (size,) = struct.unpack_from(">I", content, place - 4)
        where = place + 4 + 4 * int(random.integers(1, max(size // 4 - 2, 2)))
        struct.pack_into(">I", content, where, int(random.choice([0, 1, 2**31, 2**32 - 1, random.integers(2**32)])))
    return bytes(content)


def huge_chunk(random, whole):
    """Returns an avi or a Matroska file one of whose chunks states a huge size."""
    ending = str(random.choice([".avi", ".mkv"]))
    content = bytearray(whole[ending])
    names = (b"RIFF", b"LIST", b"avih", b"strh", b"strf", b"movi", b"idx1", b"00dc")
    if ending == ".avi":
        struct.pack_into("<I", content, content.find(names[random.integers(8)]) + 4, int(random.choice(_HUGE)))
    else:  # Sizes of EBML are of any length: one of eight bytes, anywhere in the first elements.
        place = int(random.integers(4, 600))
        content[place : place + 8] = b"\x01" + b"\xff" * int(random.integers(1, 8))
    return bytes(content)


def huge_picture(random, whole):
    """Returns a picture or a video of tiny size that states very many pixels."""
    side = int(random.choice([30000, 65000, 65535]))
    how = random.integers(3)
    if how == 0:
        head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
        chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(10**6))), (b"IEND", b"")]
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
            for name, data in chunks
        )
    if how == 1:
        return b"GIF89a" + struct.pack("<HH", side, side) + b"\xf0\0\0" + bytes(6) + b"," + bytes(9) + b"\x02\0;"
    content = bytearray(whole[".mov"])
    place = content.find(b"\xff\xc0")  # The header of a frame of motion JPEG: height and width follow.
    while place > 0:
        struct.pack_into(">HH", content, place + 5, side, side)
        place = content.find(b"\xff\xc0", place + 2)
    return bytes(content)


def without_frames(random, folder, ending):
    """Returns a video file of a stream of nothing, or of one frame."""
    path = folder / f"few{ending}"
    return base.video(path, 1.2, base.times()[: int(random.integers(0, 2))])


def of_varying_rate(random, folder):
    """Returns a video whose frames come at irregular times, and where something repeats at 1.2 Hz."""
    steps = random.choice([0.02, 0.04, 0.06, 0.12], 400)
    moments = np.concatenate([[0], np.cumsum(steps)])
    path = folder / f"varying{random.choice(['.mp4', '.mkv'])}"
    return path.suffix, base.video(path, 1.2, moments[moments < base.SECONDS])


def of_8k(folder):
    """Returns a video of 7680 x 4320 pixels in which something repeats at 1 Hz."""
    moments = np.arange(24) / 4  # No more than the slowest repetitions need: each frame takes a second to write.
    codec = "libx264", "yuv420p", {"preset": "ultrafast", "crf": "40"}
    return base.video(folder / "8k.mp4", 1.0, moments, (4320, 7680), codec)


def of_two_sizes(random, folder):
    """Returns a transport stream whose pictures change their size halfway, with 1.2 Hz in both parts."""
    parts = [base.video(folder / "part.ts", 1.2, size=size) for size in ((48, 64), (72, 96))]
    return b"".join(parts if random.random() < 0.5 else parts[::-1])


def playlist(random, neighbor: pathlib.Path):
    """Returns a text that FFmpeg would take for a list of other files, or of addresses."""
    return [
        f"ffconcat version 1.0\nfile {neighbor.name}\n",
        f"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{neighbor}\n#EXT-X-ENDLIST\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:9/x.ts\n#EXT-X-ENDLIST\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"
        "a=rtpmap:96 H264/90000\n",
        f'<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>{neighbor}</BaseURL></MPD>',
        f"[playlist]\nFile1={neighbor}\n",
        f"RTSPtext\nrtsptext\nref1=http://127.0.0.1:9/\n{neighbor}",
    ][random.integers(7)].encode()


def other_media(random):
    """Returns a file of another kind: a picture, sound in a video's container, a document."""
    return [
        lambda: _picture(".jpg"),
        lambda: _picture(".png"),
        lambda: _sound("aac", "mp4"),
        lambda: _sound("flac", "flac"),
        lambda: _sound("mp2", "mpegts"),
        lambda: b"%PDF-1.7\n" + random.bytes(3000),
        lambda: b"PK\x03\x04" + random.bytes(3000),
        lambda: b"<html><body>404 Not Found</body></html>",
        lambda: b"\x7fELF" + random.bytes(3000),
        lambda: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n",
    ][random.integers(10)]()


def _picture(ending):
    (frame,) = base.frames(1.2, [0.0])
    return cv2.imencode(ending, frame)[1].tobytes()


def _sound(codec, form):
    out = io.BytesIO()
    with av.open(out, "w", format=form) as container:
        stream = container.add_stream(codec, rate=44100, layout="mono")
        samples = np.int16(9000 * base.claps(1.1, 44100))[None]
        frame = av.AudioFrame.from_ndarray(samples, "s16", "mono")
        frame.sample_rate = 44100
        encoder = stream.codec_context
        resampler = av.AudioResampler(encoder.format, "mono", 44100, encoder.frame_size or 1024)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode())
    return out.getvalue()
