"""Trains once with every choice of the study changed alone, and writes the table of all runs on validation clips.

python -m trainers.ablate --flagfile=flags/ablation.cfg
"""

import pathlib
import sys

from absl import flags

from simper_tf import files, rows, tables
from trainers import cli, sweep

# Flag -> values tried in place of that of the flagfile.
STUDY = {
    "kernel_frames": ("1", "5"),
    "outputs": ("1",),
    "temperature": ("0.5", "0.2", "0.1"),
    "label_temperature": ("0", "0.3"),
    "similarity": ("npsd", "npsd_l2", "cosine"),
    "prior_weight": ("1", "10"),
    "flip_probability": ("0.5",),
    "reverse_probability": ("0",),
    "share_spatial": ("true",),
    "precision": ("mixed_bfloat16",),
}


def main():
    """Trains the runs of `--choices` and writes `--table`."""
    config, seeds = flags.FLAGS, sweep.seeds()
    runs = [("all as in the flagfile", "", {})]
    runs += [(name, value, {name: value}) for name in sweep.names("choices", STUDY) for value in _others(name)]
    results = []
    pathlib.Path(config.table).parent.mkdir(parents=True, exist_ok=True)
    for k, (name, value, changes) in enumerate(runs):
        cli.say(f"Run {k + 1}/{len(runs)}: {name} {value}")
        results.append((name, value, [row for seed in seeds for row in _train(changes, seed)]))
    # Not before: rows name the commit, which a table under version control would turn into a changed one.
    files.write_atomically(config.table, _document(config.base, seeds, results))
    beside = pathlib.Path(config.table).with_suffix(".jsonl")
    rows.write_rows(beside, [row for _, _, found in results for row in found])
    cli.say(f"Table: {config.table}. Its rows: {beside}.")


def _others(name):
    """Returns the values of the study that change anything: that of the flagfile is trained already."""
    base, *tried = [sweep.settings_of({"run_dir": "-", **changes}).resolved()
                    for changes in ({}, *({name: value} for value in STUDY[name]))]  # fmt: skip
    return [value for value, found in zip(STUDY[name], tried, strict=True) if found != base]


def _train(changes, seed):
    changes = {**changes, "seed": seed}
    folder = pathlib.Path(flags.FLAGS.runs, "_".join(f"{name}={value}" for name, value in changes.items()))
    return sweep.train(folder, {**changes, "artifacts": "false"}, split="validation")


def _document(base, seeds, results):
    columns = sweep.columns([row for _, _, found in results for row in found])
    header = ["changed", "to", *(f"{protocol} {metric}" for protocol, metric in columns)]
    lines = [[name, value, *(tables.cell_of(found, *column) for column in columns)] for name, value, found in results]
    first = results[0][2][0]
    return (
        "# Ablation on rotating digits\n\n"
        f"Made by `{' '.join(['python -m trainers.ablate', *sys.argv[1:]])}`: all runs as `{base}`, one choice changed "
        f"at a time, seeds {', '.join(seeds)}. MAE in Hz on {first.n:,} {first.split} clips, with 95 % intervals over "
        "clips or, where there are several seeds, mean and standard deviation over them. What is chosen here is "
        "measured on test clips elsewhere.\n\n"
        f"{tables.markdown_table(header, lines)}\n"
    )


if __name__ == "__main__":
    sweep.define("flags/ablation_base.cfg", "runs/ablation")
    flags.DEFINE_list("choices", list(STUDY), "Flags that are varied.")
    flags.DEFINE_string("table", "docs/ablation.md", "Where the table is written.")
    cli.run(main)
