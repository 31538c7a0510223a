"""Figures of the method, after figures 2, 3 and 7 of the paper: views, similarities, examples of data sets.

python -m reproduce.figures --out=runs/figures
"""

import trainers.quiet  # noqa: F401  isort: skip
import io
import pathlib

import tensorflow as tf
from absl import flags

from simper_tf import SpeedSets, Views
from simper_tf.data import building, built
from simper_tf.training import experiment
from simper_tf.utils import files
from trainers import cli, data

FIGURES = ("views", "similarities", "examples")
DATASETS = ("rotating_digits/digits", "scamps", "ubfc", "pure", "countix", "lst")
VIEWS = 3  # A set, in the figure of views.
COLORS = 96  # Of a figure.


def main():
    config = flags.FLAGS
    draw(config.only, config.datasets, pathlib.Path(config.out), config.data_dir, config.manual_dir, config.seed)


def draw(only, names, out: pathlib.Path, data_dir: str, manual_dir: str, seed: int = 0):
    """Writes figures as PNG files into a folder.

    Args:
        only: Those of `FIGURES` to draw.
        names: Data sets; views are those of a clip of the first that is there.
        out: The folder, made where it is not there.
        data_dir: Where built data sets are kept.
        manual_dir: Folder with a folder of raw files for each data set.
        seed: Seed of the views.

    Raises:
        ValueError: there is no such figure.
    """
    if not {*only} <= {*FIGURES}:
        raise ValueError(f"--only takes some of {','.join(FIGURES)}. Found: {','.join(only)}.")
    from simper_tf.evaluation import method_plots

    made = {"similarities": method_plots.similarities()} if "similarities" in only else {}
    clips = _clips(names, data_dir, manual_dir) if {"views", "examples"} & {*only} else {}
    if clips and "views" in only:
        frames = next(iter(clips.values()))[0]
        times = SpeedSets(num_views=VIEWS)
        views = Views(times.longest_view(len(frames)), times)(frames[None], (0, seed))
        made["views"] = method_plots.views(frames, views["views"][0].numpy(), views["speeds"][0].numpy())
    if clips and "examples" in only:
        made["examples"] = method_plots.examples(clips)
    out.mkdir(parents=True, exist_ok=True)
    for name, figure in made.items():
        save(figure, out / f"{name}.png")
        cli.say(f"Figure: {out / f'{name}.png'}.")


def save(figure, path: pathlib.Path):
    """Writes a figure as a PNG of few colors: pages with several of them open soon."""
    from PIL import Image

    with io.BytesIO() as whole, files.replacing(path, "wb") as file:
        figure.savefig(whole, format="png", dpi=100)
        Image.open(whole).convert("RGB").quantize(COLORS).save(file, format="png", optimize=True)


def _clips(names, data_dir, manual_dir):
    """Returns name -> `(frames, courses, rate)` of the first training clip, and says which data sets are not there."""
    clips = {}
    for name in names:
        kind, version = data.builder_class(name)
        try:
            held = building.load(kind, version, data_dir, f"{manual_dir}/{kind.name}", cli.say)
        except ValueError as error:
            cli.say(f"Left out: {error}")
            continue
        with built.reading(held):
            example = experiment.first_example(held.reader("train", 1)[0](tf.data.Dataset.range(1)))
        courses = {course: example[course] for course in held.courses}
        clips[name] = example["clip"], courses, float(example["rate"])
    return clips


if __name__ == "__main__":
    flags.DEFINE_list("only", list(FIGURES), "Figures to draw.")
    flags.DEFINE_list("datasets", list(DATASETS), "Data sets with examples; views are those of the first.")
    flags.DEFINE_string("out", "runs/figures", "Folder of the figures.")
    flags.DEFINE_integer("seed", 0, "Seed of the views.")
    flags.DEFINE_string("data_dir", "data", "Where built data sets are kept.")
    flags.DEFINE_string("manual_dir", "raw", "Folder with a folder of raw files for each data set, such as raw/ubfc.")
    cli.run(main)
