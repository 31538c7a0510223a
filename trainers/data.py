"""Named data sets -> examples, built first where they have not been."""

import contextlib
import io
import pathlib
import re
import shutil

import tensorflow as tf
import tensorflow_datasets as tfds
from absl import flags

import datasets
from simper_tf import files, units
from trainers.cli import say


def find(dataset, data_dir):
    """Returns the TFDS builder of a data set, whether it is built or not.

    Args:
        dataset: Its folder in datasets/, with a slash and a config or without.
        data_dir: Where built data sets are kept.

    Raises:
        ValueError: there is no such data set or config, or what is built of it is damaged.
    """
    name, _, config = dataset.partition("/")
    try:
        module = datasets.module(name)
    except ValueError as error:
        raise ValueError(f"--dataset={dataset}: {error}") from error
    configs = list(module.Builder.builder_configs)
    folder = pathlib.Path(data_dir).expanduser() / name / (config or configs[0]) / str(module.Builder.VERSION)
    if config and config not in configs and not folder.exists():
        raise ValueError(
            f"--dataset={dataset}: {name} has no config {config!r}. It has: {', '.join(configs)}. Those that "
            f"`tfds build --config=...` makes are looked for in --data_dir={data_dir}."
        )
    with _refusing_damage(folder):
        if config and config not in configs:
            return _checked(tfds.builder_from_directory(folder))
        return _checked(module.Builder(config=config or None, data_dir=data_dir))


@contextlib.contextmanager
def opened():
    """Gives what `load` returns for the time of a block, in which a record that cannot be read is one clear error.

    Raises:
        ValueError: as `load`, or a record is damaged.
    """
    builder = load()
    try:
        yield builder
    except tf.errors.OpError as error:
        # Records that are damaged, fewer than there should be, and files that are gone.
        signs = ("corrupted record", "truncated record", "Input dataset was expected", str(builder.data_path))
        if not any(sign in error.message for sign in signs):
            raise
        # TensorFlow puts the name of the op before and after what it says.
        said = re.sub(r"\{\{.*?\}\} | \[Op:.*", "", error.message.splitlines()[0])
        raise _damaged(builder.data_path, said) from error


def load():
    """Returns the TFDS builder of `--dataset`, its data built.

    Raises:
        ValueError: there is no such data set or config, its raw files are not at hand, or what is built is damaged.
    """
    config = flags.FLAGS
    builder = find(config.dataset, config.data_dir)
    if not builder.data_path.exists():
        folder = pathlib.Path(builder.data_path.parent)
        folder.mkdir(parents=True, exist_ok=True)
        with files.alone(folder / ".lock"):
            # Another process may have built it while this one waited.
            if not builder.data_path.exists():
                _build(builder)
        builder = find(config.dataset, config.data_dir)
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
    """Returns the unit of a data set's labels; see `tfds_features.metadata`."""
    return builder.info.metadata["label_unit"]


def clip_range(builder):
    """Returns the physical values that encoders see as 0 and 1, or None for clips of uint8 levels."""
    return builder.info.metadata.get("clip_range")


def first_example(examples):
    """Returns the first example of a data set, as NumPy values."""
    return next(iter(examples.take(1).as_numpy_iterator()))


def _build(builder):
    """Builds aside, in a folder that only the holder of the lock touches, and moves what is whole to its place."""
    say(f"Building {builder.info.full_name} in {builder.data_path} (once) ...")
    place = pathlib.Path(builder.data_path)
    # `tfds build` knows no lock: its folders are not deleted here, for they may be in use.
    for left_over in place.parent.glob(f"incomplete.*_{place.name}"):
        say(f"{left_over} is what a killed build has left: delete it, unless `tfds build` is at work there.")
    aside = place.parent / ".building"
    shutil.rmtree(aside, ignore_errors=True)
    try:
        made = _prepare(type(builder)(config=builder.builder_config, data_dir=aside), builder)
        common = pathlib.Path(aside, builder.name, ".config")
        shutil.copytree(common, place.parents[1] / ".config", dirs_exist_ok=True)
        made.rename(place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _prepare(aside, builder):
    """Returns the folder of what a builder builds; its raw files and downloads are those of another."""
    name, place = builder.info.full_name, builder.data_path
    try:
        # TFDS says that it downloads, which it does not, and draws a bar for every shard.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            aside.download_and_prepare(
                download_dir=builder.data_dir_root / "downloads",
                download_config=tfds.download.DownloadConfig(manual_dir=flags.FLAGS.manual_dir),
            )
    except AssertionError as error:
        if "No examples were yielded" not in str(error):
            raise
        raise ValueError(
            f"{name} could not be built: not one clip of a split can be used. "
            f"`tfds build datasets/{builder.name}` says why each was skipped."
        ) from error
    except (tf.errors.OpError, OSError, RuntimeError) as error:
        # TFDS wraps what a disk has said while it wrote a split.
        cause = error.__cause__ if isinstance(error, RuntimeError) else error
        if not isinstance(cause, tf.errors.OpError | OSError):
            raise
        said = str(getattr(cause, "message", cause)).splitlines()[0]
        raise ValueError(f"{name} could not be built in {place}: {said}") from error
    return pathlib.Path(aside.data_path)


@contextlib.contextmanager
def _refusing_damage(folder):
    """Tells what goes wrong with a data set that is built by its folder: TFDS has a type of error for each parser."""
    try:
        yield
    except Exception as error:
        if not folder.exists():
            raise
        raise _damaged(folder, error) from error


def _checked(builder):
    """Returns a builder; refuses one whose built data lack what every trainer needs."""
    metadata = builder.info.metadata or {}
    clip_range = metadata.get("clip_range", [0, 1])
    if not isinstance(metadata.get("label_unit"), str):
        raise ValueError(f"metadata.json has no label_unit, only {dict(metadata)}")
    if not (isinstance(clip_range, list | tuple) and len(clip_range) == 2 and clip_range[0] < clip_range[1]):
        raise ValueError(f"metadata.json has a clip_range of {clip_range}")
    if builder.data_path.exists() and not builder.info.splits:
        raise ValueError("dataset_info.json is missing or names no split")
    return builder


def _damaged(folder, error):
    said = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
    return ValueError(f"The data set in {folder} is damaged: {said}. Delete that folder and build it again.")
