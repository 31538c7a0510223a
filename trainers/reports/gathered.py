"""A folder of tables and a grid of runs -> all that a report says."""

import dataclasses
import importlib.metadata
import json
import os
import pathlib
import platform

from simper_tf.evaluation import rows
from trainers.grid import Grid
from trainers.reports import figures
from trainers.studies import STUDIES, page
from trainers.studies.scales import Scale

# Packages whose versions change numbers.
PACKAGES = ("tensorflow", "keras", "numpy", "scipy", "scikit-learn", "matplotlib", "tensorflow-datasets")
# How all tables are to be read.
NUMBERS = (
    "Numbers are means and standard deviations over seeds, or of one seed with its 95 % interval. In bold is what no "
    "other line of a column is ahead of by more than both spreads, or with each of three seeds; beside it the "
    "paper's number. Seconds are those of training."
)
# Fields of a table and of its parts, see `studies.gathering`.
TABLE = {"name", "title", "about", "scale", "scale_about", "seeds", "commits", "done", "total", "blocks", "runs"}
BLOCK = {"title", "columns", "ranked", "lines"}
CELL = {"run", "protocol", "metric", "unit", "paper", "seconds", "values"}


@dataclasses.dataclass(frozen=True)
class Report:
    """What a report says.

    Attributes:
        scale: At which scale all runs are.
        command: That makes the report.
        tables: As `studies.gathering.gather` returns them.
        figures: As far as their runs are there.
        environment: What -> its version or name, on the machine that makes the report.
        missing: Sentences.
    """

    scale: Scale
    command: str
    tables: list[dict]
    figures: list[figures.Drawn]
    environment: dict[str, str]
    missing: list[str]


def gather(scale: Scale, grid: Grid, results: pathlib.Path, command: str) -> Report:
    """Returns the report of what is finished.

    Args:
        scale: Whose runs and tables.
        grid: Its runs.
        results: Folder of the JSON files of tables.
        command: That makes the report, to be named in it.

    Raises:
        ValueError: a folder is missing or without tables, a file is damaged, or is of another scale.
    """
    if not (grid.kept or grid.folder.is_dir()):
        raise ValueError(f"--runs={grid.folder} is no folder. Name that of the runs of: python -m trainers.reproduce")
    tables = read_tables(results, scale)
    seeds = {name: scale.seeds_of(name) for name in STUDIES} | {each["name"]: each["seeds"] for each in tables}
    drawn = [figures.drawn(figure, scale, grid, seeds) for figure in figures.FIGURES]
    return Report(scale, command, tables, drawn, environment(), lacking(tables, drawn, scale))


def read_tables(folder: pathlib.Path, scale: Scale) -> list[dict]:
    """Returns the tables of a folder, in the order of `STUDIES`.

    Raises:
        ValueError: there is none, one is damaged, or is of another scale.
    """
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise ValueError(
            f"{folder} holds no table. Make some: python -m trainers.reproduce --table=table2 --scale={scale.name}, or "
            "name the folder by --results."
        )
    found = {path: _read_table(path) for path in paths}
    for path, table in found.items():
        if table["scale"] != scale.name:
            raise ValueError(f"{path} is of --scale={table['scale']} and not of --scale={scale.name}. Name that scale.")
    names = list(STUDIES)
    return sorted(found.values(), key=lambda table: names.index(table["name"]))


def environment() -> dict[str, str]:
    """Returns what made a report: versions of packages, the machine, the commit of the code."""
    found = {"commit of the report": rows.code_commit() or "no checkout", "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    machine = {"system": platform.system(), "processor": _processor(), "cores": str(os.cpu_count())}
    return found | machine | {"memory": f"{memory:.0f} GiB"}


def lacking(tables: list[dict], drawn: list[figures.Drawn], scale: Scale) -> list[str]:
    """Returns what is missing, in sentences: tables, runs of tables, runs of figures."""
    said = []
    make = "python -m trainers.reproduce --table={} --scale=" + scale.name
    for name in sorted(set(STUDIES) - {table["name"] for table in tables}, key=list(STUDIES).index):
        said.append(f"{name} is not made: {make.format(name)}")
    for table in tables:
        if table["done"] < table["total"]:
            left = table["total"] - table["done"]
            said.append(
                f"{table['name']}: {left} of {table['total']} runs are not finished: {make.format(table['name'])}"
            )
        empty = [cell for cell in cells_of(table) if not cell["values"]]
        if empty and table["done"] == table["total"]:
            names = ", ".join(dict.fromkeys(f"{cell['protocol']} {cell['metric']}" for cell in empty))
            said.append(f"{table['name']}: finished runs have no row of {names}.")
    for each in drawn:
        how = "is drawn without some runs" if each.png else "is not drawn"
        if each.lacking:
            more = f", and {len(each.lacking) - 1} more like it" if len(each.lacking) > 1 else ""
            lack, command = next(iter(each.lacking.items()))
            said.append(f"{each.figure.title} {how}: {lack}{more}. {command or make.format(each.figure.table)}")
    return said


def heading(table: dict) -> str:
    """Returns the title of a table, with its number in the paper if it has one."""
    number = table["name"].removeprefix("table")
    return f"Table {number}: {table['title']}" if number.isdecimal() else table["title"]


def cells_of(table: dict) -> list[dict]:
    """Returns all cells of a table that there are."""
    return [cell for block in table["blocks"] for line in block["lines"] for cell in line["cells"] if cell]


def numbers_of(table: dict) -> dict[str, list[tuple[str, str]]]:
    """Returns run -> its numbers, as the names they have and their values over seeds in full."""
    found = {run: {} for run in table["runs"]}
    for cell in cells_of(table):
        values = ", ".join(f"{each['value']:.6g} (seed {each['seed']})" for each in cell["values"]) or "not finished"
        unit = f" ({cell['unit']})" if cell["unit"] else ""
        found[cell["run"]][f"{cell['protocol']} {cell['metric']}{unit}"] = values
    return {run: list(numbers.items()) for run, numbers in found.items()}


def papers_of(block: dict) -> list[bool]:
    """Returns of each column of a block whether the paper has numbers for it."""
    cells = [line["cells"] for line in block["lines"]]
    return [any(line[k] and line[k]["paper"] is not None for line in cells) for k in range(len(block["columns"]))]


def _read_table(path):
    """Returns the table of a file, with all that a report asks for."""
    try:
        table = json.loads(path.read_text())
        _check(table)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        name = path.stem if path.stem in STUDIES else "<name>"
        raise ValueError(
            f"{path} is no table, or damaged ({error}). Make it again, with its --scale and --out: "
            f"python -m trainers.reproduce --table={name}"
        ) from error
    return table


def _check(table):
    if not set(table) >= TABLE:
        raise ValueError(f"it lacks {', '.join(sorted(TABLE - set(table)))}")
    if table["name"] not in STUDIES:
        raise ValueError(f"there is no table {table['name']!r}")
    if not table["seeds"]:
        raise ValueError("it has no seed")
    for block in table["blocks"]:
        if not set(block) >= BLOCK or any(len(line["cells"]) != len(block["columns"]) for line in block["lines"]):
            raise ValueError("a line has not as many cells as there are columns")
    for cell in cells_of(table):
        if not set(cell) >= CELL or cell["run"] not in table["runs"]:
            raise ValueError("a cell has no run")
        page.text_of(cell)
    for run in table["runs"].values():
        " ".join(run["commands"])


def _processor():
    """Returns the name of the processor, as Linux has it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
