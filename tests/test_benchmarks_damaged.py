"""`benchmarks.damaged`: a file of each kind through the command, and a judge that misses nothing."""

import pathlib

import numpy as np
import pytest

from benchmarks import damaged, damaged_files

SOUND = damaged_files.Case("names", pathlib.Path("/a/b.csv"), 0.7, is_sound=True)
NOISE = damaged_files.Case("random bytes", pathlib.Path("/a/b.csv"))


def run(*lines, hertz=None, code=0, memory=0.5):
    windows = [{"value": value, "or": []} for value in hertz or ()]
    return damaged.Run(code, list(lines), {"/a/b.csv": [{"windows": windows}]} if hertz else {}, memory)


@pytest.mark.parametrize(
    ("case", "found", "outcome"),
    [
        (SOUND, run(hertz=[0.7, 0.69]), damaged.READ),
        (SOUND, run(hertz=[0.7, 1.4]), "a number made up"),
        (SOUND, run(hertz=[None]), "no reading although sound"),
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


@pytest.mark.slow
def test_a_file_of_each_kind_is_read_right_or_refused_in_a_line(tmp_path, monkeypatch):
    kinds = {kind: make for kind, make in damaged_files.KINDS.items() if kind != "8K frames"}  # A minute to write.
    monkeypatch.setattr(damaged_files, "KINDS", kinds)
    found, memory = damaged.judged(tmp_path, 3, len(kinds))
    assert [(case.kind, outcome) for case, outcome in found if outcome not in damaged.FINE] == []
    assert {case.kind for case, _ in found} == kinds.keys()
    assert 0.1 < memory < 2
    table = damaged.report(found, memory, 3)
    assert f"| in all | {sum(outcome == damaged.READ for _, outcome in found)} |" in table
