"""Networks of PyTorch with the weights of ours, in several layouts, for `benchmarks.peers`."""

import functools
import itertools
import json
import pathlib
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Small(nn.Module):
    """`simper_tf.small`: `(B, C, T, H, W)` -> `(B, T, 4)`."""

    def __init__(self, channels=1):
        super().__init__()
        sizes = (channels, 16, 32, 32)
        self.convolutions = nn.ModuleList(
            nn.Conv3d(inputs, outputs, (1, 3, 3), (1, 2, 2)) for inputs, outputs in itertools.pairwise(sizes)
        )
        self.over_time, self.head = nn.Conv1d(32, 64, 3), nn.Linear(64, 4)

    def forward(self, x):
        for convolution in self.convolutions:
            x = torch.relu(convolution(pad_same(x)))
        return self.over_features(x.mean(dim=(3, 4)))

    def over_features(self, x):
        """Returns the head's answer to `(B, 32, T)` features."""
        x = functional.pad(x, (1, 1), mode="replicate")
        return self.head(torch.relu(self.over_time(x)).transpose(1, 2))


class SmallOfImages(Small):
    """The same, its frames folded into the batch: two-dimensional convolutions are faster where a kernel sees one."""

    def forward(self, x):
        batch, _, frames = x.shape[:3]
        images = x.transpose(1, 2).flatten(0, 1).contiguous(memory_format=torch.channels_last)
        for convolution in self.convolutions:
            images = torch.relu(functional.conv2d(pad_same(images), convolution.weight[:, :, 0], convolution.bias, 2))
        x = images.mean(dim=(2, 3)).unflatten(0, (batch, frames)).transpose(1, 2)
        return self.over_features(x)


class Cnn3d(nn.Module):
    """`simper_tf.cnn3d`: `(B, C, T, H, W)` -> `(B, T)`."""

    def __init__(self, channels=1):
        super().__init__()
        layers = []
        for inputs, outputs in ((channels, 64), (64, 128)):
            layers += [
                nn.Conv3d(inputs, outputs, (5, 3, 3), padding="same"),
                norm(outputs),
                nn.ReLU(),
                nn.MaxPool3d((1, 2, 2)),
            ]
        self.layers = nn.Sequential(*layers, nn.Conv3d(128, 1, 1), norm(1), nn.ReLU())

    def forward(self, x):
        return self.layers(x).mean(dim=(1, 3, 4))


# Encoder -> layout -> the network and the memory format of its clips and weights.
CONTIGUOUS, CHANNELS_LAST = torch.contiguous_format, torch.channels_last_3d
NETWORKS = {
    "small": {
        "contiguous": (Small, CONTIGUOUS),
        "channels last": (Small, CHANNELS_LAST),
        "frames as images": (SmallOfImages, CONTIGUOUS),
    },
    "cnn3d": {"contiguous": (Cnn3d, CONTIGUOUS), "channels last": (Cnn3d, CHANNELS_LAST)},
}
norm = functools.partial(nn.BatchNorm3d, eps=1e-3)


def main():
    """Says what there is, then runs what standard input names until it is closed, and prints the seconds of each."""
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    calls, given = {}, np.load(folder / "weights.npz")
    weights = [given[key] for key in sorted(given) if key.startswith("weight_")]
    for layout, (kind, memory_format) in NETWORKS[name].items():
        network = kind()
        load(network, weights)
        network = network.to(memory_format=memory_format)
        # (B, T, H, W, C) to (B, C, T, H, W).
        clips = torch.from_numpy(given["clips"]).permute(0, 4, 1, 2, 3).contiguous(memory_format=memory_format)
        write(network, clips, folder / f"torch_{layout.replace(' ', '_')}.npz")
        works = {"forward": forward, "forward and backward": forward_and_backward, "inference": inference}
        calls |= {(work, layout): functools.partial(call, network, clips) for work, call in works.items()}
    print(json.dumps([torch.__version__, list(NETWORKS[name])]), flush=True)
    for line in sys.stdin:
        call = calls[tuple(json.loads(line))]
        time.sleep(0.05)  # The threads of the other library spin for a while before they sleep.
        began = time.perf_counter()
        call()
        print(time.perf_counter() - began, flush=True)


def load(network: nn.Module, weights: list[np.ndarray]):
    """Gives a network the weights of the Keras one: layer by layer in the same order, each in PyTorch's axes.

    Raises:
        ValueError: the numbers or shapes of weights differ.
    """
    left = list(weights)
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm3d):
            names = ("weight", "bias", "running_mean", "running_var")
        elif isinstance(layer, nn.Conv1d | nn.Conv3d | nn.Linear):
            names = ("weight", "bias")
        else:
            continue
        for name in names:
            value, mine = torch.from_numpy(left.pop(0)), getattr(layer, name)
            if value.ndim > 1:  # (size ..., in, out) to (out, in, size ...).
                value = value.permute(value.ndim - 1, value.ndim - 2, *range(value.ndim - 2))
            if value.shape != mine.shape:
                raise ValueError(f"A weight of shape {tuple(value.shape)} is none for {name} of {layer}.")
            mine.data.copy_(value)
    if left:
        raise ValueError(f"{len(left)} weights are left over.")


def write(network, clips, path):
    """Writes the outputs of a network, and leaves it as it was."""
    kept = {name: value.clone() for name, value in network.state_dict().items()}
    with torch.no_grad():
        outputs = {mode: network.train(mode == "training")(clips).numpy() for mode in ("inference", "training")}
    np.savez(path, **outputs)
    network.load_state_dict(kept)


def forward(network, clips):
    """Returns features in training mode, with all that the backward pass needs."""
    return network.train()(clips)


def forward_and_backward(network, clips):
    """Sets the gradients of the sum of squared features."""
    network.zero_grad()
    forward(network, clips).square().sum().backward()


def inference(network, clips):
    """Returns features in inference mode."""
    with torch.inference_mode():
        return network.eval()(clips)


def pad_same(x):
    """Pads the last two axes for a kernel of 3 and a stride of 2 as Keras's `same` does: what is odd goes behind."""
    widths = []
    for size in (x.shape[-1], x.shape[-2]):
        total = max((-(-size // 2) - 1) * 2 + 3 - size, 0)
        widths += [total // 2, total - total // 2]
    return functional.pad(x, widths)


if __name__ == "__main__":
    main()
