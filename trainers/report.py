"""Gathers the rows of runs that differ in their seed, and writes their table into a document.

python -m trainers.report --runs=runs/quickstart,runs/quickstart_1,runs/quickstart_2
"""

import pathlib

from absl import flags

from simper_tf.evaluation import rows, tables
from trainers import cli

# Table 2 of the paper, RotatingDigits; it does not define its nearest neighbour, nor its Fourier readout.
PAPER = {("fft", "mae"): "0.22", ("fft", "mape"): "16.49", ("1nn", "mae"): "0.09", ("1nn", "mape"): "4.51"}
LINES = (
    ("fft", "Fourier readout, no label"),
    ("fft_calibrated", "Fourier readout, harmonic from 10 labels"),
    ("1nn", "nearest neighbour, by cross-correlation"),
    ("1nn_euclidean", "nearest neighbour, Euclidean"),
)


def main():
    config = flags.FLAGS
    gathered = [row for run in config.runs for row in rows.read_rows(pathlib.Path(run, "results.jsonl"))]
    if not gathered:
        raise ValueError(f"--runs={','.join(config.runs)} hold no results.jsonl with rows.")
    rows.write_rows(config.rows, gathered)
    document = pathlib.Path(config.document)
    made = table(rows.read_rows(config.rows))
    rows.write_atomically(document, tables.put_table(document.read_text(), "python -m trainers.report", made))
    cli.say(f"{config.document}: table of {len(config.runs)} runs, their rows in {config.rows}.")


def table(results):
    """Returns the Markdown table of some runs of the quickstart beside the paper's numbers."""
    lines = []
    for protocol, words in LINES:
        cells = []
        for metric in ("mae", "mape"):
            found = [row for row in results if (row.protocol, row.metric) == (protocol, metric)]
            cells += [tables.cell(found), PAPER.get((protocol, metric), "")]
        lines.append([words, *cells])
    return tables.markdown_table(["readout", "MAE (Hz)", "paper", "MAPE (%)", "paper"], lines)


if __name__ == "__main__":
    flags.DEFINE_list("runs", ["runs/quickstart"], "Folders of the runs.")
    flags.DEFINE_string("rows", "docs/quickstart.jsonl", "Where their rows are gathered.")
    flags.DEFINE_string("document", "README.md", "Document with the marks of the table.")
    cli.run(main)
