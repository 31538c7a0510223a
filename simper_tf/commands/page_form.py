"""Form, answer and refusal of the page in the browser, and what the form asks for."""

import html
import itertools
import json
import pathlib
from collections.abc import Mapping

from simper_tf.commands.html_page import TEMPLATE
from simper_tf.reading.answer_units import UNITS
from simper_tf.reading.drawing import COLORS
from simper_tf.reading.readings import Done, Wishes
from simper_tf.utils.errors import printable
from simper_tf.utils.options import written

_TITLE = "How often does it repeat?"
# Settings that refusals name, as they are called in the form.
_FIELDS = {
    "rate": "the number of frames or samples per second",
    "band": "slowest and fastest",
    "face": "the face alone",
}
# The form works without it too, and is then answered with a page of its own, which has no player.
_SCRIPT = f"<script>{pathlib.Path(__file__).with_name('page.js').read_text()}</script>"
_STYLE = """<style>
.drop { display: block; border: 2px dashed currentColor; border-radius: 8px; padding: 2rem 1rem; text-align: center; }
.drop.over { border-style: solid; }
.drop input { display: block; margin: 1rem auto 0; max-width: 100%; }
.asked { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; align-items: end; }
.asked input[type=number] { width: 6rem; }
.state progress { width: 100%; max-width: 46rem; display: block; }
.player div { position: relative; max-width: 40rem; }
.player video { display: block; width: 100%; }
.player .count { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.player .strip { display: block; width: 100%; max-width: 40rem; height: 2rem; margin-top: 0.5rem; cursor: pointer; }
[hidden] { display: none; }
</style>"""


def form(max_megabytes: float) -> str:
    """Returns the page that asks for a recording, of at most so many megabytes."""
    units = "".join(f'<option value="{unit}">{title}</option>' for unit, title in UNITS.items())
    body = f"""{_STYLE}
<p>A video, or a series (.csv, .xlsx, .wav). It is read on this machine, and not kept.</p>
<form action="/read" method="post" enctype="multipart/form-data" data-most="{max_megabytes:g}">
<label class="drop">Drop a recording here, or choose one <input type="file" name="recording" required></label>
<div class="asked">
<label>slowest, Hz <input type="number" name="low" min="0.001" step="any" placeholder="any"></label>
<label>fastest, Hz <input type="number" name="high" min="0.001" step="any" placeholder="any"></label>
<label>unit <select name="unit">{units}</select></label>
<label>frames or samples per second, where the file does not say
<input type="number" name="rate" min="0.001" step="any"></label>
<label><input type="checkbox" name="face"> the face alone, and its pulse</label>
</div>
<button type="submit">Read it</button>
<button type="submit" formaction="/sample" formnovalidate>Read the sample</button>
</form>
<p class="state" role="status" hidden><progress max="1"></progress><span></span></p>
<div class="answer"></div>
{_SCRIPT}"""
    return TEMPLATE.substitute(title=_TITLE, body=body)


def asked(given: Mapping[str, str]) -> tuple[Wishes, str, float | None]:
    """Returns what a filled form asks for, the unit, and the rate where one is named.

    Raises:
        ValueError: it holds what the form cannot.
    """
    low, high = (given.get(name, "").strip() for name in ("low", "high"))
    band = _band(low, high) if low or high else None
    unit = given.get("unit", "hz")
    if unit not in UNITS:
        raise ValueError(f"The unit must be one of {', '.join(UNITS)}. Found: {unit!r}.")
    return Wishes(band, face="face" in given), unit, _rate(given.get("rate"))


def _band(low, high):
    try:
        band = float(low), float(high)
    except ValueError:
        band = 0.0, 0.0
    if not 0 < band[0] < band[1] < float("inf"):
        raise ValueError(
            "The slowest and the fastest frequency must be two rising numbers above 0, or both empty. Found: "
            f"{low!r} and {high!r}."
        )
    return band


def as_on_the_page(refusal: str) -> str:
    """Returns a refusal in which settings have the names of the fields of the form."""
    return written(refusal, lambda name, value: _FIELDS.get(name))


def _rate(text):
    try:
        rate = float(text) if text else None
    except ValueError:
        rate = 0.0
    if rate is not None and not 0 < rate < float("inf"):
        raise ValueError(f"Frames or samples per second must be a number above 0. Found: {text!r}.")
    return rate


def answer(done: Done, section: str, csv: str) -> str:
    """Returns the page of a recording that was read.

    Args:
        done: The recording.
        section: What `html_page.recording` returns.
        csv: All answers in base64, which the page holds itself.
    """
    name = f"{pathlib.PurePath(done.name).stem}.csv"
    link = (
        f'<a download="{html.escape(printable(name))}" href="data:text/csv;base64,{csv}">Download all answers (CSV)</a>'
    )
    body = f'{_STYLE}<div class="answer">{_player(done)}{section}<p>{link}</p></div><p><a href="/">Read another</a></p>'
    return TEMPLATE.substitute(title=_TITLE, body=body)


def _player(done):
    """Returns a player of a video, which the script fills with the file that is at hand; empty for a series."""
    answers = [
        {"box": answer.box, "spans": answer.repetitions, "color": color}
        for answer, color in zip(done.reading.clear, itertools.cycle(COLORS), strict=False)
    ]
    if not (answers and done.stills):
        return ""
    data = html.escape(json.dumps(answers, default=float))
    return (
        f'<figure class="player" data-answers="{data}" hidden><div><video controls muted playsinline></video>'
        '<canvas class="count"></canvas></div><canvas class="strip" title="Every repetition; click to go there">'
        "</canvas><figcaption>Repetitions so far: <output></output></figcaption></figure>"
    )


def refusal(sentence: str) -> str:
    """Returns the page that says why a recording was not read."""
    said = f'<div class="answer"><p role="alert">{html.escape(printable(sentence))}</p></div>'
    return TEMPLATE.substitute(title=_TITLE, body=f'{said}<p><a href="/">Back</a></p>')
