"""Reads a faint pulse off drawn faces without compression, by every readout that there is for it.

python -m benchmarks.pulse_faces [--each=2] [--strengths=0.005,0.01,0.02] [--adapt=15] [--document=docs/recordings.md]

Recordings are read as `python -m trainers.predict --face` reads them, and deleted afterwards.
"""

import argparse
import pathlib
import tempfile
import time

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import numpy as np

from benchmarks import made_faces, scored
from simper_tf import skin_colors, tables
from simper_tf.readings import adapted, answers, read, readouts, scores, sources

COMMAND = "python -m benchmarks.pulse_faces"
WISHES = read.Wishes(band=(0.7, 3.0), window=10.0, hop=5.0, face=True)
_FIRST = 100  # Number of the first recording: lower ones were looked at while the readouts were made.
AIM = 0.05  # Hz.


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=2, help="Recordings of each strength.")
    parser.add_argument("--strengths", default="0.005,0.01,0.02", help="Of the pulse, as shares of the skin's green.")
    parser.add_argument("--adapt", type=float, default=15.0, help="Seconds of SimPer on each; 0 for none.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the table is put into.")
    args = parser.parse_args()
    lines = []
    for strength in map(float, args.strengths.split(",")):
        began = time.monotonic()
        lines += lines_of(f"{strength:.1%}", measured(strength, args.each, args.adapt))
        print(f"{strength:.1%}: {time.monotonic() - began:.0f} s", flush=True)
    text = report(lines, args.each, args.adapt, scored.changed(parser, args))
    print(text)
    scored.into_document(args.document, COMMAND, text)


def green(window, products, band) -> scores.Reading:
    """Reads the mean green, as the two readouts of a face read theirs."""
    return readouts.of_color("green", skin_colors.green, window, band)


def measured(strength: float, each: int, seconds: float) -> dict[str, list[tuple[float, float, float]]]:
    """Returns name of a readout -> true and read Hz of every window, and the score.

    Args:
        strength: Of the pulse.
        each: Recordings.
        seconds: Of adapting; 0 for none.
    """
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(_FIRST, _FIRST + each):
            made = made_faces.make(pathlib.Path(folder, "face.npy"), strength, number)
            opened = read.prepare(sources.Frames(made.path, made_faces.RATE), WISHES)
            more = (green, adapted.adapt(opened, seconds)) if seconds else (green,)
            for answer in answers.agree(list(read.read(opened, more))):
                truth = made.frequency(answer.start, answer.end - answer.start)
                for reading in answer.readings:
                    found.setdefault(reading.readout, []).append((truth, reading.frequency, reading.score))
                found.setdefault("answer", []).append((truth, answer.chosen.frequency, answer.chosen.score))
    return found


def lines_of(strength: str, found) -> list[list[str]]:
    """Returns a line of the table for each readout."""
    lines = []
    for name, windows in found.items():
        truths, hertz, scores = np.array(windows).T
        errors, told = scored.errors(truths, hertz), scores >= answers.THRESHOLD
        off = np.mean(scored.off_by_an_octave(truths, hertz))
        told_error = f"{errors[told].mean():.3f}" if told.any() else ""
        cells = [f"{errors.mean():.3f}", f"{np.median(errors):.3f}", f"{off:.0%}", f"{told.mean():.0%}", told_error]
        lines.append([strength, name, *cells, str(len(errors))])
    return lines


def report(lines: list[list[str]], each: int, seconds: float, changed: str = "") -> str:
    """Returns what was measured, in words, with what was changed of the command, and as a table."""
    header = ["pulse", "readout", "MAE, Hz", "median, Hz", "off by an octave", "told", "MAE of those", "windows"]
    low, high = made_faces.SLOWEST, made_faces.FASTEST
    harmonics = [made_faces.harmonic_of(number) for number in range(_FIRST, _FIRST + each)]
    learned = f"`adapt` has learned for {seconds:g} s from each recording. " if seconds else ""
    return (
        f"{each} recordings of {made_faces.SECONDS:g} s of each strength, {made_faces.SIDE} pixels a side, "
        f"{made_faces.RATE:g} frames per second, {low:g} to {high:g} beats per minute with intervals that vary by "
        "breath and from beat to beat. The pulse is the share by which the green of skin goes up, and down; its second "
        f"harmonic has {min(harmonics):.2f} to {max(harmonics):.2f} times the amplitude of the first. Noise of "
        f"{made_faces.NOISE:g} gray levels, light that drifts by {made_faces.LIGHT:.0%}, a head that moves by "
        f"{made_faces.MOTION:g} pixel, all standard deviations. Windows of {WISHES.window:g} s. {learned}*Told* is the "
        f"share of windows of which the readout is sure; the aim is {AIM:g} Hz.{changed}\n\n"
        f"{tables.markdown_table(header, lines)}"
    )


if __name__ == "__main__":
    main()
