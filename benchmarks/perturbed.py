"""Real recordings made worse in known ways, each read again: what the reader bears, and what its confidence is worth.

python -m benchmarks.perturbed [--files=../shared/real] [--document=docs/recordings.md] [--figure=docs/reliability.png]

A row of the first table is a change of the recordings, with its outcomes
as of `benchmarks.real`. The second holds, for bins of the confidence of the
surest answer, unclear ones included, the share that is right.
"""

import argparse
import collections
import csv
import dataclasses
import itertools
import pathlib
import tempfile
from collections.abc import Iterator

import cv2
import numpy as np

from benchmarks import document, real
from simper_tf.commands import mp4
from simper_tf.evaluation import tables
from simper_tf.reading import recording, result
from simper_tf.recordings import video

COMMAND = "python -m benchmarks.perturbed"
OUTCOMES = (real.RIGHT, real.NAMED, real.WRONG, real.SILENT, real.REFUSED, real.ANSWERED)
EDGES = (0.2, 0.5, 0.8, 0.95, 1.0)
FASTER = 1.25

Frames = list[tuple[float, np.ndarray]]


def variants(frames: Frames) -> Iterator[tuple[str, Frames]]:
    """Names and frames of a recording made worse, itself first."""
    first, last = frames[0][0], frames[-1][0]
    fifth, random = (last - first) / 5, np.random.default_rng(0)
    yield "as it is", frames
    yield "half the frame rate", frames[::2]
    yield "brightness flickers by 3 %", [(at, _brighter(one, 1 + 0.03 * random.normal())) for at, one in frames]
    yield "70 % of the size", [(at, _smaller(one)) for at, one in frames]
    yield "mirrored", [(at, one[:, ::-1]) for at, one in frames]
    yield "without the first fifth", [pair for pair in frames if pair[0] >= first + fifth]
    yield "without the last fifth", [pair for pair in frames if pair[0] <= last - fifth]
    yield "1.25 times as fast", [(at / FASTER, one) for at, one in frames]
    yield "as H.264 of quality 33", compressed(frames)


def _brighter(frame, factor):
    return np.clip(np.rint(factor * frame), 0, 255).astype(np.uint8)


def _smaller(frame):
    small = cv2.resize(frame, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA)
    return small.reshape(*small.shape[:2], -1)


def compressed(frames: Frames) -> Frames:
    """Frames as H.264 keeps them at a low rate, at their times."""
    height, width, channels = frames[0][1].shape
    height, width = height // 2 * 2, width // 2 * 2
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "worse.mp4")
        with mp4.Writer(path, height, width, {"crf": "33"}) as out:
            for moment, picture in frames:
                colors = np.repeat(picture[:height, :width], 3 // channels, 2)
                out.add(moment, np.ascontiguousarray(colors))
        decoded = [picture[..., :channels] for _, picture in video.decoded(path)]
    return [(moment, picture) for (moment, _), picture in zip(frames, decoded, strict=False)]


def truth_of(true: real.Truth, name: str) -> real.Truth:
    """Truth of a variant: frequencies of a faster one are higher, and of a part no count is known."""
    if "fifth" in name:
        return dataclasses.replace(true, count=None)
    if "fast" not in name or not true.hertz:
        return true
    return dataclasses.replace(
        true,
        hertz=tuple(FASTER * one for one in true.hertz),
        near=FASTER * true.near if true.near else None,
        span=(true.span[0] / FASTER, true.span[1] / FASTER) if true.span else None,
    )


def rows(folder: pathlib.Path) -> Iterator[dict]:
    """What was read of every variant of every file: file, variant, outcome, confidence and whether that is right."""
    with (folder / "truth.csv").open() as file:
        listed = list(csv.DictReader(file))
    for line in listed:
        for name, frames in variants(list(real.video(folder / line["file"]))):
            true = truth_of(real.truth(line), name)
            if true.hertz and true.near is None and true.count is None:
                continue  # A part of a recording whose count alone is known.
            reading = recording.read(frames)
            how, _ = real.outcome(true, reading.clear)
            surest = [one for one in reading.answers[:1] if one.verdict in (result.CLEAR, result.UNCLEAR)]
            yield {
                "file": line["file"], "variant": name, "outcome": how,
                "confidence": surest[0].confidence if surest else None,
                "right": is_right(true, reading),
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
    """Markdown of both tables."""
    counts = collections.Counter((row["variant"], row["outcome"]) for row in table)
    names = dict.fromkeys(row["variant"] for row in table)
    lines = [[name, *(str(counts[name, one]) for one in OUTCOMES)] for name in names]
    shares = [[f"{a:g} to {b:g}", str(n), f"{mean:.2f}", f"{share:.2f}"] for a, b, n, mean, share in reliability(table)]
    head = ["confidence of the surest answer", "answers", "mean confidence", "share right"]
    return f"{tables.markdown_table(['change', *OUTCOMES], lines)}\n\n{tables.markdown_table(head, shares)}"


def figure(table: list[dict], path: pathlib.Path):
    """Draws confidence against share right, with the number of answers at each point."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(4, 3.6), layout="constrained")
    axes = drawn.add_subplot()
    axes.plot((0, 1), (0, 1), color="0.7", linewidth=1)
    bins = reliability(table)
    axes.plot([one[3] for one in bins], [one[4] for one in bins], "o-", color="#0072B2")
    for _, _, number, mean, share in bins:
        axes.annotate(str(number), (mean, share), (-4, -12), textcoords="offset points", ha="right", fontsize=9)
    axes.set(xlabel="confidence", ylabel="share right", xlim=(0, 1.03), ylim=(0, 1.05))
    drawn.savefig(path, dpi=100)


def main():
    """Read all variants, print the tables and write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=pathlib.Path, default=pathlib.Path("../shared/real"))
    parser.add_argument("--document", type=pathlib.Path, help="Document that the tables are put into.")
    parser.add_argument("--figure", type=pathlib.Path, help="PNG file of the reliability.")
    args = parser.parse_args()
    if not (args.files / "videos" / "truth.csv").is_file():
        parser.error(f"--files={args.files}: no folder videos with a truth.csv in it.")
    table = []
    for row in rows(args.files / "videos"):
        table.append(row)
        print(*row.values(), sep=" | ", flush=True)
    print(report(table))
    document.into_document(args.document, COMMAND, report(table))
    if args.figure:
        figure(table, args.figure)


if __name__ == "__main__":
    main()
