"""Bytes of a ring, and what a step of a method sends."""

import subprocess
import sys

import pytest

from benchmarks import scaling


def test_bytes_of_a_ring_by_hand():
    # Of 100 bytes that are summed by 4, each sends 3 quarters twice; its own 10 go to 3 others.
    assert scaling.ring_bytes(100, 10, 4) == pytest.approx(150 + 30)
    assert scaling.ring_bytes(100, 10, 1) == 0


def test_a_link_as_slow_as_the_step_halves_it_and_one_replica_loses_nothing():
    # Two replicas send 1,000 bytes in 8,000 bits of 8,000 a second.
    assert scaling.efficiency(1.0, 1000, 0, 2, 8000.0, 0.0) == pytest.approx(0.5)
    assert scaling.efficiency(1.0, 0, 0, 2, 1e9, 0.5) == pytest.approx(0.5)
    assert scaling.efficiency(1.0, 1000, 10, 1, 1.0, 1.0) == 1.0


def test_the_short_form_of_what_is_not_asked_for_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["scaling", "--short"])
    with pytest.raises(SystemExit):
        scaling.main()
    assert "--short is a form of --measured: give both, or leave it out." in capsys.readouterr().err


TRACED = """
import tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
from benchmarks.scaling import sent
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
print(sent(strategy, "simper"), sent(strategy, "simper", other_clips=True), sent(strategy, "moco"), sep=";")
"""


@pytest.mark.slow
def test_simper_sends_gradients_alone_and_who_compares_clips_sends_what_it_compares():
    run = subprocess.run([sys.executable, "-c", TRACED], check=True, capture_output=True, text=True)
    alone, across, moco = [eval(part) for part in run.stdout.strip().splitlines()[-1].split(";")]
    assert alone == (20516 * 4, 0, 0)  # The parameters of `small`.
    # Features of 4 clips, 10 views of 75 frames, 4 outputs; and for the gradient, how many clips each replica has.
    assert across[0] == alone[0]
    assert across[2] == 4 * 10 * 75 * 4 * 4 + 4
    assert moco[2] == 4 * 128 * 4  # The keys of 4 clips, of length 128.
