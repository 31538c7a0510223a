"""Trains every method with the same encoder, steps and seeds, and writes the paper's table 2 beside its own.

python -m trainers.compare --flagfile=flags/compare_digits.cfg
"""

import pathlib

import numpy as np
from absl import flags

from simper_tf.evaluation import rows, tables
from trainers import cli, sweep

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
    # As in flags/quickstart.cfg.
    "simper": ({"method": "simper", "temperature": 0.1, "flip_probability": 0}, "**SimPer**"),
    "untrained": ({"epochs": 0}, "control: encoder untrained"),
    "frame_mean": ({"epochs": 0, "encoder": "frame_mean"}, "control: mean of each frame"),
}
COLUMNS = (("fft", "mae"), ("fft", "mape"), ("1nn", "mae"), ("1nn", "mape"), ("1nn_euclidean", "mae"))
# Table 2 of the paper, in the order of the first four columns; it does not define its nearest neighbour.
PAPER = {
    "simclr": ("2.96", "109.27", "0.98", "48.30"),
    "moco": ("2.83", "90.78", "0.62", "32.74"),
    "byol": ("2.20", "78.43", "0.46", "22.08"),
    "cvrl": ("1.69", "49.09", "0.38", "14.41"),
    "simper": ("0.22", "16.49", "0.09", "4.51"),
}


def main():
    config = flags.FLAGS
    unknown = set(config.entries) - set(ENTRIES)
    if unknown:
        raise ValueError(f"--entries: there is no {', '.join(sorted(unknown))}. There are: {', '.join(ENTRIES)}.")
    document = pathlib.Path(config.document)
    results, total = {}, len(config.entries) * len(config.seeds)
    for k, (name, seed) in enumerate((name, seed) for name in config.entries for seed in config.seeds):
        cli.say(f"Run {k + 1}/{total}: {name}, seed {seed}")
        results.setdefault(name, []).extend(
            sweep.train(config.base, folder(name, seed), {**ENTRIES[name][0], "seed": seed})
        )
        # After every run, so that an interrupted comparison shows what it has.
        text = tables.put_table(document.read_text(), "python -m trainers.compare", table(results))
        rows.write_atomically(document, text)
        rows.write_rows(document.with_suffix(".jsonl"), [row for found in results.values() for row in found])
    cli.say(table(results))
    draw(document, config.entries, config.seeds[0])


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
        for k, column in enumerate(COLUMNS):
            line.append(tables.cell([row for row in found if (row.protocol, row.metric) == column]))
            line += [PAPER.get(name, [""] * 4)[k]] if k < 4 else []
        lines.append([*line, f"{np.mean([row.seconds for row in found]):.0f}"])
    return tables.markdown_table([*header, "seconds"], lines)


def draw(document, names, seed):
    """Saves the figures of all entries beside the document."""
    try:
        from simper_tf.evaluation import side_by_side
    except ImportError:
        cli.say("No plots: matplotlib is not installed (extra `plots`).")
        return
    found = {ENTRIES[name][1].strip("*"): dict(np.load(folder(name, seed) / "features.npz")) for name in names}
    figures = {"features": side_by_side.series_over_reference(found), "embeddings": side_by_side.embeddings(found)}
    for name, figure in figures.items():
        path = document.with_name(f"{document.stem}_{name}.png")
        figure.savefig(path, dpi=120)
        cli.say(f"Plot: {path}.")


if __name__ == "__main__":
    flags.DEFINE_string("base", "flags/compare_base.cfg", "Flagfile that all runs share.")
    flags.DEFINE_string("runs", "runs/compare", "Folder of all runs; those that are done are not repeated.")
    flags.DEFINE_string(
        "document", "docs/comparison.md", "Document with the marks of the table; rows and figures go beside it."
    )
    flags.DEFINE_list("entries", list(ENTRIES), "Methods and controls.")
    flags.DEFINE_list("seeds", ["0", "1"], "Seeds of every run.")
    cli.run(main)
