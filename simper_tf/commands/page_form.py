"""Form, answer and refusal of the page in the browser, and what the form asks for."""

import html
import re
from collections.abc import Mapping

from simper_tf.commands.command_options import UNITS
from simper_tf.commands.html_page import TEMPLATE
from simper_tf.commands.readings import Wishes

_TITLE = "How often does it repeat?"
# Flags that refusals name, as they are called in the form.
_FIELDS = {
    "rate": "the number of frames or samples per second",
    "band": "slowest and fastest",
    "face": "the face alone",
}
# Works without it too; with it a file can be dropped, and the button says that it is at work.
_SCRIPT = """<script>
const form = document.querySelector("form"), input = form.recording, drop = document.querySelector(".drop");
const shown = () => { drop.classList.remove("over"); };
drop.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
drop.addEventListener("dragleave", shown);
drop.addEventListener("drop", event => { event.preventDefault(); shown(); input.files = event.dataTransfer.files; });
form.addEventListener("submit", () => {
  const button = form.querySelector("button");
  button.disabled = true;
  button.textContent = "Reading; long videos take minutes ...";
});
window.addEventListener("pageshow", () => {
  const button = form.querySelector("button");
  button.disabled = false;
  button.textContent = "Read it";
});
</script>"""
_STYLE = """<style>
.drop { display: block; border: 2px dashed currentColor; border-radius: 8px; padding: 2rem 1rem; text-align: center; }
.drop.over { border-style: solid; }
.drop input { display: block; margin: 1rem auto 0; max-width: 100%; }
.asked { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; align-items: end; }
.asked input[type=number] { width: 6rem; }
</style>"""


def form() -> str:
    """Returns the page that asks for a recording."""
    units = "".join(f'<option value="{unit}">{title}</option>' for unit, title in UNITS.items())
    body = f"""{_STYLE}
<p>A video, or a series (.csv, .npy, .wav). It is read on this machine, and not kept.</p>
<form action="/read" method="post" enctype="multipart/form-data">
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
</form>
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
    """Returns a refusal in which flags have the names of the fields of the form."""
    for flag, field in _FIELDS.items():
        refusal = re.sub(rf"--{flag}\b(=\S+\w)?", field, refusal)
    return refusal


def _rate(text):
    try:
        rate = float(text) if text else None
    except ValueError:
        rate = 0.0
    if rate is not None and not 0 < rate < float("inf"):
        raise ValueError(f"Frames or samples per second must be a number above 0. Found: {text!r}.")
    return rate


def answer(section: str, csv: str, name: str) -> str:
    """Returns the page of a recording that was read.

    Args:
        section: What `html_page.recording` returns.
        csv: All answers in base64, which the page holds itself.
        name: Of the file as which they are downloaded.
    """
    link = f'<a download="{html.escape(name)}" href="data:text/csv;base64,{csv}">Download all answers (CSV)</a>'
    return TEMPLATE.substitute(title=_TITLE, body=f'{section}<p>{link}</p><p><a href="/">Read another</a></p>')


def refusal(sentence: str) -> str:
    """Returns the page that says why a recording was not read."""
    body = f'<p role="alert">{html.escape(sentence)}</p><p><a href="/">Back</a></p>'
    return TEMPLATE.substitute(title=_TITLE, body=body)
