"""What SimPer learns in a minute from a single recording, beside every readout that learns nothing.

python -m benchmarks.adapted [--kinds=two-part,occluded,low-contrast] [--each=2] [--adapt=30] [--document=...]

Recordings are frames without compression, of photographs that come with scikit-learn, read as
`python -m trainers.predict --adapt=30` reads them.
"""

import argparse
import pathlib
import tempfile
import time

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import numpy as np

from benchmarks import hard_recordings, scored
from simper_tf import tables
from simper_tf.readings import adapted, answers, read, sources

COMMAND = "python -m benchmarks.adapted"
WISHES = read.Wishes(window=6.0, hop=3.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default=",".join(hard_recordings.KINDS), help="Of recordings.")
    parser.add_argument("--each", type=int, default=2, help="Recordings a kind.")
    parser.add_argument("--adapt", type=float, default=30.0, help="Seconds of SimPer on each.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the table is put into.")
    args = parser.parse_args()
    kinds = args.kinds.split(",")
    wrong = sorted(set(kinds) - set(hard_recordings.KINDS))
    if wrong:
        parser.error(
            f"--kinds={args.kinds}: there is no {', '.join(wrong)}. Kinds: {', '.join(hard_recordings.KINDS)}."
        )
    lines, took = [], []
    for kind in kinds:
        found, seconds = measured(kind, args.each, args.adapt)
        took += seconds
        lines += lines_of(kind, found)
        print(f"{kind}: start-up and learning took {np.mean(seconds):.0f} s a recording", flush=True)
    text = report(lines, args.each, args.adapt, float(np.mean(took)), scored.changed(parser, args))
    print(text)
    scored.into_document(args.document, COMMAND, text)


def measured(kind: str, each: int, seconds: float):
    """Returns `(truth, answer, answer without adapt)` of windows of a kind, and the seconds each recording took."""
    found, took = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(each):
            made = hard_recordings.make(pathlib.Path(folder, "frames.npy"), kind, number)
            opened = read.prepare(sources.Frames(made.path, hard_recordings.RATE), WISHES)
            began = time.monotonic()
            readout = adapted.adapt(opened, seconds, seed=number)
            took.append(time.monotonic() - began)
            given = list(read.read(opened, (readout,)))
            truths = [made.frequency(one.start, one.end - one.start) for one in given]
            plain = [without_adapt(one) for one in given]
            found += zip(truths, answers.agree(given), answers.agree(plain), strict=True)
    return found, took


def without_adapt(answer: answers.Answer) -> answers.Answer:
    """Returns the answer of the readouts that learn nothing."""
    plain = [reading for reading in answer.readings if reading.readout != "adapt"]
    return answers.choose(answer.start, answer.end, plain)


def lines_of(kind: str, found) -> list[list[str]]:
    """Returns a line for each readout, one for the answer without `adapt`, and one for the answer."""
    truths = np.array([truth for truth, *_ in found])
    names = [reading.readout for reading in found[0][1].readings]
    read_by = {name: [answer.readings[k].frequency for _, answer, _ in found] for k, name in enumerate(names)}
    errors = {name: scored.errors(truths, hertz) for name, hertz in read_by.items()}
    nearest = errors["adapt"] < np.min([own for name, own in errors.items() if name != "adapt"], axis=0)
    read_by["answer without adapt"] = [plain.chosen.frequency for *_, plain in found]
    read_by["answer"] = [answer.chosen.frequency for _, answer, _ in found]
    lines = []
    for name, hertz in read_by.items():
        own, off = scored.errors(truths, hertz), np.mean(scored.off_by_an_octave(truths, hertz))
        cells = [f"{own.mean():.4f}", f"{np.median(own):.4f}", f"{off:.0%}"]
        picked = np.mean([answer.chosen.readout == name for _, answer, _ in found])
        cells += [f"{picked:.0%}" if name in names else "", f"{nearest.mean():.0%}" if name == "adapt" else ""]
        lines.append([kind, name, *cells, str(len(own))])
    return lines


def report(lines: list[list[str]], each: int, seconds: float, took: float, changed: str = "") -> str:
    """Returns what was measured, in words, with what was changed of the command, and as a table."""
    header = ["recordings", "readout", "MAE, Hz", "median, Hz", "off by an octave", "picked", "nearest", "windows"]
    return (
        f"{each} recordings of {hard_recordings.SECONDS:g} s a kind, windows of {WISHES.window:g} s; `adapt` has "
        f"learned for {seconds:g} s from each recording, without labels, and took {took - seconds:.0f} s to start. "
        "*Picked* is how often the answer is that of the readout; *nearest* how often `adapt` is nearer to the truth "
        f"than every other readout.{changed}\n\n"
        f"{tables.markdown_table(header, lines)}"
    )


if __name__ == "__main__":
    main()
