"""Makes tables: trains what they need, each run once, and prints ours beside the paper's.

python -m trainers.reproduce --list
python -m trainers.reproduce --table=table2,table8 --scale=small
"""

import json
import pathlib

from absl import flags

from simper_tf.evaluation import tables
from simper_tf.utils import files
from trainers import cli, standin
from trainers.grid import Grid
from trainers.kept_rows import KeptRows
from trainers.studies import STUDIES, choosing, excerpts, gathering, page, raw_data
from trainers.studies.scales import SCALES, SETS
from trainers.studies.shown import EXCERPTS


def main():
    """Makes the tables of `--table`, or says which there are."""
    config = flags.FLAGS
    scales = {name: scale.located(config.data_dir, config.manual_dir) for name, scale in SCALES.items()}
    if config.list:
        return cli.say(listed(scales))
    scale = scales[config.scale]
    asked = seeds_of(config.seeds)
    names, left_out = choose(config.table, scale)
    for name, lack in left_out.items():
        cli.say(f"Left out: {name}. It lacks {lack}.")
    if config.choose and not set(names) & set(choosing.TABLES):
        known = ", ".join(choosing.TABLES)
        raise ValueError(f"--choose chooses by one of the tables {known}. Ask for one: --table=settings.")
    if config.choose and {"settings", "finalists"} <= {*names}:
        raise ValueError(
            "--choose by the table finalists takes what --choose by the table settings has found. Ask for "
            "--table=settings alone, and then for --table=finalists."
        )
    if config.choose and scale.is_short:
        raise ValueError(f"--choose at --scale={scale.name} would choose by a few steps. Name another scale.")
    for path in config.documents:
        pathlib.Path(path).read_text()  # Refused now, if at all, and not after the training.
    studies = [STUDIES[name][0](scale) for name in names]
    seeds = {each.name: asked or scale.seeds_of(each.name) for each in studies}
    grid = Grid(config.runs, jobs=config.jobs, kept=config.rows and KeptRows(config.rows))
    waiting = list(studies)

    def gathered(study):
        return gathering.gather(study, scale, seeds[study.name], grid.rows_of, lambda run: grid.folder_of(run).name)

    def publish_whole(_):
        """Publishes the tables that a run has made whole: hours before the last of many."""
        whole = [
            each for each in waiting
            if all(grid.rows_of(run.seeded(seed)) for seed in seeds[each.name] for run in each.runs())
        ]  # fmt: skip
        for study in whole:
            waiting.remove(study)
            publish([gathered(study)], config)

    with grid.held():
        write_miniatures(scale, names)
        # All tables have their first seed before any has its second.
        every = dict.fromkeys(seed for each in seeds.values() for seed in each)
        wanted = [
            run.seeded(seed)
            for seed in every for study in studies if seed in seeds[study.name] for run in study.runs()
        ]  # fmt: skip
        grid.keep(wanted)
        try:
            failed = grid.train(wanted, finished=publish_whole)
        finally:  # What was finished is shown, however the rest ended.
            found = [gathered(study) for study in studies]
            publish(found, config)
            say_missing(found, config)
        for name, study, each in zip(names, studies, found, strict=True):
            if config.choose and name in choosing.TABLES:
                choose_of, keep = choosing.TABLES[name]
                keep(choose_of(study, each))
    if failed:
        first, reason = next(iter(failed.items()))
        raise ValueError(
            f"{len(failed)} of the runs failed, the first in {grid.folder_of(first)}: {reason}. The same command tries "
            "them again."
        )
    for each in found:
        cli.say(f"\n{each['title']}\n\n{page.tables_alone(each)}")
    return None


def seeds_of(texts: list[str]) -> list[int]:
    """Returns seeds as numbers.

    Raises:
        ValueError: they are not different whole numbers.
    """
    if len(set(texts)) < len(texts) or not all(text.isdecimal() for text in texts):
        raise ValueError(f"--seeds takes different whole numbers, such as 0,1. Found: {','.join(texts)!r}.")
    return [int(text) for text in texts]


def choose(asked: list[str], scale) -> tuple[list[str], dict[str, str]]:
    """Returns the names of the studies that are made, and of those that cannot be, what they lack.

    Raises:
        ValueError: a name is not known, or a study that was asked for by its name lacks its data.
    """
    names = list(dict.fromkeys(STUDIES if asked == ["all"] else asked))
    unknown = sorted(set(names) - set(STUDIES))
    if unknown or not names:
        raise ValueError(
            f"--table={','.join(asked)}: there is no {', '.join(unknown) or 'name'}. There are: all, "
            f"{', '.join(STUDIES)}."
        )
    lacking = {name: lack for name in names if (lack := lacks(name, scale))}
    if lacking and (asked != ["all"] or len(lacking) == len(names)):
        name, lack = next(iter(lacking.items()))
        raise ValueError(f"--table={name} --scale={scale.name} lacks {lack}. --list says what each table needs.")
    return [name for name in names if name not in lacking], lacking


def lacks(name: str, scale) -> str:
    """Returns what a study lacks on this machine, empty for nothing."""
    if not STUDIES[name][0](scale).runs():
        return f"anything to compare: its batches or seconds are those of two cores, and not of --scale={scale.name}"
    return "; ".join(dict.fromkeys(lack for each in STUDIES[name][1] if (lack := scale.lacks(each))))


def listed(scales) -> str:
    """Returns the list of all studies, and what each still lacks at each scale."""
    lines = ["Each is made by: python -m trainers.reproduce --table=NAME --scale=SCALE"]
    for name, (make, _) in STUDIES.items():
        study = make(scales["smoke"])
        lines.append(f"{name}: {study.title}")
        for scale in scales.values():
            wanted = {each for run in STUDIES[name][0](scale).runs() for each in run.with_sources()}
            data = ", ".join(scale.title(each) for each in STUDIES[name][1])
            got = filter(None, (downloads(wanted, scale, key) for key in STUDIES[name][1]))
            needs = [lacks(name, scale) or "nothing is lacking", *(f"the first run downloads {each}" for each in got)]
            runs = len(wanted) * len(scale.seeds_of(name))
            lines.append(f"  {scale.name}: {runs} runs on {data}; {'; '.join(needs)}")
    asked = dict.fromkeys(each for _, names in STUDIES.values() for each in names)
    lacking = [each for each in asked if any(scale.lacks(each) for scale in scales.values())]
    return "\n".join([*lines, *(f"Raw files of {SETS[name]}: {raw_data.how(name)}." for name in lacking)])


def downloads(runs, scale, name: str) -> str:
    """Returns what the first of some runs gets from the network of a data set of the paper, empty for nothing."""
    setting = scale.sets[name]
    if not setting.download:
        return ""
    own = setting.pretrain.settings().dataset
    data_dir = pathlib.Path(dict(setting.pretrain.changes)["data_dir"])
    # Variants, such as that of spurious colors, are made of the same files.
    used = {found for run in runs if (found := run.settings().dataset).startswith(own)}
    return setting.download if any(not (data_dir / each).exists() for each in used) else ""


def write_miniatures(scale, names: list[str]):
    """Writes the raw files of the miniatures that some studies need, unless they are there."""
    for each in dict.fromkeys(each for name in names for each in STUDIES[name][1]):
        setting = scale.sets[each]
        if setting.standin is None:
            continue
        out = pathlib.Path(dict(setting.pretrain.changes)["manual_dir"])
        if not out.exists():
            cli.say(f"Writing a miniature of {each} to {out} (once) ...")
            standin.write(each, out, **setting.standin)


def publish(found: list[dict], config):
    """Writes what studies have found below `--runs`, and of whole ones to `--out` and into `--documents` too."""
    write(pathlib.Path(config.runs, "results", config.scale), found)
    whole = [each for each in found if each["done"] == each["total"]]
    if config.out and whole:
        write(pathlib.Path(config.out), whole)
    put(config.documents, whole, config.out)


def say_missing(found: list[dict], config):
    """Says which numbers whole tables lack: those of runs that were evaluated before there was such a readout."""
    for each in found:
        cells = [cell for block in each["blocks"] for line in block["lines"] for cell in line["cells"] if cell]
        lacking = [cell for cell in cells if len(cell["values"]) < len(each["seeds"])]
        if lacking and each["done"] == each["total"]:
            first, kept = lacking[0], f", or delete its line in {config.rows}" if config.rows else ""
            cli.say(
                f"{each['name']} lacks {len(lacking)} of {len(cells)} numbers, the first {first['protocol']} "
                f"{first['metric']} of {first['run']}: it was evaluated by code that did not read this. Evaluate it "
                f"again by python -m trainers.evaluate --run_dir={config.runs}/{first['run']}{kept}, and then make the "
                "table again."
            )


def write(folder: pathlib.Path, found: list[dict]):
    """Writes what studies have found as pages of Markdown, and as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in found:
        files.write_atomically(folder / f"{each['name']}.json", json.dumps(each, indent=1) + "\n")
        files.write_atomically(folder / f"{each['name']}.md", page.markdown(each))
    cli.say(f"Tables: {folder} ({', '.join(each['name'] for each in found)}).")


def put(documents: list[str], found: list[dict], folder: str | None):
    """Puts the tables of studies, and excerpts of them, between the marks of documents that have some for them.

    Args:
        documents: Their paths.
        found: Of the studies.
        folder: In which tables that excerpts are of beside these lie since they were made; None for nowhere.
    """
    pages = {each["name"]: each for each in found}
    if documents and found and folder:
        pages = beside(folder, pages) | pages
    for path in documents:
        text = new = pathlib.Path(path).read_text()
        for each in found:
            command = f"python -m trainers.reproduce --table={each['name']}"
            if tables.has_marks(new, command):
                new = tables.put_table(new, command, page.tables_alone(each), name=path)
        new = excerpts.put(new, EXCERPTS, pages, path)
        if new != text:
            files.write_atomically(path, new)


def beside(folder: str, pages: dict[str, dict]) -> dict[str, dict]:
    """Returns those tables of a folder, of the same scale, of which some excerpt is that is of given ones too."""
    shared = [excerpt.tables() for excerpt in EXCERPTS.values() if excerpt.tables() & set(pages)]
    paths = (pathlib.Path(folder, f"{name}.json") for name in sorted(set().union(*shared) - set(pages)))
    scale = next(iter(pages.values()))["scale"]
    found = [json.loads(path.read_text()) for path in paths if path.exists()]
    return {page["name"]: page for page in found if page["scale"] == scale}


if __name__ == "__main__":
    flags.DEFINE_list("table", ["all"], "Names of tables, or all.")
    flags.DEFINE_enum("scale", "small", list(SCALES), "How much is trained: see --list.")
    flags.DEFINE_boolean("list", False, "Say which tables there are, and what each lacks on this machine.")
    flags.DEFINE_string("runs", "runs/tables", "Folder of all runs; those that are done are not repeated.")
    flags.DEFINE_string(
        "rows", None, "File of the rows of finished runs: runs it has are not repeated, and those made here are added."
    )
    flags.DEFINE_string("out", None, "Folder that also gets the tables of which nothing is missing.")
    flags.DEFINE_list("documents", [], "Documents with marks between which tables are put, such as README.md.")
    flags.DEFINE_list("seeds", [], "Seeds of every run; by default those of the scale for each table.")
    flags.DEFINE_integer("jobs", 1, "Runs trained at a time; times are then not to be compared.", lower_bound=1)
    flags.DEFINE_boolean(
        "choose", False, f"Let other tables have what is best in one of the tables {', '.join(choosing.TABLES)}."
    )
    flags.DEFINE_string("data_dir", "data", "Where built data sets are kept.")
    flags.DEFINE_string("manual_dir", "raw", "Folder with a folder of raw files for each data set, such as raw/ubfc.")
    cli.run(main)
