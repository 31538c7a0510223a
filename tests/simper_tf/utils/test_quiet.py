"""What TensorFlow prints where there is no GPU is kept back, and said where there is one."""

import os
import pathlib

import pytest

from simper_tf.utils import quiet


@pytest.mark.parametrize(("driver", "said"), [(False, ""), (True, "why not\n")])
def test_errors_are_printed_after_all_beside_a_gpu_driver(driver, said, capfd, monkeypatch):
    monkeypatch.setattr(pathlib.Path, "exists", lambda path: driver and str(path) == "/proc/driver/nvidia")
    with quiet.quietly():
        os.write(2, b"why not\n")
        assert capfd.readouterr().err == ""
    assert capfd.readouterr().err == said
    os.write(2, b"later\n")
    assert capfd.readouterr().err == "later\n"
