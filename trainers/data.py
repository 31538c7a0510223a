"""Named data sets -> examples, built first where they have not been."""

import contextlib
import importlib
import io
import pathlib

import tensorflow as tf
import tensorflow_datasets as tfds
from absl import flags

from trainers.cli import say

FOLDER = pathlib.Path(__file__).parents[1] / "datasets"


def load():
    """Returns the TFDS builder of `--dataset`, its data built.

    Raises:
        ValueError: there is no such data set or config, or its raw files are not at hand.
    """
    config = flags.FLAGS
    name, _, config_name = config.dataset.partition("/")
    known = sorted(path.parent.name for path in FOLDER.glob("*/*_dataset_builder.py"))
    if name not in known:
        raise ValueError(f"--dataset={config.dataset}: there is no data set {name!r}. There are: {', '.join(known)}.")
    module = importlib.import_module(f"datasets.{name}.{name}_dataset_builder")
    configs = list(module.Builder.builder_configs)
    if config_name and config_name not in configs:
        raise ValueError(
            f"--dataset={config.dataset}: {name} has no config {config_name!r}. It has: {', '.join(configs)}."
        )
    builder = module.Builder(config=config_name or None, data_dir=config.data_dir)
    if not builder.data_path.exists():
        _build(builder)
    return builder


def split(builder, name, limit=0):
    """Returns a split as a `tf.data.Dataset` in stored order, and how many examples it holds.

    Args:
        builder: A built TFDS builder.
        name: Of the split.
        limit: Take only the first so many; 0 for all.
    """
    total = builder.info.splits[name].num_examples
    count = min(limit, total) if limit else total
    read = tfds.ReadConfig(interleave_cycle_length=1, try_autocache=False)
    examples = builder.as_dataset(split=f"{name}[:{count}]", shuffle_files=False, read_config=read)
    return examples, count


def first_example(examples):
    """Returns the first example of a data set, as NumPy values."""
    return next(iter(examples.take(1).as_numpy_iterator()))


def _build(builder):
    say(f"Building {builder.info.full_name} in {builder.data_path} (once) ...")
    manual_dir = flags.FLAGS.manual_dir
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # TFDS draws a bar for every shard.
            builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=manual_dir))
    except AssertionError as error:  # TFDS asserts that the folder of raw files exists and is not empty.
        raise ValueError(
            f"{builder.info.full_name} is not built and its raw files are missing: {error}. Put them in a folder as "
            f"datasets/{builder.name}/README.md says and name it by --manual_dir."
        ) from error
    except tf.errors.OpError as error:
        raise ValueError(f"{builder.info.full_name} could not be built: {error.message.splitlines()[0]}") from error
