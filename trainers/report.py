"""Puts all finished tables, the figures of the paper, and how each number is made on one page that needs no network.

python -m trainers.report --runs=runs/tables
"""

import pathlib
import shlex
import sys

from absl import flags

from simper_tf.utils import files
from trainers import cli
from trainers.grid import Grid
from trainers.kept_rows import KeptRows
from trainers.reports import gathered, html, markdown
from trainers.studies.scales import SCALES

TITLE = "simper_tf: tables and figures"


def main():
    """Writes the page of `--out`, the same as Markdown, and its figures in a folder beside."""
    config = flags.FLAGS
    scale = SCALES[config.scale]
    runs = pathlib.Path(config.runs)
    results = pathlib.Path(config.results or runs / "results" / scale.name)
    out = pathlib.Path(config.out or runs / "report.html")
    if out.suffix != ".html":
        raise ValueError(f"--out={out} is where the page goes: end it in .html, such as {out.with_suffix('.html')}.")
    cli.say("Drawing figures, which takes a minute ...")
    if config.rows:
        pathlib.Path(config.rows).read_text()  # A path that is none would be taken for a file without rows.
    command = shlex.join(["python", "-m", "trainers.report", *sys.argv[1:]])
    report = gathered.gather(scale, Grid(runs, kept=config.rows and KeptRows(config.rows)), results, command)
    write(report, out)
    cli.say(f"{len(report.tables)} tables, {sum(bool(each.png) for each in report.figures)} figures: {out}.")
    for sentence in report.missing:
        cli.say(f"Missing: {sentence}")


def write(report: gathered.Report, out: pathlib.Path):
    """Writes a report as HTML, as Markdown beside it, and its figures in a folder beside both.

    Args:
        report: What it says.
        out: Path of the page of HTML.
    """
    pictures = out.with_name(f"{out.stem}_figures")
    pictures.mkdir(parents=True, exist_ok=True)
    for each in report.figures:
        path = pictures / f"{each.figure.name}.png"
        path.unlink(missing_ok=True)  # One of runs that are no longer there would go unnoticed.
        if each.png:
            with files.replacing(path, "wb") as file:
                file.write(each.png)
    files.write_atomically(out.with_suffix(".md"), markdown.render(report, TITLE, pictures.name))
    files.write_atomically(out, html.render(report, TITLE))


if __name__ == "__main__":
    flags.DEFINE_string("runs", "runs/tables", "Folder of the runs of trainers.reproduce.")
    flags.DEFINE_enum("scale", "small", list(SCALES), "Whose tables and figures.")
    flags.DEFINE_string(
        "rows", None, "File of the rows of runs whose folders may not be there, which figures of errors are drawn from."
    )
    flags.DEFINE_string("results", None, "Folder of the tables; by default results/<scale> in that of the runs.")
    flags.DEFINE_string("out", None, "The page, .html; by default report.html in the folder of the runs.")
    cli.run(main)
