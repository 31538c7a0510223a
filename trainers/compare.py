"""Trains every method with the same encoder, steps and seeds, and writes the paper's table 2 beside its own.

python -m trainers.compare --flagfile=flags/compare_digits.cfg
"""

import pathlib
import zipfile
import zlib

import numpy as np
from absl import flags

from simper_tf import files, rows, tables
from trainers import cli, evaluate, sweep

# Flags of each line and its name in print. The two controls at the end have learned nothing: what they reach is no
# merit of any training.
ENTRIES = {
    "simclr": ({"method": "simclr"}, "SimCLR"),
    "moco": ({"method": "moco"}, "MoCo v2"),
    "byol": ({"method": "byol"}, "BYOL"),
    "cvrl": ({"method": "cvrl"}, "CVRL"),
    "frequency_contrast": ({"method": "frequency_contrast"}, "Gideon and Stent 2021"),
    "slf_rpm": ({"method": "slf_rpm"}, "Wang et al. 2022"),
    "supervised": ({"method": "supervised"}, "supervised"),
    "simper": ({"method": "simper"}, "**SimPer**"),
    "untrained": ({"epochs": 0}, "control: encoder untrained"),
    "frame_mean": ({"epochs": 0, "encoder": "frame_mean"}, "control: mean of each frame"),
}
# Table 2 of the paper, in the order of the first four columns; it does not define its nearest neighbour.
PAPER = {
    "simclr": ("2.96", "109.27", "0.98", "48.30"),
    "moco": ("2.83", "90.78", "0.62", "32.74"),
    "byol": ("2.20", "78.43", "0.46", "22.08"),
    "cvrl": ("1.69", "49.09", "0.38", "14.41"),
    "simper": ("0.22", "16.49", "0.09", "4.51"),
}
# Beside those of all sweeps, the readout that tells what the plain Fourier readout cannot: who was told the octave.
COLUMNS = (*sweep.COLUMNS, ("fft_calibrated", "mae"))
COMMAND = "python -m trainers.compare"


def main():
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
        results.setdefault(name, []).extend(sweep.train(folder(name, seed), {**ENTRIES[name][0], "seed": seed}))
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
    header = ["method"]
    for k, (protocol, metric) in enumerate(COLUMNS):
        header += [f"{protocol} {metric}", "paper"] if k < 4 else [f"{protocol} {metric}"]
    lines = []
    for name, found in results.items():
        line = [ENTRIES[name][1]]
        for k, (protocol, metric) in enumerate(COLUMNS):
            line.append(tables.cell_of(found, protocol, metric))
            line += [PAPER.get(name, [""] * 4)[k]] if k < 4 else []
        lines.append([*line, f"{np.mean([row.seconds for row in found]):.0f}"])
    return tables.markdown_table([*header, "seconds"], lines)


def features(run):
    """Returns the arrays of a run's `features.npz`, as `side_by_side` takes them.

    Raises:
        ValueError: it is missing or damaged.
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
    return found


def draw(document, folders, unit):
    """Saves the figures of all entries beside the document; says so where one cannot be drawn.

    Args:
        document: Path.
        folders: Title -> folder of a run, in which `features.npz` lies.
        unit: Of the labels.
    """
    try:
        from simper_tf import side_by_side
    except ImportError:
        cli.say("No plots: matplotlib is not installed (extra `plots`).")
        return
    found = {title: features(run) for title, run in folders.items()}
    figures = {}
    if side_by_side.reference(found):
        figures["features"] = side_by_side.series_over_reference(found, unit)
    fewest = min(len(run["labels"]) for run in found.values())
    figures |= evaluate.draw_embedding("embeddings", fewest, lambda: side_by_side.embeddings(found, unit))
    for name, figure in figures.items():
        path = document.with_name(f"{document.stem}_{name}.png")
        with files.replacing(path, "wb") as file:
            figure.savefig(file, dpi=120)
        cli.say(f"Plot: {path}.")


if __name__ == "__main__":
    sweep.define("flags/compare_base.cfg", "runs/compare")
    flags.DEFINE_string(
        "document", "docs/comparison.md", "Document with the marks of the table; rows and figures go beside it."
    )
    flags.DEFINE_list("entries", list(ENTRIES), "Methods and controls.")
    cli.run(main)
