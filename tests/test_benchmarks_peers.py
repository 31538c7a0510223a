"""Both libraries take turns, and PyTorch's networks are ours where it is installed."""

import numpy as np
import pytest
import tensorflow as tf

from benchmarks import peers
from simper_tf.encoders import ENCODERS


def test_outputs_that_differ_are_no_comparison(tmp_path):
    ours = {"training": np.zeros(3), "inference": np.ones(3)}
    np.savez(tmp_path / "keras.npz", **ours)
    np.savez(tmp_path / "torch_contiguous.npz", **ours)
    peers.check_same(tmp_path)
    np.savez(tmp_path / "torch_channels_last.npz", training=np.zeros(3), inference=np.full(3, 1.1))
    with pytest.raises(ValueError, match=r"torch_channels_last, inference: outputs differ by 0\.1, not the same"):
        peers.check_same(tmp_path)


def test_our_side_leaves_weights_and_outputs_and_keeps_its_own(tmp_path):
    encoder, clips = ENCODERS["cnn3d"]((8, 8, 1)), tf.random.uniform([2, 8, 8, 8, 1])
    before = encoder.get_weights()
    peers.write(encoder, clips, tmp_path)
    given, outputs = np.load(tmp_path / "weights.npz"), np.load(tmp_path / "keras.npz")
    assert len(given.files) == len(before) + 1
    assert outputs["training"].shape == outputs["inference"].shape == (2, 8)
    for mine, value in zip(encoder.get_weights(), before, strict=True):
        np.testing.assert_array_equal(mine, value)


class Turns:
    """A process of PyTorch that takes 3 s in one layout and 2 s in the other, longer in the first round."""

    layouts = ("plain", "images")

    def __init__(self):
        self.told = []

    def seconds(self, work, layout):
        self.told.append((work, layout))
        return {"plain": 3.0, "images": 2.0}[layout] + 10 * (self.told.count((work, layout)) == 1)


def test_sides_take_turns_and_the_fastest_layout_counts(monkeypatch):
    times = iter([9.0, 0.5, 0.6, 0.4, 0.7, 0.8] * len(peers.WORKS))
    monkeypatch.setattr(peers, "seconds", lambda call: next(times))
    torch = Turns()
    lines = list(peers.compare(dict.fromkeys(peers.WORKS), torch))
    assert lines == [[work, "0.4", "2", "5.00", "images"] for work in peers.WORKS]
    rounds = peers.ROUNDS + 1
    assert torch.told == [(work, layout) for work in peers.WORKS for _ in range(rounds) for layout in Turns.layouts]


@pytest.mark.parametrize("name", sorted(peers.SIZES))
def test_the_networks_of_pytorch_answer_as_ours_do(name, tmp_path):
    pytest.importorskip("torch", reason="make bench-peers installs PyTorch, in .venv-peers")
    from benchmarks import peers_torch

    encoder, clips = ENCODERS[name]((12, 12, 1)), tf.random.uniform([2, 8, 12, 12, 1])
    peers.write(encoder, clips, tmp_path)
    for layout, (kind, memory_format) in peers_torch.NETWORKS[name].items():
        network = kind()
        peers_torch.load(network, encoder.get_weights())
        images = peers_torch.torch.from_numpy(clips.numpy()).permute(0, 4, 1, 2, 3)
        images = images.contiguous(memory_format=memory_format)
        peers_torch.write(network, images, tmp_path / f"torch_{layout}.npz")
    peers.check_same(tmp_path)
