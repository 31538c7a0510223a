"""Puts damaged, odd and hostile files through `trainers.predict`, as a user would, and judges what it says of each.

python -m benchmarks.damaged [--seed=0] [--files=1000] [--only=KIND] [--document=docs/recordings.md]

Of every file there must come either a reading, which is right or leaves the octave open between the right one and
others, or one line that names the file: no traceback, crash, hang, missing word or number made up, and no memory
without bound. Ends with 1 where that is not so, and says where.
"""

import argparse
import collections
import contextlib
import ctypes
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
from benchmarks import damaged_bases, damaged_files, document
from simper_tf.evaluation import tables
from simper_tf.recordings.errors import printable

COMMAND = "python -m benchmarks.damaged"
ROOT = pathlib.Path(__file__).parents[1]
# Files that one process reads; seconds for it to start, and from its word on one of them to that on the next; GiB that
# it, or a process that it starts, may take.
_TOGETHER, _START, _EACH, _MEMORY = 100, 60, 120, 2.0
# Linux counts what a process takes from the size of the one that started it; a small one is put between for that.
_MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open(sys.argv[1], "w").write(f"{code} {used}")
"""
READ, OPEN = "read, right", "right, or another octave"
NOTHING, REFUSED = "nothing repeats", "refused in a line"
FINE = READ, OPEN, NOTHING, REFUSED


@dataclasses.dataclass(frozen=True)
class Run:
    """What a process did: its exit code, None if it was killed; what it said and read; GiB of it or of its decoder."""

    code: int | None
    lines: list[str]
    records: dict[str, list[dict]]
    memory: float


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="Of all that is random.")
    parser.add_argument("--files", type=int, default=1000, help="How many.")
    parser.add_argument("--only", choices=damaged_files.KINDS, metavar="KIND", help="A kind of file, in place of all.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the table is put into.")
    args = parser.parse_args()
    kinds = [args.only] if args.only else list(damaged_files.KINDS)
    with tempfile.TemporaryDirectory(prefix="damaged-", ignore_cleanup_errors=True) as folder:
        found, memory = judged(pathlib.Path(folder), args.seed, args.files, kinds)
    text = report(found, memory, args.seed, document.changed(parser, args))
    print(text)
    document.into_document(args.document, COMMAND, text)
    sys.exit(any(outcome not in FINE for _, outcome in found))


def judged(folder, seed, number, kinds):
    """Returns so many cases, of one kind after another, each with its outcome, and the GiB of the largest process."""
    (folder / "files").mkdir()
    cases = damaged_files.Maker(folder / "files", seed).make(number, kinds)
    together = [case for case in cases if not case.words and not case.is_locked]
    locked = [case for case in cases if case.is_locked]
    groups = [together[k : k + _TOGETHER] for k in range(0, len(together), _TOGETHER)]
    groups += [[case] for case in cases if case.words] + [locked] * bool(locked)
    found, memory = {}, 0.0
    for group in groups:
        for case, outcome, used in _of_group(folder, group):
            found[case.path] = outcome
            memory = max(memory, used)
            if outcome not in FINE:
                print(f"VIOLATION {case.kind}: {printable(str(case.path))}: {outcome}", file=sys.stderr, flush=True)
        print(f"{len(found)}/{len(cases)}", flush=True)
    return [(case, found[case.path]) for case in cases], memory


def _of_group(folder, group):
    """Yields case, outcome and memory; cases that cannot be told apart in one process have one of their own each."""
    run = predicted(folder, group)
    fate = fate_of(run)
    if fate and len(group) > 1:
        for case in group:
            yield from _of_group(folder, [case])
    else:
        for case in group:
            yield case, fate or outcome_of(case, run), run.memory


def predicted(folder, group):
    """Runs the command on files."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    words = group[0].words or [str(case.path) for case in group]
    where = group[0].path.parent if group[0].words else ROOT
    command = [sys.executable, "-m", "trainers.predict", f"--rate={damaged_bases.RATE:g}", f"--out={out}", *words]
    with (folder / "said").open("w+b") as said:
        settings = {"cwd": where, "env": {**os.environ, "PYTHONPATH": str(ROOT), "MPLCONFIGDIR": str(folder)}}
        settings["preexec_fn"] = _humble if group[0].is_locked else None
        code, memory = ended(command, said, _START + _EACH, _EACH, **settings)
        said.seek(0)
        lines = said.read().decode(errors="replace").splitlines()
    written = out / "predictions.json"
    records = collections.defaultdict(list)
    for record in json.loads(written.read_text()) if written.exists() else ():
        records[record["recording"]].append(record)
    return Run(code, lines, records, memory)


def ended(command, said, first, next_, **settings):
    """Returns the exit code of a command, None if it was killed, and the GiB of it or of the largest it waited for.

    Args:
        command: Its words.
        said: File that it writes to.
        first, next_: Seconds that it has to write something, and to write more each time.
        **settings: Of `subprocess.Popen`.
    """
    peak = pathlib.Path(f"{said.name}.peak")
    words = [sys.executable, "-c", _MEASURED, str(peak), *command]
    process = subprocess.Popen(words, stdout=said, stderr=said, start_new_session=True, **settings)
    limit, size = time.monotonic() + first, 0
    try:
        while process.poll() is None:
            if os.fstat(said.fileno()).st_size > size:
                limit, size = time.monotonic() + next_, os.fstat(said.fileno()).st_size
            if time.monotonic() > limit:
                return None, 0.0
            time.sleep(0.05)
    finally:  # However this ends, by Ctrl-C too, nothing of it goes on.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    code, kibibytes = peak.read_text().split()
    return int(code), int(kibibytes) / 2**20


def _humble():
    """Has the superuser obey permissions, where the system lets him: without the two capabilities not to."""
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)


def fate_of(run):
    """Returns what befell a whole process; nothing if it ended as it should."""
    if run.code is None:
        return "hang"
    if run.code < 0:
        return f"crash, {signal.Signals(-run.code).name}"
    if any("Traceback" in line for line in run.lines) or run.code not in (0, 1):
        return f"traceback: {run.lines[-1] if run.lines else run.code}"
    if run.memory > _MEMORY:
        return f"memory, {run.memory:.1f} GiB"
    return ""


def outcome_of(case, run):
    """Returns what a process that ended as it should says of a file."""
    if case.trap and case.trap.exists():
        return "a pickle was loaded"
    name = case.words[-1] if case.words else str(case.path)
    names = {name, str(pathlib.Path(name)), str(pathlib.Path(case.path.name)), str(case.path)}
    told = {f"predict: {printable(each)}: found " for each in names}
    complaints = {line for line in run.lines if any(line.startswith(each) for each in told)}
    records = [record for each in names for record in run.records.get(each, ())]
    if bool(complaints) == bool(records):
        return f"no word of its own: {run.lines[-1:]}" if not records else "read and refused"
    if complaints:
        return f"refused although sound: {complaints}" if case.is_sound else REFUSED
    return _reading(case, records[0])


def _reading(case, record):
    told = [window for window in record["windows"] if window["value"] is not None]
    for window in told:
        values = [window["value"], *window["or"]]
        if not any(_is_right(case, value) for value in values):
            return f"a number made up: {values} Hz in place of {case.truth}"
    if case.is_sound and 2 * len(told) < len(record["windows"]):
        return f"{len(told)} of {len(record['windows'])} windows read although sound"
    if not told:
        return NOTHING
    return READ if all(_is_right(case, window["value"]) for window in told) else OPEN


def _is_right(case, value):
    return case.truth is not None and abs(value - case.truth) <= 0.04 + 0.03 * case.truth


def report(found, memory, seed, changed=""):
    """Returns a Markdown table of kinds and outcomes, after a sentence on what was changed of the command."""
    counts = collections.Counter((case.kind, outcome if outcome in FINE else "VIOLATIONS") for case, outcome in found)
    kinds = list(dict.fromkeys(case.kind for case, _ in found))
    columns = [*FINE, "VIOLATIONS"]
    lines = [[kind, *(str(counts[kind, column]) for column in columns)] for kind in kinds]
    lines.append(["in all", *(str(sum(counts[kind, column] for kind in kinds)) for column in columns)])
    said = f"{len(found)} files of seed {seed}; at most {memory:.2f} GiB of memory a process.{changed}\n\n"
    return said + tables.markdown_table(["kind of file", *columns], lines)


if __name__ == "__main__":
    main()
