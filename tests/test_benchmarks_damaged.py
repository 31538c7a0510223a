"""`benchmarks.damaged`: a file of each kind through the command, and a judge that misses nothing."""

import pathlib
import sys

import numpy as np
import pytest

from benchmarks import damaged, damaged_files

SOUND = damaged_files.Case("names", pathlib.Path("/a/b.csv"), 0.7, is_sound=True)
NOISE = damaged_files.Case("random bytes", pathlib.Path("/a/b.csv"))


def run(*lines, hertz=None, code=0, memory=0.5, octaves=()):
    windows = [{"value": value, "or": list(octaves)} for value in hertz or ()]
    return damaged.Run(code, list(lines), {"/a/b.csv": [{"windows": windows}]} if hertz else {}, memory)


@pytest.mark.parametrize(
    ("case", "found", "outcome"),
    [
        (SOUND, run(hertz=[0.7, 0.69]), damaged.READ),
        (SOUND, run(hertz=[0.7, 1.4]), "a number made up"),
        (SOUND, run(hertz=[None]), "0 of 1 windows read although sound"),
        (SOUND, run(hertz=[0.7, None, None]), "1 of 3 windows read although sound"),
        (SOUND, run(hertz=[0.7, None]), damaged.READ),
        (SOUND, run(hertz=[0.7, 1.4], octaves=[0.7]), damaged.OPEN),
        (SOUND, run(hertz=[0.7], octaves=[1.4]), damaged.READ),
        (SOUND, run(hertz=[1.4], octaves=[2.8]), "a number made up"),
        (SOUND, run("predict: /a/b.csv: found nothing; expected"), "refused although sound"),
        (NOISE, run("predict: /a/b.csv: found nothing; expected"), damaged.REFUSED),
        (NOISE, run(hertz=[None]), damaged.NOTHING),
        (NOISE, run(hertz=[0.7]), "a number made up"),
        (NOISE, run("predict: /a/c.csv: found nothing"), "no word of its own"),
        (NOISE, run("predict: /a/b.csv: found nothing", hertz=[None]), "read and refused"),
    ],
)
def test_what_is_said_of_a_file_is_judged(case, found, outcome):
    assert damaged.outcome_of(case, found).startswith(outcome)
    assert (outcome in damaged.FINE) == (damaged.outcome_of(case, found) in damaged.FINE)


@pytest.mark.parametrize(
    ("found", "fate"),
    [
        (run(code=None), "hang"),
        (run(code=-11), "crash, SIGSEGV"),
        (run("Traceback (most recent call last):", "KeyError: 1", code=1), "traceback: KeyError: 1"),
        (run(memory=2.5), "memory, 2.5 GiB"),
        (run(code=1), ""),
    ],
)
def test_what_befalls_a_whole_process_is_told(found, fate):
    assert damaged.fate_of(found) == fate


def test_a_seed_makes_the_same_files_again_and_another_does_not(tmp_path):
    def content(name, seed):
        (tmp_path / name).mkdir()
        maker = damaged_files.Maker(tmp_path / name, seed)
        cases = [maker.of_base("cut", maker.cut) for _ in range(9)]
        return [case.path.read_bytes() for case in cases if case.path.suffix in (".csv", ".npy", ".wav")]

    assert content("a", 1) == content("b", 1) != content("c", 2)


def test_a_trap_of_a_pickle_closes_when_it_is_loaded(tmp_path):
    maker = damaged_files.Maker(tmp_path, 0)
    case = maker.pickled("pickles")
    while case.path.suffix != ".npy" or not case.path.read_bytes().startswith(b"\x93NUMPY"):
        case = maker.pickled("pickles")
    assert not case.trap.exists()
    np.load(case.path, allow_pickle=True)
    assert damaged.outcome_of(case, run()) == "a pickle was loaded"


SPEAKS = "import time\nfor _ in range(4): time.sleep(0.5); print('a file', flush=True)\ntime.sleep({})"


@pytest.mark.parametrize(("last", "code"), [(0, 0), (60, None)])
def test_a_process_may_take_its_time_for_all_files_and_hangs_where_it_takes_too_long_for_one(tmp_path, last, code):
    with (tmp_path / "said").open("wb") as said:
        assert damaged.ended([sys.executable, "-c", SPEAKS.format(last)], said, 5.0, 1.5)[0] == code
    assert (tmp_path / "said").read_text() == "a file\n" * 4


def test_memory_is_that_of_a_process_that_a_process_has_waited_for_whatever_this_one_takes(tmp_path):
    mine = bytearray(b"x" * 800_000_000)
    large = "print(len(bytearray(b'x' * 300_000_000)))"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {large!r}])"
    with (tmp_path / "said").open("wb") as said:
        memory = damaged.ended([sys.executable, "-c", code], said, 30.0, 30.0)[1]
    assert len(mine) / 2**30 > memory + 0.1 > 0.35


def test_a_process_that_is_killed_by_a_signal_ends_with_its_number(tmp_path):
    with (tmp_path / "said").open("wb") as said:
        assert damaged.ended(["sh", "-c", "kill -SEGV $$"], said, 5.0, 5.0)[0] == -11


def test_a_kind_that_is_none_is_refused_with_those_that_are(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["damaged", "--only=typo"])
    with pytest.raises(SystemExit, match="2"):
        damaged.main()
    said = capsys.readouterr().err
    assert "--only: invalid choice: 'typo' (choose from " in said
    assert "8K frames" in said


def test_files_are_of_the_kinds_that_are_asked_for(tmp_path):
    cases = damaged_files.Maker(tmp_path, 0).make(3, ["empty", "random bytes"])
    assert [case.kind for case in cases] == ["empty", "random bytes", "empty"]


@pytest.mark.slow
def test_a_file_of_each_kind_is_read_right_or_refused_in_a_line(tmp_path):
    kinds = [kind for kind in damaged_files.KINDS if kind != "8K frames"]  # A minute to write.
    found, memory = damaged.judged(tmp_path, 3, len(kinds), kinds)
    assert [(case.kind, outcome) for case, outcome in found if outcome not in damaged.FINE] == []
    assert {case.kind for case, _ in found} == set(kinds)
    assert 0.1 < memory < 2
    table = damaged.report(found, memory, 3)
    assert f"| in all | {sum(outcome == damaged.READ for _, outcome in found)} |" in table
