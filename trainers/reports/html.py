"""A report -> one HTML page that needs nothing beside it. The page around it is `page.html`."""

import base64
import html
import math
import pathlib
import string

from trainers.reports.gathered import NUMBERS, Report, heading, numbers_of, papers_of
from trainers.studies import commands, page, ranking

TEMPLATE = string.Template(pathlib.Path(__file__).with_name("page.html").read_text())
HOW_TO = "A click on a header sorts, a click on a number shows the run that made it."


def render(report: Report, title: str) -> str:
    """Returns the page.

    Args:
        report: What it says.
        title: Its heading.
    """
    parts = [
        f"<p>{_text(report.scale.about)}</p><p>{_text(NUMBERS)} {HOW_TO}</p>",
        _paragraph("Made by", report.command),
        _contents(report),
        *(_table(table) for table in report.tables),
        _section("figures", "Figures", "".join(_figure(each) for each in report.figures)),
        _section("environment", "Environment", _environment(report)),
        _section("missing", "What is missing", _list(report.missing) if report.missing else "<p>Nothing.</p>"),
    ]
    return TEMPLATE.substitute(title=_text(title), body="\n".join(parts))


def _contents(report):
    links = [(table["name"], heading(table)) for table in report.tables]
    links += [(each.figure.name, each.figure.title) for each in report.figures if each.png]
    links += [("environment", "Environment"), ("missing", "What is missing")]
    items = "".join(f'<li><a href="#{_text(name)}">{_text(title)}</a></li>' for name, title in links)
    return f'<nav aria-label="Contents"><h2>Contents</h2><ul>{items}</ul></nav>'


def _table(table):
    how = (
        f"{table['done']} of {table['total']} runs are finished, with seeds {', '.join(map(str, table['seeds']))}; "
        f"commit {', '.join(table['commits']) or 'none yet'}."
    )
    parts = [f"<p>{_text(table['about'])}</p>", f'<p class="faint">{_text(how)}</p>']
    for block in table["blocks"]:
        parts += [f"<h3>{_text(block['title'])}</h3>"] * bool(block["title"]) + [_block(table, block)]
        said = ranking.sentences(block) if block["ranked"] else []
        parts += [f"<details><summary>First in each column</summary>{_list(said)}</details>"] * bool(said)
    return _section(table["name"], heading(table), "\n".join([*parts, _runs(table)]))


def _block(table, block):
    papers = papers_of(block)
    best = [ranking.first(block, k) if block["ranked"] else [] for k in range(len(block["columns"]))]
    header = _header("line", "line")
    for k, (column, paper) in enumerate(zip(block["columns"], papers, strict=True)):
        metrics = {line["cells"][k]["metric"] for line in block["lines"] if line["cells"][k]}
        header += _header(column, column, rising=bool(metrics) and metrics <= ranking.RISING)
        header += _header("paper", f"paper, {column}") if paper else ""
    header += _header("seconds", "seconds")
    lines = []
    for number, line in enumerate(block["lines"]):
        cells = f'<th scope="row">{_text(line["title"])}</th>'
        for k, (cell, paper) in enumerate(zip(line["cells"], papers, strict=True)):
            cells += _cell(table, cell, number in best[k])
            cells += _value(cell["paper"] if cell else None, page.paper_of(cell), "paper") if paper else ""
        seconds = page.seconds_of(line)
        cells += _value(seconds or None, seconds)
        lines.append(f'<tr data-row="{number}">{cells}</tr>')
    name = f"{heading(table)}{'. ' * bool(block['title'])}{block['title']}"
    caption = f'<caption class="hidden">{_text(name)}</caption>'
    rows = "\n".join(lines)
    return _scrolled(name, f"<table>{caption}<thead><tr>{header}</tr></thead><tbody>\n{rows}\n</tbody></table>")


def _header(text, spoken, rising=False):
    label = f' aria-label="{_text(spoken)}"' if spoken != text else ""
    marked = " data-rising" if rising else ""
    return f'<th scope="col"{marked}><button type="button"{label}>{_text(text)}</button></th>'


def _cell(table, cell, is_best):
    text = page.text_of(cell)
    if not text:
        return _value(None, "")
    link = f'<a href="#{_run_id(table, cell["run"])}">{_text(text)}</a>'
    return f'<td data-value="{ranking.mean_of(cell)!r}">{f"<strong>{link}</strong>" if is_best else link}</td>'


def _value(value, text, kind=""):
    kind = f' class="{kind}"' if kind else ""
    return f'<td{kind} data-value="{math.nan if value is None else value}">{_text(text)}</td>'


def _runs(table):
    """Returns for every run of a table how to make it again, and the numbers it made."""
    made = "".join(_run(table, run, numbers) for run, numbers in numbers_of(table).items())
    whole = commands.of_table(table)
    said = _paragraph("The whole table, in as many runs as are not finished yet:", whole)
    one = (
        "<p>Each run alone, of the first seed; of another seed with <code>--seed</code>, another "
        "<code>--run_dir</code> and, where it begins with another run, that of the same seed. Its rows are then in "
        "<code>results.jsonl</code> of its folder.</p>"
    )
    summary = "<summary>How to make each of these numbers again</summary>"
    return f"<details>{summary}{said}{one}<ul>{made}</ul></details>"


def _run(table, run, numbers):
    each = _text("\n".join(table["runs"][run]["commands"]))
    values = _list(f"{name}: {value}" for name, value in numbers)
    said = f"<strong>{_text(run)}</strong><pre><code>{each}</code></pre>{values}"
    return f'<li id="{_run_id(table, run)}">{said}</li>'


def _figure(each):
    figure = each.figure
    if not each.png:
        return ""
    picture = base64.b64encode(each.png).decode()
    lacks = f" Missing: {', '.join(each.lacking)}." if each.lacking else ""
    image = f'<img src="data:image/png;base64,{picture}" alt="{_text(figure.alt)}">'
    caption = f"<figcaption>{_text(figure.caption + lacks)} Drawn from the runs of {_text(figure.table)}.</figcaption>"
    return (
        f'<section id="{figure.name}"><h3>{_text(figure.title)}</h3>'
        f"<figure>{_scrolled(figure.title, image)}{caption}</figure></section>"
    )


def _environment(report):
    lines = "".join(
        f'<tr><th scope="row">{_text(name)}</th><td>{_text(value)}</td></tr>'
        for name, value in report.environment.items()
    )
    said = "<p>Of the machine that made this page. The commits of the numbers stand at each table.</p>"
    return said + _scrolled("Environment", f'<table class="plain"><tbody>{lines}</tbody></table>')


def _section(name, title, inside):
    return f'<section id="{_text(name)}">\n<h2>{_text(title)}</h2>\n{inside}\n</section>'


def _scrolled(name, inside):
    """Returns what scrolls sideways within itself, by keyboard too."""
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{_text(name)}">{inside}</div>'


def _paragraph(words, command):
    return f"<p>{_text(words)} <code>{_text(command)}</code></p>"


def _list(sentences):
    return f"<ul>{''.join(f'<li>{_text(each)}</li>' for each in sentences)}</ul>"


def _run_id(table, run):
    return _text(f"{table['name']}-{run}")


def _text(text):
    return html.escape(str(text))
