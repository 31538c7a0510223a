"""Says whether raw files would build, and whether a built data set is sound; by name what is not, and why.

python -m trainers.validate --dataset=ubfc --manual_dir=raw/ubfc

Exit code 0: a build would succeed, or, without --manual_dir, the built set is sound. Every file is read and every frame
decoded, which takes about as long as the build. --quick stops at headers and labels: then 0 says no more than that.

With --manual_dir it writes a manifest, a JSON line for each recording, file, segment or hour, that depends on nothing
but the data and the config: --compare=theirs.jsonl tells two people whether they hold the same.
"""

import trainers.quiet  # noqa: F401  isort: skip
import dataclasses
import json
import pathlib
import sys

from absl import flags

import datasets
from simper_tf.data import building
from simper_tf.data.validation import Validation
from trainers import cli, data


def main():
    """Examines what the flags name and exits with 1 where there is a problem."""
    config = flags.FLAGS
    if config.quick and config.manual_dir and config.compare:
        raise ValueError(
            "--quick writes no manifest of --manual_dir that --compare could take. Leave out --quick, or --manual_dir "
            "to compare an earlier manifest."
        )
    validation = validating(find(config.dataset, config.data_dir, config.config, config.manual_dir))
    builder = validation.builder
    name = f"{builder.name}_{builder.builder_config.name}" if config.config else config.dataset.replace("/", "_")
    path = pathlib.Path(config.manifest or f"runs/validate/{name}.jsonl")
    if config.compare and not config.manual_dir:
        problems = validation.compare(path, config.compare)
    else:
        problems = validation.all(config.manual_dir, None if config.quick else path, config.compare)
    validation.show("PROBLEM", problems)
    if problems:
        sys.exit(f"validate: {len(problems)} problem{'s' if len(problems) > 1 else ''}, see above.")
    if config.manual_dir:
        cli.say(f"A build of {builder.info.full_name} would succeed.")
    elif not config.compare:
        cli.say("The built set is sound.")


def validating(builder):
    """Returns the `Validation` of a TFDS builder, which prints what it finds."""
    checkup = datasets.module(builder.name, "reader").checkup if builder.name in datasets.names("reader") else None
    return Validation(builder, checkup, cli.say, cli.Counter)


def find(dataset, data_dir, config=None, manual_dir=None):
    """Returns the TFDS builder of a data set, or of a config of one's own: JSON as `tfds build --config` takes it."""
    kind, name = data.builder_class(dataset)
    if not config:
        return building.find(kind, name, data_dir, manual_dir)
    try:
        return kind(data_dir=data_dir, config=kind.builder_config_cls(**json.loads(config)))
    except (TypeError, ValueError, AttributeError) as error:
        fields = ", ".join(field.name for field in dataclasses.fields(kind.builder_config_cls))
        raise ValueError(f"--config={config}: {error}. It is JSON with a name and any of {fields}.") from error


if __name__ == "__main__":
    flags.DEFINE_string(
        "dataset", None, "Data set as name/config; a folder of that name lies in datasets/.", required=True
    )
    flags.DEFINE_string("config", None, "A config of your own in JSON, as `tfds build --config` takes it.")
    flags.DEFINE_string("data_dir", "data", "Where built data sets are kept.")
    flags.DEFINE_string("manual_dir", None, "Raw files to examine; without it, the built set alone.")
    flags.DEFINE_string("manifest", None, "Where the manifest goes; runs/validate/<data set>.jsonl if not given.")
    flags.DEFINE_string(
        "compare", None, "Another manifest, to name what differs. Without --manual_dir, --manifest is compared with it."
    )
    flags.DEFINE_boolean("quick", False, "Read headers and labels only, decode no frame and write no manifest.")
    cli.run(main)
