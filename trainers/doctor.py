"""Says whether raw files would build, and whether a built data set is sound; by name what is not, and why.

python -m trainers.doctor --dataset=ubfc --manual_dir=raw/ubfc

Exit code 0: a build would succeed, or, without --manual_dir, the built set is sound. Every file is read and every frame
decoded, which takes about as long as the build. --quick stops at headers and labels: then 0 says no more than that.

With --manual_dir it writes a manifest, a JSON line for each recording, file, segment or hour, that depends on nothing
but the data and the config: --compare=theirs.jsonl tells two people whether they hold the same.
"""

import dataclasses
import json
import pathlib
import shutil
import sys

import tensorflow_datasets as tfds
from absl import flags

import datasets
from simper_tf.data import building, built_checks, manifest
from simper_tf.evaluation import tasks
from simper_tf.recordings.errors import printable
from simper_tf.utils.files import write_atomically
from trainers import cli, data

MOST_SHOWN = 10  # Sentences of a kind, names in a list; the manifest has the reasons of all units.


def main():
    """Examines what the flags name and exits with 1 where there is a problem."""
    config = flags.FLAGS
    if config.quick and config.manual_dir and config.compare:
        raise ValueError(
            "--quick writes no manifest of --manual_dir that --compare could take. Leave out --quick, or --manual_dir "
            "to compare an earlier manifest."
        )
    builder = find(config.dataset, config.data_dir, config.config)
    name = f"{builder.name}_{builder.builder_config.name}" if config.config else config.dataset.replace("/", "_")
    path = pathlib.Path(config.manifest or f"runs/doctor/{name}.jsonl")
    if config.compare and not config.manual_dir:
        problems = compare(path, config.compare)
    else:
        problems = diagnose(builder, config.manual_dir, None if config.quick else path, config.compare)
    show("PROBLEM", problems)
    if problems:
        sys.exit(f"doctor: {len(problems)} problem{'s' if len(problems) > 1 else ''}, see above.")
    if config.manual_dir:
        _say(f"A build of {builder.info.full_name} would succeed.")
    elif not config.compare:
        _say("The built set is sound.")


def find(dataset, data_dir, config=None):
    """Returns the TFDS builder of a data set, or that of a config of one's own.

    Args:
        dataset: Its folder in datasets/, with a slash and a config or without.
        data_dir: Where built data sets are kept.
        config: The fields of a config in JSON, as `tfds build --config` takes them, or None.

    Raises:
        ValueError: there is no such data set, or it has no such fields.
    """
    kind, name = data.builder_class(dataset)
    if not config:
        return building.find(kind, name, data_dir)
    try:
        return kind(data_dir=data_dir, config=kind.builder_config_cls(**json.loads(config)))
    except (TypeError, ValueError, AttributeError) as error:
        fields = ", ".join(field.name for field in dataclasses.fields(kind.builder_config_cls))
        raise ValueError(f"--config={config}: {error}. It is JSON with a name and any of {fields}.") from error


def diagnose(builder, manual_dir, path, other=None):
    """Examines raw files, if a folder of them is named, and the built set, if there is one; says what it finds.

    Args:
        builder: A TFDS builder.
        manual_dir: Folder of the raw files, or None.
        path: Where their manifest goes; None to read headers and labels only.
        other: The manifest of others to compare theirs with, once it is written; None for none.

    Returns:
        Sentences: all that would stop a build or is wrong with the built set.

    Raises:
        ValueError: there is nothing to examine.
    """
    if not manual_dir and not builder.data_path.exists():
        raise ValueError(f"{builder.info.full_name} is not built in {builder.data_path}. Name raw files: --manual_dir.")
    problems, examples = check_raw(builder, pathlib.Path(manual_dir), path, other) if manual_dir else ([], {})
    if builder.data_path.exists():
        problems += check_built(builder, examples)
    return problems


def check_raw(builder, root, path, other=None):
    """Returns what would stop a build, in sentences, and `{split: number of examples}` if nothing would.

    Where another manifest is named, in which units it differs is said too.

    Args:
        builder, path, other: As in `diagnose`.
        root: Path of the folder of the raw files.

    Raises:
        ValueError: the data set has no raw files, or was built with a config that its name does not tell.
    """
    if builder.name not in datasets.names("reader"):
        having = ", ".join(datasets.names("reader"))
        raise ValueError(f"--manual_dir is for {having}; {builder.name} has no raw files to examine.")
    if not isinstance(builder, tfds.core.GeneratorBasedBuilder):
        raise ValueError(f"{builder.info.full_name} was built with a config of its own: repeat that by --config.")
    if not root.is_dir():
        return [f"--manual_dir={root}: there is no such folder."], {}
    try:
        checkup = datasets.module(builder.name, "reader").checkup(root, builder.builder_config)
    except ValueError as error:
        return [str(error)], {}
    reports, entries = _examine(checkup.units, root, path)
    _say_ranges(reports.values(), checkup.missing, tasks.from_metadata(builder.info.metadata["task"]).unit)
    problems = [report.problem for report in reports.values() if report.problem]
    outcome = None
    if not problems:
        try:
            outcome = checkup.decide(reports)
        except ValueError as error:
            problems = [str(error)]
    show("SKIPPED", [reason for report in reports.values() for reason in report.skipped])
    show("NOTE", [f"{name}: {note}" for name, report in reports.items() for note in report.notes])
    if outcome:
        show("SKIPPED", outcome.skipped)
        problems += _say_outcome(builder, outcome, reports)
    if path:
        _write_manifest(path, entries, outcome)
    if path and other:
        problems += compare(path, other)
    return problems, outcome.examples if outcome else {}


def check_built(builder, examples):
    """Returns what is wrong with a built set, in sentences.

    Args:
        builder: Its TFDS builder.
        examples: `{split: number of examples}` that the raw files give; empty if they were not examined.
    """
    total = sum(info.num_examples for info in builder.info.splits.values())
    _say(f"Built set in {builder.data_path}, {total} examples:")
    task = tasks.from_metadata(builder.info.metadata["task"])
    done = cli.Counter("examples", total) if total else lambda count: None
    problems, subjects = built_checks.examine(builder, task, done)
    for split, info in builder.info.splits.items():
        _say(f"{split}: {info.num_examples} examples{_of_subjects(subjects[split])}")
        if examples.get(split, info.num_examples) != info.num_examples:
            problems.append(
                f"{builder.data_path} has {info.num_examples} examples in {split}, the raw files give "
                f"{examples[split]}: delete it and build again."
            )
    return problems


def compare(path, other):
    """Returns in which units two manifests differ, in sentences."""
    differences = manifest.differences(manifest.read(path), manifest.read(other))
    _say(f"{path} and {other}: {len(differences) or 'no'} units differ.")
    return differences


def show(kind, sentences):
    """Says the first sentences of a kind, each in a line."""
    for sentence in sentences[:MOST_SHOWN]:
        _say(f"{kind} {sentence}")
    if len(sentences) > MOST_SHOWN:
        _say(f"{kind} ... {len(sentences) - MOST_SHOWN} more like these.")


def _say(text):
    """Prints a line; names of files and what is in them cannot command the terminal."""
    cli.say(printable(text))


def _examine(units, root, path):
    """Returns the reports by id, and the lines of the manifest if its path is given."""
    reports, entries = {}, []
    done = cli.Counter("examined", len(units))
    for number, unit in enumerate(units, start=1):
        reports[unit.id] = unit.examine(bool(path))
        if path:
            entries.append(manifest.entry(unit, reports[unit.id], root))
        done(number)
    return reports, entries


def _write_manifest(path, entries, outcome):
    splits = {}
    for split, ids in outcome.units.items() if outcome else ():
        splits |= dict.fromkeys(ids, split)
    for entry in entries:
        entry["split"] = splits.get(entry["id"], "")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, manifest.write(entries))
    _say(f"Manifest: {path}.")


def _say_ranges(reports, missing, unit):
    """Says what there is and what is not, and between which values the good units lie."""
    good = [report for report in reports if report.frames]
    _say(f"{len(reports)} found, {len(missing)} of the published set missing{_listed(missing)}")
    columns = {
        "frames per second": [report.rate for report in good],
        "seconds": [report.seconds for report in good],
        f"labels ({unit})": [label for report in good for label in report.labels],
    }
    for name, values in columns.items():
        if values:
            _say(f"{name}: {min(values):.4g} to {max(values):.4g}")


def _say_outcome(builder, outcome, reports):
    """Says the splits and the disk they take; returns a sentence in a list if that is too much."""
    for split, ids in outcome.units.items():
        subjects = sorted({reports[unit].subject for unit in ids} - {""})
        _say(f"{split}: {outcome.examples[split]} examples{_of_subjects(subjects)}")
    # TFDS shuffles through a second copy of a split.
    count = sum(outcome.examples.values()) + max(outcome.examples.values())
    needed = count * built_checks.example_bytes(builder) / 2**30
    folder = next(parent for parent in (builder.data_path, *builder.data_path.parents) if parent.exists())
    free = shutil.disk_usage(folder).free / 2**30
    _say(f"disk: the build takes about {needed:.3g} GiB at most; {free:.3g} GiB are free in {folder}")
    return [] if needed < free else [f"{folder} has {free:.3g} GiB free, the build takes {needed:.3g}: make room."]


def _of_subjects(subjects):
    return f", subjects: {len(subjects)}{_listed(subjects)}" if subjects else ""


def _listed(names):
    return f" ({', '.join(names[:MOST_SHOWN])}{', ...' if len(names) > MOST_SHOWN else ''})" if names else ""


if __name__ == "__main__":
    flags.DEFINE_string(
        "dataset", None, "Data set as name/config; a folder of that name lies in datasets/.", required=True
    )
    flags.DEFINE_string("config", None, "A config of your own in JSON, as `tfds build --config` takes it.")
    flags.DEFINE_string("data_dir", "data", "Where built data sets are kept.")
    flags.DEFINE_string("manual_dir", None, "Raw files to examine; without it, the built set alone.")
    flags.DEFINE_string("manifest", None, "Where the manifest goes; runs/doctor/<data set>.jsonl if not given.")
    flags.DEFINE_string("compare", None, "Another manifest: name the units that differ. Alone, it compares two files.")
    flags.DEFINE_boolean("quick", False, "Read headers and labels only, decode no frame and write no manifest.")
    cli.run(main)
