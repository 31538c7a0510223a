"""Fuzz of damaged, odd and hostile files: recordings through `simper predict`, built data sets through their loader.

python -m benchmarks.damaged [--seed=0] [--files=1000] [--only=KIND] [--document=docs/measured.md]

Of every recording there must come a reading that is right or leaves the octave open, or one line that names the file;
of a built data set its examples or one line. Crashes, tracebacks, hangs, numbers made up, traps that closed and memory
without bound are violations: the command ends with 1 where there is one, and says where.
"""

import collections
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import trainers.quiet  # noqa: F401

# isort: split
import numpy as np
import tensorflow_datasets as tfds

from benchmarks import document
from benchmarks.damaged_cases import BUILT, Case, Maker
from benchmarks.damaged_files import RATE, VIDEOS
from datasets.rotating_digits import rotating_digits_dataset_builder as digits
from simper_tf.data import building, built
from simper_tf.evaluation import markdown_tables
from simper_tf.utils.errors import printable

COMMAND = "python -m benchmarks.damaged"
ROOT = pathlib.Path(__file__).parents[1]
# Recordings that one process reads, minutes that it has for each, GiB that it or one that it starts may take.
_TOGETHER, _MINUTES, _MEMORY = 60, 5, 2.0
# Linux counts what a process takes from the size of the one that started it; a small one is put between for that.
_MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[3:], timeout=float(sys.argv[2])).returncode
open(sys.argv[1], "w").write(f"{code} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}")
"""
READ, OPEN, NOTHING, REFUSED = "read, right", "right, or another octave", "nothing repeats", "refused in a line"
FINE = READ, OPEN, NOTHING, REFUSED
_CONTROLS = {"\x07", "\x1b", "\u202e"}  # Of terminals; no name may bring them there.
HOSTILE = "from a folder"


def judged(folder, seed, number, kinds=None, beside=()):
    """Returns so many cases, of one kind after another, each with its outcome, and the GiB of the largest process.

    Args:
        folder: In which files are made.
        seed, number, kinds: Of them.
        beside: Further cases.
    """
    (folder / "files").mkdir()
    maker = Maker(folder / "files", seed)
    kinds = itertools.islice(itertools.cycle(kinds or maker.kinds), number)
    cases = [*(maker.kinds[kind](maker, kind) for kind in kinds), *beside]
    outcomes, memory = {case.path: of_built(case, maker) for case in cases if case.kind == BUILT}, 0.0
    for flags in ([], [f"--rate={RATE:g}"]):
        rest = [case for case in cases if case.path not in outcomes and (flags or has_own_rate(case))]
        for start in range(0, len(rest), _TOGETHER):
            for case, outcome, used in of_group(folder, rest[start : start + _TOGETHER], flags):
                outcomes[case.path], memory = outcome, max(memory, used)
            print(f"{len(outcomes)}/{len(cases)}", flush=True)
    for case in cases:
        if outcomes[case.path] not in FINE:
            print(f"VIOLATION {case.kind}: {printable(str(case.path))}: {outcomes[case.path]}", file=sys.stderr)
    return [(case, outcomes[case.path]) for case in cases], memory


def has_own_rate(case):
    """Returns whether a file has a rate which --rate would change: a video, sound, or what others have made."""
    is_file = case.path.is_file() and not case.path.is_symlink()
    return case.path.suffix in VIDEOS or case.kind == HOSTILE or (is_file and case.path.open("rb").read(4) == b"RIFF")


def of_group(folder, group, flags):
    """Yields case, outcome and memory; those that cannot be told apart in one process have one of their own each."""
    fate, lines, records, memory = predicted(folder, group, flags)
    if fate and len(group) > 1:
        for case in group:
            yield from of_group(folder, [case], flags)
    else:
        yield from ((case, fate or outcome_of(case, lines, records), memory) for case in group)


def predicted(folder, group, flags):
    """Runs the command on files; returns what befell it, its lines, its records by name and the GiB that it took."""
    out, peak = folder / "out", folder / "peak"
    shutil.rmtree(out, ignore_errors=True)
    peak.write_text("")
    words = [sys.executable, "-m", "simper_tf", "predict", f"--out={out}", *flags]
    words = [sys.executable, "-c", _MEASURED, str(peak), str(60 * _MINUTES * len(group)), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLCONFIGDIR": str(folder)}
    done = subprocess.run([*words, *(str(case.path) for case in group)], env=environment, cwd=ROOT, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    lines, written = done.stdout.decode(errors="replace").splitlines(), out / "predictions.json"
    rows = json.loads(written.read_text()) if written.exists() else []
    records = {row["recording"]: row for row in rows if row["verdict"]}  # The others are refused.
    if not peak.read_text():
        return "hang", lines, records, 0.0
    code, memory = (int(word) for word in peak.read_text().split())
    fate = f"memory, {memory / 2**20:.1f} GiB" if memory > _MEMORY * 2**20 else ""
    if any(set(line) & _CONTROLS for line in lines):
        fate = f"escape sequences are printed: {[line for line in lines if set(line) & _CONTROLS][:1]}"
    if code not in (0, 1) or any("Traceback" in line for line in lines):
        fate = f"crash, {signal.Signals(-code).name}" if code < 0 else f"traceback: {lines[-1:]}"
    return fate, lines, records, memory / 2**20


def outcome_of(case, lines, records):
    """Returns what a process that ended as it should says of a file."""
    if case.trap and case.trap.exists():
        return "a pickle was loaded"
    name = printable(str(case.path))
    # Where all names of a call are refused, it is the command itself that says so.
    said = re.compile(
        f"(predict|simper predict: error): {re.escape(name)}(: ([^ ]+: )?found |: no such file| is no rec)"
    )
    complaints = [line for line in lines if said.match(line)]  # Of what is packed its own name is told as well.
    record = records.get(str(case.path))
    if bool(complaints) == bool(record):
        return "read and refused" if record else f"no word of its own: {lines[-1:]}"
    if complaints:
        return f"refused although sound: {complaints}" if case.is_sound else REFUSED
    answers = [answer for answer in record["answers"] if answer["value"] is not None]
    for answer in answers:
        if not any(is_right(case, value) for value in (answer["value"], answer["pairs_hz"]) if value):
            return f"a number made up: {answer['value']} in place of {case.truth}"
    if case.is_sound and not answers:
        return "nothing read although sound"
    if not answers:
        return NOTHING
    return READ if all(is_right(case, answer["value"]) for answer in answers) else OPEN


def is_right(case, value):
    return case.truth is not None and abs(value - case.truth) <= 0.04 + 0.03 * case.truth


def of_built(case, maker):
    """Returns what is said of a built data set: its examples as they were, or one line."""
    try:
        return READ if examples(case.path) == examples(maker.built()) else "examples made up"
    except ValueError as error:
        return REFUSED if str(case.path) in str(error) else f"no word of its own: {error}"


def examples(folder):
    """Returns the bytes of all that is in a built data set; damage is a ValueError that names the folder."""
    clips = building.load(digits.Builder, "own", folder, None, print)
    with built.reading(clips):
        sets = [clips.builder.as_dataset(split=split, shuffle_files=False) for split in ("train", "validation", "test")]
        return [np.asarray(value).tobytes() for part in sets for row in tfds.as_numpy(part) for value in row.values()]


def report(found, memory, seed, changed=""):
    """Returns a Markdown table of kinds and outcomes, after a sentence on what was changed of the command."""
    columns = [*FINE, "VIOLATIONS"]
    counts = collections.Counter((case.kind, outcome if outcome in FINE else columns[-1]) for case, outcome in found)
    kinds = dict.fromkeys(case.kind for case, _ in found)
    lines = [[kind, *(str(counts[kind, column]) for column in columns)] for kind in kinds]
    lines.append(["in all", *(str(sum(counts[kind, column] for kind in kinds)) for column in columns)])
    said = f"{len(found)} files of seed {seed}; at most {memory:.2f} GiB of memory a process.{changed}\n\n"
    return said + markdown_tables.markdown_table(["kind of file", *columns], lines)


def main():
    parser = document.flags(__doc__)
    parser.add_argument("--seed", type=int, default=0, help="Of all that is random.")
    parser.add_argument("--files", type=int, default=1000, help="How many.")
    parser.add_argument("--only", action="append", metavar="KIND", help="A kind of file, in place of all.")
    parser.add_argument("--hostile", type=pathlib.Path, help="Folder of more files, of 1.2 Hz or none.")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="damaged-", ignore_cleanup_errors=True) as folder:
        others = sorted(args.hostile.iterdir()) if args.hostile else ()
        # Into it a file points whose numbers must not be answered; what it holds itself is no trap.
        beside = [Case(HOSTILE, path, 1.2) for path in others if path.name != "secret.h5"]
        outcomes, memory = judged(pathlib.Path(folder), args.seed, args.files, args.only, beside)
    text = report(outcomes, memory, args.seed, document.changed(parser, args))
    document.say(args.document, COMMAND, text)
    sys.exit(any(outcome not in FINE for _, outcome in outcomes))


if __name__ == "__main__":
    main()
