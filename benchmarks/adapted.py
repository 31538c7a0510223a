"""What SimPer learns in a minute from a single recording, beside every readout that learns nothing.

python -m benchmarks.adapted [--kinds=two-part,occluded,low-contrast] [--each=4] [--adapt=45] [--document=...]

Recordings are frames without compression, of photographs that come with scikit-learn, read as
`python -m trainers.predict --adapt=45` reads them.
"""

import argparse
import pathlib
import tempfile
import time

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import numpy as np

from benchmarks import hard_recordings
from simper_tf import files, tables
from simper_tf.readings import answers, learned, read, sources

COMMAND = "python -m benchmarks.adapted"
WISHES = read.Wishes(window=6.0, hop=3.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default=",".join(hard_recordings.KINDS), help="Of recordings.")
    parser.add_argument("--each", type=int, default=4, help="Recordings a kind.")
    parser.add_argument("--adapt", type=float, default=45.0, help="Seconds of SimPer on each.")
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
    text = report(lines, args.each, args.adapt, float(np.mean(took)))
    print(text)
    if args.document:
        files.write_atomically(args.document, tables.put_table(args.document.read_text(), COMMAND, text, args.document))


def measured(kind: str, each: int, seconds: float):
    """Returns `(truth, Answer)` of every window of recordings of a kind, and the seconds each took to learn from."""
    found, took = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(each):
            made = hard_recordings.make(pathlib.Path(folder, "frames.npy"), kind, number)
            opened = read.prepare(sources.Frames(made.path, hard_recordings.RATE), WISHES)
            began = time.monotonic()
            readout = learned.adapt(opened, seconds, seed=number)
            took.append(time.monotonic() - began)
            given = answers.agree(list(read.read(opened, (readout,))))
            found += [(made.frequency(one.start, one.end - one.start), one) for one in given]
    return found, took


def lines_of(kind: str, found) -> list[list[str]]:
    """Returns a line for each readout, for the answer, and for the best of all by the truth."""
    truths = np.array([truth for truth, _ in found])
    read_by = {
        name: np.array([readings[k].frequency for readings in (answer.readings for _, answer in found)])
        for k, name in enumerate(reading.readout for reading in found[0][1].readings)
    }
    read_by["answer"] = np.array([answer.chosen.frequency for _, answer in found])
    errors = {name: np.where(np.isfinite(hertz), np.abs(hertz - truths), truths) for name, hertz in read_by.items()}
    chosen = [answer.chosen.readout for _, answer in found]
    others = [errors[name] for name in errors if name not in ("adapt", "answer")]
    best = errors["adapt"] < np.min(others, axis=0)
    lines = []
    for name, own in errors.items():
        picked = f"{np.mean([each == name for each in chosen]):.0%}" if name != "answer" else ""
        wins = f"{best.mean():.0%}" if name == "adapt" else ""
        off = np.mean(own > 0.25 * truths)
        lines.append(
            [kind, name, f"{own.mean():.4f}", f"{np.median(own):.4f}", f"{off:.0%}", picked, wins, str(len(own))]
        )
    return lines


def report(lines: list[list[str]], each: int, seconds: float, took: float) -> str:
    """Returns what was measured, in words and as a table."""
    header = ["recordings", "readout", "MAE, Hz", "median, Hz", "off by an octave", "picked", "nearest", "windows"]
    return (
        f"{each} recordings of {hard_recordings.SECONDS:g} s a kind, windows of {WISHES.window:g} s; `adapt` has "
        f"learned for {seconds:g} s from each recording, without labels, and took {took - seconds:.0f} s to start. "
        "*Picked* is how often the answer is that of the readout; *nearest* how often `adapt` is nearer to the truth "
        "than every other.\n\n"
        f"{tables.markdown_table(header, lines)}"
    )


if __name__ == "__main__":
    main()
