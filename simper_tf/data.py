"""Built TFDS data sets -> examples; built first where they have not been, and damage told in one sentence."""

import contextlib
import dataclasses
import io
import pathlib
import re
import shutil
from collections.abc import Callable, Mapping

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

from simper_tf import files, records, tasks, units

SPLITS = ("train", "validation", "test")


@dataclasses.dataclass(frozen=True)
class ClipData:
    """A built data set, or a part of it.

    Attributes:
        builder: Its TFDS builder, see `find` and `build`.
        rows: Split -> which of its clips are used, rising; all of those that are not named.
        known_labels: Which of the training clips that are used have a label that may be looked at, `(N,)` bool; None
            for all.
        last_frames: So many frames at the end of each clip are used; 0 for all.
        hides_labels: Whether training clips whose label is not known come too, with NaN for it.
    """

    builder: tfds.core.DatasetBuilder
    rows: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
    known_labels: np.ndarray | None = None
    last_frames: int = 0
    hides_labels: bool = False

    @property
    def name(self) -> str:
        """Name of the data set."""
        return self.builder.name

    @property
    def config(self) -> str:
        """Name of its config."""
        return self.builder.builder_config.name

    @property
    def task(self) -> tasks.Task:
        """What its labels are."""
        return tasks.from_metadata(self.builder.info.metadata["task"])

    @property
    def value_range(self) -> tuple[float, float] | None:
        """The physical values that encoders see as 0 and 1, or None for clips of uint8 levels."""
        found = self.builder.info.metadata.get("clip_range")
        return found and tuple(found)

    @property
    def frame_shape(self) -> tuple[int, int, int]:
        """`(H, W, C)` of the clips."""
        return tuple(self.builder.info.features["clip"].shape[1:])

    @property
    def num_frames(self) -> int:
        """T of the clips."""
        return self.last_frames or self.builder.info.features["clip"].shape[0]

    @property
    def courses(self) -> list[str]:
        """Names of the features that show what repeats, frame by frame, such as the angle or the PPG."""
        if not isinstance(self.task, tasks.Frequency):
            return []
        features = self.builder.info.features
        shape = features["clip"].shape[:1]
        return sorted(name for name, feature in features.items() if feature.shape == shape and name != "label")

    def take(self, rows: Mapping[str, np.ndarray], known_labels: np.ndarray | None = None) -> "ClipData":
        """Returns the data set with some clips of some splits alone; see `rows` and `known_labels`."""
        return dataclasses.replace(self, rows=rows, known_labels=known_labels)

    def labeled(self) -> "ClipData":
        """Returns the data set with those training clips alone whose labels may be looked at."""
        if self.known_labels is None:
            return self
        return self.take({**self.rows, "train": self.rows["train"][self.known_labels]})

    def hiding_labels(self) -> "ClipData":
        """Returns the data set with NaN for the labels of training clips that may not be looked at."""
        return dataclasses.replace(self, hides_labels=self.known_labels is not None)

    def cut(self, num_frames: int) -> "ClipData":
        """Returns the data set with the last frames of every clip alone, and of what goes with its frames."""
        return dataclasses.replace(self, last_frames=num_frames)

    def split(self, name: str, limit: int = 0) -> tuple[tf.data.Dataset, int]:
        """Returns the first examples of a split, floats in [0, 1], and how many they are.

        Args:
            name: One of `SPLITS`.
            limit: So many at most; 0 for all.

        Raises:
            ValueError: there is no such split.
        """
        return self._read(name, limit)

    def reader(self, name: str, limit: int = 0) -> tuple[Callable, int]:
        """Returns a function from a `tf.data.Dataset` of numbers k to that of those examples of `split`; and how many.

        Those examples alone are read and decoded, in the same order. Arguments as in `split`.

        Raises:
            ValueError: there is no such split, its files are damaged or gone, or they are no TFRecord files.
            OSError: they cannot be read for another reason.
        """
        rows, split, info = self._rows(name, limit), self.builder.info.splits[name], self.builder.info
        if info.file_format != tfds.core.FileFormat.TFRECORD:
            raise ValueError(
                f"The data set in {self.builder.data_path} is stored as {info.file_format.value}, and training reads "
                "single records of TFRecord files. Build it with --file_format=tfrecord."
            )
        try:
            read = records.reader(split.filepaths, split.shard_lengths, rows)
        except (records.Damaged, FileNotFoundError, tf.errors.NotFoundError) as error:
            raise _damaged(self.builder.data_path, error) from error

        def example(record, place):
            return self._as_used(name, info.features.deserialize_example(record), place)

        def examples(places):
            return read(places).map(example, tf.data.AUTOTUNE, deterministic=True)

        return examples, len(rows)

    def column(self, feature: str, split: str, limit: int = 0) -> np.ndarray:
        """Returns one feature of the first examples of a split, decoding no other; arguments as in `split`."""
        examples, _ = self._read(split, limit, decoders=tfds.decode.PartialDecoding({feature: True}))
        return np.stack([example[feature] for example in examples.as_numpy_iterator()])

    def _rows(self, name, limit):
        splits = self.builder.info.splits
        if name not in splits:
            raise ValueError(
                f"{self.builder.info.full_name} has no split {name!r}, only {', '.join(splits)}: none of its raw files "
                f"was there when it was built. Add some, delete {self.builder.data_path} and build it again."
            )
        return self.rows.get(name, np.arange(splits[name].num_examples))[: limit or None]

    def _read(self, name, limit, **options):
        rows = self._rows(name, limit)
        end = int(rows[-1]) + 1
        if end > len(rows):
            # What is left out is not decoded.
            options.setdefault("decoders", {"clip": tfds.decode.SkipDecoding()})
        read = tfds.ReadConfig(interleave_cycle_length=1, try_autocache=False)
        examples = self.builder.as_dataset(split=f"{name}[:{end}]", shuffle_files=False, read_config=read, **options)
        if end > len(rows):
            examples = _only(examples, rows, end).map(self._decode, tf.data.AUTOTUNE, deterministic=True)

        def as_used(place, example):
            return self._as_used(name, example, place)

        examples = examples.enumerate().map(as_used, tf.data.AUTOTUNE, deterministic=True)
        return examples, len(rows)

    def _decode(self, example):
        if "clip" not in example:
            return example
        return {**example, "clip": self.builder.info.features["clip"].decode_example(example["clip"])}

    def _hides(self, name):
        return self.hides_labels and name == "train"

    def _as_used(self, name, example, place):
        """Returns the example at a place of a split with what runs see of it; the place counts where labels hide."""
        if self.last_frames:
            example = self._cut(example)
        if self._hides(name) and "label" in example:
            known = tf.gather(self.known_labels, place)
            example = {**example, "label": tf.where(known, example["label"], np.nan)}
        if self.value_range and "clip" in example:
            example = {**example, "clip": units.rescale(example["clip"], self.value_range)}
        return example

    def _cut(self, example):
        features = self.builder.info.features
        of_frames = {"clip", *self.courses}
        # Such as a mask of the pixels. A series of as many values may be what follows the clip.
        of_frames |= {name for name in features if features[name].shape[:-1] == features["clip"].shape[:-1]}
        return {name: value[-self.last_frames :] if name in of_frames else value for name, value in example.items()}


def _only(examples, rows, end):
    """Returns the examples of some rows alone, of `end` in all."""
    kept = np.zeros(end, bool)
    kept[rows] = True
    found = examples.enumerate().filter(lambda k, _: tf.gather(kept, k)).map(lambda _, example: example)
    return found.apply(tf.data.experimental.assert_cardinality(len(rows)))


def find(kind: type, config: str, data_dir: str | pathlib.Path) -> tfds.core.DatasetBuilder:
    """Returns the builder of a data set, whether it is built or not.

    Args:
        kind: The `Builder` class.
        config: Config of the class, or one that `tfds build --config=...` has built; empty for the first of the class.
        data_dir: Where built data sets are kept.

    Raises:
        ValueError: there is no such config, or none at all, or what is built of it is damaged.
    """
    configs = list(kind.builder_configs)
    if not configs:
        raise ValueError(f"The builder of {kind.name} names no BUILDER_CONFIGS: it needs at least one.")
    folder = pathlib.Path(data_dir).expanduser() / kind.name / (config or configs[0]) / str(kind.VERSION)
    if config and config not in configs and not folder.exists():
        raise ValueError(
            f"--dataset={kind.name}/{config}: {kind.name} has no config {config!r}. It has: {', '.join(configs)}. "
            f"Those that `tfds build --config=...` makes are looked for in --data_dir={data_dir}."
        )
    with _refusing_damage(folder):
        if config and config not in configs:
            return _checked(tfds.builder_from_directory(folder))
        return _checked(kind(config=config or None, data_dir=data_dir))


def load(
    kind: type, config: str, data_dir: str | pathlib.Path, manual_dir: str | None = None, say: Callable = print
) -> ClipData:
    """Returns a data set, built unless it is built; one of several processes builds, and the others wait for it.

    Args:
        kind, config, data_dir: As in `find`.
        manual_dir: Folder of raw files that cannot be downloaded.
        say: Called with a line when a build begins.

    Raises:
        ValueError: as `find`, its raw files are not at hand, or it cannot be written.
    """
    builder = find(kind, config, data_dir)
    if not builder.data_path.exists():
        build(builder, manual_dir, say)
        builder = find(kind, config, data_dir)
    return ClipData(builder)


def load_built(folder: pathlib.Path) -> ClipData:
    """Returns the data set that is built in a folder, whatever has built it.

    Raises:
        ValueError: it is damaged.
    """
    with _refusing_damage(folder):
        return ClipData(_checked(tfds.builder_from_directory(folder)))


def build(builder: tfds.core.DatasetBuilder, manual_dir: str | None = None, say: Callable = print):
    """Builds a data set unless it is built; one of several processes does, and the others wait for it.

    Args:
        builder: Its builder.
        manual_dir, say: As in `load`.

    Raises:
        ValueError: its raw files are not at hand, or it cannot be written.
    """
    folder = pathlib.Path(builder.data_path.parent)
    folder.mkdir(parents=True, exist_ok=True)
    with files.alone(folder / ".lock"):
        # Another process may have built it while this one waited.
        if not builder.data_path.exists():
            _build(builder, manual_dir, say)


@contextlib.contextmanager
def reading(clips: ClipData):
    """Turns a record that cannot be read, in the time of a block, into one clear error.

    Raises:
        ValueError: a record is damaged.
    """
    try:
        yield
    except tf.errors.OpError as error:
        # Records that are damaged, fewer than there should be, and files that are gone.
        folder = clips.builder.data_path
        signs = ("corrupted record", "truncated record", "Input dataset was expected")
        is_gone = isinstance(error, tf.errors.NotFoundError) and str(folder) in error.message
        if not is_gone and not any(sign in error.message for sign in signs):
            raise
        # TensorFlow puts the name of the op before and after what it says.
        said = re.sub(r"\{\{.*?\}\} | \[Op:.*", "", error.message.splitlines()[0])
        raise _damaged(folder, said) from error


def _build(builder, manual_dir, say):
    """Builds aside, in a folder that only the holder of the lock touches, and moves what is whole to its place."""
    say(f"Building {builder.info.full_name} in {builder.data_path} (once) ...")
    place = pathlib.Path(builder.data_path)
    # `tfds build` knows no lock: its folders are not deleted here, for they may be in use.
    for left_over in place.parent.glob(f"incomplete.*_{place.name}"):
        say(f"{left_over} is what a killed build has left: delete it, unless `tfds build` is at work there.")
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
    tasks.from_metadata(metadata.get("task"))
    if not (isinstance(clip_range, list | tuple) and len(clip_range) == 2 and clip_range[0] < clip_range[1]):
        raise ValueError(f"metadata.json has a clip_range of {clip_range}")
    if builder.data_path.exists() and not builder.info.splits:
        raise ValueError("dataset_info.json is missing or names no split")
    return builder


def _damaged(folder, error):
    said = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
    return ValueError(f"The data set in {folder} is damaged: {said}. Delete that folder and build it again.")
