"""Validation of raw files before a build, and of built data sets: sentences about what is wrong with them."""

import collections
import json
import pathlib
import re
import shutil
from collections.abc import Callable, Iterator

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

from simper_tf.data import building, checks, manifest, tfds_builders
from simper_tf.evaluation import tasks
from simper_tf.utils.errors import printable
from simper_tf.utils.files import write_atomically

MOST_SHOWN = 10  # Sentences of a kind, names in a list; the manifest has the reasons of all units.
_STRING_BYTES = 64  # Of an id or a name; they are shorter.


class Validation:
    """Looks over one data set and says what it finds on the way.

    Args:
        builder: A TFDS builder.
        checkup: The `checkup` of its reader; None where it has no raw files.
        say: Called with each line; what is in names of files cannot command a terminal.
        counter: `(what, total) ->` what is called with the number of those done.
    """

    def __init__(
        self,
        builder: tfds.core.DatasetBuilder,
        checkup: Callable | None,
        say: Callable[[str], None] = print,
        counter: Callable = lambda what, total: lambda done: None,
    ):
        self.builder, self._checkup, self._counter = builder, checkup, counter
        self._task = tasks.from_metadata(builder.info.metadata["task"])
        self._say = lambda text: say(printable(text))

    def all(self, manual_dir=None, path: pathlib.Path | None = None, other=None) -> list[str]:
        """Examines raw files, if a folder of them is named, and the built set, if there is one.

        Args:
            manual_dir: Folder of the raw files, or None.
            path: Where their manifest goes; None to read headers and labels only.
            other: The manifest of others to compare theirs with, once it is written; None for none.

        Returns:
            Sentences: all that would stop a build or is wrong with the built set.

        Raises:
            ValueError: there is nothing to examine.
        """
        if not manual_dir and not self.builder.data_path.exists():
            raise ValueError(
                f"{self.builder.info.full_name} is not built in {self.builder.data_path}. Name raw files: `manual_dir`."
            )
        problems, examples = self.raw(pathlib.Path(manual_dir), path, other) if manual_dir else ([], {})
        if self.builder.data_path.exists():
            problems += self.built(examples)
        return problems

    def raw(self, root: pathlib.Path, path=None, other=None) -> tuple[list[str], dict[str, int]]:
        """Returns what would stop a build, and `{split: number of examples}` if nothing would; arguments as in `all`.

        Raises:
            ValueError: the data set has no raw files, or was built with a config that its name does not tell.
        """
        name = self.builder.name
        if self._checkup is None:
            raise ValueError(f"`manual_dir` is for data sets that cannot be downloaded; {name} has no raw files.")
        if not isinstance(self.builder, tfds.core.GeneratorBasedBuilder):
            raise ValueError(
                f"{self.builder.info.full_name} was built with a config of its own: repeat that by `config`."
            )
        if not root.is_dir():
            return [f"{root}: there is no such folder."], {}
        try:
            checkup = self._checkup(root, self.builder.builder_config)
        except ValueError as error:
            return [str(error)], {}
        if tfds_builders.standin_of(root):
            self._say(f"{root} holds a stand-in, not the data.")
        reports, entries = self._examined(checkup.units, root, path)
        self._say_ranges(reports.values(), checkup.missing)
        problems, outcome = [report.problem for report in reports.values() if report.problem], None
        if not problems:
            try:
                outcome = checkup.decide(reports)
            except ValueError as error:
                problems = [str(error)]
        self.show("SKIPPED", [reason for report in reports.values() for reason in report.skipped])
        self.show("NOTE", [f"{unit}: {note}" for unit, report in reports.items() for note in report.notes])
        if outcome:
            self.show("SKIPPED", outcome.skipped)
            problems += self._say_outcome(outcome, reports)
        if path:
            self._write_manifest(path, entries, outcome)
        if path and other:
            problems += self.compare(path, other)
        return problems, outcome.examples if outcome else {}

    def built(self, examples: dict[str, int]) -> list[str]:
        """Returns what is wrong with the built set, beside `{split: examples}` of its raw files; empty if unknown."""
        splits, place = self.builder.info.splits, self.builder.data_path
        total = sum(info.num_examples for info in splits.values())
        self._say(f"Built set in {place}, {total} examples{' of a stand-in' * building.is_standin(self.builder)}:")
        done = self._counter("examples", total) if total else lambda count: None
        problems, subjects = examine(self.builder, self._task, done)
        for split, info in splits.items():
            self._say(f"{split}: {info.num_examples} examples{_of_subjects(subjects[split])}")
            if examples.get(split, info.num_examples) != info.num_examples:
                problems.append(
                    f"{place} has {info.num_examples} examples in {split}, the raw files give {examples[split]}: "
                    "delete it and build again."
                )
        return problems

    def compare(self, path, other) -> list[str]:
        """Returns in which units two manifests differ."""
        differences = manifest.differences(manifest.entries(path), manifest.entries(other))
        self._say(f"{path} and {other}: {len(differences) or 'no'} units differ.")
        return differences

    def show(self, kind: str, sentences):
        """Says the first sentences of a kind, each in a line."""
        for sentence in sentences[:MOST_SHOWN]:
            self._say(f"{kind} {sentence}")
        if len(sentences) > MOST_SHOWN:
            self._say(f"{kind} ... {len(sentences) - MOST_SHOWN} more like these.")

    def _examined(self, units, root, path):
        """Returns the reports by id, and the lines of the manifest if its path is given."""
        reports, entries, done = {}, [], self._counter("examined", len(units))
        for number, unit in enumerate(units, start=1):
            reports[unit.id] = unit.examine(bool(path))
            if path:
                entries.append(manifest.entry(unit, reports[unit.id], root))
            done(number)
        return reports, entries

    def _write_manifest(self, path, entries, outcome):
        split_of = {unit: split for split, ids in (outcome.units.items() if outcome else ()) for unit in ids}
        lines = (json.dumps(line | {"split": split_of.get(line["id"], "")}, ensure_ascii=False) for line in entries)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(f"{line}\n" for line in lines))
        self._say(f"Manifest: {path}.")

    def _say_ranges(self, reports, missing):
        """Says what there is and what is not, and between which values the good units lie."""
        good = [report for report in reports if report.frames]
        self._say(f"{len(reports)} found, {len(missing)} of the published set missing{_listed(missing)}")
        columns = {
            "frames per second": [report.rate for report in good],
            "seconds": [report.seconds for report in good],
            f"labels ({self._task.unit})": [label for report in good for label in report.labels],
        }
        for name, values in columns.items():
            if values:
                self._say(f"{name}: {min(values):.4g} to {max(values):.4g}")

    def _say_outcome(self, outcome, reports):
        """Says the splits and the disk they take; returns a sentence in a list if that is too much."""
        for split, ids in outcome.units.items():
            subjects = sorted({reports[unit].subject for unit in ids} - {""})
            self._say(f"{split}: {outcome.examples[split]} examples{_of_subjects(subjects)}")
        # TFDS shuffles through a second copy of a split.
        count = sum(outcome.examples.values()) + max(outcome.examples.values())
        needed, place = count * _example_bytes(self.builder) / 2**30, self.builder.data_path
        folder = next(parent for parent in (place, *place.parents) if parent.exists())
        free = shutil.disk_usage(folder).free / 2**30
        self._say(f"disk: the build takes about {needed:.3g} GiB at most; {free:.3g} GiB are free in {folder}")
        return [] if needed < free else [f"{folder} has {free:.3g} GiB free, the build takes {needed:.3g}: make room."]


def examine(builder, task: tasks.Task, done: Callable[[int], None] = lambda count: None):
    """Reads every example of a built data set; `done` is called with the number read so far.

    Returns sentences about what is wrong: values that are not finite, clips in which nothing moves, implausible labels,
    ids that come twice, fewer examples than stated, a subject in two splits, damaged files. And `{split: subjects}`,
    each a sorted list.
    """
    problems, subjects, count = [], {}, 0
    for split, info in builder.info.splits.items():
        ids, seen = collections.Counter(), set()
        try:
            for example in tfds.as_numpy(builder.as_dataset(split=split, shuffle_files=False)):
                name = example["id"].decode() if "id" in example else f"{split} example {len(ids)}"
                problems += [f"{split}, {name}: {reason}" for reason in implausible(example, task)]
                ids[name] += 1
                seen |= {example["subject"].decode()} if "subject" in example else set()
                count += 1
                done(count)
        except tf.errors.OpError as error:
            # TensorFlow puts the name of the op before and after what it says.
            said = re.sub(r"\{\{.*?\}\} | \[Op:.*", "", error.message.splitlines()[0])
            problems.append(f"{split}: a file cannot be read: {said}")
        problems += [f"{split}, {name}: {number} times" for name, number in ids.items() if number > 1]
        if ids.total() != info.num_examples:
            problems.append(f"{split}: {ids.total()} examples where {info.num_examples} are stated")
        problems += sorted(
            f"subject {name} is in {split} and in {other}" for other in subjects for name in seen & {*subjects[other]}
        )
        subjects[split] = sorted(seen)
    return problems, subjects


def implausible(example: dict, task: tasks.Task) -> Iterator[str]:
    """Yields a sentence for each thing that cannot be in an example: `clip`, `rate`, `label` and perhaps others."""
    for name, value in example.items():
        if np.issubdtype(np.asarray(value).dtype, np.floating) and not np.isfinite(value).all():
            yield f"{name} has values that are not finite"
    yield from checks.unmoving(example["clip"])
    if not example["rate"] > 0:
        yield f"a rate of {example['rate']} frames per second"
        return
    low, high = task.limits(len(example["clip"]), float(example["rate"]))
    if np.any(example["label"] < low) or np.any(example["label"] > high):
        extremes = f"{np.min(example['label']):.4g} to {np.max(example['label']):.4g}"
        yield f"a label of {extremes} {task.unit}, beyond {low:.4g} to {high:.4g}"


def _example_bytes(builder):
    """Returns about how many bytes an example takes on disk: what is compressed counts in full."""
    infos = tf.nest.flatten(builder.info.features.get_tensor_info())
    dtypes = [tf.as_dtype(info.dtype) for info in infos]
    sizes = [_STRING_BYTES if dtype == tf.string else dtype.size for dtype in dtypes]
    return sum(int(np.prod(info.shape)) * size for info, size in zip(infos, sizes, strict=True))


def _of_subjects(subjects):
    return f", subjects: {len(subjects)}{_listed(subjects)}" if subjects else ""


def _listed(names):
    return f" ({', '.join(names[:MOST_SHOWN])}{', ...' if len(names) > MOST_SHOWN else ''})" if names else ""
