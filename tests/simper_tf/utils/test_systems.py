"""What Linux alone has is used where it is, and missed nowhere: stand-ins play the other systems."""

import os
import pathlib
import subprocess
import sys
import types

import cv2
import numpy as np
import pytest

from simper_tf.commands.mp4 import Writer
from simper_tf.utils import files, systems

ROOT = pathlib.Path(__file__).parents[3]
# What Python runs first, in each process: this system has no locks, limits and signals of POSIX, and tells no memory.
ELSEWHERE = """
import os, pathlib, signal, subprocess, sys, types
pathlib.Path(__file__).with_name(f"{os.getpid()}.begun").touch()
sys.modules["fcntl"] = sys.modules["resource"] = None
for name in ("SIGALRM", "SIGXCPU", "SIGHUP", "pthread_sigmask"):
    delattr(signal, name)
is_there = pathlib.Path.exists
pathlib.Path.exists = lambda path: "proc" not in path.parts and is_there(path)
sys.modules["msvcrt"] = types.SimpleNamespace(LK_LOCK=os.F_LOCK, LK_NBLCK=os.F_TLOCK, locking=os.lockf)
"""


@pytest.fixture
def recordings(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    times = np.arange(0, 12, 0.04)
    np.savetxt(folder / "a.csv", np.stack([times, np.sin(7 * times)], 1), "%.4f", ",", header="time,x", comments="")
    np.savetxt(folder / "b.csv", np.zeros((5, 0)))
    with Writer(folder / "c.mp4", 48, 64, {"preset": "veryfast"}) as out:
        for moment in times:
            picture = np.zeros((48, 64, 3), np.uint8)
            cv2.circle(picture, (32 + round(16 * np.sin(7 * moment)), 24), 6, (220, 200, 60), -1)
            out.add(moment, picture)
    return folder


def predicted(folder, out, path):
    words = [sys.executable, "-m", "simper_tf", "predict", folder, f"--out={out}", "--jobs=1", "--pictures=none"]
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return (out / "predictions.csv").read_text()


def test_recordings_are_read_alike_without_what_linux_has(recordings, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "sitecustomize.py").write_text(ELSEWHERE)
    here = predicted(recordings, tmp_path / "here", str(ROOT))
    assert here.count(",clear,") == 2
    assert predicted(recordings, tmp_path / "there", f"{elsewhere}{os.pathsep}{ROOT}") == here
    assert len([*elsewhere.glob("*.begun")]) > 1  # The command, and the process that opens files.


@pytest.fixture
def windows(monkeypatch):
    """A system without `fcntl`, whose locks are held for so many tries."""
    tries = []

    def locking(_, mode, length):
        assert length == 1
        tries.append(mode)
        if len(tries) < 3:
            raise OSError(13, "Permission denied")

    monkeypatch.setattr(systems, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(LK_LOCK=1, LK_NBLCK=2, locking=locking))
    return tries


def test_a_lock_of_windows_is_waited_for_or_refused(windows, tmp_path):
    with pytest.raises(files.InUse, match="another process"), files.alone(tmp_path / "lock", wait=False):
        pass
    with files.alone(tmp_path / "lock"):
        assert "process" in (tmp_path / "lock").read_text()
    assert windows == [2, 1, 1]


def test_a_lock_file_that_is_open_elsewhere_stays(tmp_path, monkeypatch):
    def unlink(*_, **__):
        raise PermissionError(13, "in use")

    with files.alone(tmp_path / "lock"):
        monkeypatch.setattr(pathlib.Path, "unlink", unlink)
    assert (tmp_path / "lock").exists()
    with files.alone(tmp_path / "lock", wait=False):
        pass


def test_a_process_of_windows_gets_the_handle_of_its_pipe(monkeypatch):
    handed = []
    monkeypatch.setattr(os, "set_handle_inheritable", lambda *words: handed.append(words), raising=False)
    monkeypatch.setattr(subprocess, "STARTUPINFO", types.SimpleNamespace, raising=False)
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 512, raising=False)
    end = types.SimpleNamespace(fileno=lambda: 7)
    assert systems.handing(end)["startupinfo"].lpAttributeList == {"handle_list": [7]}
    assert handed == [(7, True)]
    assert systems.apart() == {"creationflags": 512}


def test_without_limits_a_process_may_take_what_it_asks_for(monkeypatch):
    monkeypatch.setattr(systems, "resource", None)
    systems.limit_computing(1)
    systems.leave_no_core()
    monkeypatch.setattr(systems, "_MEMORY", pathlib.Path("/nowhere"))
    assert systems.limit_memory(5) == 5
    assert systems.taken() == 0
