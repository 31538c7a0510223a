"""Measures the package against plain references and prints ratios.

python -m benchmarks [--only=views_28,encoder_*]

Every row has two sizes, so that its growth is seen. Writes `runs/bench/results.jsonl`, a line a row and size: `name`,
`counted` (what the size counts), `size`, `unit`, `ours`, `reference`, `ratio` (how many times better ours is) and
`exponent` (order of growth). Times are the best of several calls that alternate between the two sides, so that a busy
machine disturbs both alike.
"""

import argparse
import fnmatch
import json
import pathlib

import trainers.quiet  # noqa: F401

# isort: split
import tensorflow as tf

from benchmarks import encoders, step_memory, steps, timing, views
from simper_tf.evaluation import markdown_tables
from simper_tf.utils import files

RESULTS = pathlib.Path("runs/bench/results.jsonl")
ROWS = {name: row for part in (views, encoders, steps, step_memory)
        for name, row in part.ROWS.items()}  # fmt: skip
COLUMNS = ("name", "size", "counted", "unit", "ours", "reference", "ratio", "exponent")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", help=f"Rows, * for any letters: {', '.join(ROWS)}.")
    names = chosen(parser, parser.parse_args().only)
    tf.get_logger().setLevel("ERROR")  # Every row makes graphs of its own, of which TensorFlow warns.
    results = []
    for name in names:
        print(f"measuring {name} ...", flush=True)
        results += timing.results(name, ROWS[name])
        # After every row, so that an interrupted measurement leaves what it has.
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        files.write_atomically(RESULTS, "".join(json.dumps(result) + "\n" for result in results))
    print(table(results))


def chosen(parser, only):
    """Returns the names of rows that a list of patterns asks for; ends with an error where one fits none."""
    patterns = only.split(",")
    wrong = [pattern for pattern in patterns if not fnmatch.filter(ROWS, pattern)]
    if wrong:
        parser.error(f"--only={only}: there is no row {', '.join(wrong)}. There are: {', '.join(ROWS)}.")
    return [name for name in ROWS if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def table(results):
    """Returns a Markdown table of the results of `timing.results`."""

    def cell(value):
        return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

    return markdown_tables.markdown_table(COLUMNS, [[cell(result[name]) for name in COLUMNS] for result in results])


if __name__ == "__main__":
    main()
