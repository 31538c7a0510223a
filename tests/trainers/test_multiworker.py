"""Workers on the loopback device, each a process that a user would start with `TF_CONFIG`.

They are compared with one process of as many replicas, which adds up the same numbers. That replicas compute what one
device computes is tested in double precision, with the methods.
"""

import json
import pathlib
import re
import signal

import numpy as np
import pytest
import tensorflow as tf
from finished import final_weights
from processes import LIMIT, Command, lines_until, wait_for

from benchmarks.scaling_measured import free_addresses
from trainers import pretrain

pytestmark = pytest.mark.slow


@pytest.fixture
def worker(call, data_dir, tmp_path):
    """Returns a function that starts a worker, which leaves its weights in `tmp_path`; all are killed at the end."""
    begun = []

    def start(addresses, index, *arguments):
        task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        script = pathlib.Path(__file__).with_name("one_worker.py")
        words = [script, tmp_path / f"{index}.npz", f"--data_dir={data_dir}", *call.tiny, *arguments]
        begun.append(Command(words, environment={"TF_CONFIG": json.dumps(task)}))
        return begun[-1]

    yield start
    for process in begun:
        process.kill()


def weights_of(path):
    with np.load(path) as kept:
        return [kept[name] for name in kept.files]


def assert_same(folder, other):
    weights, expected = final_weights(folder)[1], final_weights(other)[1]
    assert weights.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(weights[name], value, rtol=1e-4, atol=1e-6, err_msg=name)


def test_killed_workers_go_on_to_the_weights_of_one_process(command, worker, tmp_path):
    # Keys of all workers enter the queue of each, and each makes the views of its own clips on the host.
    arguments = ["--method=moco", "--batch_size=4", "--epochs=8", "--augment_on=host"]
    alone = command("pretrain", *arguments, f"--run_dir={tmp_path / 'one'}", "--replicas=2")
    _, err = alone.communicate(timeout=LIMIT)
    assert alone.returncode == 0, err
    there, folders = free_addresses(2), [tmp_path / "chief", tmp_path / "never_made"]

    def start():
        return [
            worker(there, k, f"--run_dir={folder}", *arguments, "--save_seconds=0") for k, folder in enumerate(folders)
        ]

    chief, other = start()
    wait_for(lambda: tf.train.latest_checkpoint(folders[0] / "checkpoints"), chief)
    other.send_signal(signal.SIGKILL)
    lost = r"^pretrain: error: Another worker has ended.*Start all workers again, without --overwrite: the run con"
    _, err = chief.communicate(timeout=LIMIT)
    assert chief.returncode == 1
    assert re.search(lost, err, re.M), err
    processes = start()
    outputs = [process.communicate(timeout=LIMIT) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert all(re.search(r"^Continuing at step \d+ on 2 replicas", out, re.M) for out, _ in outputs), outputs
    assert "Trained. The chief evaluates." in outputs[1][0]
    kept = [weights_of(tmp_path / f"{k}.npz") for k in range(2)]
    for weights in zip(*kept, strict=True):
        for value in weights[1:]:
            np.testing.assert_array_equal(value, weights[0])
    assert_same(folders[0], tmp_path / "one")
    assert (folders[0] / "results.jsonl").exists()
    assert not folders[1].exists()


def test_a_worker_with_other_flags_and_a_chief_that_never_comes(worker, tmp_path):
    there = free_addresses(2)
    processes = [worker(there, k, f"--run_dir={tmp_path / 'run'}", f"--seed={k}") for k in range(2)]
    for process in processes:
        out, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 1
        assert re.search("^pretrain: error: Worker 1 was started with other flags than the chief", err, re.M), err
        assert "keep these ports in a closed network" in out
    alone = worker(free_addresses(2), 1, "--run_dir=x", "--worker_seconds=1")
    _, err = alone.communicate(timeout=LIMIT)
    assert alone.returncode == 1
    assert re.search(r"^pretrain: error: After 1 s these of the 2 workers have not come: the chief", err, re.M), err


def test_a_signal_to_one_worker_stops_all_at_the_same_step(worker, tmp_path):
    there = free_addresses(2)
    processes = [worker(there, k, "--epochs=100000", f"--run_dir={tmp_path / 'chief'}") for k in range(2)]
    lines_until(processes[1], r"step +\d")
    processes[1].send_signal(signal.SIGTERM)
    outputs = [process.communicate(timeout=LIMIT) for process in processes]
    found = [re.search(r"Stopped at step (\d+) of 300000", out) for out, _ in outputs]
    assert all(found), outputs
    steps = [each[1] for each in found]
    assert [process.returncode for process in processes] == [130, 130]
    assert steps[0] == steps[1]
    assert tf.train.latest_checkpoint(tmp_path / "chief" / "checkpoints").endswith(f"step-{steps[0]}")


@pytest.mark.parametrize("flag", ["--strategy=multiworker", "--strategy=auto"])
def test_a_malformed_variable_and_a_missing_worker_leave_nothing(call, tmp_path, monkeypatch, flag):
    monkeypatch.setenv("TF_CONFIG", "{worker}")
    with pytest.raises(ValueError, match=r"^TF_CONFIG: It is no JSON, .*Found: \{worker\}\. Expected the form"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", flag)
    there = free_addresses(2)
    config = {"cluster": {"worker": there}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    with pytest.raises(ValueError, match=rf"After 1 s these of the 2 workers have not come: worker 1 at {there[1]}"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", flag, "--worker_seconds=1")
    with pytest.raises(ValueError, match="`batch_size=3` clips cannot be shared evenly among 2 replicas"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", flag, "--batch_size=3")
    with pytest.raises(ValueError, match="`replicas=2`: on a CPU every worker is one replica"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", flag, "--replicas=2")
    assert not (tmp_path / "run").exists()


def test_what_is_asked_for_and_not_there_is_told(call, tmp_path, monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    with pytest.raises(ValueError, match=r"`strategy=multiworker` finds its workers in the variable TF_CONFIG, which"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", "--strategy=multiworker")
    with pytest.raises(ValueError, match="`strategy=one` and `replicas=2` exclude one another"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", "--strategy=one", "--replicas=2")
    assert not (tmp_path / "run").exists()
