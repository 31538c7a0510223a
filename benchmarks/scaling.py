"""Bytes that replicas send one another in a step, by method, and their cost over links of some speeds.

python -m benchmarks.scaling [--document=docs/scaling.md] [--measured]

Bytes are those of the collectives in a step of two replicas. Times are computed from a step measured on this
machine and from the links that are assumed; nothing here has run on a GPU or over a network. `--measured` has tables of
what two cores of this machine can show instead, see `benchmarks.scaling_measured`.
"""

import contextlib
import functools
import os

import trainers.quiet  # noqa: F401

# isort: split
import keras
import numpy as np
import tensorflow as tf

from benchmarks import document, scaling_measured
from benchmarks.timing import alternate
from benchmarks.views import random_clips
from simper_tf.evaluation import markdown_tables
from simper_tf.evaluation.tasks import Frequency
from simper_tf.methods import METHODS, TrainingFacts
from simper_tf.training import experiment, loop
from simper_tf.training.settings import Settings
from simper_tf.utils import replicas

COMMAND = "python -m benchmarks.scaling"
# Clips of the rotating digits, and how many a replica has: those of the default settings.
FRAMES, SHAPE, SHARE = 150, (28, 28, 1), 4
NUMBERS = (2, 8, 64)
# What is assumed: bits a second of links, seconds until a message arrives, and how many times this machine's speed an
# accelerator has.
LINKS, LATENCY, FASTER = (1e9, 10e9, 100e9), 20e-6, (1, 100)
ENCODERS = ("small", "cnn3d")


def ring_bytes(reduced: float, gathered: float, number: int) -> float:
    """Returns the bytes that a replica sends in a step, by the ring algorithms (Patarasuk and Yuan, 2009).

    Args:
        reduced: Bytes of what is summed over all replicas, such as gradients: each is sent twice, but for a share.
        gathered: Bytes of a replica's own part of what all of them get.
        number: Replicas.
    """
    return 2 * (number - 1) / number * reduced + (number - 1) * gathered


def efficiency(compute: float, reduced: float, gathered: float, number: int, bits: float, latency: float) -> float:
    """Returns the share of a step spent on computing, where nothing is sent meanwhile and each replica has its clips.

    Args:
        compute: Seconds of a step of one replica alone.
        reduced, gathered, number: As in `ring_bytes`.
        bits: A second, over a replica's link.
        latency: Seconds until a message arrives; a ring has 2 (R - 1) one after another.
    """
    sending = 8 * ring_bytes(reduced, gathered, number) / bits + 2 * (number - 1) * latency
    return compute / (compute + sending)


def model_of(name: str, encoder: str = "small") -> keras.Model:
    """Returns a compiled method with the options that follow from a thousand clips of rotating digits."""
    settings = Settings(method=name, encoder=encoder, batch_size=2 * SHARE)
    views = experiment.make_views(settings, (FRAMES, *SHAPE))
    rates, labels = np.full(1000, 30.0), np.linspace(0.5, 5, 1000).astype(np.float32)
    facts = TrainingFacts(
        views, rates, len(rates), settings.batch_size, 100, settings.band,
        labels if METHODS[name].needs_labels else None, Frequency("Hz"),
    )  # fmt: skip
    model = experiment.make_method(settings, experiment.make_encoder(settings, SHAPE), facts)
    model.compile(keras.optimizers.Adam())
    return model


def batch_of(model: keras.Model, number: int):
    """Returns clips as the method takes them, with labels where it learns from some."""
    clips = random_clips([number, FRAMES, *SHAPE])
    return (clips, tf.linspace(0.5, 5.0, number)) if model.needs_labels else clips


def sent(strategy: tf.distribute.Strategy, name: str) -> tuple[int, int, int]:
    """Returns bytes of gradients, of what else is summed, and of a replica's part of what is gathered, in a step.

    Args:
        strategy: Of two replicas on CPUs.
        name: A name of `METHODS`.
    """
    with strategy.scope():
        model = model_of(name)
        model.optimizer.build(model.trainable_variables)
    batches = tf.data.Dataset.from_tensors(batch_of(model, 2 * SHARE))
    batch = next(iter(replicas.distribute(strategy, batches)))
    with _recorded() as sizes:
        loop.step_function(model)(batch)
    gradients = sum(int(np.prod(v.shape)) * 4 for v in model.trainable_variables)
    # Both replicas have counted, and the optimizer's sums with the others.
    return gradients, sizes["all_reduce"] // 2 - gradients, sizes["all_gather"] // 2


@contextlib.contextmanager
def _recorded():
    """Counts the bytes that replicas give to their collectives in a step that is traced and run meanwhile."""
    kind = tf.distribute.ReplicaContext
    sizes, own = {"all_reduce": 0, "all_gather": 0}, (kind.all_reduce, kind.all_gather)

    def add(name, size, number):
        sizes[name] += size * int(number)

    def counting(name, call):
        def counted(context, *arguments, **named):
            value = named.get("value", arguments[1] if name == "all_reduce" and len(arguments) > 1 else arguments[0])
            for tensor in tf.nest.flatten(value):
                # Shapes are not all known before the step runs.
                tf.numpy_function(functools.partial(add, name, tensor.dtype.size), [tf.size(tensor)], [])
            return call(context, *arguments, **named)

        return counted

    try:
        kind.all_reduce, kind.all_gather = counting("all_reduce", own[0]), counting("all_gather", own[1])
        yield sizes
    finally:
        kind.all_reduce, kind.all_gather = own


def wire_table() -> str:
    """Returns the table of bytes by method, for replicas of `SHARE` clips."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    lines = []
    for name in sorted(METHODS, key=lambda name: name != "simper"):
        print(f"counting {name} ...", flush=True)
        gradients, summed, gathered = sent(strategy, name)
        totals = [ring_bytes(gradients + summed, gathered, number) / 1e6 for number in NUMBERS]
        kilobytes = [f"{value / 1e3:.4g}" for value in (gradients, summed, gathered)]
        lines.append([name, *kilobytes, *(f"{total:.3g}" for total in totals)])
    header = ["method", "gradients, kB", "else summed, kB", "gathered, own part, kB"]
    return markdown_tables.markdown_table([*header, *(f"sent by one of {number}, MB" for number in NUMBERS)], lines)


def scaling_table() -> str:
    """Returns the table of efficiencies of SimPer, computed from a measured step and the links that are assumed."""
    lines = []
    for encoder in ENCODERS:
        print(f"measuring {encoder} ...", flush=True)
        model = model_of("simper", encoder)
        batch, step = batch_of(model, SHARE), loop.step_function(model)
        (measured,) = alternate(lambda step=step, batch=batch: step(batch), repeats=2)
        size = sum(int(np.prod(v.shape)) * 4 for v in model.trainable_variables)
        for faster in FASTER:
            for bits in LINKS:
                shares = [efficiency(measured / faster, size, 0, number, bits, LATENCY) for number in NUMBERS]
                seconds = f"{measured:.3g} s" if faster == 1 else f"{measured:.3g} s / {faster}"
                lines.append([encoder, f"{size / 1e6:.3g}", seconds, f"{bits / 1e9:g}", *(f"{s:.1%}" for s in shares)])
    header = ["encoder", "gradients, MB", "compute a step", "link, Gbit/s"]
    return markdown_tables.markdown_table([*header, *(f"{number} replicas" for number in NUMBERS)], lines)


def report() -> str:
    """Returns both tables, with what was measured and what is assumed."""
    single, cpu = scaling_table(), f"{os.cpu_count()} cores, TensorFlow {tf.__version__}, float32"
    return (
        f"Encoder `small`, {SHARE} clips of {' x '.join(map(str, (FRAMES, *SHAPE)))} a replica, views on the device:"
        "\n\n"
        f"{wire_table()}\n\n"
        f"Measured: seconds of a step of SimPer on {SHARE} clips ({cpu}). Assumed: links as in the table, "
        f"{LATENCY * 1e6:g} microseconds a message, nothing sent while anything is computed, replicas equally fast and "
        f"never waiting for data, and, in rows `/ {FASTER[-1]}`, accelerators {FASTER[-1]} times as fast as this "
        f"machine. Share of the time that is computing:\n\n{single}"
    )


def main():
    parser = document.flags(__doc__)
    parser.add_argument("--measured", action="store_true", help="Measure processes, input and memory on this machine.")
    given = parser.parse_args()
    if given.measured:
        try:
            text, command = scaling_measured.report(), f"{COMMAND} --measured"
        except ValueError as error:
            parser.error(f"--measured: {error}")
    else:
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
        text, command = report(), COMMAND
    document.say(given.document, command, text)


if __name__ == "__main__":
    main()
