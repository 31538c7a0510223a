"""The processes of both libraries take turns, and PyTorch's networks are ours where it is installed."""

import json
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from benchmarks import peers, peers_keras
from simper_tf.encoders import ENCODERS


def test_outputs_that_differ_are_no_comparison(tmp_path):
    ours = {"training": np.zeros(3), "inference": np.ones(3)}
    np.savez(tmp_path / "keras.npz", **ours)
    np.savez(tmp_path / "torch_contiguous.npz", **ours)
    peers.check_same(tmp_path)
    np.savez(tmp_path / "torch_channels_last.npz", training=np.zeros(3), inference=np.full(3, 1.1))
    with pytest.raises(ValueError, match=r"torch_channels_last, inference: outputs differ by 0\.1, not the same"):
        peers.check_same(tmp_path)


def test_our_side_leaves_weights_and_outputs_and_keeps_its_weights(tmp_path):
    encoder, clips = ENCODERS["cnn3d"]((8, 8, 1)), tf.random.uniform([2, 8, 8, 8, 1])
    before = encoder.get_weights()
    peers_keras.write(encoder, clips, tmp_path)
    given, outputs = np.load(tmp_path / "weights.npz"), np.load(tmp_path / "keras.npz")
    assert len(given.files) == len(before) + 1
    assert outputs["training"].shape == outputs["inference"].shape == (2, 8)
    for mine, value in zip(encoder.get_weights(), before, strict=True):
        np.testing.assert_array_equal(mine, value)


SIDE = """
from benchmarks import peers
done = []
calls = {(work, "plain"): lambda work=work: done.append(work) for work in ("one", "two")}
peers.take_turns(calls, {"Side": "1.0"})
assert done == ["two", "one", "two"], done
"""


def test_a_side_says_what_it_has_and_runs_what_it_is_told():
    asked = [["two", "plain"], ["one", "plain"], ["two", "plain"]]
    said = subprocess.run(
        [sys.executable, "-c", SIDE], input="".join(f"{json.dumps(each)}\n" for each in asked),
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert json.loads(said[0]) == {"versions": {"Side": "1.0"}, "layouts": ["plain"]}
    assert all(json.loads(line) >= 0 for line in said[1:])
    assert len(said) == 4


@pytest.mark.parametrize("name", sorted(peers.SIZES))
def test_the_networks_of_pytorch_answer_as_ours_do(name, tmp_path):
    pytest.importorskip("torch", reason="make bench-peers installs PyTorch, in .venv-peers")
    from benchmarks import peers_torch

    encoder, clips = ENCODERS[name]((12, 12, 1)), tf.random.uniform([2, 8, 12, 12, 1])
    peers_keras.write(encoder, clips, tmp_path)
    for layout, (kind, memory_format) in peers_torch.NETWORKS[name].items():
        network = kind()
        peers_torch.load(network, encoder.get_weights())
        images = peers_torch.torch.from_numpy(clips.numpy()).permute(0, 4, 1, 2, 3)
        images = images.contiguous(memory_format=memory_format)
        peers_torch.write(network, images, tmp_path / f"torch_{layout}.npz")
    peers.check_same(tmp_path)
