"""Reads recordings of photographs that move in a known way, or repeat nothing, as `trainers.predict` does.

python -m benchmarks.recordings [--folder=runs/recordings] [--each=10] [--choose]

Needs scikit-image, for its photographs. Recordings are written once and kept. `--choose` fits what the scores of
readouts are made of, on photographs and seeds of their own and on generated series, and prints the lines for
`simper_tf/readings/readouts.py` and `beats.py`; without it the report goes to `docs/recordings.md`.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import time

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks import made_recordings, made_series, scored
from simper_tf import tables
from simper_tf.readings import answers, beats, gram, read, readouts, sources, windows

DOCUMENT, COMMAND = pathlib.Path("docs/recordings.md"), "make recordings"
WISHES = read.Wishes(window=6.0, hop=3.0)
_RIGHT = 0.05  # Hz within which a reading counts as right.
_MISTAKE = 5  # Times that a mistaken reading of a series counts: they look periodic by chance more often.
_MINUTES = 60
_HEADER = """Written by `make recordings`: {each} recordings of {seconds:g} s a kind, {width} x {height} pixels, in
H.264, MPEG-4 and motion JPEG, 24 to 50 frames a second, 0.4 to 3 Hz; the frequency drifts in half of them, the camera
shakes in half, the light drifts in half, the picture is noisy in three of five. Windows of 6 s. Photographs and seeds
are not those on which the scores were fitted; the kinds of movement are the same. *Off by an octave* is any answer
more than a quarter off; *of those told* leaves out windows for which the command says that nothing clearly repeats.

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="runs/recordings", help="Where recordings are kept.")
    parser.add_argument("--each", type=int, default=10, help="Recordings a kind.")
    parser.add_argument("--choose", action="store_true", help="Fit the scores instead of reporting.")
    parser.add_argument("--hour", action="store_true", help="Measure an hour of video too.")
    args = parser.parse_args()
    purpose = "choosing" if args.choose else "reporting"
    found = measured(pathlib.Path(args.folder) / purpose, purpose, args.each)
    if args.choose:
        print(f"PICTURES = ({fitted(*_readings(found))})")
        for name, readings, right in _series_readings():
            print(f"{name} = ({fitted(readings, right, mistake=_MISTAKE)})")
        return
    shape = made_recordings.WIDTH, made_recordings.HEIGHT
    text = _HEADER.format(each=args.each, seconds=made_recordings.SECONDS, width=shape[0], height=shape[1]) + report(
        found
    )
    if args.hour:
        text += "\n" + hour(pathlib.Path(args.folder))
    print(text)
    scored.into_document(DOCUMENT, COMMAND, text.rstrip("\n"))


def measured(folder, purpose, each):
    """Returns `(kind, true Hz, answer)` of every window; NaN Hz where nothing repeats."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for kind in (*made_recordings.MOVING, *made_recordings.APERIODIC):
        began = time.monotonic()
        for number in range(each):
            made = made_recordings.make(folder, kind, purpose, number)
            opened = read.prepare(sources.Video(made.path), WISHES)
            given = answers.agree(list(read.read(opened)))
            found += [(kind, made.frequency(each.start, each.end - each.start), each) for each in given]
        print(f"{kind}: {time.monotonic() - began:.0f} s", flush=True)
    return found


def report(found):
    """Returns two Markdown tables: errors of movements, and right verdicts of all."""
    names = ["pixels", "selfdistance"]
    lines, verdicts = [], []
    for kind in dict.fromkeys(kind for kind, *_ in found):
        given = [(truth, answer) for each, truth, answer in found if each == kind]
        right = np.mean([answer.is_periodic != math.isnan(truth) for truth, answer in given])
        expected = "periodic" if kind in made_recordings.MOVING else "not"
        verdicts.append([kind, expected, str(len(given)), f"{right:.1%}"])
        if kind in made_recordings.MOVING:
            cells = [f"{np.mean([_error(truth, _by(answer, name)) for truth, answer in given]):.4f}" for name in names]
            chosen = [(truth, answer.chosen.frequency) for truth, answer in given]
            errors = [_error(*pair) for pair in chosen]
            off = np.mean(scored.off_by_an_octave(*np.transpose(chosen)))
            told = [_error(truth, answer.frequency) for truth, answer in given if answer.is_periodic]
            lines.append(
                [kind, *cells, f"{np.mean(errors):.4f}", f"{np.mean(told):.4f}", f"{off:.1%}", str(len(given))]
            )
    header = [
        "movement",
        *(f"{name}, MAE Hz" for name in names),
        "answer, MAE Hz",
        "of those told",
        "off by an octave",
        "windows",
    ]
    sides = [_side(found, True), _side(found, False)]
    said = f"Verdicts are right for {sides[0]:.1%} of the windows that repeat, {sides[1]:.1%} of the others.\n"
    first = tables.markdown_table(header, lines)
    return f"{first}\n\n{said}\n{tables.markdown_table(['kind', 'truth', 'windows', 'verdict right'], verdicts)}\n"


def fitted(readings, right, mistake=1):
    """Returns the constants of the odds that a reading is right, by logistic regression.

    Args:
        readings: Of windows, `scores.Reading`; those without a score are left out.
        right: Whether each is.
        mistake: How many times a reading that is not right counts.
    """
    kept = [(reading, is_right) for reading, is_right in zip(readings, right, strict=True) if reading.score > 0]
    rows = [[reading.distance, math.log(max(reading.explained, 1e-3))] for reading, _ in kept]
    labels = [is_right for _, is_right in kept]
    weights = [1 if label else mistake for label in labels]
    model = LogisticRegression(C=10, max_iter=1000).fit(rows, labels, sample_weight=weights)
    return ", ".join(f"{value:.2f}" for value in (*model.intercept_, *model.coef_[0]))


def _readings(found):
    pairs = [(reading, truth) for _, truth, answer in found for reading in answer.readings]
    return [reading for reading, _ in pairs], [_error(truth, reading.frequency) < _RIGHT for reading, truth in pairs]


def _series_readings():
    """Returns the name of each line, its readings, and whether each is right: to a twentieth, as scales differ."""
    found = {"SERIES": ([], []), "beats.WEIGHTS": ([], [])}
    for truth, values, rate, band in made_series.windows():
        window = windows.Window(0.0, values[:, None, None], rate)
        for name, reading in (
            ("SERIES", readouts.of_series("series", values, rate, band)),
            ("beats.WEIGHTS", beats.beats(window, gram.products(values), band)),
        ):
            found[name][0].append(reading)
            found[name][1].append(_error(truth, reading.frequency) < 0.05 * truth)
    return [(name, *pair) for name, pair in found.items()]


def hour(folder):
    """Returns a sentence on an hour of video: the largest memory of the command, and how fast it was."""
    path = folder / "hour.mp4"
    if not path.exists():
        _repeat(made_recordings.make(folder, "swing", "choosing", 0, seconds=60.0).path, path, _MINUTES)
    code = (
        "import atexit, pathlib, resource, sys, runpy\n"
        "status = pathlib.Path('/proc/self/status')\n"
        "decoder = lambda: resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "atexit.register(lambda: print('peak', status.read_text().split('VmHWM:')[1].split()[0], decoder()))\n"
        f"sys.argv = ['predict', {str(path)!r}, '--out={folder / 'hour'}']\n"
        "runpy.run_module('trainers.predict', run_name='__main__')\n"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds = time.monotonic() - began
    own, decoder = (int(found) / 2**20 for found in done.stdout.split("peak ")[1].split())
    speed = 60 * _MINUTES / seconds
    return (
        f"An hour of video takes {seconds:.0f} s, {speed:.1f} times faster than it lasts, and {own:.2f} GiB with "
        f"{decoder:.2f} GiB of its decoder.\n"
    )


def _repeat(source, path, times):
    """Writes the packets of a video again and again, which takes no encoding."""
    import av

    with av.open(str(path), "w") as out:
        stream, offset = None, 0
        for _ in range(times):
            with av.open(str(source)) as container:
                video = container.streams.video[0]
                stream = stream or out.add_stream_from_template(video)
                end = 0
                for packet in container.demux(video):
                    if packet.dts is None:
                        continue
                    packet.pts, packet.dts = packet.pts + offset, packet.dts + offset
                    end = max(end, packet.pts + packet.duration)
                    packet.stream = stream
                    out.mux(packet)
                offset = end


def _by(answer, name):
    return next(reading.frequency for reading in answer.readings if reading.readout == name)


def _error(truth, frequency):
    """Returns the error in Hz; of no answer, all of the truth."""
    return math.inf if math.isnan(truth) else float(scored.errors(truth, frequency))


def _side(found, periodic):
    return np.mean([answer.is_periodic == periodic for _, truth, answer in found if math.isnan(truth) != periodic])


if __name__ == "__main__":
    main()
