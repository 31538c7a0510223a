"""Tables of the paper and some of ours: trains what they need, each run once, and prints ours beside the paper's.

python -m reproduce --list
python -m reproduce --table=table2,table8 --scale=small
"""

import trainers.quiet  # noqa: F401  isort: skip
import pathlib
from collections.abc import Callable, Mapping, Sequence

from absl import flags

from reproduce import hours, page, table_figures
from reproduce.grid import Grid
from reproduce.results import Results, gather
from reproduce.studies import STUDIES
from reproduce.studies.scales import SCALES, Scale
from reproduce.studies.table import Study
from simper_tf.evaluation import markdown_tables
from simper_tf.utils import files
from trainers import cli, standin


def main():
    """Makes the tables of `--table`, or says which there are."""
    config = flags.FLAGS
    scales = {name: scale.located(config.data_dir, config.manual_dir) for name, scale in SCALES.items()}
    scale = scales[config.scale]
    seeds = seeds_of(config.seeds)
    grid = Grid(config.runs, jobs=config.jobs, kept=config.rows)
    if config.list:
        return cli.say("\n".join([listed(scales), *([hours_of(scale, seeds, grid)] if config.rows else [])]))
    names, left_out = choose(config.table, scale, lambda name: is_kept(name, seeds, scale, grid))
    for name, lack in left_out.items():
        cli.say(f"Left out: {name}. It lacks {lack}.")
    for path in config.documents:
        pathlib.Path(path).read_text()  # Refused now, if at all, and not after the training.
    studies = {STUDIES[name][0](scale): seeds or scale.seeds_of(name) for name in names}
    with grid.held():
        write_miniatures(scale, names)
        failed = train(studies, scale, grid, config)
    if failed:
        first, reason = next(iter(failed.items()))
        raise ValueError(
            f"{len(failed)} of the runs failed, the first in {grid.folder_of(first)}: {reason}. The same command tries "
            "them again."
        )
    return None


def train(studies: Mapping[Study, Sequence[int]], scale: Scale, grid: Grid, config) -> dict:
    """Trains what is not finished, publishes each table as soon as it is whole, and shows all, however training ends.

    Args:
        studies: Table -> seeds of its runs.
        scale: Of the runs.
        grid: Trains them.
        config: Flags.

    Returns:
        The runs that failed, with the reason.
    """
    waiting = dict(studies)

    def publish_whole(_=None):
        for study, seeds in list(waiting.items()):
            if all(grid.rows_of(run.seeded(seed)) for run in study.runs() for seed in seeds):
                del waiting[study]
                publish(gather(study, scale, seeds, grid), grid, config)

    # All tables have their first seed before any has its second.
    every = dict.fromkeys(seed for seeds in studies.values() for seed in seeds)
    wanted = [
        run.seeded(seed) for seed in every for study, seeds in studies.items() if seed in seeds for run in study.runs()
    ]
    grid.keep(wanted)
    publish_whole()
    try:
        failed = grid.train(wanted, finished=publish_whole)
    finally:
        for study, seeds in waiting.items():
            publish(gather(study, scale, seeds, grid), grid, config)
    for study, seeds in studies.items():
        cli.say(f"\n{study.title}\n\n{page.tables_alone(gather(study, scale, seeds, grid))}")
    return failed


def publish(results: Results, grid: Grid, config):
    """Writes a table and its figures below `--runs`; a whole table to `--out` and into `--documents` too."""
    name, text = results.study.name, page.markdown(results)
    folder = pathlib.Path(config.runs, "results", config.scale)
    folders = [folder, *([pathlib.Path(config.out)] if config.out and results.is_whole() else [])]
    for place in folders:
        place.mkdir(parents=True, exist_ok=True)
        files.write_atomically(place / f"{name}.md", text)
    table_figures.draw(results, grid, folder)
    if results.is_whole():
        put(config.documents, results)
        say_lacking(results, config)
    cli.say(f"Table: {', '.join(str(place / f'{name}.md') for place in folders)}.")


def put(documents: Sequence[str], results: Results):
    """Puts a table between its marks in the documents that have some."""
    command = f"python -m reproduce --table={results.study.name}"
    for path in documents:
        text = pathlib.Path(path).read_text()
        if markdown_tables.has_marks(text, command):
            files.write_atomically(path, markdown_tables.put_table(text, command, page.first_table(results), name=path))


def say_lacking(results: Results, config):
    """Says which numbers a whole table lacks, and what to do."""
    if lacking := results.lacking():
        cell, kept = lacking[0], f", or delete its line in {config.rows}" if config.rows else ""
        cli.say(
            f"{results.study.name} lacks {len(lacking)} of {len(results.study.cells())} numbers, the first "
            f"{cell.protocol} {cell.metric} of {results.names[cell.run]}: an earlier version evaluated it. "
            f"Run python -m trainers.evaluate --run_dir={config.runs}/{results.names[cell.run]}{kept}, and then "
            "the same command."
        )


def seeds_of(texts: list[str]) -> list[int]:
    """Returns seeds as numbers.

    Raises:
        ValueError: they are not different whole numbers.
    """
    if len(set(texts)) < len(texts) or not all(text.isdecimal() for text in texts):
        raise ValueError(f"--seeds takes different whole numbers, such as 0,1. Found: {','.join(texts)!r}.")
    return [int(text) for text in texts]


def is_kept(name: str, seeds: Sequence[int], scale: Scale, grid: Grid) -> bool:
    """Returns whether a table needs nothing more: the rows of all its runs are at hand."""
    runs = STUDIES[name][0](scale).runs()
    return all(grid.rows_of(run.seeded(seed)) for run in runs for seed in seeds or scale.seeds_of(name))


def choose(
    asked: list[str], scale: Scale, is_kept: Callable[[str], bool] = lambda name: False
) -> tuple[list[str], dict[str, str]]:
    """Returns the names of the tables that are made, and of those that cannot be, what they lack.

    Args:
        asked: Names, or `all`.
        scale: Located.
        is_kept: Whether a table needs no data, as it has all its rows.

    Raises:
        ValueError: a name is not known, or a table that was asked for by its name lacks its data.
    """
    names = list(dict.fromkeys(STUDIES if asked == ["all"] else asked))
    unknown = sorted(set(names) - set(STUDIES))
    if unknown or not names:
        raise ValueError(
            f"--table={','.join(asked)}: there is no {', '.join(unknown) or 'name'}. There are: all, "
            f"{', '.join(STUDIES)}."
        )
    lacking = {name: lack for name in names if (lack := lacks(name, scale)) and not is_kept(name)}
    if lacking and (asked != ["all"] or len(lacking) == len(names)):
        name, lack = next(iter(lacking.items()))
        raise ValueError(f"--table={name} --scale={scale.name} lacks {lack}. --list says what each table needs.")
    return [name for name in names if name not in lacking], lacking


def lacks(name: str, scale: Scale) -> str:
    """Returns what a table lacks on this machine, empty for nothing."""
    return "; ".join(dict.fromkeys(lack for data in STUDIES[name][1] if (lack := scale.lacks(data))))


def listed(scales: Mapping[str, Scale]) -> str:
    """Returns the list of all tables, with their runs, and what each still lacks, at each scale."""
    lines = ["Each is made by: python -m reproduce --table=NAME --scale=SCALE"]
    for name, (make, data) in STUDIES.items():
        lines.append(f"{name}: {make(scales['smoke']).title}")
        for scale in scales.values():
            runs = {source for run in make(scale).runs() for source in run.with_sources()}
            needs = lacks(name, scale) or "nothing is lacking"
            downloads = [f"; downloads {words}" for key in data if (words := scale.sets[key].download)]
            where = ", ".join(map(scale.title, data))
            lines.append(
                f"  {scale.name}: {len(runs) * len(scale.seeds_of(name))} runs on {where}; {needs}{''.join(downloads)}"
            )
    return "\n".join(lines)


def hours_of(scale: Scale, seeds: Sequence[int], grid: Grid) -> str:
    """Returns the hours that training for each table took, as a table of Markdown.

    Args:
        scale: Of the runs.
        seeds: Of every run; none for those of the scale.
        grid: Has their rows.
    """
    studies = {make(scale): seeds or scale.seeds_of(name) for name, (make, _) in STUDIES.items()}
    spent = hours.of_tables(studies, grid)
    lines = [
        [study.name, str(len(of)), *(f"{part:.2f}" for part in spent[study.name])] for study, of in studies.items()
    ]
    total = sum(own for _, own in spent.values())
    header = [f"Hours of training, scale {scale.name}", "seeds", "all of its runs", "those of no table above"]
    return "\n" + markdown_tables.markdown_table(header, [*lines, ["all", "", "", f"{total:.2f}"]])


def write_miniatures(scale: Scale, names: Sequence[str]):
    """Writes the raw files of the miniatures that some tables need, unless they are there."""
    for name in dict.fromkeys(data for table in names for data in STUDIES[table][1]):
        setting = scale.sets[name]
        if setting.standin is None:
            continue
        out = pathlib.Path(dict(setting.pretrain.changes)["manual_dir"])
        if not out.exists():
            cli.say(f"Writing a miniature of {name} to {out} (once) ...")
            standin.write(name, out, **setting.standin)


if __name__ == "__main__":
    flags.DEFINE_list("table", ["all"], "Names of tables, or all.")
    flags.DEFINE_enum("scale", "small", list(SCALES), "How much is trained: see --list.")
    flags.DEFINE_boolean("list", False, "Say which tables there are, and what each lacks on this machine.")
    flags.DEFINE_string("runs", "runs/tables", "Folder of all runs; those that are done are not repeated.")
    flags.DEFINE_string(
        "rows", None, "File of the rows of finished runs: runs it has are not repeated, and those made here are added."
    )
    flags.DEFINE_string("out", None, "Folder that gets complete tables too.")
    flags.DEFINE_list("documents", [], "Documents with marks between which tables are put, such as README.md.")
    flags.DEFINE_list("seeds", [], "Seeds of every run; by default those of the scale for each table.")
    flags.DEFINE_integer("jobs", 1, "Runs trained at once; with more than one, times say nothing.", lower_bound=1)
    flags.DEFINE_string("data_dir", "data", "Where built data sets are kept.")
    flags.DEFINE_string("manual_dir", "raw", "Folder with a folder of raw files for each data set, such as raw/ubfc.")
    cli.run(main)
