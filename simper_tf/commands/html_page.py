"""One HTML page of recordings that were read, which needs nothing beside it; the page around it is `page.html`."""

import base64
import html
import pathlib
import string

from simper_tf.reading import answers
from simper_tf.reading.readings import Done
from simper_tf.utils.errors import printable

TEMPLATE = string.Template(pathlib.Path(__file__).with_name("page.html").read_text())


def render(done: list[Done], pictures: list[pathlib.Path], unit: str) -> str:
    """Returns the page.

    Args:
        done: The recordings.
        pictures: Path of the picture of each.
        unit: A flag's value.
    """
    parts = [recording(one, picture, unit) for one, picture in zip(done, pictures, strict=True)]
    return TEMPLATE.substitute(title="What repeats in these recordings", body="\n".join(parts))


def recording(done: Done, picture: pathlib.Path, unit: str, narrow: pathlib.Path | None = None) -> str:
    """Returns the section of one recording; arguments as in `render`, and another picture for narrow screens."""
    name = _text(done.name)
    shown = "".join(f"<p>{_text(line)}</p>" for line in answers.lines(done, unit))
    notes = "".join(f"<p>{_text(note)}</p>" for note in done.notes)
    alt = f"Course of {name} with every repetition, and its tempo"
    image = f'<img alt="{alt}" src="{_data(picture)}">'
    if narrow:
        other = f'<source media="(max-width: 40rem)" srcset="{_data(narrow)}">'
        image = f"<picture>{other}{image}</picture>"
    figure = _scrolled(f"<figure>{image}</figure>", f"Picture of {name}")
    return f"<section><h2>{name}</h2>{shown}{notes}{figure}{_repetitions(done, name)}</section>"


def _data(picture):
    return f"data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode()}"


def _repetitions(done, name):
    rows = "".join(
        f'<tr><th scope="row">{count}</th><td>{start:.2f}</td><td>{end:.2f}</td><td>{_text(answer.reader)}</td></tr>'
        for answer in done.reading.clear for count, (start, end) in enumerate(answer.repetitions, start=1)
    )  # fmt: skip
    if not rows:
        return ""
    header = "".join(f'<th scope="col">{title}</th>' for title in ("repetition", "from, s", "to, s", "reader"))
    table = f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
    return f"<details><summary>Every repetition</summary>{_scrolled(table, f'Repetitions of {name}')}</details>"


def _scrolled(content, label):
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{content}</div>'


def _text(text):
    return html.escape(printable(text))
