"""Gathers the rows of runs that differ in their seed, and writes their table into a document.

python -m trainers.report --runs=runs/quickstart,runs/quickstart_1,runs/quickstart_2
"""

import pathlib

from absl import flags

from simper_tf import files, rows, tables
from trainers import cli, compare

# Table 2 of the paper, RotatingDigits; it does not define its nearest neighbor, nor its Fourier readout.
PAPER = dict(zip(compare.COLUMNS, compare.PAPER["simper"], strict=True))
LINES = (
    ("fft_resolved", "Fourier readout, octave by the pixels, no label"),
    ("fft_calibrated", "Fourier readout, harmonic from 10 labels"),
    ("fft", "Fourier readout in the band, octave not resolved"),
    ("1nn", "nearest neighbor, by cross-correlation"),
    ("1nn_npsd", "nearest neighbor, by spectrum"),
    ("pixels", "control: spectrum of the pixels, nothing learned"),
)
# The paper's Fourier readout is compared with ours that, like it, needs no label and no hint at the octave.
PAPER_LINES = {"fft_resolved": "fft", "1nn": "1nn"}
COMMAND = "python -m trainers.report"


def main():
    """Gathers the rows of `--runs` and writes their table."""
    config = flags.FLAGS
    document, new = pathlib.Path(config.document), gather(config.runs)
    check_alike([*rows.read_rows(config.rows), *new])
    put(document, [])  # Refused before anything is written.
    rows.write_rows(config.rows, new)
    gathered = rows.read_rows(config.rows)
    files.write_atomically(document, put(document, gathered))
    cli.say(f"{document}: table of {len({row.seed for row in gathered})} run(s), their rows in {config.rows}.")


def gather(runs):
    """Returns the rows of the runs in some folders that are of test clips.

    Raises:
        ValueError: a folder holds none.
    """
    found = {run: _of_test_clips(pathlib.Path(run, "results.jsonl")) for run in runs}
    empty = [run for run, those in found.items() if not those]
    if empty or not found:
        where = ", ".join(empty) or "no folder"
        raise ValueError(f"--runs={','.join(runs)}: no results.jsonl with rows of test clips in {where}.")
    return [row for those in found.values() for row in those]


def _of_test_clips(path):
    return [row for row in rows.read_rows(path) if row.split == "test"]


def check_alike(gathered):
    """Refuses rows whose mean would say nothing.

    Raises:
        ValueError: they differ in more than their seed.
    """
    # Rows that do not say of which settings they are pass for those of any.
    several = len({row.settings for row in gathered} - {""}) > 1
    kinds = {
        f"{row.method} with {row.encoder} on {row.dataset}/{row.config}" + f", settings {row.settings}" * several
        for row in gathered
    }
    if len(kinds) > 1:
        raise ValueError(
            f"--runs and --rows={flags.FLAGS.rows} hold runs that differ in more than their seed: "
            f"{'; '.join(sorted(kinds))}. Name runs of one kind, or another file of rows."
        )


def put(document, gathered):
    """Returns the text of a document with the table of rows between its marks.

    Raises:
        ValueError: the document lacks the marks.
    """
    return tables.put_table(document.read_text(), COMMAND, table(gathered), name=f"--document={document}")


def table(results):
    """Returns the Markdown table of some runs of the quickstart beside the paper's numbers."""
    lines = []
    for protocol, words in LINES:
        cells = []
        for metric in ("mae", "mape"):
            cells += [tables.cell_of(results, protocol, metric), PAPER.get((PAPER_LINES.get(protocol), metric), "")]
        lines.append([words, *cells])
    return tables.markdown_table(["readout", "MAE (Hz)", "paper", "MAPE (%)", "paper"], lines)


if __name__ == "__main__":
    flags.DEFINE_list("runs", ["runs/quickstart"], "Folders of the runs.")
    flags.DEFINE_string("rows", "docs/quickstart.jsonl", "Where their rows are gathered.")
    flags.DEFINE_string("document", "README.md", "Document with the marks of the table.")
    cli.run(main)
