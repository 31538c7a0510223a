"""Real recordings read beside the truth that somebody counted.

python -m benchmarks.real [--files=../shared/real] [--document=docs/recordings.md]

A kind is a folder of files with a `truth.csv`. A row tells file, truth,
answer, error, verdict and CPU seconds; totals follow. Right is a frequency
or a count within the tolerance that is written beside the truth.
"""

import argparse
import csv
import dataclasses
import pathlib
import re
import time
from collections.abc import Callable, Iterator

import av
import numpy as np

from benchmarks import document
from simper_tf.evaluation import tables
from simper_tf.reading import readings, result
from simper_tf.recordings import sources

COMMAND = "python -m benchmarks.real"
COLUMNS = ("file", "truth", "answer", "error", "outcome", "verdict", "confidence", "CPU seconds")
RIGHT, NAMED, WRONG, SILENT, REFUSED, ANSWERED = "right", "octave named", "wrong", "silent", "refused", "answered"
PICTURES = 80


@dataclasses.dataclass(frozen=True)
class Truth:
    """Frequencies that somebody counted in a file.

    Attributes:
        hertz: Frequencies in it, the first stretch first; empty for a control.
        near: Tolerance in hertz; None where only the count is told.
        count: Repetitions in all; None where it is not told.
        off: Tolerance of the count.
        span: Seconds that the first frequency was counted in; None for all.
    """

    hertz: tuple[float, ...]
    near: float | None
    count: float | None
    off: float
    span: tuple[float, float] | None = None


def truth(row: dict[str, str]) -> Truth:
    """Truth of a row of `truth.csv`."""
    told, tolerance = row["truth"], row["tolerance"]
    if row["kind"].startswith("control") or told.startswith("nothing"):
        return Truth((), None, None, 0.0)
    numbers = re.findall(r"([\d.]+) ?(reps|rep|bpm|in all|Hz)?", tolerance)
    near = next((float(one) / (60 if unit == "bpm" else 1) for one, unit in numbers if "rep" not in unit), None)
    off = next((float(one) for one, unit in numbers if "rep" in unit), 0.0)
    counts = re.findall(r"([\d.]+) (?:in all|reps)", told)
    count = max((float(one) for one in counts), default=None) if off else None
    hertz = tuple(float(one) for one in re.findall(r"([\d.]+) Hz", told))
    span = re.search(r"Hz (?:at|in) ([\d.]+)-([\d.]+) s", told)
    return Truth(hertz, near, count, off, (float(span[1]), float(span[2])) if span else None)


def outcome(true: Truth, answers: tuple[result.Answer, ...]) -> tuple[str, float | None]:
    """Outcome of an answer against the truth, and the least error in hertz."""
    if not true.hertz:
        return (ANSWERED if answers else REFUSED), None
    if not answers:
        return SILENT, None
    errors = [tempo(answer, true.span) - hertz for answer in answers for hertz in true.hertz]
    error = min(errors, key=abs)
    movement = sum(answer.count for answer in answers)
    if true.near is not None and abs(error) <= true.near:
        return RIGHT, error
    if true.count is not None and abs(movement - true.count) <= true.off:
        return RIGHT, error
    named = [answer.pairs - hertz for answer in answers if answer.pairs for hertz in true.hertz]
    return (NAMED if named and min(map(abs, named)) <= 2 * (true.near or 0) else WRONG), error


def tempo(answer: result.Answer, span: tuple[float, float] | None) -> float:
    """Frequency of an answer, in a span of seconds if it is told and at least two repetitions lie in it."""
    inside = [end - start for start, end in answer.repetitions if span and span[0] <= (start + end) / 2 <= span[1]]
    return 1 / float(np.mean(inside)) if len(inside) > 1 else answer.hertz


def video(path: pathlib.Path) -> Iterator[tuple[float, np.ndarray]]:
    """Seconds and small picture of every frame."""
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            scale = min(1.0, PICTURES / max(frame.width, frame.height))
            kind = "gray" if frame.format.name.startswith("gray") else "rgb24"
            size = round(frame.width * scale), round(frame.height * scale)
            picture = frame.to_ndarray(width=size[0], height=size[1], format=kind)
            yield frame.time, picture.reshape(*picture.shape[:2], -1)


def read_video(path: pathlib.Path) -> tuple[str, tuple[result.Answer, ...]]:
    """Verdict and clear answers of a video, read as `simper predict` reads it."""
    reading = readings.read(sources.open_file(path)).reading
    return reading.verdict, reading.clear


KINDS: dict[str, Callable] = {"videos": read_video}


def rows(folder: pathlib.Path, reader: Callable) -> list[dict[str, str]]:
    """Rows of the table of one kind."""
    table = []
    with (folder / "truth.csv").open() as file:
        listed = list(csv.DictReader(file))
    for line in listed:
        began = time.process_time()
        verdict, answers = reader(folder / line["file"])
        seconds = time.process_time() - began
        how, error = outcome(truth(line), answers)
        told = "; ".join(words(answer) for answer in answers) or "-"
        surest = f"{answers[0].confidence:.2f}" if answers else "-"
        missed = "-" if error is None else f"{error:+.3f}"
        cells = (line["file"], line["truth"], told, missed, how, verdict, surest, f"{seconds:.1f}")
        table.append(dict(zip(COLUMNS, cells, strict=True)))
        print(*cells, sep=" | ", flush=True)
    return table


def words(answer: result.Answer) -> str:
    """Answer in a cell of a table."""
    pairs = f", as pairs of {answer.pairs:.2f}" if answer.pairs else ""
    return f"{answer.hertz:.3f} Hz{pairs}, {answer.count} in {answer.start:.1f}-{answer.end:.1f} s"


def totals(table: list[dict[str, str]]) -> str:
    """Sentence on how many are right."""
    outcomes = [row["outcome"] for row in table]
    controls = sum(one in (REFUSED, ANSWERED) for one in outcomes)
    parts = [f"{outcomes.count(one)} {one}" for one in (RIGHT, NAMED, WRONG, SILENT) if one in outcomes]
    repeat = len(table) - controls
    return f"Of {repeat} that repeat: {', '.join(parts)}. Of {controls} controls: {outcomes.count(ANSWERED)} answered."


def report(kinds: dict[str, list[dict[str, str]]]) -> str:
    """Markdown of all tables."""
    parts = [
        f"{kind.capitalize()}: {totals(rows)}\n\n{tables.markdown_table(COLUMNS, [[*row.values()] for row in rows])}"
        for kind, rows in kinds.items()
    ]
    return "\n\n".join(parts)


def main():
    """Reads all kinds that are there, prints the totals and writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=pathlib.Path, default=pathlib.Path("../shared/real"))
    parser.add_argument("--document", type=pathlib.Path, help="Document that the tables are put into.")
    args = parser.parse_args()
    there = {kind: reader for kind, reader in KINDS.items() if (args.files / kind / "truth.csv").is_file()}
    if not there:
        parser.error(f"--files={args.files}: no folder {' or '.join(KINDS)} with a truth.csv in it.")
    kinds = {kind: rows(args.files / kind, reader) for kind, reader in there.items()}
    for kind, table in kinds.items():
        print(f"{kind}: {totals(table)}")
    document.into_document(args.document, COMMAND, report(kinds))


if __name__ == "__main__":
    main()
