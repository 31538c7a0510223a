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
from processes import wait_for

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
        return process, re.search(
            r"worker\(s\) at localhost .*--data_service=(grpc://\S+:\d+)\. .*every interface", line
        )[1]

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def test_a_run_with_a_service_that_loses_a_worker_ends_with_the_weights_of_one_without(command, serve, tmp_path):
    dispatcher, address = serve("--port=0", "--workers=0")
    # The only worker makes all batches up to the first checkpoint, and has further steps at work when it is killed.
    second, same = serve(f"--dispatcher={address}")
    assert same == address
    flags = ["--epochs=20", "--augment_on=host", "--noartifacts"]
    served = [f"--run_dir={tmp_path / 'served'}", f"--data_service={address}", "--save_seconds=0"]
    served = command("pretrain", *served, *flags)
    wait_for(lambda: tf.train.latest_checkpoint(tmp_path / "served" / "checkpoints"), served)
    served.send_signal(signal.SIGSTOP)  # Else it would be at its end before another worker has started.
    first, _ = serve(f"--dispatcher={address}")
    second.send_signal(signal.SIGKILL)
    second.wait()
    served.send_signal(signal.SIGCONT)
    assert served.poll() is None, served.communicate()
    alone = command("pretrain", f"--run_dir={tmp_path / 'alone'}", *flags)
    outputs = []
    for process in (served, alone):
        out, err = process.communicate(timeout=LIMIT)
        outputs.append(out)
        assert process.returncode == 0, err
    assert re.search(r"^Batches that did not come from the data service in time.*: \d+ in all", outputs[0], re.M), (
        outputs[0]
    )
    (_, weights), (_, expected) = (final_weights(tmp_path / name) for name in ("served", "alone"))
    assert weights.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(weights[name], value, rtol=1e-4, atol=1e-6, err_msg=name)
    assert "--data_service=" in (tmp_path / "served" / "flags.cfg").read_text()
    for process in (first, dispatcher):
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=LIMIT)
        assert (process.returncode, out) == (0, "Ended.\n")


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


@pytest.mark.parametrize("given", ["--port=5051", "--workers=0"])
def test_what_means_nothing_to_who_joins_a_dispatcher_is_refused(given):
    words = [sys.executable, "-m", "trainers.data_service", "--dispatcher=grpc://127.0.0.1:1", given]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT)
    expected = rf"data_service: error: {given} means nothing with --dispatcher=grpc://127.0.0.1:1, .*out\.\n"
    assert (done.returncode, bool(re.fullmatch(expected, done.stderr))) == (1, True), done.stderr


def test_a_run_that_was_finished_needs_no_service_and_one_that_begins_anew_is_kept_without(call, tmp_path, capsys):
    flags = [f"--run_dir={tmp_path / 'run'}", "--noartifacts"]
    call(pretrain.main, *flags)
    path = tf.train.latest_checkpoint(tmp_path / "run" / "checkpoints")
    with socket.create_server(("127.0.0.1", 0)) as free:
        flags.append(f"--data_service=grpc://127.0.0.1:{free.getsockname()[1]}")
    capsys.readouterr()
    call(pretrain.main, *flags)
    assert "Training was finished at step" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"no dispatcher of a tf\.data service answers there"):
        call(pretrain.main, *flags, "--overwrite")
    assert tf.train.latest_checkpoint(tmp_path / "run" / "checkpoints") == path


@pytest.mark.parametrize("kind", [tf.errors.AbortedError, tf.errors.DeadlineExceededError])
def test_a_process_that_trains_alone_names_no_other_worker(call, tmp_path, monkeypatch, kind):
    def failing(*_):
        raise kind(None, None, "what the service said")

    monkeypatch.setattr(pretrain, "train", failing)
    with pytest.raises(kind, match="what the service said"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}")
