"""Real recordings read beside the truth that somebody counted.

python -m benchmarks.real [--files=../shared/real] [--document=docs/measured.md]

The files lie in a folder `videos` or `series`, with a `truth.csv`. A row tells
file, truth, answer, error, verdict and CPU seconds; totals follow. Right is a
frequency or a count within the tolerance that is written beside the truth.
`1.2 Hz at rate 100` is read with `--rate=100`.
"""

import csv
import dataclasses
import pathlib
import re
import time
from collections.abc import Iterator
from typing import NamedTuple

import av
import numpy as np

from benchmarks import document
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import result, source_reader
from simper_tf.recordings import sources
from simper_tf.utils.errors import RawDataError

COMMAND = "python -m benchmarks.real"
COLUMNS = ("file", "truth", "answer", "error", "outcome", "verdict", "confidence", "CPU seconds")
RIGHT, NAMED, WRONG, SILENT, REFUSED, ANSWERED = "right", "octave named", "wrong", "silent", "refused", "answered"
NOT_OPENED = "not opened"
OCTAVE = "an octave off"
PICTURES = 80
NUMBER = r"([\d.]+(?:e-?\d+)?)"


@dataclasses.dataclass(frozen=True)
class Truth:
    """Frequencies that somebody counted in a file.

    Attributes:
        hertz: Frequencies in it, the first stretch first; empty for a control.
        near: Tolerance in hertz; None where only the count is told.
        count: Repetitions in all; None where it is not told.
        off: Tolerance of the count.
        span: Seconds that the first frequency was counted in; None for all.
        rate: Samples per second of a file that does not tell them; None for others.
    """

    hertz: tuple[float, ...]
    near: float | None
    count: float | None
    off: float
    span: tuple[float, float] | None = None
    rate: float | None = None

    @property
    def is_control(self) -> bool:
        """Whether nothing repeats."""
        return not self.hertz and self.count is None and self.near is None


def listed_in(path: pathlib.Path) -> list[dict[str, str]]:
    """Rows of a `truth.csv`, in whose truths commas may stand without quotes."""
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    place = header.index("truth")
    for row in rows:
        end = place + 1 + max(len(row) - len(header), 0)
        row[place:end] = [",".join(row[place:end])]
    return [dict(zip(header, row, strict=False)) for row in rows]


def truth(row: dict[str, str]) -> Truth:
    """Truth of a row of `truth.csv`."""
    truth, tolerance = row["truth"], row["tolerance"]
    if row["kind"].startswith("control") or truth.startswith("nothing"):
        return Truth((), None, None, 0.0)
    numbers = re.findall(NUMBER + r" ?(reps|rep|bpm|in all|Hz)?", tolerance)
    near = next((float(number) / (60 if unit == "bpm" else 1) for number, unit in numbers if "rep" not in unit), None)
    off = next((float(number) for number, unit in numbers if "rep" in unit), 0.0)
    counts = re.findall(r"([\d.]+) (?:in all|reps)", truth)
    hertz = tuple(float(number) for number in re.findall(NUMBER + " Hz", truth))
    count = max((float(number) for number in counts), default=None) if off or not hertz else None
    span = re.search(r"Hz (?:at|in) ([\d.]+)-([\d.]+) s", truth)
    rate = re.search("at rate " + NUMBER, truth)
    return Truth(hertz, near, count, off, span and (float(span[1]), float(span[2])), rate and float(rate[1]))


def outcome(true: Truth, answers: tuple[result.Answer, ...]) -> tuple[str, float | None]:
    """Outcome of an answer against the truth, and the least error in hertz."""
    if true.is_control:
        return (ANSWERED if answers else REFUSED), None
    if not answers:
        return SILENT, None
    errors = [tempo(answer, true.span) - hertz for answer in answers for hertz in true.hertz]
    error = min(errors, key=abs, default=None)
    movement = sum(answer.count for answer in answers)
    if None not in (true.near, error) and abs(error) <= true.near:
        return RIGHT, error
    if true.count is not None and abs(movement - true.count) <= true.off:
        return RIGHT, error
    named = [answer.pairs - hertz for answer in answers if answer.pairs for hertz in true.hertz]
    return (NAMED if named and min(map(abs, named)) <= 2 * (true.near or 0) else WRONG), error


def tempo(answer: result.Answer, span: tuple[float, float] | None) -> float:
    """Frequency of an answer, in a span of seconds if it is told and at least two repetitions lie in it."""
    count, hertz = answer.within(*span) if span else (0, np.nan)
    return hertz if count > 1 else answer.hertz


def video(path: pathlib.Path) -> Iterator[tuple[float, np.ndarray]]:
    """Seconds and small picture of every frame."""
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            scale = min(1.0, PICTURES / max(frame.width, frame.height))
            kind = "gray" if frame.format.name.startswith("gray") else "rgb24"
            size = round(frame.width * scale), round(frame.height * scale)
            picture = frame.to_ndarray(width=size[0], height=size[1], format=kind)
            yield frame.time, picture.reshape(*picture.shape[:2], -1)


def read(path: pathlib.Path, rate: float | None = None) -> source_reader.Done:
    """What `simper predict` reads of a recording, with a `--rate` or without."""
    return source_reader.reading_of_source(sources.open_file(path, rate, is_fallback=True))


class Judged(NamedTuple):
    """What is read of a file, beside its truth.

    Attributes:
        answer: In words; `-` for none, and why where the file was not opened.
        outcome: Of the answer.
        confidence: Of the first answer; `-` without one.
        verdict: Of the reading; `-` where the file was not opened.
        error: Least error in hertz; None without one.
        taken: CPU seconds.
        done: The reading; None where the file was not opened.
    """

    answer: str
    outcome: str
    confidence: str
    verdict: str
    error: float | None
    taken: float
    done: source_reader.Done | None


def judge(path: pathlib.Path, true: Truth) -> Judged:
    """What is read of a file, judged by its truth."""
    began = time.process_time()
    try:
        done = read(path, true.rate)
    except RawDataError as refusal:
        how = REFUSED if true.is_control else NOT_OPENED
        return Judged(refusal.found, how, "-", "-", None, time.process_time() - began, None)
    taken, answers = time.process_time() - began, done.reading.clear
    how, error = outcome(true, answers)
    said = "; ".join(words(answer) for answer in answers) or "-"
    surest = f"{answers[0].confidence:.2f}" if answers else "-"
    return Judged(said, how, surest, done.reading.verdict, error, taken, done)


def rows(folder: pathlib.Path) -> list[dict[str, str]]:
    """Rows of the table of a folder's recordings, which has a `truth.csv`."""
    table = []
    listed = listed_in(folder / "truth.csv")
    for line in listed:
        true = truth(line)
        judged = judge(folder / line["file"], true)
        missed = "-" if judged.error is None else in_digits(judged.error, min(true.hertz), "+")
        cells = [line["file"], line["truth"], judged.answer, missed, judged.outcome]
        cells += [judged.verdict, judged.confidence, f"{judged.taken:.1f}"]
        table.append(dict(zip(COLUMNS, cells, strict=True)))
        print(*cells, sep=" | ", flush=True)
    return table


def words(answer: result.Answer) -> str:
    """Answer in a cell of a table."""
    pairs = f", as pairs of {answer.pairs:.2f}" if answer.pairs else ""
    return f"{in_digits(answer.hertz, answer.hertz)} Hz{pairs}, {answer.count} in {answer.start:.1f}-{answer.end:.1f} s"


def in_digits(hertz: float, of: float, sign: str = "") -> str:
    """Frequency, or its error, in a cell of a table: to a thousandth of a hertz, of slow ones to three digits."""
    return f"{hertz:{sign}.3f}" if of >= 0.05 else f"{hertz:{sign}.3g}"


def totals(outcomes: list[str]) -> str:
    """Sentences on how many are right."""
    controls = sum(outcome in (REFUSED, ANSWERED) for outcome in outcomes)
    parts = [
        f"{outcomes.count(outcome)} {outcome}"
        for outcome in (RIGHT, NAMED, WRONG, SILENT, NOT_OPENED)
        if outcome in outcomes
    ]
    repeat = f"Of {len(outcomes) - controls} that repeat: {', '.join(parts)}."
    return f"{repeat} Of {controls} controls: {outcomes.count(ANSWERED)} answered."


def report(table: list[dict[str, str]]) -> str:
    """Markdown of the totals and the table."""
    lines = [[row[column] for column in COLUMNS] for row in table]
    return f"{totals([row['outcome'] for row in table])}\n\n{markdown_tables.markdown_table(COLUMNS, lines)}"


def main():
    """Reads all recordings, prints the totals and writes the table."""
    parser = document.flags(__doc__)
    parser.add_argument("--files", type=pathlib.Path, default=pathlib.Path("../shared/real"))
    args = parser.parse_args()
    folders = [args.files / name for name in ("videos", "series") if (args.files / name / "truth.csv").is_file()]
    if not folders:
        parser.error(f"--files={args.files}: no folder videos or series with a truth.csv in it.")
    table = [row for folder in folders for row in rows(folder)]
    document.say(args.document, COMMAND, report(table))


if __name__ == "__main__":
    main()
