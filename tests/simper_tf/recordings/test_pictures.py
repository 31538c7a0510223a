"""Pictures and stacks of them: their header first, then their pixels; folders of them are recordings."""

import zlib

import numpy as np
import pytest
from PIL import Image

from simper_tf.recordings import pictures, search, sources
from simper_tf.utils.errors import RawDataError

COLORS = np.random.default_rng(0).integers(0, 256, (12, 20, 30, 3), np.uint8)
DEEP = np.random.default_rng(1).integers(0, 2**16, (4, 20, 30)).astype(np.uint16)


def stack(path, arrays):
    first, *others = map(Image.fromarray, arrays)
    first.save(path, save_all=True, append_images=others)
    return path


@pytest.fixture
def folder(tmp_path):
    """A folder of pictures whose names sort as text into another order."""
    (tmp_path / "frames").mkdir()
    for number, picture in enumerate(COLORS):
        Image.fromarray(picture).save(tmp_path / "frames" / f"img{number}.png")
    return tmp_path / "frames"


def chunk(name, data):
    return len(data).to_bytes(4) + name + data + zlib.crc32(name + data).to_bytes(4)


def png(width, height):
    """Returns a PNG image of a few kilobytes that states so many pixels."""
    head = width.to_bytes(4) + height.to_bytes(4) + bytes([8, 2, 0, 0, 0])
    data = zlib.compress(bytes(10**6))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_pictures_are_read_exactly_in_the_order_of_their_numbers(folder):
    paths = pictures.in_order(list(folder.iterdir()))
    assert [path.stem for path in paths] == [f"img{number}" for number in range(12)]
    assert set(pictures.headers(paths)) == {pictures.Header(30, 20, 1, "PNG")}
    for number, picture in pictures.frames(paths):
        np.testing.assert_array_equal(picture, COLORS[number])


def test_pages_of_16_bits_and_floats_keep_their_depth(tmp_path):
    for path, scale in ((stack(tmp_path / "a.tif", DEEP), 1), (stack(tmp_path / "b.tif", DEEP / np.float32(65535)), 1)):
        assert pictures.headers([path])[0].pages == 4
        pages = dict(pictures.frames([path], 1, 3))
        assert list(pages) == [1, 2]
        for number, page in pages.items():
            np.testing.assert_allclose(257 * page[..., 0], scale * DEEP[number], atol=0.02)


def test_a_box_is_cut_out_and_made_smaller_by_area(folder):
    path = folder / "img0.png"
    ((_, small),) = pictures.frames([path], shape=(4, 5), box=(10, 4, 20, 16))
    expected = COLORS[0, 4:20, 10:30].reshape(4, 4, 5, 4, 3).mean((1, 3))
    np.testing.assert_allclose(small, expected, atol=1)


def test_a_photograph_is_turned_as_its_camera_says(tmp_path):
    picture, turned = Image.fromarray(COLORS[0]), Image.Exif()
    turned[0x0112] = 6  # A quarter turn clockwise.
    picture.save(tmp_path / "a.png", exif=turned)
    ((_, shown),) = pictures.frames([tmp_path / "a.png"])
    np.testing.assert_array_equal(shown, np.rot90(COLORS[0], -1))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content[:-30], "a truncated file"),
        (lambda content: content[:300] + bytes(100) + content[400:], "a damaged image or none"),
        (lambda content: b"", "a damaged image or none"),
        (lambda content: b"%!PS-Adobe-3.0 EPSF-3.0", "a damaged image or none"),
        (lambda content: png(30000, 40000), "a header of 30000 x 40000 pixels; expected at most 33,554,432"),
        (lambda content: png(12000, 12000), "a header of 12000 x 12000 pixels; expected at most 33,554,432"),
    ],
)
def test_damage_and_gigapixels_are_refused_by_name(folder, change, said):
    path = folder / "img3.png"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(RawDataError, match=rf"img3\.png: found {said}"):
        list(pictures.frames([folder / "img0.png", path]))


def test_a_folder_of_pictures_is_a_recording_at_the_given_rate(folder):
    (folder / "README.md").write_text("twelve")
    (source,) = search.find([str(folder)], 4.0).sources
    info = source.info()
    assert (info.rate, info.seconds, info.height, info.width) == (4, 3, 20, 30)
    times, frames = zip(*source.frames(0.5, 2.0, (20, 30), None), strict=True)
    assert list(times) == [0.5, 0.75, 1.0, 1.25, 1.5, 1.75]
    np.testing.assert_array_equal(frames, COLORS[2:8])
    (unrated,) = search.find([str(folder)]).sources
    with pytest.raises(RawDataError, match=r"frames: found frames without their rate.*`rate=30`"):
        unrated.info()


def test_stacks_are_recordings_and_pictures_among_others_are_not(folder):
    stack(folder / "cells.tif", COLORS)
    found = search.find([str(folder)], 4.0)
    assert [source.name for source in found.sources] == [str(folder / "cells.tif")]
    assert not found.problems
    assert found.sources[0].info().seconds == 3


@pytest.mark.parametrize("ending", ["webp", "png"])
def test_an_animation_has_the_times_that_its_pages_are_shown(tmp_path, ending):
    path, (first, *others) = tmp_path / f"a.{ending}", map(Image.fromarray, COLORS)
    first.save(path, save_all=True, append_images=others, duration=[40, 120] * 6, lossless=True)
    (source,) = search.find([str(path)]).sources
    info = source.info()
    assert (info.seconds, info.rate, info.longest_gap) == pytest.approx((0.96, 12.5, 0.24))
    times, frames = zip(*source.frames(0.1, 0.5, (20, 30), None), strict=True)
    np.testing.assert_allclose(times, [0.16, 0.2, 0.32, 0.36, 0.48])
    np.testing.assert_array_equal(frames, COLORS[2:7])
    assert search.find([str(path)], 4.0).sources[0].info().seconds == 3


def test_an_animation_without_times_asks_for_its_rate(tmp_path):
    first, *others = map(Image.fromarray, COLORS)
    first.save(tmp_path / "a.webp", save_all=True, append_images=others, duration=0, lossless=True)
    with pytest.raises(RawDataError, match="found frames without their rate"):
        search.find([str(tmp_path / "a.webp")]).sources[0].info()


def test_pictures_of_two_folders_are_two_recordings(folder):
    inner = folder / "second"
    inner.mkdir()
    for number in range(6):
        (folder / f"img{number}.png").rename(inner / f"{number}.png")
    first, second = search.find([str(folder)], 4.0).sources
    assert (first.name, second.name) == (str(folder), str(inner))
    assert first.info().seconds == second.info().seconds == 1.5


def test_pictures_of_two_sizes_and_a_single_one_are_no_recording(folder):
    Image.fromarray(COLORS[0, :10]).save(folder / "img5.png")
    (source,) = search.find([str(folder)], 4.0).sources
    with pytest.raises(RawDataError, match=r"img5\.png: found 30 x 10 pixels; expected 30 x 20"):
        source.info()
    with pytest.raises(RawDataError, match="found a single picture"):
        sources.Images(folder / "img0.png", [folder / "img0.png"], 4.0).info()


def test_pages_of_one_and_the_same_strip_are_refused_by_header(tmp_path):
    side, count = 4096, 400
    page = Image.new("L", (side, side))
    page.save(tmp_path / "a.tif", compression="tiff_adobe_deflate", save_all=True, append_images=[])
    content = (tmp_path / "a.tif").read_bytes()
    start = int.from_bytes(content[4:8], "little")
    entries = int.from_bytes(content[start : start + 2], "little")
    directory = content[start : start + 2 + 12 * entries]
    # The same directory again and again, each naming the next: pages of the same pixels.
    body = content + bytes(len(content) % 2)
    first = len(body)
    size = len(directory) + 4
    nexts = [first + size * (k + 1) for k in range(count - 1)] + [0]
    body += b"".join(directory + place.to_bytes(4, "little") for place in nexts)
    (tmp_path / "a.tif").write_bytes(body[:4] + first.to_bytes(4, "little") + body[8:])
    with pytest.raises(RawDataError, match=r"a\.tif: found a header of 400 pages of 4096 x 4096 pixels in"):
        pictures.headers([tmp_path / "a.tif"])
