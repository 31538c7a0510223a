"""Damaged, odd and hostile files, and sound ones beside them: all that is random follows from a seed."""

import fractions
import gzip
import io
import json
import struct
import zipfile

import av
import h5py
import numpy as np
import pandas as pd
import scipy.io
import scipy.io.wavfile
from astropy.io import fits

from benchmarks import made_formats, scheduling

RATE, SECONDS = 25.0, 8.0  # Of all that is made here.
# Rows of the table. Its times say RATE too: a rate that is told counts more than times, and must not change the truth.
_ROWS = 400
VIDEOS = {  # Ending -> encoder, pixels.
    ".mp4": ("libx264", "yuv420p"), ".mkv": ("ffv1", "yuv420p"), ".avi": ("mpeg4", "yuv420p"),
    ".mov": ("mjpeg", "yuvj420p"), ".webm": ("libvpx", "yuv420p"), ".ts": ("mpeg2video", "yuv420p"),
    ".gif": ("gif", "rgb8"),
}  # fmt: skip
_HEADERS = (  # What headers of arrays say that no array of numbers is.
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-5, 4), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (200,), }",
    "__import__('os').mkdir('never')",
)
_LISTS = (
    "ffconcat version 1.0\nfile {}\n",
    "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{}\n#EXT-X-ENDLIST\n",
    "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:9/x.ts\n#EXT-X-ENDLIST\n",
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>{}</BaseURL></MPD>',
)
_SHEET = {  # Parts of the smallest workbook, of which the last is followed by rows.
    "[Content_Types].xml": '<Types xmlns="{}package/2006/content-types"/>',
    "_rels/.rels": '<Relationships xmlns="{0}package/2006/relationships"><Relationship Id="a" Target="xl/workbook.xml" '
                   'Type="{0}officeDocument/2006/relationships/officeDocument"/></Relationships>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="{0}package/2006/relationships"><Relationship Id="b" Target='
                                  '"a.xml" Type="{0}officeDocument/2006/relationships/worksheet"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="{0}spreadsheetml/2006/main" xmlns:r="{0}officeDocument/2006/relationships">'
                       '<sheets><sheet name="a" sheetId="1" r:id="b"/></sheets></workbook>',
    "xl/a.xml": '<worksheet xmlns="{}spreadsheetml/2006/main"><sheetData>',
}  # fmt: skip
_SECRET = 2.3  # Hz of what other files hold, which no file may answer with.


def moments(rate=RATE):
    return np.arange(round(SECONDS * rate)) / rate


def swing(hertz, rate=RATE):
    return np.sin(2 * np.pi * hertz * moments(rate))


def frames(hertz, times):
    """Yields `(48, 64, 3)` uint8 frames in which a patch goes from side to side before a pattern."""
    random = np.random.default_rng(7)
    behind, patch = random.integers(60, 120, (48, 64, 3), np.uint8), random.integers(150, 250, (16, 16, 3), np.uint8)
    for moment in times:
        left, frame = round(24 + 16 * np.sin(2 * np.pi * hertz * moment)), behind.copy()
        frame[16:32, left : left + 16] = patch
        yield frame


def video(path, hertz, times=None, codec=None, options=None):
    """Writes a video of `frames` at some times, and returns its bytes."""
    times = moments() if times is None else times
    codec, pixels = (codec, "yuv420p") if codec else VIDEOS[path.suffix]
    tick = fractions.Fraction(1, 1000 if path.suffix in (".mp4", ".mkv") else round(RATE))
    bitexact = {"fflags": "+bitexact"}  # Else Matroska has an identity.
    with scheduling.kept(), av.open(str(path), "w", options=bitexact) as container:
        stream = container.add_stream(codec, rate=round(RATE), options=options or {})
        stream.height, stream.width, stream.pix_fmt, stream.codec_context.time_base = 48, 64, pixels, tick
        for moment, picture in zip(times, frames(hertz, times), strict=True):
            frame = av.VideoFrame.from_ndarray(picture, "rgb24")
            frame.pts = round(moment / tick)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path.read_bytes()


def table():
    rows = [f"{moment:.3f},{np.sin(2 * np.pi * 0.7 * moment):.4f}" for moment in np.arange(_ROWS) / RATE]
    return "\n".join(["time,chest", *rows, ""])


def npy(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def wav(rate, values):
    out = io.BytesIO()
    scipy.io.wavfile.write(out, rate, np.int16(9000 * values))
    return out.getvalue()


def sheet():
    """Returns a workbook of `table`."""
    names, *rows = (line.split(",") for line in table().split())
    lines = [[f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in names]]
    lines += [[f"<c><v>{value}</v></c>" for value in row] for row in rows]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in _SHEET.items():
            filled = "".join(f"<row>{''.join(line)}</row>" for line in lines) + "</sheetData></worksheet>"
            text = text.format("http://schemas.openxmlformats.org/") + filled * (name == "xl/a.xml")
            file.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)  # Of 1980, whenever it is made.
    return out.getvalue()


class Trap:
    """What, once unpickled, leaves a file behind."""

    def __init__(self, path):
        self._path = path

    def __reduce__(self):
        return open, (str(self._path), "w")


def sound_files(folder):
    """Yields ending, content and truth of recordings in which something repeats."""
    for ending in VIDEOS:
        yield ending, video(folder / f"base{ending}", 1.2), 1.2
    clap = np.sin(2 * np.pi * 440 * moments(8000)) * (0.55 + 0.45 * swing(1.1, 8000))
    yield from ((".csv", table().encode(), 0.7), (".npy", npy(swing(0.8)), 0.8), (".wav", wav(8000, clap), 1.1))
    frame = pd.read_csv(io.StringIO(table()))
    yield from ((".xlsx", sheet(), 0.7), (".parquet", frame.to_parquet(), 0.7))
    yield ".json", json.dumps(frame.to_dict("list")).encode(), 0.7
    yield from ((".wav", wav(100, swing(0.9, 100)), 0.9), (".npy", npy(np.stack([*frames(1.3, moments())])), 1.3))
    yield from packed_files(folder)
    # Their wave has 20 samples a period, of which RATE are a second: whoever is told a rate believes it.
    for ending in ("xdf", "fit", "acq", "gpx", "tcx"):
        content = getattr(made_formats, ending)()
        yield f".{ending}", content.encode() if isinstance(content, str) else content, RATE / 20


def packed_files(folder):
    """Yields ending, content and truth of files that hold others, or arrays by name, or a line a sample."""
    rows = [line.split(",") for line in table().split()[1:]]
    yield ".jsonl", "\n".join(json.dumps({"time": float(a), "chest": float(b)}) for a, b in rows).encode(), 0.7
    yield ".lp", "\n".join(f"m,who=a chest={b} {round(1e9 * float(a)) + 10**18}" for a, b in rows).encode(), 0.7
    yield ".csv.gz", gzip.compress(table().encode(), mtime=0), 0.7
    packed, arrays = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(zipfile.ZipInfo("a.csv"), table(), zipfile.ZIP_DEFLATED)
    np.savez_compressed(arrays, ecg=swing(0.8), marks=np.arange(3))
    yield from ((".zip", packed.getvalue(), 0.7), (".npz", arrays.getvalue(), 0.8))
    days = fits.Column("TIME", "D", "d", array=2459000.5 + moments() / 86400)
    light = fits.Column("FLUX", "D", array=100 + swing(0.7))
    fits.BinTableHDU.from_columns([days, light]).writeto(folder / "star.fits", overwrite=True)
    yield ".fits", (folder / "star.fits").read_bytes(), 0.7
    with h5py.File(folder / "held.h5", "w") as file:
        file.create_dataset("ecg", data=swing(0.8)).attrs["rate"] = RATE
    yield ".h5", (folder / "held.h5").read_bytes(), 0.8


def elsewhere(path):
    """Writes an HDF5 file whose values are in another one, in some way, and returns its bytes."""
    secret = path.with_name("secret.h5")
    with h5py.File(secret, "w") as file:
        file["x"] = swing(_SECRET)
    for kind in ("virtual", "external", "link"):
        with h5py.File(path, "w") as file:
            if kind == "virtual":
                layout = h5py.VirtualLayout((200,), "f8")
                layout[:] = h5py.VirtualSource(str(secret), "x", (200,))
                file.create_virtual_dataset("v", layout)
            elif kind == "external":
                file.create_dataset("v", (200,), "f8", external=[(str(secret), 2048, 1600)])
            else:
                file["v"] = h5py.ExternalLink(str(secret), "x")
        yield path.read_bytes()


def swollen(folder):
    """Yields ending and content of small files that would fill the memory, or take no end of work."""
    with h5py.File(folder / "sum.mat", "w") as file:
        for number in range(10):
            file.create_dataset(f"x{number}", (2**26 - 1,), "f8", chunks=(2**20,), fillvalue=1.0)
    yield ".mat", (folder / "sum.mat").read_bytes()
    scipy.io.savemat(folder / "a.mat", {"x": swing(0.8)})
    cell = b"\6\0\0\0\x08\0\0\0\1" + bytes(7) + b"\5\0\0\0\x08\0\0\0\1\0\0\0\1\0\0\0\1" + bytes(7)
    cells = [b"\x0e\0\0\0" + (56 * depth - 8).to_bytes(4, "little") + cell for depth in range(20_000, 0, -1)]
    yield ".mat", (folder / "a.mat").read_bytes()[:128] + b"".join(cells)
    yield ".json", json.dumps([{f"k{k}": k} for k in range(20_000)]).encode()
    yield ".tif", tif(3000, 5000)
    yield ".json", b"[" * 200_000
    yield ".edf", edf(0, 1)
    yield ".edf", edf(1, 0)
    yield ".hea", b"file 0 100 800\n"
    extremes = np.array([-(2**62), 0, 2**62], "datetime64[ns]")
    yield ".parquet", pd.DataFrame({"time": extremes, "chest": [1.0, 2.0, 1.0]}).to_parquet()
    once = gzip.compress(bytes(2**26), 1, mtime=0)
    yield from ((".csv.gz", once), (".csv.gz", gzip.compress(once, 1, mtime=0)))
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(3):
            file.writestr(zipfile.ZipInfo(f"../{number}.csv"), b"1,2\n" * 2**23, zipfile.ZIP_DEFLATED, 1)
    yield ".zip", (folder / "bomb.zip").read_bytes()
    entities = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
    yield ".gpx", made_formats.gpx(f'<!DOCTYPE gpx [<!ENTITY e0 "x">{entities}]>').replace("Run", "&e11;").encode()
    yield ".tcx", ("<Track>" * 200_000).encode()


def tif(pages, side):
    """Returns a TIFF of grey pages that say they are squares of a side, and have one pixel each."""
    # Numbers of 32 bits: width, height, bits, packing, which is black, place of the pixel, channels, rows, bytes.
    tags = {256: side, 257: side, 258: 8, 259: 1, 262: 1, 273: 4, 277: 1, 278: 1, 279: 1}
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, tags[tag]) for tag in tags)
    places = [8 + (len(directory) + 4) * (page + 1) for page in range(pages - 1)]
    return struct.pack("<2sHI", b"II", 42, 8) + b"".join(directory + struct.pack("<I", at) for at in [*places, 0])


def edf(seconds, signals):
    """Returns an EDF file of three records of some seconds."""
    words = [(0, 8), ("X", 80), ("X", 80), ("01.01.01", 8), ("01.01.01", 8), (256 * (signals + 1), 8), ("", 44), (3, 8),
             (seconds, 8), (signals, 4)]  # fmt: skip
    own = [("a", 16), ("", 80), ("uV", 8), (-100, 8), (100, 8), (-32768, 8), (32767, 8), ("", 80), (100, 8), ("", 32)]
    return "".join(str(word).ljust(width) for word, width in words + own * signals).encode() + bytes(600 * signals)


def odd_files(folder):
    """Yields kind, ending, content, truth and whether it is sound, of files that are odd as they are."""
    text, rows, other = table(), table().splitlines(), folder / "base.mp4"
    for start in (b"", b"%PDF-1.7\n", b"PK\x03\x04", b"<html>404 Not Found</html>", b"\xff\xd8\xff\xe0", b"\x7fELF"):
        yield from (("documents and noise", ending, start + 99 * b"\x07 noise", None, False) for ending in VIDEOS)
    for side in (8000, 30000, 65535):
        size = side.to_bytes(2, "little") * 2
        frame = b"\x21\xf9\x04\0\x04\0\0\0," + bytes(4) + size + b"\0\x02\x02\x44\x01\0"
        yield "huge pictures", ".gif", b"GIF89a" + size + b"\xf0\0\0" + bytes(6) + 300 * frame + b";", None, False
    for words in _LISTS:
        yield from (("lists of files", ending, words.format(other).encode(), None, False) for ending in (".mp4", ".ts"))
    for header in _HEADERS:
        start = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
        yield "arrays of no use", ".npy", start + swing(0.8).tobytes(), None, False
    useless = swing(0.8).astype(complex), np.array(["a"] * 99), np.zeros((0, 5)), np.full(200, np.nan), np.arange(2)
    for array in useless:
        yield "arrays of no use", ".npy", npy(array), None, False
    for lines in (
        rows[:1], [row.partition(",")[0] for row in rows],
        [",".join(["1"] * 200000)] * 3, [rows[0], *(row.partition(",")[0] + ",1" for row in rows[1:])],
        [rows[0], *["1e999,1e999"] * 99],
    ):  # fmt: skip
        yield "tables of no use", ".csv", "\n".join(lines).encode(), None, False
    # Times that run backwards count less than a rate that is told.
    for lines in ([*rows[200:], *rows[1:200]], [*rows[:200], *rows[100:]]):
        yield "tables of no use", ".csv", "\n".join(lines).encode(), 0.7, False
    # A row far from all others is left out with a note.
    for lines in ([*rows, "1e300,0.5"], [*rows, "1e18,0.5"], [rows[0], "-1e300,0.5", *rows[1:]]):
        yield "tables of no use", ".csv", "\n".join(lines).encode(), 0.7, False
    for content in (
        text.encode("utf-8-sig"), text.encode("utf-16"), text.replace(",", "\t").encode(),
        f"# by hand\n\n{text}".encode(), text.replace("\n", "\r").encode(),
        text.replace(",", ";").replace(".", ",").encode(), text.replace("chest", "Brust-ä").encode("latin-1"),
        text.replace("chest", '"chest, belt"').encode(),
        "\n".join([f"{rows[0]},note", *(f"{row},a" for row in rows[1:-1]), f"{rows[-1]},{'a' * 230_000}"]).encode(),
    ):  # fmt: skip
        yield "tables in other forms", ".csv", content, 0.7, True
    yield from (("values in other files", ".mat", content, None, False) for content in elsewhere(folder / "v.mat"))
    yield from (("swollen and nested", ending, content, None, False) for ending, content in swollen(folder))
    for ending in (".mp4", ".mkv"):
        times = np.cumsum(np.random.default_rng(0).choice([0.02, 0.04, 0.06, 0.12], 400))
        yield "irregular times", ending, video(folder / f"b{ending}", 1.2, times[times < SECONDS]), 1.2, True
        yield "a single frame", ending, video(folder / f"a{ending}", 1.2, times[:1]), None, False
