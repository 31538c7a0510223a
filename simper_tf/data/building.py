"""Data sets of raw files, built where they have not been: by one process at a time, whole or not at all."""

import contextlib
import io
import json
import pathlib
import shutil
from collections.abc import Callable

import tensorflow as tf
import tensorflow_datasets as tfds

from simper_tf.data import built, tfds_builders
from simper_tf.evaluation import tasks
from simper_tf.utils import files


def find(
    kind: type, config: str, data_dir: str | pathlib.Path, manual_dir: str | None = None
) -> tfds.core.DatasetBuilder:
    """Returns the builder of a data set, whether it is built or not.

    What is not built in `data_dir` is looked for where `tfds build` puts it.

    Args:
        kind: The `Builder` class.
        config: Config of the class, or one that `tfds build --config=...` has built; empty for the first of the class.
        data_dir: Where built data sets are kept.
        manual_dir: Folder of raw files; None if they are not told. What is not built of the same kind of them, a
            stand-in or real ones, does not count in the folder of TFDS.

    Raises:
        ValueError: there is no such config, or none at all, or what is built of it is damaged.
    """
    configs = list(kind.builder_configs)
    if not configs:
        raise ValueError(f"The builder of {kind.name} names no BUILDER_CONFIGS: it needs at least one.")
    below = pathlib.Path(kind.name, config or configs[0], str(kind.VERSION))
    folder = pathlib.Path(data_dir).expanduser() / below
    if not folder.exists() and _is_built_of(_tfds_folder() / below, manual_dir):
        data_dir, folder = _tfds_folder(), _tfds_folder() / below
    if config and config not in configs and not folder.exists():
        raise ValueError(
            f"`dataset={kind.name}/{config}`: {kind.name} has no config {config!r}. It has: {', '.join(configs)}. "
            f"Those that `tfds build --config=...` makes are looked for in {data_dir} and {_tfds_folder()}."
        )
    with _refusing_damage(folder):
        if config and config not in configs:
            return _checked(tfds.builder_from_directory(folder))
        return _checked(kind(config=config or None, data_dir=data_dir))


def load(
    kind: type, config: str, data_dir: str | pathlib.Path, manual_dir: str | None = None, say: Callable = print
) -> built.ClipData:
    """Returns a data set, built unless it is built; one of several processes builds, and the others wait for it.

    Arguments are those of `find`, and `say` is called with a line when a build begins. Raises ValueError as `find`, and
    where raw files are not at hand or it cannot be written.
    """
    builder = find(kind, config, data_dir, manual_dir)
    if not builder.data_path.exists():
        build(builder, manual_dir, say)
        builder = find(kind, config, data_dir, manual_dir)
    elif not pathlib.Path(builder.data_path).resolve().is_relative_to(pathlib.Path(data_dir).expanduser().resolve()):
        say(f"{builder.info.full_name} is not in {data_dir}: taken from {builder.data_path}.")
    if is_standin(builder):
        say(f"{builder.info.full_name} in {builder.data_path} is built of a stand-in: its numbers are not of the data.")
    return built.ClipData(builder)


def is_standin(builder: tfds.core.DatasetBuilder) -> bool:
    """Returns whether a data set that is built was built of a stand-in."""
    return tfds_builders.STANDIN in (builder.info.metadata or {}).keys()  # noqa: SIM118  (which TFDS fills when asked)


def _tfds_folder():
    """Returns where `tfds build` puts what it builds, unless it is told."""
    return pathlib.Path(tfds.core.constants.DATA_DIR)


def _is_built_of(folder, manual_dir):
    """Returns whether a folder holds what is built of such raw files."""
    try:
        mark = json.loads((folder / "metadata.json").read_text()).get(tfds_builders.STANDIN, {})
    except (OSError, ValueError, AttributeError):  # Not there, or damaged: of no use here.
        return False
    return not (manual_dir and pathlib.Path(manual_dir).is_dir()) or mark == tfds_builders.standin_of(manual_dir)


def build(builder: tfds.core.DatasetBuilder, manual_dir: str | None = None, say: Callable = print):
    """Builds a data set unless it is built, with arguments and errors as of `load`."""
    folder = pathlib.Path(builder.data_path.parent)
    with files.without_empty(folder), files.alone(folder / ".lock"):
        # Another process may have built it while this one waited.
        if not builder.data_path.exists():
            _build(builder, manual_dir, say)


def _build(builder, manual_dir, say):
    """Builds aside, in a folder that only the holder of the lock touches, and moves what is whole to its place."""
    say(f"Building {builder.info.full_name} in {builder.data_path} (once) ...")
    place = pathlib.Path(builder.data_path)
    tfds_builders.remove_dead(place.parent)
    for left_over in place.parents[1].glob("*/.building"):  # Of other configs.
        with contextlib.suppress(files.InUse), files.alone(left_over.parent / ".lock", wait=False):
            shutil.rmtree(left_over)
    aside = place.parent / ".building"
    shutil.rmtree(aside, ignore_errors=True)
    try:
        made = _prepare(type(builder)(config=builder.builder_config, data_dir=aside), builder, manual_dir)
        common = pathlib.Path(aside, builder.name, ".config")
        if common.exists():  # Where the class names its configs.
            shutil.copytree(common, place.parents[1] / ".config", dirs_exist_ok=True)
        made.rename(place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _prepare(aside, builder, manual_dir):
    """Returns the folder of what a builder builds; its raw files and downloads are those of another."""
    name, place = builder.info.full_name, builder.data_path
    try:
        # TFDS says that it downloads, which it does not, and draws a bar for every shard.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            aside.download_and_prepare(
                download_dir=builder.data_dir_root / "downloads",
                download_config=tfds.download.DownloadConfig(manual_dir=manual_dir),
            )
    except AssertionError as error:
        if "No examples were yielded" not in str(error):
            raise
        raise ValueError(
            f"{name} could not be built: not one clip of a split can be used. `tfds build datasets/{builder.name}` "
            "says why each was skipped."
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
        raise built.damaged(folder, error) from error


def _checked(builder):
    """Returns a builder; refuses one whose built data lack what every trainer needs."""
    metadata = builder.info.metadata or {}
    clip_range = metadata.get("clip_range", [0, 1])
    tasks.from_metadata(metadata.get("task"))
    if not (isinstance(clip_range, list | tuple) and len(clip_range) == 2 and clip_range[0] < clip_range[1]):
        raise ValueError(f"metadata.json has a clip_range of {clip_range}")
    if builder.data_path.exists() and not builder.info.splits:
        raise ValueError("dataset_info.json is missing or names no split")
    return builder
