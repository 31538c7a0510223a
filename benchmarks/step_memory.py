"""Memory of a training step by encoder, batch and micro-batch, and what flagfiles say of it.

Gigabytes of activations a clip that flagfiles state are those measured of a step. Beside them stand the outputs of all
layers, counted, which differ where TensorFlow keeps more, or less. Each is measured in a process of its own with fewer
and shorter views, and scaled to the flagfile's, as activations are as many as frames.
"""

import functools
import math
import pathlib
import re
import sys

from benchmarks.timing import Row, peak_gib

# Flagfile -> frame shape of its data set, and frames a view.
FLAGFILES = {
    "rotating_digits": ((28, 28, 1), 75),
    "scamps": ((36, 36, 3), 300),
    "ubfc": ((36, 36, 3), 90),
    "pure": ((36, 36, 3), 90),
    "countix": ((96, 96, 3), 100),
    "lst": ((100, 100, 1), 50),
}
# Encoder -> frame shape, frames a view, and numbers of clips.
SIZES = {
    "cnn3d": ((28, 28, 1), 75, (2, 4)),
    "cnn3d_domainbed": ((28, 28, 1), 50, (2, 4)),
    "efficientphys": ((36, 36, 3), 90, (2, 4)),
    "linear": ((28, 28, 1), 75, (16, 32)),
    "physnet": ((48, 48, 3), 60, (2, 4)),
    "physnet_sinc": ((48, 48, 3), 60, (2, 4)),
    "repnet": ((64, 64, 3), 20, (2, 4)),
    "resnet3d18": ((48, 48, 3), 16, (2, 4)),
    "small": ((28, 28, 1), 75, (16, 32)),
    "small1d": ((1, 1, 3), 132, (64, 128)),
    "ts_can": ((36, 36, 3), 90, (2, 4)),
}
# Views a clip when measured: two sets of the fewest that SimPer compares.
VIEWS = 4
# Keras and flagfiles count in powers of ten.
GB = 2**30 / 1e9


def step(num_clips, name):
    """GiB of a step on so many clips, and with one clip at a time, for which batch norm gives way to `affine`."""
    frame_shape, num_frames, _ = SIZES[name]
    return [step_gib(name, frame_shape, num_frames, num_clips, micro_batch) for micro_batch in (0, 1)]


def step_gib(encoder, frame_shape, num_frames, num_clips, micro_batch=0, precision="float32") -> float:
    """Returns the GiB of a step of SimPer above those of a process that has made the same model.

    Args:
        encoder: A name of `ENCODERS`.
        frame_shape: `(H, W, C)`.
        num_frames: Frames a view, of which each clip makes `VIEWS`.
        num_clips: Clips a step.
        micro_batch: Clips at once; 0 for all.
        precision: A Keras policy.
    """
    code = "from benchmarks import step_memory; step_memory.run()"
    model = encoder, ",".join(map(str, frame_shape)), num_frames, micro_batch, precision
    return peak_gib(code, num_clips, *model) - _without_step(code, *model)


def run():
    """Makes the model that `sys.argv` describes, and takes two steps with it unless the number of clips is 0."""
    import trainers.quiet  # noqa: F401

    # isort: split
    import keras

    from benchmarks.views import random_clips
    from simper_tf.encoders import ENCODERS
    from simper_tf.methods import SimPer
    from simper_tf.training import loop
    from simper_tf.utils.options import options_of
    from simper_tf.views.times import SpeedSets
    from simper_tf.views.views import Views

    num_clips, encoder, frame_shape, num_frames, micro_batch, precision = sys.argv[1:]
    frame_shape, num_frames, micro_batch = [*map(int, frame_shape.split(","))], int(num_frames), int(micro_batch)
    keras.mixed_precision.set_dtype_policy(precision)
    make = ENCODERS[encoder]
    norm = {"norm": "affine"} if micro_batch and "norm" in options_of(make) else {}
    model = SimPer(make(frame_shape, **norm), Views(num_frames, SpeedSets(VIEWS // 2)), micro_batch=micro_batch)
    model.compile(keras.optimizers.Adam())
    clips = random_clips([int(num_clips), 2 * num_frames, *frame_shape])
    step = loop.step_function(model)
    for _ in range(2 if int(num_clips) else 0):
        step(clips)


def flagfiles_table() -> str:
    """Returns the table of what flagfiles state, what layers put out and what is measured."""
    from benchmarks.steps import settings_of
    from simper_tf.evaluation import markdown_tables

    lines = []
    for name, (frame_shape, num_frames) in FLAGFILES.items():
        print(f"measuring {name} ...", flush=True)
        path = f"flags/{name}.cfg"
        settings, text = settings_of(path), stated(path)
        measured = [
            gb_a_clip(settings.encoder, frame_shape, num_frames, 2 * settings.num_views, precision)
            for precision in ("float32", "mixed_bfloat16")
        ]
        count = gb_by_count(settings.encoder, frame_shape, num_frames, 2 * settings.num_views)
        lines.append([name, settings.encoder, text, *(f"{value:.1f}" for value in (count, *measured))])
    header = ["flagfile", "encoder", "stated, GB", "a clip by count, GB", "measured, GB", "in bfloat16"]
    return markdown_tables.markdown_table(header, lines)


def gb_by_count(encoder, frame_shape, num_frames, num_views) -> float:
    """Returns the GB of a clip's activations: the outputs of all layers of the encoder, its input among them, float32.

    Those are what gradients need, if nothing is computed again; what an op needs for a moment is not counted.

    Args:
        encoder, frame_shape, num_frames, num_views: As in `gb_a_clip`.
    """
    from simper_tf.encoders import ENCODERS

    layers = ENCODERS[encoder](frame_shape).layers
    # Batch and time are open.
    values = [math.prod(num_frames if n is None else n for n in layer.output.shape[1:]) for layer in layers]
    return 4 * sum(values) * num_views / 1e9


def gb_a_clip(encoder, frame_shape, num_frames, num_views, precision="float32") -> float:
    """Returns the GB that each further clip adds to a step, scaled from short views to what is asked.

    Args:
        encoder: A name of `ENCODERS`.
        frame_shape: `(H, W, C)`.
        num_frames: Frames a view.
        num_views: Views a clip.
        precision: A Keras policy.
    """
    short = max(10, min(num_frames, 75_000 // (frame_shape[0] * frame_shape[1])))  # Some seconds.
    single, triple = (step_gib(encoder, frame_shape, short, number, 0, precision) for number in (1, 3))
    return (triple - single) / 2 * GB * num_frames / short * num_views / VIEWS


def stated(path) -> str:
    """Returns the gigabytes that a flagfile states, as text."""
    text = pathlib.Path(path).read_text().replace("\n# ", " ")
    return ", ".join(re.findall(r"about ([\d.]+) GB", text))


@functools.lru_cache
def _without_step(code, *model):
    return peak_gib(code, 0, *model)


ROWS = {f"memory_{name}": Row(functools.partial(step, name=name), size[2], "clips", "GiB")
        for name, size in SIZES.items()}  # fmt: skip
