"""Steps of `small` and `cnn3d` beside the same in PyTorch: make bench-peers.

python -m benchmarks.peers

Two processes take turns, one of TensorFlow and one of PyTorch, so that neither's threads are in the other's way: each
waits, asleep, for the name of the next call. Both have the same weights and clips; their outputs must agree.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

# Encoder -> shape of the clips.
SIZES = {"small": (80, 75, 28, 28, 1), "cnn3d": (2, 75, 28, 28, 1)}
WORKS = ("forward", "forward and backward", "inference")
HEADER = ("encoder", "", "ours, s", "PyTorch, s", "PyTorch / ours", "its fastest layout")
ROUNDS = 5
# Largest difference of outputs.
AGREEMENT = 1e-4


def main():
    """Measures both encoders and prints the table."""
    from simper_tf.evaluation import tables

    lines, versions = [], {}
    for name in SIZES:
        print(f"measuring {name} ...", flush=True)
        with tempfile.TemporaryDirectory() as folder, Turns("keras", name, folder) as keras:
            versions |= keras.versions  # Has written the weights that PyTorch takes.
            with Turns("torch", name, folder) as torch:
                versions |= torch.versions
                check_same(pathlib.Path(folder))
                lines += [[name, *line] for line in compare(keras, torch)]
    print(", ".join(f"{name} {version}" for name, version in versions.items()) + ":")
    print(tables.markdown_table(list(HEADER), lines))


def compare(keras, torch):
    """Yields a line of cells for each of `WORKS`, the best of alternating rounds."""
    for work in WORKS:
        calls = [(keras, "keras"), *((torch, layout) for layout in torch.layouts)]
        for side, layout in calls:
            side.seconds(work, layout)  # Traced, and caches filled.
        rounds = [[side.seconds(work, layout) for side, layout in calls] for _ in range(ROUNDS)]
        ours, *others = np.min(rounds, axis=0)
        best = int(np.argmin(others))
        yield [work, f"{ours:.3g}", f"{others[best]:.3g}", f"{others[best] / ours:.2f}", torch.layouts[best]]


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


class Turns:
    """A process that runs one call at a time when it is told to.

    Args:
        side: `keras` or `torch`.
        name: An encoder of `SIZES`.
        folder: Where both sides leave what the other needs.
    """

    def __init__(self, side: str, name: str, folder: str):
        command = [sys.executable, "-m", f"benchmarks.peers_{side}", name, str(folder)]
        root = pathlib.Path(__file__).parents[1]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, cwd=root, **pipes)

    def __enter__(self):
        told = self._answer()
        self.versions, self.layouts = told["versions"], told["layouts"]
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()

    def seconds(self, work: str, layout: str) -> float:
        """Runs one of `WORKS` and returns its seconds."""
        time.sleep(0.05)  # Threads that wait for work spin for a while before they sleep.
        print(json.dumps([work, layout]), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise ValueError(f"{' '.join(self._process.args)} has ended with code {self._process.wait()}.")
        return json.loads(line)


def take_turns(calls: dict, versions: dict):
    """Serves a `Turns`: says what there is, then runs what standard input names until it is closed.

    Args:
        calls: `(work, layout)` -> function.
        versions: Library -> version.
    """
    layouts = list(dict.fromkeys(layout for _, layout in calls))
    print(json.dumps({"versions": versions, "layouts": layouts}), flush=True)
    for line in sys.stdin:
        call = calls[tuple(json.loads(line))]
        began = time.perf_counter()
        call()
        print(json.dumps(time.perf_counter() - began), flush=True)


def arguments():
    """Returns the name of the encoder and the folder that a side is started with."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=SIZES)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    return args.name, args.folder


if __name__ == "__main__":
    main()
