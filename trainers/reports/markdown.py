"""A report -> the same as Markdown, with its figures as files beside it."""

from simper_tf.evaluation import tables
from trainers.reports.gathered import NUMBERS, Report, heading, numbers_of
from trainers.studies import commands, page, ranking


def render(report: Report, title: str, pictures: str) -> str:
    """Returns the page.

    Args:
        report: What it says.
        title: Its heading.
        pictures: Folder of its figures, as seen from the page.
    """
    parts = [
        f"# {title}",
        report.scale.about,
        NUMBERS,
        f"Made by `{report.command}`.",
        "## Contents",
        _contents(report),
    ]
    for table in report.tables:
        parts += _table(table)
    parts.append("## Figures")
    for each in report.figures:
        if each.png:
            lacks = f" Missing: {', '.join(each.lacking)}." if each.lacking else ""
            caption = f"{each.figure.caption}{lacks} Drawn from the runs of {each.figure.table}."
            picture = f"![{each.figure.alt}]({pictures}/{each.figure.name}.png)"
            parts += [_anchor(each.figure.name), f"### {each.figure.title}", picture, caption]
    parts += ["## Environment", "Of the machine that made this page."]
    parts.append(
        tables.markdown_table(["what", "version or name"], [list(each) for each in report.environment.items()])
    )
    parts += ["## What is missing", _list(report.missing) or "Nothing."]
    return "\n\n".join(parts) + "\n"


def _contents(report):
    links = [(table["name"], heading(table)) for table in report.tables]
    links += [(each.figure.name, each.figure.title) for each in report.figures if each.png]
    return "\n".join(f"* [{title}](#{name})" for name, title in links)


def _table(table):
    how = f"{table['done']} of {table['total']} runs are finished; commit {', '.join(table['commits']) or 'none yet'}."
    parts = [_anchor(table["name"]), f"## {heading(table)}", table["about"], how]
    for block in table["blocks"]:
        parts += [f"### {block['title']}"] * bool(block["title"]) + [page.table(block)]
        said = ranking.sentences(block) if block["ranked"] else []
        parts += ["First in each column:", _list(said)] * bool(said)
    return [*parts, _runs(table)]


def _runs(table):
    """Returns how to make every number again, closed where Markdown is shown as HTML.

    The attribute is for Python-Markdown, which takes what is in a tag for HTML otherwise.
    """
    parts = ['<details markdown="1"><summary>How to make each of these numbers again</summary>']
    parts.append(f"```\n{commands.of_table(table)}\n```")
    for run, numbers in numbers_of(table).items():
        each = "\n".join(table["runs"][run]["commands"])
        parts += [f"`{run}`", f"```\n{each}\n```", _list(f"{name}: {value}" for name, value in numbers)]
    return "\n\n".join([*parts, "</details>"])


def _anchor(name):
    return f'<a id="{name}"></a>'


def _list(sentences):
    return "\n".join(f"* {each}" for each in sentences)
