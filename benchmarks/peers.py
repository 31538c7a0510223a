"""Steps of `small` and `cnn3d` beside the same in PyTorch: make bench-peers.

python -m benchmarks.peers

PyTorch runs in a process of its own, so that neither library's threads are in the other's way: one waits, asleep, while
the other computes. Both have the same weights and clips; their outputs must agree.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import trainers.quiet  # noqa: F401

# isort: split
import keras
import numpy as np
import tensorflow as tf

from benchmarks.encoders import gradient_step
from simper_tf.encoders import ENCODERS
from simper_tf.evaluation import markdown_tables

# Encoder -> shape of the clips.
SIZES = {"small": (80, 75, 28, 28, 1), "cnn3d": (2, 75, 28, 28, 1)}
WORKS = ("forward", "forward and backward", "inference")
HEADER = ("encoder", "", "ours, s", "PyTorch, s", "PyTorch / ours", "its fastest layout")
ROUNDS = 5
# Largest difference of outputs.
AGREEMENT = 1e-4


def main():
    """Measures both encoders and prints the table."""
    lines = []
    for name, shape in SIZES.items():
        print(f"measuring {name} ...", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            keras.utils.set_random_seed(0)
            encoder, clips = ENCODERS[name](shape[2:]), tf.random.uniform(shape)
            write(encoder, clips, pathlib.Path(folder))
            with Torch(name, folder) as torch:
                check_same(pathlib.Path(folder))
                lines += [[name, *line] for line in compare(calls_of(encoder, clips), torch)]
    print(f"TensorFlow {tf.__version__}, Keras {keras.__version__}, PyTorch {torch.version}:")
    print(markdown_tables.markdown_table(list(HEADER), lines))


def write(encoder, clips, folder: pathlib.Path):
    """Writes `weights.npz`, in the order of the encoder's, with the `clips`; and its outputs, `keras.npz`."""
    weights = {f"weight_{k:03}": value for k, value in enumerate(encoder.get_weights())}
    np.savez(folder / "weights.npz", clips=clips, **weights)
    inference = encoder(clips, training=False)  # First: training moves the averages.
    np.savez(folder / "keras.npz", training=encoder(clips, training=True), inference=inference)
    encoder.set_weights(list(weights.values()))


def calls_of(encoder, clips) -> dict:
    """Returns our function for each of `WORKS`."""
    modes = {work: tf.function(lambda training=training: encoder(clips, training=training), autograph=False)
             for work, training in (("forward", True), ("inference", False))}  # fmt: skip
    return {**modes, "forward and backward": gradient_step(encoder, clips)}


def compare(ours: dict, torch):
    """Yields a line of cells for each of `WORKS`, the best of alternating rounds.

    Args:
        ours: Work -> function.
        torch: Has `layouts`, and `seconds` of a work in a layout.
    """
    for work in WORKS:
        rounds = [
            [seconds(ours[work]), *(torch.seconds(work, layout) for layout in torch.layouts)] for _ in range(ROUNDS + 1)
        ]
        mine, *others = np.min(rounds[1:], axis=0)  # In the first graphs are traced, and caches filled.
        best = int(np.argmin(others))
        yield [work, f"{mine:.3g}", f"{others[best]:.3g}", f"{others[best] / mine:.2f}", torch.layouts[best]]


def seconds(call) -> float:
    """Returns the seconds of a call, once threads that waited for other work have gone to sleep."""
    time.sleep(0.05)
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def check_same(folder: pathlib.Path):
    """Compares the outputs that both have left in a folder, in training and in inference mode.

    Raises:
        ValueError: they differ by more than `AGREEMENT`.
    """
    ours = np.load(folder / "keras.npz")
    for path in sorted(folder.glob("torch_*.npz")):
        theirs = np.load(path)
        for mode in ("training", "inference"):
            difference = float(np.max(np.abs(ours[mode] - theirs[mode])))
            if not difference <= AGREEMENT:
                raise ValueError(f"{path.stem}, {mode}: outputs differ by {difference:.2g}, not the same network.")


class Torch:
    """The process of PyTorch, which runs one call at a time when it is told to; see `benchmarks.peers_torch`.

    Args:
        name: An encoder of `SIZES`.
        folder: Has what `write` leaves.
    """

    def __init__(self, name: str, folder: str):
        command = [sys.executable, "-m", "benchmarks.peers_torch", name, str(folder)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, cwd=pathlib.Path(__file__).parents[1], **pipes)

    def __enter__(self):
        self.version, self.layouts = self._answer()
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()

    def seconds(self, work: str, layout: str) -> float:
        """Runs one of `WORKS` and returns its seconds."""
        print(json.dumps([work, layout]), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise ValueError(f"{' '.join(self._process.args)} has ended with code {self._process.wait()}.")
        return json.loads(line)


if __name__ == "__main__":
    main()
