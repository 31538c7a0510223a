"""Real recordings made worse in known ways, each read again: what the reader bears, and what its confidence is worth.

python -m benchmarks.perturbed [--files=../shared/real] [--document=docs/measured.md] [--figure=docs/reliability.png]

A row of the first table is a change of the recordings, with its outcomes
as of `benchmarks.real`. In the second are changes after which nothing
repeats. The third holds, for bins of the confidence of the surest answer,
unclear ones included, the share that is right. Tempos between frames
follow, as of `benchmarks.sampled`.
"""

import collections
import dataclasses
import itertools
import pathlib
from collections.abc import Iterator

import numpy as np

from benchmarks import changes, document, real, sampled
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import result
from simper_tf.reading.films import film_reader

COMMAND = "python -m benchmarks.perturbed"
OUTCOMES = (real.RIGHT, real.NAMED, real.WRONG, real.SILENT, real.REFUSED, real.ANSWERED)
EDGES = (0.2, 0.5, 0.8, 0.95, 1.0)


@dataclasses.dataclass(frozen=True)
class Form:
    """A recording as it is or changed.

    Attributes:
        file: Name of the file that it is made of.
        true: What was counted; nothing where the change ends the repetition.
        changed: The recording.
        ended: Whether the change ends the repetition.
    """

    file: str
    true: real.Truth
    changed: changes.Changed
    ended: bool = False

    def row(self) -> dict:
        """Outcome of reading it."""
        reading = self.changed.as_filmed(film_reader.reading_of_frames(self.changed.frames))
        return row(self.file, self.changed.name, self.true, reading, self.ended)


def of_part(true: real.Truth, changed: changes.Changed) -> real.Truth | None:
    """Truth of a changed recording; None where a part is left whose count alone was told."""
    true = true if changed.whole else dataclasses.replace(true, count=None)
    return None if true.hertz and true.near is None and true.count is None else true


def forms(folder: pathlib.Path) -> Iterator[Form]:
    """Every form of every file."""
    for line in real.listed_in(folder / "truth.csv"):
        frames, true = list(real.video(folder / line["file"])), real.truth(line)
        for changed in changes.worse(frames):
            if (part := of_part(true, changed)) is not None:
                yield Form(line["file"], part, changed)
        if true.hertz:
            for name, ended in changes.ended(frames, 1 / true.hertz[0]):
                yield Form(line["file"], real.Truth((), None, None, 0.0), changes.Changed(name, ended), ended=True)


def row(file: str, change: str, true: real.Truth, reading: result.Reading, ended: bool = False) -> dict:
    """Outcome of one reading."""
    surest = [answer for answer in reading.answers[:1] if answer.verdict in (result.CLEAR, result.UNCLEAR)]
    return {
        "file": file, "change": change, "outcome": real.outcome(true, reading.clear)[0],
        "confidence": surest[0].confidence if surest else None, "right": is_right(true, reading), "ended": ended,
    }  # fmt: skip


def is_right(true: real.Truth, reading: result.Reading) -> bool:
    """Whether all clear answers together are right, as a count needs them; where none is clear, the surest."""
    return real.outcome(true, reading.clear or reading.answers[:1])[0] in (real.RIGHT, real.NAMED)


def reliability(table: list[dict]) -> list[tuple[float, float, int, float, float]]:
    """Bins of the confidence: both ends, how many, their mean confidence and the share right."""
    bins = []
    for low, high in itertools.pairwise(EDGES):
        inside = [
            row for row in table if row["confidence"] is not None and low <= row["confidence"] < high + (high == 1)
        ]
        if inside:
            mean = float(np.mean([row["confidence"] for row in inside]))
            bins.append((low, high, len(inside), mean, float(np.mean([row["right"] for row in inside]))))
    return bins


def report(table: list[dict]) -> str:
    """Markdown of all tables."""
    shares = [[f"{a:g} to {b:g}", str(n), f"{mean:.2f}", f"{share:.2f}"] for a, b, n, mean, share in reliability(table)]
    head = ["confidence of the surest answer", "answers", "mean confidence", "share right"]
    parts = [
        outcomes("change", OUTCOMES, [row for row in table if not row["ended"]]),
        outcomes("what ends the repetition", OUTCOMES[-2:], [row for row in table if row["ended"]]),
        markdown_tables.markdown_table(head, shares),
    ]
    return "\n\n".join(parts)


def outcomes(head: str, kinds: tuple[str, ...], table: list[dict]) -> str:
    """Markdown of how often each change has each outcome."""
    counts = collections.Counter((row["change"], row["outcome"]) for row in table)
    names = dict.fromkeys(row["change"] for row in table)
    return markdown_tables.markdown_table(
        [head, *kinds], [[name, *(str(counts[name, kind]) for kind in kinds)] for name in names]
    )


def figure(table: list[dict], path: pathlib.Path):
    """Draws confidence against share right, with the number of answers at each point."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(4, 3.6), layout="constrained")
    axes = drawn.add_subplot()
    axes.plot((0, 1), (0, 1), color="0.7", linewidth=1)
    bins = reliability(table)
    axes.plot([row[3] for row in bins], [row[4] for row in bins], "o-", color="#0072B2")
    for _, _, number, mean, share in bins:
        beside = -6, 4 if share < 0.1 else -12  # Above the axis, else below the line.
        axes.annotate(str(number), (mean, share), beside, textcoords="offset points", ha="right", fontsize=9)
    axes.set(xlabel="confidence", ylabel="share right", xlim=(0, 1.03), ylim=(0, 1.05))
    drawn.savefig(path, dpi=100)


def main():
    """Read all forms, print the tables and write what is asked for."""
    parser = document.flags(__doc__)
    parser.add_argument("--files", type=pathlib.Path, default=pathlib.Path("../shared/real"))
    parser.add_argument("--figure", type=pathlib.Path, help="PNG file of the reliability.")
    args = parser.parse_args()
    if not (args.files / "videos" / "truth.csv").is_file():
        parser.error(f"--files={args.files}: no folder videos with a truth.csv in it.")
    table = []
    for form in forms(args.files / "videos"):
        table.append(form.row())
        print(*table[-1].values(), sep=" | ", flush=True)
    written = report(table)
    document.say(args.document, COMMAND, written)
    if args.figure:
        figure(table, args.figure)
    sampled.put(sampled.STEP, args.document)


if __name__ == "__main__":
    main()
