"""`trainers.data_service` and trainers that name it, each a process of its own."""

import re
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from finished import final_weights

from trainers import pretrain

pytestmark = pytest.mark.slow
LIMIT = 400


@pytest.fixture
def serve():
    """Returns a function that starts the command, and returns its process and the address it prints."""
    begun = []

    def start(*arguments):
        words = [sys.executable, "-m", "trainers.data_service", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(words, **pipes)
        begun.append(process)
        line = process.stdout.readline()
        return process, re.search(r"worker\(s\) at localhost .*--data_service=(grpc://\S+:\d+)\. ", line)[1]

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def test_a_run_with_a_service_that_loses_a_worker_ends_with_the_weights_of_one_without(command, serve, tmp_path):
    first, address = serve("--port=0")
    second, same = serve(f"--dispatcher={address}")
    assert same == address
    flags = ["--epochs=20", "--augment_on=host", "--noartifacts", "--save_seconds=0"]
    served = command("pretrain", f"--run_dir={tmp_path / 'served'}", f"--data_service={address}", *flags)
    while not tf.train.latest_checkpoint(tmp_path / "served" / "checkpoints"):
        assert served.poll() is None, served.communicate()
    second.send_signal(signal.SIGKILL)
    alone = command("pretrain", f"--run_dir={tmp_path / 'alone'}", *flags)
    for process in (served, alone):
        _, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, err
    (_, weights), (_, expected) = (final_weights(tmp_path / name) for name in ("served", "alone"))
    assert weights.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(weights[name], value, rtol=1e-4, atol=1e-6, err_msg=name)
    assert "--data_service=" in (tmp_path / "served" / "flags.cfg").read_text()
    first.send_signal(signal.SIGTERM)
    out, _ = first.communicate(timeout=LIMIT)
    assert (first.returncode, out) == (0, "Ended.\n")


def test_without_a_worker_a_run_ends_in_one_line_and_the_same_command_continues(command, serve, call, tmp_path):
    _, address = serve("--port=0", "--workers=0")
    flags = [f"--run_dir={tmp_path / 'run'}", f"--data_service={address}", "--noartifacts"]
    process = command("pretrain", *flags, "--worker_seconds=1")
    _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert re.fullmatch(rf"pretrain: error: --data_service={address}: no batch has come for 1 s .*continues.*\n", err)
    serve(f"--dispatcher={address}")
    call(pretrain.main, *flags)
    assert (tmp_path / "run" / "results.jsonl").exists()


def test_what_is_not_there_or_taken_is_refused_in_one_line(call, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = [sys.executable, "-m", "trainers.data_service", f"--port={port}"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 1
    assert re.fullmatch(rf"data_service: error: --port={port} cannot be used \(.*\)\. Name another.*\n", done.stderr)
    with pytest.raises(ValueError, match=rf"--data_service=grpc://127.0.0.1:{port}: no dispatcher"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", f"--data_service=grpc://127.0.0.1:{port}")
    assert not (tmp_path / "run").exists()
