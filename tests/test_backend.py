import os
import subprocess
import sys

import pytest

# A Keras that runs on another backend, without the gigabytes that one would take.
ELSEWHERE = "import keras; keras.backend.backend = lambda: 'jax'; import simper_tf; simper_tf.SimPer"


def run(*arguments, backend):
    environment = {**os.environ, "KERAS_BACKEND": backend}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("code", "backend"),
    [
        ("from simper_tf import SimPer", "jax"),
        ("from simper_tf.encoders import small", "jax"),
        ("from simper_tf.methods import MoCo", "jax"),
        ("import simper_tf; simper_tf.views.views", "jax"),
        pytest.param(ELSEWHERE, "tensorflow", marks=pytest.mark.slow),
    ],
)
def test_another_backend_is_refused_with_the_setting_to_change(code, backend):
    found = run("-c", code, backend=backend)
    assert found.returncode == 1
    last_line = found.stderr.strip().splitlines()[-1]
    assert last_line.startswith("ImportError: ")
    assert "jax" in last_line
    assert "KERAS_BACKEND=tensorflow" in last_line


def test_what_needs_no_keras_does_not_ask_for_its_backend():
    assert run("-c", "import simper_tf.recordings, simper_tf.evaluation.tasks", backend="jax").returncode == 0


@pytest.mark.slow
def test_a_trainer_says_so_in_one_line():
    found = run("-m", "trainers.pretrain", "--run_dir=unused", backend="jax")
    assert found.returncode == 1
    assert found.stderr.startswith("error: Keras could not load its backend (No module named 'jax').")
    assert len(found.stderr.strip().splitlines()) == 1
