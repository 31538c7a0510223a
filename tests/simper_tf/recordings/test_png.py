import struct
import zlib

import cv2
import numpy as np
import pytest

from simper_tf.recordings import png
from simper_tf.recordings.errors import RawDataError


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def write_black(path, height, width):
    """Writes a valid image of any size in a small file."""
    compressor, row = zlib.compressobj(), bytes(1 + 3 * width)
    content = b"".join([compressor.compress(row) for _ in range(height)]) + compressor.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", content) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
    return path


def test_the_pixels_come_out_red_first(tmp_path):
    picture = np.random.default_rng(0).integers(0, 255, (5, 7, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "x.png"), picture)
    np.testing.assert_array_equal(png.read(tmp_path / "x.png", ""), picture[..., ::-1])


@pytest.mark.slow
def test_a_small_file_of_a_huge_picture_is_refused_before_it_is_decoded(tmp_path, monkeypatch):
    path = write_black(tmp_path / "huge.png", 12000, 12000)
    assert path.stat().st_size < 500_000
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("decoded"))
    with pytest.raises(RawDataError, match=r"huge\.png: found a header of 12000 x 12000 pixels; .*Copy it again\."):
        png.read(path, "Copy it again.")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "a truncated file"),
        (b"IEND\xaeB`\x82", "another format"),
        (b"\xff\xd8\xff" + bytes(30) + b"IEND\xaeB`\x82", "another format"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\4\0\0\0\4IEND\xaeB`\x82", "a damaged image"),
    ],
)
def test_what_is_no_whole_png_is_refused(tmp_path, content, found):
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(RawDataError, match=rf"x\.png: found {found}; expected a whole PNG image"):
        png.read(tmp_path / "x.png", "")
