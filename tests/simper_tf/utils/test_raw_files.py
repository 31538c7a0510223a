import os
import pathlib
import socket
import stat

import pytest

from simper_tf.utils import errors, raw_files
from simper_tf.utils.errors import RawDataError


def put(kind, path):
    """Puts something in place of a file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(os.path.relpath(path))
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "dangling":
        path.symlink_to(path.with_name("nothing"))
    elif kind == "device":
        path.symlink_to("/dev/zero")


FOUND = {
    "pipe": "a named pipe",
    "socket": "a socket",
    "folder": "a folder",
    "loop": r"what cannot be opened \(Too many levels of symbolic links\)",
    "dangling": "a link to nothing",
    "device": "a device",
    "missing": "no such file",
}


@pytest.mark.parametrize(("kind", "found"), FOUND.items())
def test_an_irregular_file_is_named_and_never_waited_for(tmp_path, kind, found):
    put(kind, tmp_path / "x.mp4")
    with pytest.raises(RawDataError, match=rf"x\.mp4: found {found}; expected a video\. Remove it\."):
        raw_files.refuse_unreadable(tmp_path / "x.mp4", "a video", "Remove it.")
    assert not raw_files.is_readable(tmp_path / "x.mp4")


def refuse_opening(monkeypatch):
    def refuse(path, *_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(pathlib.Path, "open", refuse)


def test_a_file_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "x").write_text("")
    refuse_opening(monkeypatch)
    with pytest.raises(RawDataError, match=r"x: found what cannot be opened \(Permission denied\)"):
        raw_files.refuse_unreadable(tmp_path / "x", "", "")


def test_a_regular_file_and_a_link_to_one_pass(tmp_path):
    (tmp_path / "x").write_text("")
    (tmp_path / "y").symlink_to("x")
    for name in "xy":
        raw_files.refuse_unreadable(tmp_path / name, "", "")
        assert raw_files.is_readable(tmp_path / name)


@pytest.mark.parametrize(("height", "width"), [(12000, 12000), (0, 10), (10, -1), (2**25 + 1, 1)])
def test_frames_beyond_8k_and_impossible_sides_are_refused(height, width):
    raw_files.refuse_huge("x", 4320, 7680, "")
    with pytest.raises(RawDataError, match=f"a header of {width} x {height} pixels; expected at most 33,554,432"):
        raw_files.refuse_huge("x", height, width, "")


def test_files_below_are_listed_but_links_to_folders_not_entered(tmp_path):
    for name in ("b/1.nc", "a/c/2.nc", "a/3.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    os.mkfifo(tmp_path / "a" / "0.nc")
    (tmp_path / "a" / "4.nc").mkdir()
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    found = raw_files.below(tmp_path, lambda name: name.endswith(".nc"))
    assert [str(path.relative_to(tmp_path)) for path in found] == ["a/0.nc", "a/4.nc", "a/c/2.nc", "b/1.nc"]


def test_a_folder_that_may_not_be_listed_is_named(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    listed = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "listdir", scandir)
    for look in (lambda: raw_files.below(tmp_path, bool), lambda: raw_files.entries(tmp_path / "closed")):
        with pytest.raises(RawDataError, match=r"closed: found what cannot be listed \(Permission denied\)"):
            look()


def test_there_is_nothing_in_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    assert raw_files.entries(tmp_path / "file") == raw_files.entries(tmp_path / "missing") == []
    assert not raw_files.is_folder(tmp_path / "file")
    assert stat.S_ISDIR(tmp_path.stat().st_mode)
    assert raw_files.is_folder(tmp_path)


def test_terminal_control_codes_are_spelled_out_in_every_error():
    error = RawDataError("a\x1b[2J\nb", "\x9b31m", "\u202egnp\udcff", "Größe 30 °C – fine. 𝄞")
    assert str(error) == r"a\x1b[2J\nb: found \x9b31m; expected \u202egnp\udcff. Größe 30 °C – fine. 𝄞"
    assert errors.printable("a b\t") == "a b\\t"
