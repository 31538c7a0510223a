"""Writes a miniature of a data set in its true raw format, with known truth, for whoever lacks the real files.

python -m trainers.standin --dataset=ubfc --out=standin/ubfc

The builder reads it as it reads the real thing. `standin.json` marks it, and what is built of it. Accuracy on it says
nothing about accuracy on the real data.
"""

import trainers.quiet  # noqa: F401  isort: skip
import json
import pathlib
import tempfile

from absl import flags

import datasets
from simper_tf.data import tfds_builders
from trainers import cli


def main():
    config = flags.FLAGS
    out = pathlib.Path(config.out)
    write(config.dataset, out, config.subjects, config.seconds, config.seed)
    cli.say(f"Wrote {config.dataset} to {out}; build it with --manual_dir={out}")


def write(dataset: str, out: pathlib.Path, subjects: int | None = None, seconds: int | None = None, seed: int = 0):
    """Writes the raw files of a miniature data set to a new or empty folder, all or none.

    Without sizes it has as many people, videos or files, and seconds, as every config needs. A ValueError says why it
    cannot be written.
    """
    try:
        standin = datasets.module(dataset, "standin")
    except ValueError as error:
        raise ValueError(f"--dataset={dataset}: {error}") from error
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"--out={out} exists and is not an empty folder: name another, or remove it.")
    sizes = {name: value for name, value in (("subjects", subjects), ("seconds", seconds)) if value}
    out.parent.mkdir(parents=True, exist_ok=True)
    # Written beside the target and renamed: an interrupted run leaves nothing that looks like a data set.
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".standin-") as scratch:
        finished = pathlib.Path(scratch) / dataset
        try:
            standin.write(finished, **sizes, seed=seed)
        except ImportError as error:  # Some formats need a package that reading them does not.
            raise ValueError(str(error)) from error
        mark = {"made_by": "trainers.standin", **sizes, "seed": seed}
        (finished / tfds_builders.STANDIN).write_text(json.dumps(mark) + "\n")
        finished.rename(out)


if __name__ == "__main__":
    flags.DEFINE_string(
        "dataset", None, "Name of a data set: a folder of datasets/ that has a stand-in.", required=True
    )
    flags.DEFINE_string("out", None, "Folder to make; must not exist, or be empty.", required=True)
    flags.DEFINE_integer(
        "subjects", None, "How many people, videos or files; as many as a build needs if not given.", lower_bound=1
    )
    flags.DEFINE_integer("seconds", None, "Length of each recording; enough for a build if not given.", lower_bound=1)
    flags.DEFINE_integer("seed", 0, "The same seed gives the same files.")
    cli.run(main)
