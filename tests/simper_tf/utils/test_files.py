"""Files are whole or not there, and locks keep processes apart and die with them."""

import contextlib
import errno
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading

import pytest

from simper_tf.utils import files

ROOT = pathlib.Path(__file__).parents[3]
HOLDER = """
import sys, time
from simper_tf.utils import files
with files.alone(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "text"


@pytest.fixture
def holder(path):
    """Returns a process that holds the lock."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, path], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_whole_text_replaces_what_was_there(path):
    files.write_atomically(path, "first, and longer")
    files.write_atomically(path, "second")
    assert path.read_text() == "second"
    assert list(path.parent.iterdir()) == [path]


def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(path):
    path.write_bytes(b"old")

    def write_half():
        with files.replacing(path, "wb") as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_two_writers_at_once_each_write_a_file_of_their_own(path):
    with files.replacing(path) as first, files.replacing(path) as second:
        first.write("first")
        second.write("second")
    assert path.read_text() == "first"  # The last to be closed.
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [None, KeyError])
def test_folders_that_a_block_makes_and_leaves_empty_go_again(tmp_path, error):
    (tmp_path / "old" / "empty").mkdir(parents=True)
    wanted = tmp_path / "new" / "deep", tmp_path / "full" / "deep", tmp_path / "old" / "empty", tmp_path / "not made"
    with contextlib.suppress(KeyError), files.without_empty(*wanted):
        for folder in wanted[:2]:
            folder.mkdir(parents=True)
        (tmp_path / "full" / "text").touch()
        if error:
            raise error
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert left == {"old", "old/empty", "full", "full/text"}


def test_a_lock_makes_its_folder_and_leaves_it(path):
    with files.alone(path / "deep" / "lock"):
        assert (path / "deep" / "lock").exists()
    assert [*path.rglob("*")] == [path / "deep"]


def test_a_full_disk_is_told_with_the_path(path):
    full = pathlib.Path("/dev/full")
    with pytest.raises(OSError, match=f"No space left on device: '{path}'") as caught, files.naming(path):
        full.write_text("x")
    assert caught.value.errno == errno.ENOSPC


def test_a_held_lock_is_refused_with_the_process_that_holds_it(path, holder):
    with pytest.raises(files.InUse, match=rf"^process {holder.pid} on \S+$"), files.alone(path, wait=False):
        pytest.fail("Two hold the lock.")


def test_the_lock_of_a_killed_process_is_free_and_removed(path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert path.exists()
    with files.alone(path, wait=False):
        assert path.read_text().startswith(f"process {os.getpid()} ")
    assert not path.exists()


def count(path, number):
    for _ in range(number):
        with files.alone(f"{path}.lock"):
            path.write_text(str(int(path.read_text()) + 1))


@pytest.mark.slow
def test_processes_that_wait_for_a_lock_take_turns(path):
    path.write_text("0")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=count, args=(path, 200)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert path.read_text() == "600"


def test_a_thread_waits_until_the_lock_is_free(path):
    order = []

    def second():
        with files.alone(path):
            order.append("second")

    thread = threading.Thread(target=second)
    with files.alone(path):
        thread.start()
        thread.join(0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
