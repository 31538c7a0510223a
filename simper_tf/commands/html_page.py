"""One HTML page of recordings that were read, which needs nothing beside it; the page around it is `page.html`."""

import base64
import html
import pathlib
import string
from collections.abc import Iterable

from simper_tf.reading import records
from simper_tf.utils.errors import printable

TEMPLATE = string.Template(pathlib.Path(__file__).with_name("page.html").read_text())


def render(done: Iterable[dict], folder: pathlib.Path) -> str:
    """Returns the page.

    Args:
        done: Records of the recordings.
        folder: That of their pictures.
    """
    parts = [recording(record, folder / record["picture"] if record["picture"] else None) for record in done]
    return TEMPLATE.substitute(title="What repeats in these recordings", body="\n".join(parts))


def recording(record: dict, picture: pathlib.Path | None, narrow: pathlib.Path | None = None) -> str:
    """Returns the section of one recording.

    Args:
        record: That of the recording.
        picture: Path of its picture; None for none.
        narrow: Of another one for narrow screens.
    """
    name = _text(record["recording"])
    lines = [*(record["said"] or [record["reason"]]), *record["notes"]]
    shown = "".join(f"<p>{_text(line)}</p>" for line in lines)
    figure = _figure(name, picture, narrow) if picture else ""
    return f"<section><h2>{name}</h2>{shown}{figure}{_repetitions(record, name)}</section>"


def _figure(name, picture, narrow):
    image = f'<img alt="Course of {name} with every repetition, and its tempo" src="{_data(picture)}">'
    if narrow:
        other = f'<source media="(max-width: 40rem)" srcset="{_data(narrow)}">'
        image = f"<picture>{other}{image}</picture>"
    return _scrolled(f"<figure>{image}</figure>", f"Picture of {name}")


def _data(picture):
    return f"data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode()}"


def _repetitions(record, name):
    rows = "".join(
        f'<tr><th scope="row">{count}</th><td>{start:.2f}</td><td>{end:.2f}</td><td>{_text(answer["reader"])}</td></tr>'
        for answer in records.clear(record)
        for count, (start, end) in enumerate(answer["repetitions"], start=1)
    )
    if not rows:
        return ""
    header = "".join(f'<th scope="col">{title}</th>' for title in ("repetition", "from, s", "to, s", "reader"))
    table = f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
    return f"<details><summary>Every repetition</summary>{_scrolled(table, f'Repetitions of {name}')}</details>"


def _scrolled(content, label):
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{content}</div>'


def _text(text):
    return html.escape(printable(text))
