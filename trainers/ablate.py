"""Trains once with every choice of the study changed alone, and writes the table of all runs.

python -m trainers.ablate --flagfile=flags/ablation.cfg
"""

import pathlib

from absl import flags

from simper_tf.evaluation import rows, tables
from trainers import cli, sweep

# Flag -> values tried in place of that of the flagfile.
STUDY = {
    "kernel_frames": ("1", "5"),
    "outputs": ("1",),
    "temperature": ("0.5", "0.2", "0.1"),
    "label_temperature": ("0", "0.3"),
    "similarity": ("npsd", "npsd_l2", "cosine"),
    "prior_weight": ("0", "3", "30"),
    "flip_probability": ("0.5",),
    "reverse_probability": ("0",),
    "share_spatial": ("true",),
}
COLUMNS = (("fft", "mae"), ("fft", "mape"), ("1nn", "mae"), ("1nn", "mape"), ("1nn_euclidean", "mae"))


def main():
    config = flags.FLAGS
    runs = [("all as in the flagfile", "", {})]
    runs += [(name, value, {name: value}) for name, values in STUDY.items() for value in values]
    results = []
    pathlib.Path(config.table).parent.mkdir(parents=True, exist_ok=True)
    for k, (name, value, changes) in enumerate(runs):
        cli.say(f"Run {k + 1}/{len(runs)}: {name} {value}")
        results.append((name, value, [row for seed in config.seeds for row in _train(changes, seed)]))
        rows.write_atomically(config.table, _document(config.base, config.seeds, results))
    cli.say(f"Table: {config.table}.")


def _train(changes, seed):
    changes = {**changes, "seed": seed}
    folder = pathlib.Path(flags.FLAGS.runs, "_".join(f"{name}={value}" for name, value in changes.items()))
    return sweep.train(flags.FLAGS.base, folder, changes)


def _document(base, seeds, results):
    header = ["changed", "to", *(f"{protocol} {metric}" for protocol, metric in COLUMNS)]
    lines = [[name, value, *(_cell(found, column) for column in COLUMNS)] for name, value, found in results]
    return (
        "# Ablation on rotating digits\n\n"
        f"Made by `python -m trainers.ablate --flagfile=flags/ablation.cfg`: all runs as `{base}`, one choice changed "
        f"at a time, seeds {', '.join(seeds)}. MAE in Hz, MAPE in percent, on 1,000 test clips, with 95 % intervals "
        "over clips or, where there are several seeds, mean and standard deviation over them. `fft` uses no label.\n\n"
        f"{tables.markdown_table(header, lines)}\n"
    )


def _cell(found, column):
    return tables.cell([row for row in found if (row.protocol, row.metric) == column])


if __name__ == "__main__":
    flags.DEFINE_string("base", "flags/ablation_base.cfg", "Flagfile of the run that all others vary.")
    flags.DEFINE_string("runs", "runs/ablation", "Folder of all runs; those that are done are not repeated.")
    flags.DEFINE_string("table", "docs/ablation.md", "Where the table is written.")
    flags.DEFINE_list("seeds", ["0", "1"], "Seeds of every run.")
    cli.run(main)
