"""Files of any kind are opened by what is in them; what is none of them is one sentence."""

import gzip
import os
import pathlib

import cv2
import numpy as np
import pytest

from simper_tf import Recordings
from simper_tf.recordings import live, search, sources
from simper_tf.tables import channels, limits, series_files
from simper_tf.utils.errors import RawDataError

RNG = np.random.default_rng(0)


def write(path, text):
    path.write_text(text)
    return path


def test_frames_of_an_array_are_cut_out_and_made_smaller(tmp_path):
    array = np.zeros((10, 8, 12), np.uint8)
    array[:, 4:, 6:] = 200
    np.save(tmp_path / "frames.npy", array)
    source = sources.open_file(tmp_path / "frames.npy", 20.0)
    assert (source.info().rate, source.info().seconds) == (20.0, 0.5)
    found = list(source.frames(0.1, 0.3, (2, 3), (6, 4, 6, 4)))
    assert [time for time, _ in found] == pytest.approx([0.1, 0.15, 0.2, 0.25])
    assert found[0][1].shape == (2, 3, 1)
    assert (found[0][1] == 200).all()


@pytest.mark.parametrize(
    ("array", "level"),
    [(np.full((5, 4, 4), 51, np.uint8), 51), (np.full((5, 4, 4), 13107, np.uint16), 51), (np.full((5, 4, 4), 0.2), 51)],
)
def test_frames_are_scaled_to_levels_of_pictures_by_their_type(tmp_path, array, level):
    np.save(tmp_path / "a.npy", array)
    source = sources.open_file(tmp_path / "a.npy", 10.0)
    source.require_pictures("`model`")
    for _, frame in source.frames(0, 9, (4, 4), None):
        np.testing.assert_allclose(frame, level, rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "action"),
    [
        ((30, 24, 24, 4), r"frames\[..., :3\]"),
        ((30, 24, 24, 2), r"Save the one, or the three,"),
        ((30, 3, 24, 24), r"np.moveaxis\(frames, 1, -1\)"),
        ((30, 1, 24, 24), r"np.moveaxis\(frames, 1, -1\)"),
    ],
)
def test_frames_not_of_one_or_three_channels_are_refused(tmp_path, shape, action):
    frames = RNG.integers(0, 256, shape).astype(np.uint8)
    np.save(tmp_path / "a.npy", frames)
    source = sources.open_file(tmp_path / "a.npy", 10.0)
    message = rf"found frames of shape \({', '.join(map(str, shape))}\); expected \(T, H, W, C\), C 1 or 3. .*{action}"

    def frame():
        return next(source.frames(0, 9, (4, 4), None))

    for ask in (source.info, lambda: source.require_pictures("training"), frame):
        with pytest.raises(RawDataError, match=message):
            ask()
    for names in (tmp_path, [frames]):
        with pytest.raises(ValueError, match=f"No recording to learn from.*{message}"):
            Recordings(names, rate=10.0)


def test_missing_levels_or_rereading_are_refused_where_needed(tmp_path):
    np.save(tmp_path / "floats.npy", np.linspace(-3, 300, 80).reshape(5, 4, 4))
    np.save(tmp_path / "integers.npy", np.ones((5, 4, 4), np.int64))
    np.save(tmp_path / "series.npy", np.arange(5.0))
    floats = sources.open_file(tmp_path / "floats.npy", 10.0)
    assert len(list(floats.frames(0, 9, (4, 4), None))) == 5
    floats.require_pictures("training", twice=True)
    with pytest.raises(RawDataError, match=r"floats.npy: found floats from -3 to .*floats from 0 to 1 for training"):
        list(floats.frames(0, 9, (4, 4), None))
    with pytest.raises(RawDataError, match=r"integers.npy: found frames of int64; expected uint8, uint16"):
        sources.open_file(tmp_path / "integers.npy", 10.0).require_pictures("`model`")
    with pytest.raises(RawDataError, match=r"series.npy: found a series; expected pictures for `model`"):
        sources.open_file(tmp_path / "series.npy", 10.0).require_pictures("`model`")
    with pytest.raises(RawDataError, match=r"camera 0: found a camera; expected a file for `video`"):
        live.Camera(0).require_pictures("`video`", twice=True)
    live.Camera(0).require_pictures("`model`")


def test_12_bits_in_16_are_refused_only_where_levels_count(tmp_path):
    np.save(tmp_path / "dark.npy", np.arange(80, dtype=np.uint16).reshape(5, 4, 4) * 51)
    dark = sources.open_file(tmp_path / "dark.npy", 10.0)
    assert len(list(dark.frames(0, 9, (4, 4), None))) == 5
    with pytest.raises(RawDataError, match=r"dark.npy: found uint16 frames up to 4029, of 65535, .*frames / 4095"):
        dark.require_pictures("training")
    np.save(tmp_path / "bright.npy", np.arange(80, dtype=np.uint16).reshape(5, 4, 4) * 800)
    sources.open_file(tmp_path / "bright.npy", 10.0).require_pictures("training")


def test_arrays_of_a_folder_are_not_held_open(tmp_path):
    for number in range(5):
        np.save(tmp_path / f"{number}.npy", np.zeros((4, 3, 3), np.uint8))
    found = search.find([str(tmp_path)], 10.0).sources
    for source in found:
        source.info()
        list(source.frames(0, 9, (3, 3), None))
    assert len(found) == 5
    assert str(tmp_path) not in pathlib.Path("/proc/self/maps").read_text()


def test_comments_and_blank_lines_are_no_part_of_a_table(tmp_path):
    path = write(tmp_path / "c.csv", "# made on Monday, by hand; in the lab; see\n\ntime;x\n0;1\n1;2\n\n2;0\n")
    assert series_files.series_of(path, None)[1].shape == (3, 1)


def test_the_rate_of_a_series_ignores_missing_samples(tmp_path):
    times = [*range(50), *range(150, 200)]
    path = write(tmp_path / "hole.csv", "\n".join(["time,x", *(f"{time / 10},{time % 7}" for time in times)]))
    info = sources.open_file(path).info()
    assert (info.rate, info.seconds, info.longest_gap) == pytest.approx((10, 20, 0.25))


def test_texts_without_series_and_tables_of_others_are_skipped(tmp_path):
    write(tmp_path / "README.txt", "Recorded on Monday.\nIn the lab.\n")
    write(tmp_path / "labels.csv", "recording,count,from,to\na.mp4,3,0,9\n")
    write(tmp_path / "pulse.csv", "time,x\n0,1\n1,2\n2,0\n")
    found = search.find([str(tmp_path)])
    assert [source.name for source in found.sources] == [str(tmp_path / "pulse.csv")]
    assert not found.problems
    (skipped,) = found.skipped
    assert str(skipped).startswith(f"{tmp_path / 'README.txt'}: found ")


@pytest.mark.parametrize("array", [np.zeros(2), np.zeros((3, 0)), np.array(["a", "b", "c"]), np.zeros((3, 1, 1, 1, 1))])
def test_arrays_of_another_form_are_refused(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(RawDataError, match=r"a.npy: found .* of shape .*expected numbers \(T,\)"):
        sources.open_file(tmp_path / "a.npy", 10.0)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda content: content[:500], "a damaged array"),
        (lambda content: content.replace(b"(100, 4, 4)", b"(10**9,4,4)"), "a damaged array"),
        (lambda content: content + b"more", "found 12932 bytes; expected 12928, as its header says"),
    ],
)
def test_an_array_that_differs_from_its_header_is_refused(tmp_path, change, found):
    np.save(tmp_path / "a.npy", np.zeros((100, 4, 4)))
    (tmp_path / "a.npy").write_bytes(change((tmp_path / "a.npy").read_bytes()))
    with pytest.raises(RawDataError, match=found):
        sources.open_file(tmp_path / "a.npy")


def test_folders_patterns_numbers_are_found_without_link_loops(tmp_path):
    inner = tmp_path / "mit Raum é"
    inner.mkdir()
    for name in ("b.csv", "a.csv", "notes.doc"):
        write(inner / name, "time,x\n0,1\n1,2\n2,0\n")
    (inner / "round").symlink_to(tmp_path)
    (inner / "loop.csv").symlink_to(inner / "loop.csv")
    found, problems, _, _ = search.find([str(tmp_path), str(inner / "*.csv"), "0"])
    assert [pathlib.Path(source.name).name for source in found] == ["a.csv", "b.csv", "camera 0"]
    (problem,) = problems
    assert "loop.csv: found what cannot be opened (Too many levels" in str(problem)


def test_a_file_that_is_named_three_times_is_read_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", "time,x\n0,1\n1,2\n2,0\n")
    (tmp_path / "link.csv").symlink_to("a.csv")
    assert [target.name for target in search.listed(["a.csv", "./a.csv", str(tmp_path), "*.csv"])] == ["a.csv"]


def test_links_to_what_is_no_file_are_refused_each_by_its_name(tmp_path):
    names = [str(tmp_path / name) for name in ("a.mp4", "b.mp4")]
    for name in names:
        pathlib.Path(name).symlink_to(os.devnull)
    assert [target.name for target in search.listed(names)] == names


def test_a_file_that_its_reader_does_not_survive_is_a_problem(tmp_path, monkeypatch):
    for name in ("a.csv", "b.csv"):
        write(tmp_path / name, "time,x\n0,1\n1,2\n2,0\n")
    true = sources.open_file
    monkeypatch.setattr(sources, "open_file", lambda path, *_, **__: true(path) if path.name == "a.csv" else 1 / 0)
    found = search.find([str(tmp_path)])
    assert [source.name for source in found.sources] == [str(tmp_path / "a.csv")]
    assert str(found.problems[0]).startswith(f"{tmp_path / 'b.csv'}: found what ends its reader (ZeroDiv")


def test_names_are_listed_without_opening_a_file(tmp_path, monkeypatch):
    for name in ("a.csv", "b.mp4", "c.npy"):
        (tmp_path / name).write_bytes(b"1")
    monkeypatch.setattr(sources, "open_file", lambda *_: pytest.fail("a file was opened"))
    found = search.listed([str(tmp_path), "0"])
    assert [(target.name.rpartition("/")[2], target.is_perhaps) for target in found] == [
        ("a.csv", True), ("b.mp4", False), ("c.npy", True), ("camera 0", False),
    ]  # fmt: skip


def test_what_is_not_there_or_holds_nothing_is_said_by_name(tmp_path):
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "none").mkdir()
    os.mkfifo(tmp_path / "pipe.mp4")
    names = [tmp_path / "empty.mp4", tmp_path / "none", tmp_path / "pipe.mp4", tmp_path / "*.mov"]
    found, problems, _, _ = search.find([str(name) for name in names])
    assert not found
    expected = ["an empty file", "a folder without a recording", "a named pipe", "no file that fits"]
    for name, problem, words in zip(names, problems, expected, strict=True):
        assert str(problem).startswith(f"{name}: found {words}; expected")


def test_packed_tables_of_a_folder_are_looked_for(tmp_path):
    table = "time,x\n" + "".join(f"{at / 10},{at % 5}\n" for at in range(50))
    for name, text in (("a.csv.gz", table), ("b.tsv.gz", "words"), ("c.json.gz", "{}"), ("d.gz", table)):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    found = search.find([str(tmp_path)])
    assert [source.name for source in found.sources] == [str(tmp_path / "a.csv.gz")]
    assert [str(error).removeprefix(f"{tmp_path}/")[:20] for error in found.skipped] == [
        "c.json.gz: not read.", "d.gz: not read. Pack", "b.tsv.gz: b.tsv: fou",
    ]  # fmt: skip
    assert found.problems == []


def test_a_folder_of_texts_alone_is_one_without_a_recording(tmp_path):
    (tmp_path / "notes.txt").write_text("Recorded on Monday.")
    recordings, (problem,), (skipped,), _ = search.find([str(tmp_path)])
    assert not recordings
    assert str(problem).startswith(f"{tmp_path}: found a folder without a recording")
    assert "found no numbers, row 1: Recorded on Monday.; expected rows of numbers" in str(skipped)


class FakeCapture:
    def __init__(self, number):
        self.left = 40 if number == 0 else 0

    def isOpened(self):
        return self.left > 0

    def read(self):
        self.left -= 1
        return self.left >= 0, np.full((6, 8, 3), (10, 20, 30), np.uint8)

    def release(self):
        pass


def test_a_camera_is_read_by_the_clock_and_refused_if_missing(monkeypatch):
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    camera = live.Camera(0)
    assert camera.info().height == 6
    found = list(camera.frames(0, 1e9, (3, 4), None))
    assert len(found) == 40
    assert found[0][1][0, 0].tolist() == [30, 20, 10]
    with pytest.raises(RawDataError, match="camera 7: found none; expected a camera of this number"):
        live.Camera(7).info()


def test_lines_may_end_as_on_old_computers(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"time,x\r0,1.5\r0.5,-1.5\r1,1.5\r")
    times, values, *_ = series_files.series_of(tmp_path / "t.csv", None)
    np.testing.assert_allclose(times, [0, 0.5, 1])
    np.testing.assert_allclose(values[:, 0], [0.7071, -1.4142, 0.7071], rtol=1e-3)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # What a program writes that sets off thousands: 998, 1002 and 1024, no 1.002.
        ("time\tx\n0\t998\n1\t1,002\n2\t1,024\n", "998 and 1,002 in column 2, whose comma may be a decimal sign"),
        ("time;x\n0;1,5\n1;2,5\n2;2.5\n", "two commas in one: 1,5; expected one decimal sign"),
        ("time;x\n0;1,5\n1;2,5\n2;1.234.5\n", "commas and points in numbers"),
        ("time x\n0 998\n1 1,2,3\n2 3\n", "two commas in one: 1,2,3; expected one decimal sign"),
    ],
)
def test_a_comma_that_need_not_be_the_decimal_sign_is_refused(tmp_path, text, found):
    with pytest.raises(RawDataError, match=found):
        series_files.series_of(write(tmp_path / "t.tsv", text), None)


@pytest.mark.parametrize(
    "text",
    [
        "time;x (approx.)\n0,5;998\n1;1,002\n1,5;nan\n2;1,024\n",  # Other numbers show what the comma is.
        "time\tx\n1,125\t998,0\n1,625\t1,002\n2,625\t1,024\n",
        'time,x\n"0,5","998,0"\n"1,0","1,002"\n2,"1,024"\n',
    ],
)
def test_a_comma_shown_by_other_numbers_as_decimal_is_decimal(tmp_path, text):
    times, values, *_ = series_files.series_of(write(tmp_path / "t.csv", text), None)
    np.testing.assert_allclose(times, [0, 0.5, 1.5])
    np.testing.assert_allclose(values[:, 0], [2**0.5, -(2**-0.5), -(2**-0.5)], atol=1e-3)


def test_what_is_larger_than_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    write(tmp_path / "a.csv", "time,x\n0,1\n")
    os.truncate(tmp_path / "a.csv", 10**12)
    with pytest.raises(RawDataError, match=r"a.csv: found a line of 1,048,576 letters or more"):
        series_files.series_of(tmp_path / "a.csv", None)
    np.save(tmp_path / "long.npy", np.sin(np.arange(101)))
    write(tmp_path / "long.csv", "time,x\n" + "".join(f"{k},{k % 7}\n" for k in range(51)))
    monkeypatch.setattr(limits, "MOST_VALUES", 100)
    for name, found in (("long.npy", "101 values"), ("long.csv", "104 values")):
        with pytest.raises(RawDataError, match=rf"{name}: found {found}; expected 100 or fewer. Cut it into parts"):
            next(channels.parts(str(tmp_path / name), 10.0, False, "", []))


@pytest.mark.parametrize(
    ("ending", "remedy"),
    [
        (".vhdr", "mne.io.read_raw"),
        (".tdms", "nptdms"),
        (".GT3X", "ActiLife"),
        (".c3d", "CSV"),
        (".pkl", "where it was"),
    ],
)
def test_what_converts_files_of_other_programs_is_told(tmp_path, ending, remedy):
    (tmp_path / f"pulse{ending}").write_bytes(b"PK\3\4 and more")
    with pytest.raises(RawDataError, match=rf"found a {ending.lower()} file; expected .*CSV.*\. .*{remedy}"):
        sources.open_file(tmp_path / f"pulse{ending}")


def test_frames_behind_a_line_of_words_are_no_text(tmp_path):
    (tmp_path / "a.y4m").write_bytes(b"YUV4MPEG2 W2 H2 F25:1 Ip C420\n" + 4 * (b"FRAME\n" + b"abcdef"))
    assert sources.open_file(tmp_path / "a.y4m").info().seconds == 0.16


def test_text_under_the_name_of_a_video_is_said_to_be_text(tmp_path):
    path = tmp_path / "renamed.mp4"
    path.write_text("Grüße, " * 200)
    with pytest.raises(RawDataError, match=r"renamed\.mp4 is no recording: it is text\.$"):
        sources.open_file(path)
    with pytest.raises(RawDataError, match=r"nothere\.mp4: no such file\.$"):
        sources.open_file(tmp_path / "nothere.mp4")
