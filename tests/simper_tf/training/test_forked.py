"""How a process ends that was forked: as one that Python ends, but sooner."""

import pathlib
import subprocess
import sys

import pytest

BEGIN = "import atexit, sys, threading, time; from simper_tf.training.forked import end_after\n"


def ended(lines, *words):
    """Runs lines of Python in a process of their own."""
    code = f"{BEGIN}def call():\n    {lines}\n"
    return subprocess.run([sys.executable, "-c", code + "; ".join(words)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        ("pass", 0, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit(0)", 0, ""),
        ("sys.exit(130)", 130, ""),
        ("sys.exit('pretrain: error: no')", 1, "pretrain: error: no\n"),
    ],
)
def test_it_ends_with_the_code_and_the_words_of_python(lines, code, said):
    for end in ("end_after(call)", "call()"):
        done = ended(lines, end)
        assert (done.returncode, done.stdout, done.stderr) == (code, "", said)


def test_an_error_is_a_traceback_and_code_1():
    done = ended("raise ValueError('what was wrong')", "end_after(call)")
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("ValueError: what was wrong\n")


def test_what_was_printed_and_what_is_registered_and_threads_that_keep_python_alive_come_before_the_end():
    lines = (
        "threading.Thread(target=lambda: (time.sleep(0.2), print('thread', end=' '))).start(); print('said', end=' ')"
    )
    done = ended(lines, "atexit.register(print, 'registered', end='')", "end_after(call)", "print('never')")
    assert (done.returncode, done.stdout) == (0, "said thread registered")


def test_what_cannot_be_printed_is_no_success():
    with pathlib.Path("/dev/full").open("w") as full:
        code = f"{BEGIN}end_after(lambda: print('said'))"
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
