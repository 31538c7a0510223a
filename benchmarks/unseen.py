"""Files of public repositories read beside truths that were written before any reader saw them.

python -m benchmarks.unseen --files=DIR [--groups=HI] [--write] [--document=docs/measured.md]

`benchmarks/unseen.csv` has the truths by groups. The files lie in DIR at owner+name/path; those that do not are left
as they are. What moves against the table is printed; `--write` puts it into the table. The document gets a table of
the whole list, by groups.
"""

import argparse
import csv
import io
import pathlib

from benchmarks import document, real
from simper_tf.evaluation import markdown_tables
from simper_tf.utils import files

COMMAND = "python -m benchmarks.unseen"
TABLE = pathlib.Path(__file__).with_name("unseen.csv")
SAID = ("answer", "outcome", "confidence")
REPEATS = (real.RIGHT, real.NAMED, real.WRONG, real.SILENT, real.NOT_OPENED)


def listed() -> list[dict[str, str]]:
    """Rows of the list."""
    with TABLE.open(newline="") as file:
        return list(csv.DictReader(file))


def rows_now(rows: list[dict[str, str]], folder: pathlib.Path, groups: str) -> list[dict[str, str]]:
    """Rows with what is said now of those files of some groups that lie in a folder; all groups without any named."""
    return [_row(row, folder) if row["group"] in (groups or row["group"]) else row for row in rows]


def path_of(row: dict[str, str], folder: pathlib.Path) -> pathlib.Path:
    """Where the file of a row is expected."""
    return folder / row["repository"].replace("/", "+") / row["path"]


def _row(row, folder):
    path = path_of(row, folder)
    if not path.is_file():
        return row
    judged = real.judge(path, real.truth(row))
    now = row | {name: getattr(judged, name) for name in SAID}
    change = "" if now["outcome"] == row["outcome"] else f"was {row['outcome'] or 'unread'}: {row['answer']}"
    cells = [row["group"], row["file"], row["truth"], *(now[name] for name in SAID), f"{judged.taken:.1f}", change]
    print(*cells, sep=" | ", flush=True)
    return now


def write(rows: list[dict[str, str]]):
    """Puts rows into the list."""
    text = io.StringIO()
    table = csv.DictWriter(text, rows[0], lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    files.write_atomically(TABLE, text.getvalue())


def report(rows: list[dict[str, str]]) -> str:
    """Markdown of the outcomes by groups, of files that were read."""
    lines = []
    for group in sorted({row["group"] for row in rows}):
        outcomes = [row["outcome"] for row in rows if row["group"] == group and row["outcome"]]
        controls = sum(outcome in (real.REFUSED, real.ANSWERED) for outcome in outcomes)
        counts = [len(outcomes) - controls, *map(outcomes.count, REPEATS), controls, outcomes.count(real.ANSWERED)]
        lines.append([group, *map(str, counts)])
    return markdown_tables.markdown_table(("group", "repeats", *REPEATS, "controls", "answered"), lines)


def main():
    """Reads the files that are there, and prints outcomes by groups."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=pathlib.Path, required=True, help="Folder of owner+name/path.")
    parser.add_argument("--groups", default="", help="Letters of groups to read; all if not given.")
    parser.add_argument("--write", action="store_true", help="Put what is said into benchmarks/unseen.csv.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the table is put into.")
    args = parser.parse_args()
    if not args.files.is_dir():
        parser.error(f"--files={args.files}: no such folder.")
    rows = rows_now(listed(), args.files, args.groups)
    if args.write:
        write(rows)
    print(report(rows))
    document.into_document(args.document, COMMAND, report(rows))


if __name__ == "__main__":
    main()
