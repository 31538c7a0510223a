"""Named data sets -> examples, built first where they have not been."""

import contextlib
import fcntl
import importlib
import io
import pathlib

import tensorflow as tf
import tensorflow_datasets as tfds
from absl import flags

from simper_tf import units
from trainers.cli import say

FOLDER = pathlib.Path(__file__).parents[1] / "datasets"


def find(dataset, data_dir):
    """Returns the TFDS builder of a data set, whether it is built or not.

    Args:
        dataset: Its folder in datasets/, with a slash and a config or without.
        data_dir: Where built data sets are kept.

    Raises:
        ValueError: there is no such data set or config.
    """
    name, _, config = dataset.partition("/")
    known = sorted(path.parent.name for path in FOLDER.glob("*/*_dataset_builder.py"))
    if name not in known:
        raise ValueError(f"--dataset={dataset}: there is no data set {name!r}. There are: {', '.join(known)}.")
    module = importlib.import_module(f"datasets.{name}.{name}_dataset_builder")
    configs = list(module.Builder.builder_configs)
    if config and config not in configs:
        raise ValueError(f"--dataset={dataset}: {name} has no config {config!r}. It has: {', '.join(configs)}.")
    return module.Builder(config=config or None, data_dir=data_dir)


def load():
    """Returns the TFDS builder of `--dataset`, its data built.

    Raises:
        ValueError: there is no such data set or config, or its raw files are not at hand.
    """
    config = flags.FLAGS
    builder = find(config.dataset, config.data_dir)
    if not builder.data_path.exists():
        with _alone(builder.data_path.parent):
            builder = find(config.dataset, config.data_dir)
            # Another process may have built it while this one waited.
            if not builder.data_path.exists():
                _build(builder)
    return builder


def split(builder, name, limit=0):
    """Returns a split as a `tf.data.Dataset` in stored order, and how many examples it holds.

    Clips are as encoders take them: uint8, or floats that the data set's `clip_range` was mapped to [0, 1].

    Args:
        builder: A built TFDS builder.
        name: Of the split.
        limit: Take only the first so many; 0 for all.

    Raises:
        ValueError: the data set was built without this split.
    """
    if name not in builder.info.splits:
        raise ValueError(
            f"{builder.info.full_name} has no split {name!r}, only {', '.join(builder.info.splits)}: none of its raw "
            f"files was there when it was built. Add some, delete {builder.data_path} and build it again."
        )
    total = builder.info.splits[name].num_examples
    count = min(limit, total) if limit else total
    read = tfds.ReadConfig(interleave_cycle_length=1, try_autocache=False)
    examples = builder.as_dataset(split=f"{name}[:{count}]", shuffle_files=False, read_config=read)
    value_range = clip_range(builder)
    if value_range:

        def to_unit_interval(example):
            return {**example, "clip": units.rescale(example["clip"], value_range)}

        examples = examples.map(to_unit_interval, tf.data.AUTOTUNE, deterministic=True)
    return examples, count


def label_unit(builder):
    """Returns the unit of a data set's labels; see `schema.metadata`."""
    return builder.info.metadata["label_unit"]


def clip_range(builder):
    """Returns the physical values that encoders see as 0 and 1, or None for clips of uint8 levels."""
    return builder.info.metadata.get("clip_range")


def first_example(examples):
    """Returns the first example of a data set, as NumPy values."""
    return next(iter(examples.take(1).as_numpy_iterator()))


def _build(builder):
    say(f"Building {builder.info.full_name} in {builder.data_path} (once) ...")
    # TFDS builds in a folder of this name and renames it when all is written. Not deleted here, for it may be in use.
    for left_over in builder.data_path.parent.glob(f"incomplete.*_{builder.data_path.name}"):
        say(f"{left_over} is what a killed build has left: delete it, unless `tfds build` is at work there.")
    manual_dir = flags.FLAGS.manual_dir
    try:
        # TFDS says that it downloads, which it does not, and draws a bar for every shard.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=manual_dir))
    except AssertionError as error:
        if "No examples were yielded" in str(error):
            raise ValueError(
                f"{builder.info.full_name} could not be built: not one clip of a split can be used. "
                f"`tfds build datasets/{builder.name}` says why each was skipped."
            ) from error
        # TFDS asserts that the folder of raw files exists and is not empty, and adds how to get them, in lines.
        raise ValueError(
            f"{builder.info.full_name} is not built and its raw files are missing: {str(error).partition('. ')[0]}. "
            f"Put them in a folder as datasets/{builder.name}/README.md says and name it by --manual_dir."
        ) from error
    except tf.errors.OpError as error:
        raise ValueError(f"{builder.info.full_name} could not be built: {error.message.splitlines()[0]}") from error


@contextlib.contextmanager
def _alone(folder):
    """Waits until no other process builds here; the system frees the lock of one that is killed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
