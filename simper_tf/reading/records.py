"""Records of recordings, as JSON holds them, and the rows of tables that are made of records."""

import csv
import io
import math
from collections.abc import Iterable

from simper_tf.reading import answers, result
from simper_tf.reading.answer_units import value
from simper_tf.reading.source_reader import Done
from simper_tf.utils.errors import printable

# What became of a recording: it has a clear answer; it has none; it cannot be read; it is a text without numbers.
OK, NOTHING, UNREADABLE, SKIPPED = "ok", "nothing repeats", "unreadable", "skipped"
# A table program takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NONE = {
    "rate": None, "seconds": None, "height": None, "width": None, "bits": None, "verdict": None, "count": None,
    "said": [], "notes": [], "scenes": [], "answers": [], "learned": {}, "windows": [], "picture": None,
}  # fmt: skip


def of(done: Done, unit: str, length: float | None = None, hop: float | None = None, most: int = 20) -> dict:
    """Returns the record of a recording that was read.

    Args:
        done: The recording.
        unit: Of values: hz, bpm, per_minute or count.
        length, hop: Seconds of windows; None for none.
        most: Windows that are told in words.
    """
    said = answers.lines(done, unit, length, hop, most)
    clear = done.reading.clear
    return {
        **without("" if clear else said[0], OK if clear else NOTHING, done.name),
        **{name: _finite(getattr(done.info, name)) for name in ("rate", "seconds", "bits")},
        **({} if _is_series(done) else {"height": done.info.height, "width": done.info.width}),
        "verdict": done.reading.verdict,
        "count": sum(answer.count for answer in clear) or None,
        "said": said,
        "notes": list(done.notes),
        "scenes": [
            {"start_s": _finite(scene.start), "end_s": _finite(scene.end), "verdict": scene.verdict}
            for scene in done.reading.scenes
        ],
        "answers": [_answer(done, answer, unit) for answer in done.reading.answers],
        "learned": {"model": _finite(done.learned.hertz)} if done.learned else {},
        "windows": [_window(window, unit) for window in result.windows(done.reading, length, hop or length)]
        if length
        else [],
    }


def without(reason: str, status: str, name: str) -> dict:
    """Returns the record of a recording without a reading, and why there is none."""
    return {"recording": name, "status": status, "reason": reason, **_NONE}


def clear(record: dict) -> list[dict]:
    """Returns the answers of a record that are results."""
    return [answer for answer in record["answers"] if answer["verdict"] in (result.CLEAR, result.DOUBTFUL)]


def table(rows: Iterable[dict]) -> str:
    """Returns rows of the same columns as a CSV table, with an apostrophe before what looks like a formula."""
    out, writer = io.StringIO(), None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(out, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({name: _cell(cell) for name, cell in row.items()})
    return out.getvalue()


def answer_rows(record: dict) -> list[dict]:
    """Returns a row an answer that is a result, and one without numbers where there is none."""
    return [
        {
            **_start(record), "answer": number if answer else "",
            "verdict": answer["verdict"] if answer else record["verdict"] or "",
            "value": _digits(answer.get("value")), "unit": answer.get("unit", ""),
            "hertz": _digits(answer.get("hertz")), "error_hz": _digits(answer.get("error_hz")),
            "count": answer.get("count", ""),
            "start_s": _fixed(answer["repetitions"][0][0]) if answer else "",
            "end_s": _fixed(answer["repetitions"][-1][1]) if answer else "",
            "pairs_hz": _digits(answer.get("pairs_hz")), "confidence": _fixed(answer.get("confidence")),
            "reader": answer.get("reader", ""), "channel": printable(answer.get("channel") or ""),
            "box": ",".join(map(str, answer.get("box") or ())), "picture": record["picture"] or "",
        }
        for number, answer in enumerate(clear(record) or [{}], start=1)
    ]  # fmt: skip


def repetition_rows(record: dict) -> list[dict]:
    """Returns a row a repetition of an answer that is a result, and one without numbers where there is none."""
    rows = [
        {**_start(record), "answer": number, "repetition": at, **_times(span, peak)}
        for number, answer in enumerate(clear(record), start=1)
        for at, (span, peak) in enumerate(zip(answer["repetitions"], answer["peaks"], strict=True), start=1)
    ]
    return rows or [{**_start(record), "answer": "", "repetition": "", **_times()}]


def _times(span=(None, None), peak=None):
    return {"start_s": _fixed(span[0]), "end_s": _fixed(span[1]), "peak_s": _fixed(peak)}


def window_rows(record: dict) -> list[dict]:
    """Returns a row a window, and one without numbers where there is none."""
    rows = [
        {
            **_start(record), "start_s": _fixed(window["start_s"]), "end_s": _fixed(window["end_s"]),
            "value": _digits(window["value"]), "unit": window["unit"], "confidence": _fixed(window["confidence"]),
        }
        for window in record["windows"]
    ]  # fmt: skip
    return rows or [{**_start(record), "start_s": "", "end_s": "", "value": "", "unit": "", "confidence": ""}]


def _start(record):
    """Returns the first cells of every row; a name that looks like a formula is told as a path, which it joins to."""
    name = printable(record["recording"])
    name = f"./{name}" if name.startswith(_FORMULA) else name
    return {"recording": name, "status": record["status"], "reason": printable(record["reason"])}


def _cell(cell):
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) and not _is_number(cell) else cell


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _answer(done, answer, unit):
    middles, hertz, error = answer.tempo()
    is_result = answer.verdict in (result.CLEAR, result.DOUBTFUL)
    return {
        "verdict": answer.verdict,
        "reader": answer.reader,
        "channel": done.channel(answer) or None,
        "scene": answer.scene,
        "value": _finite(value(answer.hertz, answer.count, unit)) if is_result else None,
        "unit": unit,
        "hertz": _finite(answer.hertz),
        "error_hz": _finite(answer.error),
        "pairs_hz": _finite(answer.pairs),
        "confidence": _finite(answer.confidence),
        "count": answer.count,
        "box": _box(done, answer),
        "repetitions": [[_finite(start), _finite(end)] for start, end in answer.repetitions],
        "peaks": [_finite(peak) for peak in answer.peaks],
        "pauses": [[_finite(start), _finite(end)] for start, end in answer.pauses],
        "tempo": [
            {"s": _finite(at), "hertz": _finite(tempo), "error_hz": _finite(off)}
            for at, tempo, off in zip(middles, hertz, error, strict=True)
        ],
    }


def _is_series(done):
    return (done.info.height, done.info.width) == (1, 1)


def _box(done, answer):
    """Returns `[x, y, width, height]` in pixels of the whole picture, as `crop` takes them; None of a series."""
    return None if _is_series(done) else [*done.pixels(answer)]


def _window(window, unit):
    number = value(window.hertz, window.count, unit) if window.hertz else math.nan
    return {
        "start_s": _finite(window.start), "end_s": _finite(window.end), "value": _finite(number), "unit": unit,
        "confidence": _finite(window.confidence),
    }  # fmt: skip


def _digits(number):
    return "" if number is None else f"{number:.5g}"


def _fixed(number):
    return "" if number is None else f"{number:.3f}"


def _finite(number):
    if number is None or not math.isfinite(number):
        return None
    # Five digits at least: what is read errs by more.
    return round(float(number), 5) if abs(number) >= 0.01 else float(f"{number:.4g}")
