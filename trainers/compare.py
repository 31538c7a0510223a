"""Trains every method with the same encoder, steps and seeds, and writes the paper's table 2 beside its own.

python -m trainers.compare --flagfile=flags/compare_digits.cfg
"""

import pathlib
import zipfile
import zlib

import numpy as np
from absl import flags

from simper_tf import files, rows, tables
from simper_tf.methods import METHODS
from trainers import cli, figures, sweep

# Table 2 of the paper, in the order of the first four columns; it does not define its nearest neighbor.
PAPER = {
    "simclr": ("2.96", "109.27", "0.98", "48.30"),
    "moco": ("2.83", "90.78", "0.62", "32.74"),
    "byol": ("2.20", "78.43", "0.46", "22.08"),
    "cvrl": ("1.69", "49.09", "0.38", "14.41"),
    "simper": ("0.22", "16.49", "0.09", "4.51"),
}
# Flags of each line and its name in print. The two controls at the end have learned nothing: what they reach is no
# merit of any training.
ENTRIES = {
    **{name: ({"method": name}, METHODS[name].title) for name in dict.fromkeys([*PAPER, *METHODS])},
    "untrained": ({"epochs": 0}, "control: encoder untrained"),
    "frame_mean": ({"epochs": 0, "encoder": "frame_mean"}, "control: mean of each frame"),
}
COLUMNS = (("fft", "mae"), ("fft", "mape"), ("1nn", "mae"), ("1nn", "mape"))
COMMAND = "python -m trainers.compare"


def main():
    """Trains the lines of `--entries` and writes `--document`, its rows and figures."""
    config, seeds = flags.FLAGS, sweep.seeds()
    names = sweep.names("entries", ENTRIES)
    document = pathlib.Path(config.document)
    # Refused before anything is trained.
    put(document, "")
    rows.read_rows(document.with_suffix(".jsonl"))
    drawn = {ENTRIES[name][1].strip("*"): folder(name, seeds[0]) for name in names}
    for run in drawn.values():
        if (run / "results.jsonl").exists():
            features(run)
    results, total = {}, len(names) * len(seeds)
    for k, (name, seed) in enumerate((name, seed) for name in names for seed in seeds):
        cli.say(f"Run {k + 1}/{total}: {name}, seed {seed}")
        results.setdefault(name, []).extend(
            sweep.train(folder(name, seed), {**ENTRIES[name][0], "seed": seed}, split="test")
        )
        # After every run, so that an interrupted comparison shows what it has.
        text = put(document, table(results))
        document.parent.mkdir(parents=True, exist_ok=True)
        files.write_atomically(document, text)
        rows.write_rows(document.with_suffix(".jsonl"), [row for found in results.values() for row in found])
    cli.say(table(results))
    draw(document, drawn, results[names[0]][0].unit)


def put(document, made):
    """Returns the text of a document, a new one if it does not exist, with a table between its marks.

    Raises:
        ValueError: the document lacks the marks.
    """
    text = document.read_text() if document.exists() else tables.new_document("Methods side by side", COMMAND)
    return tables.put_table(text, COMMAND, made, name=f"--document={document}")


def folder(name, seed):
    """Returns the folder of the run of an entry."""
    return pathlib.Path(flags.FLAGS.runs, f"{name}_{seed}")


def table(results):
    """Returns the Markdown table of the rows of each entry."""
    others = [
        each for each in sweep.columns([row for found in results.values() for row in found]) if each not in COLUMNS
    ]
    header = ["method"]
    for protocol, metric in COLUMNS:
        header += [f"{protocol} {metric}", "paper"]
    header += [f"{protocol} {metric}" for protocol, metric in others]
    lines = []
    for name, found in results.items():
        line = [ENTRIES[name][1]]
        for column, published in zip(COLUMNS, PAPER.get(name, [""] * 4), strict=True):
            line += [tables.cell_of(found, *column), published]
        line += [tables.cell_of(found, *column) for column in others]
        lines.append([*line, f"{np.mean([row.seconds for row in found]):.0f}"])
    return tables.markdown_table([*header, "seconds"], lines)


def features(run):
    """Returns the arrays of a run's `features.npz`, as `side_by_side` takes them.

    Raises:
        ValueError: it is missing, damaged, or not of test clips.
    """
    path = run / "features.npz"
    try:
        found = dict(np.load(path))
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        found = {"error": error}
    lacking = {"series", "labels", "rates"} - found.keys()
    if lacking:
        raise ValueError(
            f"{path} is damaged or missing ({found.get('error', 'it lacks ' + ', '.join(sorted(lacking)))}). Make it "
            f"again: python -m trainers.evaluate --run_dir={run}"
        )
    if str(found.pop("split", "test")) != "test":
        raise ValueError(f"{path} is not of test clips. Make it again: python -m trainers.evaluate --run_dir={run}")
    return found


def draw(document, folders, unit):
    """Saves the figures of all entries beside the document; says so where one cannot be drawn.

    Args:
        document: Path.
        folders: Title -> folder of a run, in which `features.npz` lies.
        unit: Unit of the labels.
    """
    if figures.library() is None:
        return
    from simper_tf import side_by_side

    found = {title: features(run) for title, run in folders.items()}
    made = {}
    if side_by_side.reference(found):
        made["features"] = side_by_side.series_over_reference(found, unit)
    fewest = min(len(run["labels"]) for run in found.values())
    made |= figures.embedding("embeddings", fewest, lambda: side_by_side.embeddings(found, unit))
    for name, figure in made.items():
        path = document.with_name(f"{document.stem}_{name}.png")
        figures.save(figure, path)
        cli.say(f"Plot: {path}.")


if __name__ == "__main__":
    sweep.define("flags/compare_base.cfg", "runs/compare")
    flags.DEFINE_string(
        "document", "docs/comparison.md", "Document with the marks of the table; rows and figures go beside it."
    )
    flags.DEFINE_list("entries", list(ENTRIES), "Methods and controls.")
    cli.run(main)
