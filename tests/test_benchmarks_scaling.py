"""Bytes of a ring, and what a step of a method sends."""

import functools
import json
import os
import pathlib
import subprocess
import sys

import pytest
from processes import done

from benchmarks import scaling, scaling_measured, steps


def test_bytes_of_a_ring_by_hand():
    # Of 100 bytes that are summed by 4, each sends 3 quarters twice; its own 10 go to 3 others.
    assert scaling.ring_bytes(100, 10, 4) == pytest.approx(150 + 30)
    assert scaling.ring_bytes(100, 10, 1) == 0


def test_a_link_as_slow_as_the_step_halves_its_efficiency():
    # Two replicas send 1,000 bytes in 8,000 bits of 8,000 a second.
    assert scaling.efficiency(1.0, 1000, 0, 2, 8000.0, 0.0) == pytest.approx(0.5)
    assert scaling.efficiency(1.0, 0, 0, 2, 1e9, 0.5) == pytest.approx(0.5)
    assert scaling.efficiency(1.0, 1000, 10, 1, 1.0, 1.0) == 1.0


class Made:
    """A process that writes what the run of its words would log, and ends with a code."""

    pid, killed = 1, 0

    def __init__(self, words, code=0, **_):
        self.returncode = code
        (folder,) = [pathlib.Path(word.partition("=")[2]) for word in words if word.startswith("--run_dir=")]
        (folder / "logs").mkdir(parents=True, exist_ok=True)
        records = [{"step": k, "seconds": 1.0, "loss": 0.5, "clips_per_second": k + 0.25} for k in (20, 40)]
        (folder / "logs" / "history.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))

    def communicate(self):
        return "what it said", None

    def kill(self):
        Made.killed += 1


@pytest.fixture
def made(monkeypatch):
    monkeypatch.setattr(Made, "killed", 0)
    monkeypatch.setattr(subprocess, "Popen", Made)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)


def test_the_speed_of_a_run_is_the_last_that_it_logged_unrounded(made):
    assert scaling_measured.clips_per_second([[0], [1]], 40) == 40.25


def test_a_run_that_fails_is_told_with_what_it_said(made, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", functools.partial(Made, code=3))
    with pytest.raises(RuntimeError, match=r"A run ended with \[3, 3\]: \['what it said'"):
        scaling_measured.clips_per_second([[0], [1]], 40)


def test_no_process_is_left_where_measuring_breaks_off(made, monkeypatch):
    def refused(*_):
        raise PermissionError("cores")

    monkeypatch.setattr(os, "sched_setaffinity", refused)
    with pytest.raises(PermissionError):
        scaling_measured.clips_per_second([[0], [1]], 40)
    assert Made.killed == 1


def test_processes_are_compared_with_one_on_one_core(monkeypatch):
    rates = {((3,),): 10.0, ((3, 5),): 16.0, ((3,), (5,)): 18.04}
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5, 3, 7}, raising=False)
    monkeypatch.setattr(scaling_measured, "clips_per_second", lambda cores, _: rates[tuple(map(tuple, cores))])
    rows = [line.strip("| ").split(" | ") for line in scaling_measured.processes_table(40).splitlines()[2:]]
    assert rows == [
        ["1 process, 1 core", "10.0", "1.00"],
        ["1 process, 2 cores", "16.0", "1.60"],
        ["2 processes, a core each", "18.0", "1.80"],
    ]


def test_two_processes_are_not_measured_on_one_core(monkeypatch, capsys):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    monkeypatch.setattr(sys, "argv", ["scaling", "--measured"])
    with pytest.raises(SystemExit):
        scaling.main()
    assert "--measured: Two processes are compared on two cores" in capsys.readouterr().err


def test_input_is_measured_from_memory_and_from_files(monkeypatch):
    speeds = {(): (400.0, 8.0), (0,): (80.0, 8.0)}
    monkeypatch.setattr(steps, "input_alone", lambda number, **given: speeds[tuple(given.values())])
    rows = [line.strip("| ").split(" | ") for line in scaling_measured.input_table(10).splitlines()[2:]]
    assert rows == [
        ["input alone, clips kept in memory", "400", "50"],
        ["input alone, clips read from files", "80", "10"],
        ["step alone", "8.0", "1"],
    ]


TRACED = """
import tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
from benchmarks.scaling import sent
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
print(sent(strategy, "simper"), sent(strategy, "contrast_phys"), sent(strategy, "moco"), sep=";")
"""


@pytest.mark.slow
def test_simper_sends_gradients_alone_others_what_they_compare():
    code, out, err = done(["-c", TRACED])
    assert code == 0, err
    alone, across, moco = [eval(part) for part in out.strip().splitlines()[-1].split(";")]
    assert alone == (20516 * 4, 0, 0)  # The parameters of `small`.
    assert across[0] == alone[0]
    # Mean spectra of 4 clips at 13 frequencies; and for the gradient, how many clips each replica has.
    assert across[2] == 4 * 13 * 4 + 4
    assert moco[2] == 4 * 128 * 4  # The keys of 4 clips, of length 128.
