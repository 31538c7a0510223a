"""Answers -> what is printed, a CSV file with a line a window, and a JSON file with a record a recording."""

import csv
import dataclasses
import io
import json
import math
import pathlib

from simper_tf.reading import answers
from simper_tf.recordings.errors import printable
from simper_tf.recordings.search import WRITTEN
from simper_tf.recordings.sources import Info
from simper_tf.utils import files

CSV, JSON = WRITTEN
NOTHING = "no clear repetition"
# Units in which answers are given: a flag's value -> in print.
NAMES = {"hz": "Hz", "bpm": "bpm", "per_minute": "per minute", "count": "repetitions"}


@dataclasses.dataclass(frozen=True)
class Done:
    """A recording that was read.

    Attributes:
        name: As it was found.
        info: Its `Info`.
        notes: Sentences on it.
        answers: One for each window.
    """

    name: str
    info: Info
    notes: tuple[str, ...]
    answers: list[answers.Answer]

    @property
    def repetitions(self) -> float:
        return answers.repetitions(self.answers)

    def without_courses(self) -> "Done":
        """Returns it without what only its picture shows, so that those of many recordings fit into memory."""
        return dataclasses.replace(self, answers=[dataclasses.replace(each, course=None) for each in self.answers])

    @property
    def is_periodic(self) -> bool:
        """Whether anything repeats in any window."""
        return any(answer.is_periodic for answer in self.answers)


def lines(done: Done, unit: str, most: int) -> list[str]:
    """Returns what is printed of a recording: a line a window, and one for all of it.

    Args:
        done: The recording.
        unit: A flag's value: hz, bpm, per_minute or count.
        most: Windows that are shown.
    """
    found = [_line(answer, unit) for answer in done.answers[:most]]
    if len(done.answers) > most:
        found.append(f"... {len(done.answers) - most} more windows in the files")
    return [*found, in_all(done)]


def in_all(done: Done) -> str:
    """Returns one sentence on a whole recording."""
    periodic = sum(answer.is_periodic for answer in done.answers)
    if not periodic:
        return f"in all: {NOTHING}"
    return f"in all: {done.repetitions:.1f} repetitions; {periodic} of {len(done.answers)} windows repeat something"


def said(answer: answers.Answer, unit: str) -> str:
    """Returns the answer for a window in words: a number and its unit, two of them, or that nothing clearly repeats."""
    if not answer.is_periodic:
        return NOTHING
    seconds = answer.end - answer.start
    numbers = " or ".join(f"{value(f, unit, seconds):.4g}" for f in (answer.frequency, *answer.others))
    return f"{numbers} {NAMES[unit]}{', octave undecided' * bool(answer.others)}"


def write(folder: pathlib.Path, done: list[Done], unit: str):
    """Writes both files, whole or not at all; makes their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    files.write_atomically(folder / CSV, csv_text(done, unit))
    records = [_record(each, unit) for each in done]
    files.write_atomically(folder / JSON, json.dumps(records, indent=1, allow_nan=False) + "\n")


def csv_text(done: list[Done], unit: str) -> str:
    """Returns the CSV file: a line a window, with an empty value where nothing repeats."""
    rows = [_row(each, answer, unit) for each in done for answer in each.answers]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def value(frequency: float, unit: str, seconds: float) -> float:
    """Returns a frequency in Hz in the unit of a flag, for a window of some seconds."""
    return frequency * {"hz": 1.0, "count": seconds}.get(unit, 60.0)


def _line(answer, unit):
    span = f"{answer.start:8.2f} to {answer.end:8.2f} s  {said(answer, unit)}"
    if not answer.is_periodic:
        return span
    return f"{span}  (confidence {answer.chosen.score:.2f}, by {answer.chosen.readout})"


def _verdict(answer):
    if not answer.is_periodic:
        return "not periodic"
    return "periodic, octave undecided" if answer.others else "periodic"


def _row(done, answer, unit):
    seconds = answer.end - answer.start
    row = {
        "recording": printable(done.name),
        "start_s": f"{answer.start:.3f}",
        "end_s": f"{answer.end:.3f}",
        "value": _text(value(answer.frequency, unit, seconds)),
        "unit": unit,
        "confidence": f"{answer.chosen.score:.3f}",
        "verdict": _verdict(answer),
        "readout": answer.chosen.readout if answer.is_periodic else "",
        "or": " ".join(_text(value(other, unit, seconds)) for other in answer.others),
    }
    for reading in answer.readings:
        row |= {f"{reading.readout}_hz": _text(reading.frequency), f"{reading.readout}_score": f"{reading.score:.3f}"}
    return row


def _record(done, unit):
    info = dataclasses.asdict(done.info)
    return {
        "recording": done.name,
        **{name: _finite(info[name]) for name in ("rate", "seconds", "height", "width", "bits")},
        "notes": list(done.notes),
        "repetitions": round(done.repetitions, 2) if done.is_periodic else None,
        "windows": [_window(answer, unit) for answer in done.answers],
    }


def _window(answer, unit):
    seconds = answer.end - answer.start
    return {
        "start_s": _finite(answer.start),
        "end_s": _finite(answer.end),
        "value": _finite(value(answer.frequency, unit, seconds)),
        "unit": unit,
        "confidence": _finite(answer.chosen.score),
        "verdict": _verdict(answer),
        "readout": answer.chosen.readout if answer.is_periodic else None,
        "or": [_finite(value(other, unit, seconds)) for other in answer.others],
        "readouts": {
            reading.readout: {
                "hz": _finite(reading.frequency),
                "score": _finite(reading.score),
                "or_hz": [_finite(other) for other in reading.others],
            }
            for reading in answer.readings
        },
    }


def _text(found):
    return f"{found:.5g}" if math.isfinite(found) else ""


def _finite(found):
    return None if found is None or not math.isfinite(found) else round(float(found), 5)
