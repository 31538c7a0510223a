"""Form, answer and refusal of the page in the browser, and what the form asks for."""

import base64
import html
import itertools
import json
import math
import pathlib
import re
from collections.abc import Iterable, Mapping

from simper_tf.commands.html_page import TEMPLATE
from simper_tf.reading.answer_units import UNITS
from simper_tf.reading.drawing import COLORS
from simper_tf.reading.source_reader import Done, Wishes
from simper_tf.recordings import boxes
from simper_tf.utils.errors import printable
from simper_tf.utils.options import written

_TITLE = "How often does it repeat?"
# Settings that refusals name, as they are called in the form.
_FIELDS = {
    "rate": "the number of frames or samples per second",
    "band": "slowest and fastest",
    "face": "the face alone",
    "start": "the start",
    "end": "the end",
    "crop": "the part of the picture",
}
# The form works without it too, and is then answered with a page of its own, which has no player.
_SCRIPT = f"<script>{pathlib.Path(__file__).with_name('page.js').read_text()}</script>"
_STYLE = """<style>
.drop { display: block; border: 2px dashed currentColor; border-radius: 8px; padding: 2rem 1rem; text-align: center; }
.drop.over { border-style: solid; }
.drop input { display: block; margin: 1rem auto 0; max-width: 100%; }
.asked { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; align-items: end; }
.asked input { width: 6rem; }
.asked input[type=checkbox] { width: auto; }
.asked input[name=crop] { width: 10rem; }
.crop, .camera div { position: relative; width: fit-content; max-width: 100%; }
.crop video, .camera video { display: block; max-width: 100%; max-height: 24rem; }
.crop canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: crosshair; touch-action: none; }
.camera output { display: block; font-size: 1.5rem; min-height: 2.5rem; }
button { font: inherit; padding: 0.4rem 0.8rem; margin: 0 0.5rem 0.5rem 0; }
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
<p>Videos, or series (.csv, .xlsx, .wav). They are read on this machine, and not kept.</p>
<form action="/read" method="post" enctype="multipart/form-data" data-most="{max_megabytes:g}">
<label class="drop">Drop recordings here, or choose some <input type="file" name="recording" multiple required></label>
<div class="asked">
<label>slowest, Hz <input type="number" name="low" min="0.001" step="any" placeholder="any"></label>
<label>fastest, Hz <input type="number" name="high" min="0.001" step="any" placeholder="any"></label>
<label>start, s <input type="number" name="start" min="0" step="any" placeholder="0"></label>
<label>end, s <input type="number" name="end" min="0" step="any" placeholder="end"></label>
<label>part of the picture
<input name="crop" placeholder="x,y,width,height" pattern="[0-9]+,[0-9]+,[0-9]+,[0-9]+"></label>
<label>unit <select name="unit">{units}</select></label>
<label>frames or samples per second, where the file does not say
<input type="number" name="rate" min="0.001" step="any"></label>
<label><input type="checkbox" name="face"> the face alone, and its pulse</label>
</div>
<button type="submit">Read it</button>
<button type="submit" formaction="/copy">Save a copy with the count</button>
<button type="submit" formaction="/sample" formnovalidate>Read the sample</button>
<figure class="crop-of" hidden><div class="crop"><video muted playsinline></video><canvas></canvas></div>
<figcaption>Draw a box on the picture to read that part alone.</figcaption></figure>
</form>
<p class="state" role="status" hidden><progress max="1"></progress><span></span></p>
<div class="answer"></div>
<section class="camera" hidden><h2>The camera</h2>
<p>Its pictures are made small here, counted on this machine alone, and never stored.</p>
<button type="button">Count with the camera</button>
<div hidden><video muted playsinline></video></div>
<output aria-live="polite"></output></section>
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
    start, end = (_seconds(given.get(name, "").strip(), other) for name, other in (("start", 0.0), ("end", math.inf)))
    if not start < end:
        raise ValueError(f"The end must be later than the start. Found: {start:g} and {end:g} s.")
    return (
        Wishes(band, start, end, _box(given.get("crop", "").strip()), "face" in given),
        unit,
        _rate(given.get("rate")),
    )


def _seconds(text, other):
    try:
        seconds = float(text) if text else other
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise ValueError(f"Start and end must be seconds, 0 or more. Found: {text!r}.")
    return seconds


def _box(text):
    if not text:
        return None
    box = tuple(map(int, text.split(","))) if re.fullmatch(r"\d{1,6}(,\d{1,6}){3}", text, re.ASCII) else ()
    if not boxes.are_pixels(box):
        raise ValueError(f"The part of the picture must be x,y,width,height in pixels. Found: {text!r}.")
    return box


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


def answer(done: Done, section: str, tables: Mapping[str, str]) -> str:
    """Returns what a page shows of a recording that was read.

    Args:
        done: The recording.
        section: What `html_page.recording` returns.
        tables: What is in a table, in words, to the table as CSV, which the page holds itself.
    """
    stem = html.escape(printable(pathlib.PurePath(done.name).stem))
    links = [
        f'<a download="{stem}{end}.csv" href="data:text/csv;base64,{base64.b64encode(csv.encode()).decode()}">'
        f"Download all {words} (CSV)</a>"
        for end, (words, csv) in zip(("", "_repetitions"), tables.items(), strict=False)
    ]
    return f"{_player(done)}{section}<p>{' · '.join(links)}</p>"


def page(parts: Iterable[str]) -> str:
    """Returns the page of answers and refusals."""
    body = f'{_STYLE}<div class="answer">{"".join(parts)}</div><p><a href="/">Read another</a></p>'
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


def refused(sentence: str) -> str:
    """Returns what a page shows of a recording that was not read."""
    return f'<p role="alert">{html.escape(printable(sentence))}</p>'


def refusal(sentence: str) -> str:
    """Returns the page that says why nothing was read."""
    body = f'<div class="answer">{refused(sentence)}</div><p><a href="/">Back</a></p>'
    return TEMPLATE.substitute(title=_TITLE, body=body)
