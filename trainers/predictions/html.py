"""Recordings that were read -> one HTML page that needs nothing beside it. The page around it is `page.html`."""

import base64
import html
import pathlib
import string

from trainers.predictions import tables

TEMPLATE = string.Template(pathlib.Path(__file__).with_name("page.html").read_text())

# So many windows are shown without a click.
_MOST_OPEN = 12


def render(done: list[tables.Done], pictures: list[pathlib.Path], unit: str) -> str:
    """Returns the page.

    Args:
        done: The recordings.
        pictures: Path of the picture of each.
        unit: A flag's value.
    """
    parts = [recording(each, picture, unit) for each, picture in zip(done, pictures, strict=True)]
    return TEMPLATE.substitute(title="What repeats in these recordings", body="\n".join(parts))


def recording(done: tables.Done, picture: pathlib.Path, unit: str) -> str:
    """Returns the section of one recording; arguments as in `render`."""
    image = base64.b64encode(picture.read_bytes()).decode()
    name = _text(done.name)
    notes = "".join(f"<p>{_text(note)}</p>" for note in done.notes)
    alt = f"Course and spectrogram of {name}; shaded: nothing clearly repeats"
    figure = _scrolled(f'<figure><img alt="{alt}" src="data:image/png;base64,{image}"></figure>', f"Picture of {name}")
    header = "".join(f'<th scope="col">{title}</th>' for title in ("seconds", "answer", "confidence", "readout"))
    rows = "".join(_row(answer, unit) for answer in done.answers)
    table = f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
    scrolled = _scrolled(table, f"Windows of {name}")
    is_open = " open" * (len(done.answers) <= _MOST_OPEN)
    details = f"<details{is_open}><summary>{len(done.answers)} windows</summary>{scrolled}</details>"
    return f"<section><h2>{name}</h2><p>{_text(tables.in_all(done))}</p>{notes}{figure}{details}</section>"


def _scrolled(content, label):
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{content}</div>'


def _row(answer, unit):
    readout = answer.chosen.readout if answer.is_periodic else ""
    cells = (tables.said(answer, unit), f"{answer.chosen.score:.2f}", readout)
    head = f'<th scope="row">{answer.start:.2f} to {answer.end:.2f}</th>'
    return f"<tr>{head}{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>"


def _text(text):
    return html.escape(text.encode("utf-8", "backslashreplace").decode())
