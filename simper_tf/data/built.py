"""Built TFDS data sets -> examples; damage is told in one sentence."""

import contextlib
import dataclasses
import re
from collections.abc import Callable, Mapping

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

from simper_tf.data import columns, tfrecords
from simper_tf.evaluation import tasks
from simper_tf.utils import units


@dataclasses.dataclass(frozen=True)
class ClipData:
    """A built data set, or a part of it.

    Attributes:
        builder: Its TFDS builder, see `building`.
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
        """The task that its labels belong to."""
        return tasks.from_metadata(self.builder.info.metadata["task"])

    @property
    def value_range(self) -> tuple[float, float] | None:
        """The physical values that encoders see as 0 and 1, or None for clips of uint8 levels."""
        clip_range = self.builder.info.metadata.get("clip_range")
        return clip_range and tuple(clip_range)

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

    def size(self, name: str, limit: int = 0) -> int:
        """Returns how many the first examples of a split are, and opens no file; arguments and error as in `split`."""
        return len(self._rows(name, limit))

    def split(self, name: str, limit: int = 0) -> tuple[tf.data.Dataset, int]:
        """Returns the first examples of a split, floats in [0, 1], and how many they are.

        Args:
            name: `train`, `validation` or `test`.
            limit: So many at most; 0 for all.

        Raises:
            ValueError: there is no such split.
        """
        rows = self._rows(name, limit)
        end = int(rows[-1]) + 1
        # What is left out is not decoded.
        options = {"decoders": {"clip": tfds.decode.SkipDecoding()}} if end > len(rows) else {}
        examples = self._examples(name, end, **options)
        if end > len(rows):
            clip = self.builder.info.features["clip"]
            examples = _only(examples, rows, end).map(
                lambda example: {**example, "clip": clip.decode_example(example["clip"])},
                tf.data.AUTOTUNE, deterministic=True,
            )  # fmt: skip

        def as_used(place, example):
            return self._as_used(name, example, place)

        return examples.enumerate().map(as_used, tf.data.AUTOTUNE, deterministic=True), len(rows)

    def reader(self, name: str, limit: int = 0) -> tuple[Callable, int]:
        """Returns a function from a `tf.data.Dataset` of numbers k to that of those examples of `split`; and how many.

        Those examples alone are read and decoded, in the same order. Arguments as in `split`, but for several splits in
        a row too, such as `train+validation`.

        Raises:
            ValueError: there is no such split, its files are damaged or gone, or they are no TFRecord files.
            OSError: they cannot be read for another reason.
        """
        rows, info = self._rows(name, limit), self.builder.info
        parts = [info.splits[part] for part in name.split("+")]
        if info.file_format != tfds.core.FileFormat.TFRECORD:
            raise ValueError(
                f"The data set in {self.builder.data_path} is stored as {info.file_format.value}, and training reads "
                "single records of TFRecord files. Build it by tfds build --file_format=tfrecord."
            )
        try:
            files = [path for part in parts for path in part.filepaths]
            numbers = [number for part in parts for number in part.shard_lengths]
            read = tfrecords.reader(files, numbers, rows)
        except (tfrecords.Damaged, FileNotFoundError, tf.errors.NotFoundError) as error:
            raise damaged(self.builder.data_path, error) from error

        def example(record, place):
            return self._as_used(name, info.features.deserialize_example(record), place)

        def examples(places):
            return read(places).map(example, tf.data.AUTOTUNE, deterministic=True)

        return examples, len(rows)

    def column(self, feature: str, split: str, limit: int = 0) -> np.ndarray:
        """Returns one small feature of the first examples of a split, decoding no other; arguments as in `reader`.

        That of a whole split is kept beside its files, see `columns`.
        """
        if "+" in split:
            return np.concatenate([self.column(feature, part) for part in split.split("+")])[: limit or None]
        rows, kept = self._rows(split, limit), columns.Kept(self.builder, split, feature)
        values = kept.values()
        if values is None:
            decoders = tfds.decode.PartialDecoding({feature: True})
            examples = self._examples(split, int(rows[-1]) + 1, decoders=decoders)
            values = np.stack([example[feature] for example in examples.as_numpy_iterator()])
            if len(values) == self.builder.info.splits[split].num_examples:
                kept.keep(values)
        values = values[rows]
        if self.last_frames and feature in self._of_frames:
            values = values[:, -self.last_frames :]
        if feature == "label" and self._hides(split):
            values[~self.known_labels[: len(values)]] = np.nan
        return values

    def _rows(self, name, limit):
        splits, rows, start = self.builder.info.splits, [], 0
        for part in name.split("+"):
            if part not in splits:
                raise ValueError(
                    f"{self.builder.info.full_name} has no split {part!r}, only {', '.join(splits)}: none of its raw "
                    f"files was there when it was built. Add some, delete {self.builder.data_path} and build it again."
                )
            rows.append(start + self.rows.get(part, np.arange(splits[part].num_examples)))
            start += splits[part].num_examples
        return np.concatenate(rows)[: limit or None]

    def _examples(self, name, end, **options):
        read = tfds.ReadConfig(interleave_cycle_length=1, try_autocache=False)
        return self.builder.as_dataset(split=f"{name}[:{end}]", shuffle_files=False, read_config=read, **options)

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
        cut = self._of_frames
        return {name: value[-self.last_frames :] if name in cut else value for name, value in example.items()}

    @property
    def _of_frames(self):
        """Names of the features whose first axis is that of the frames."""
        features = self.builder.info.features
        # Such as a mask of the pixels. A series of as many values may be what follows the clip.
        alike = {name for name in features if features[name].shape[:-1] == features["clip"].shape[:-1]}
        return {"clip", *self.courses} | alike


def _only(examples, rows, end):
    """Returns the examples of some rows alone, of `end` in all."""
    kept = np.zeros(end, bool)
    kept[rows] = True
    chosen = examples.enumerate().filter(lambda k, _: tf.gather(kept, k)).map(lambda _, example: example)
    return chosen.apply(tf.data.experimental.assert_cardinality(len(rows)))


@contextlib.contextmanager
def reading(clips: ClipData):
    """Turns a record that cannot be read, in the time of a block, into one clear ValueError."""
    try:
        yield
    except tf.errors.OpError as error:
        # Records that are damaged, fewer than there should be, and files that are gone.
        folder = clips.builder.data_path
        signs = ("corrupted record", "truncated record", "Input dataset was expected")
        is_gone = isinstance(error, tf.errors.NotFoundError) and str(folder) in error.message
        if not is_gone and not any(sign in error.message for sign in signs):
            raise
        lines = error.message.splitlines()
        reason = next((line for line in lines if str(folder) in line or any(sign in line for sign in signs)), lines[0])
        # TensorFlow puts the name of the op before and after what it says.
        said = re.sub(r"\{\{.*?\}\} | \[Op:.*", "", reason).strip()
        raise damaged(folder, said) from error


def damaged(folder, error) -> ValueError:
    """Returns the error that says of a folder of a built data set that it is damaged, and what to do."""
    said = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
    return ValueError(f"The data set in {folder} is damaged: {said}. Delete that folder and build it again.")
