"""Steps of every encoder, against the same in plain Keras layers, against the machine's peak, and where time goes.

python -m benchmarks.encoders --table=docs/encoders_speed.md
"""

import argparse
import functools
import pathlib

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import keras
import tensorflow as tf

from benchmarks import arithmetic, plain
from benchmarks.timing import Row, alternate, exponent
from simper_tf.encoders import ENCODERS
from simper_tf.evaluation import rows, tables
from simper_tf.utils import files

# Encoder -> shape of its clips (frames, height, width, channels), those of views in its flagfile or less where these
# take longer than some seconds, and the two numbers of clips. `frame_mean` has nothing to learn, and no step.
SIZES = {
    "cnn3d": ((75, 28, 28, 1), (2, 4)),
    "cnn3d_domainbed": ((50, 28, 28, 1), (1, 2)),
    "efficientphys": ((90, 36, 36, 3), (2, 4)),
    "physnet": ((60, 48, 48, 3), (1, 2)),
    "physnet_sinc": ((60, 48, 48, 3), (1, 2)),
    "repnet": ((20, 64, 64, 3), (1, 2)),
    "resnet3d18": ((16, 48, 48, 3), (1, 2)),
    "small": ((75, 28, 28, 1), (80, 160)),
    "small1d": ((132, 1, 1, 3), (320, 640)),
    "ts_can": ((90, 36, 36, 3), (2, 4)),
}
# Clips on which both are compared, but for the channels.
CHECKED = (2, 8, 24, 24)
HEADER = ("encoder", "clips", "s", "plain Keras, s", "ratio", "exponent", "GFLOP", "share of peak")


def step(number, name):
    """Seconds of an encoder's step, forward and backward, and of the plain one; None where both are the same."""
    mine, copy, clips = _made(name, number)
    calls = [plain.gradient_step(mine, clips)]
    if plain.differs(mine):
        check(name)
        calls.append(plain.gradient_step(copy, clips))
    best = alternate(*calls, repeats=5)
    return best[0], best[1] if len(best) > 1 else None


def check(name):
    """Compares a step of an encoder on a few small clips with that of its plain copy.

    Raises:
        ValueError: they do not compute the same.
    """
    shape = (*CHECKED, SIZES[name][0][-1])
    keras.utils.set_random_seed(0)
    encoder = plain.smooth(ENCODERS[name](shape[2:]))
    plain.check_same(encoder, plain.plain(encoder), tf.random.uniform(shape))


def main():
    """Measures both sizes of every encoder and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="docs/encoders_speed.md", help="Where the table is written.")
    parser.add_argument("--only", default=",".join(SIZES), help="Names of encoders.")
    args = parser.parse_args()
    tf.get_logger().setLevel("ERROR")  # Every step is a graph of its own, of which TensorFlow warns.
    names = args.only.split(",")
    unknown = sorted(set(names) - set(SIZES))
    if unknown:
        parser.error(f"--only={args.only}: there is no {', '.join(unknown)}. There are: {', '.join(SIZES)}.")
    peak = arithmetic.peak_flops()
    text = document(peak, [line for name in names for line in measured(name, peak)])
    files.write_atomically(pathlib.Path(args.table), text)
    print(text)


def measured(name: str, peak: float):
    """Yields the cells of one encoder, a list for each of its sizes.

    Args:
        name: One of `SIZES`.
        peak: Operations a second that count as 1.
    """
    before, (shape, numbers) = None, SIZES[name]
    for number in numbers:
        print(f"measuring {name}, {number} clips ...", flush=True)
        ours, other = step(number, name)
        mine, _, clips = _made(name, number)
        call = plain.gradient_step(mine, clips)
        flops, of_time = arithmetic.step_flops(call), arithmetic.shares(call)
        yield [
            name, f"{number} x {' x '.join(map(str, shape))}", f"{ours:.3g}", f"{other:.3g}" if other else "the same",
            f"{other / ours:.2f}" if other else "", f"{exponent(before, (number, ours)):.2f}" if before else "",
            f"{flops / 1e9:.1f}", f"{flops / ours / peak:.0%}", *(f"{share:.0%}" for share in of_time.values()),
        ]  # fmt: skip
        before = number, ours


def document(peak: float, lines: list[list[str]]) -> str:
    """Returns the page: how it was made, the table of `measured` lines, and what its columns mean."""
    header = [*HEADER, *arithmetic.KINDS, arithmetic.OTHER]
    return (
        "# Speed of the encoders\n\n"
        f"Made by `python -m benchmarks.encoders` at commit {rows.code_commit() or 'unknown'}: "
        f"{arithmetic.environment()}, {peak / 1e9:.0f} GFLOP/s in a product of large matrices. One step is the forward "
        "and the backward pass of so many clips of so many frames.\n\n"
        f"{tables.markdown_table(header, lines)}\n\n"
        "`ratio` is the time of the same architecture and weights in plain Keras layers over ours, in alternating "
        "rounds. On small clips, with softplus for ReLU, features agree to 1e-5 and gradients to 1e-4 of their "
        "largest. `exponent` is the growth with the number of clips. Operations are those of convolutions and matrix "
        "products. The last columns are shares of the time of a step by TensorFlow's profiler: bias and fused "
        "activations count as convolution; each moment is divided evenly among the ops that run in it.\n"
    )


@functools.lru_cache(1)
def _made(name, number):
    """Returns an encoder, its plain copy, and clips."""
    keras.utils.set_random_seed(0)
    shape = SIZES[name][0]
    mine = ENCODERS[name](shape[1:])
    return mine, plain.plain(mine), tf.random.uniform([number, *shape])


ROWS = {
    f"encoder_{name}": Row(functools.partial(step, name=name), numbers, "clips") for name, (_, numbers) in SIZES.items()
}

if __name__ == "__main__":
    main()
