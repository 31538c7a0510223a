"""Puts damaged, odd and hostile files through `trainers.predict`, as a user would, and judges what it says of each.

python -m benchmarks.damaged [--seed=0] [--files=1000] [--only=KIND] [--document=docs/recordings.md]

Of every file there must come either a reading, which is right, or one line that names the file: no traceback, crash,
hang, missing word or number made up, and no memory without bound. Ends with 1 where that is not so, and says where.
"""

import argparse
import collections
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
from benchmarks import damaged_bases, damaged_files
from simper_tf import files, tables
from simper_tf.recordings.errors import printable

COMMAND = "python -m benchmarks.damaged"
ROOT = pathlib.Path(__file__).parents[1]
# Files that one process reads; seconds for it to start, and for each of them; GiB that it may take.
_TOGETHER, _START, _EACH, _MEMORY = 100, 60, 120, 2.0
READ, NOTHING, REFUSED = "read, right", "nothing repeats", "refused in a line"
FINE = READ, NOTHING, REFUSED


@dataclasses.dataclass(frozen=True)
class Run:
    """What a process did: its exit code, None if it was killed; what it said and read; its memory in GiB."""

    code: int | None
    lines: list[str]
    records: dict[str, list[dict]]
    memory: float


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="Of all that is random.")
    parser.add_argument("--files", type=int, default=1000, help="How many.")
    parser.add_argument("--only", help="A kind of file, in place of all.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the table is put into.")
    args = parser.parse_args()
    if args.only:
        damaged_files.KINDS = {args.only: damaged_files.KINDS[args.only]}
    with tempfile.TemporaryDirectory(prefix="damaged-", ignore_cleanup_errors=True) as folder:
        found, memory = judged(pathlib.Path(folder), args.seed, args.files)
    text = report(found, memory, args.seed)
    print(text)
    if args.document:
        files.write_atomically(args.document, tables.put_table(args.document.read_text(), COMMAND, text, args.document))
    sys.exit(any(outcome not in FINE for _, outcome in found))


def judged(folder, seed, number):
    """Returns each case with its outcome, and the largest memory, in GiB, of any process."""
    (folder / "files").mkdir()
    cases = damaged_files.Maker(folder / "files", seed).make(number)
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
        process = subprocess.Popen(command, stdout=said, stderr=said, **settings)
        code, memory = _ended(process, _START + _EACH * min(len(group), 8))
        said.seek(0)
        lines = said.read().decode(errors="replace").splitlines()
    written = out / "predictions.json"
    records = collections.defaultdict(list)
    for record in json.loads(written.read_text()) if written.exists() else ():
        records[record["recording"]].append(record)
    return Run(code, lines, records, memory)


def _ended(process, seconds):
    """Returns the exit code of a process, None if it had to be killed, and its largest memory in GiB."""
    limit = time.monotonic() + seconds
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_maxrss / 2**20
        if time.monotonic() > limit:
            process.kill()
            process.wait()
            return None, 0.0
        time.sleep(0.05)


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
        if case.truth is None or min(abs(value - case.truth) for value in values) > 0.04 + 0.03 * case.truth:
            return f"a number made up: {values} Hz in place of {case.truth}"
    if case.is_sound and not told:
        return "no reading although sound"
    return READ if told else NOTHING


def report(found, memory, seed):
    """Returns a Markdown table of kinds and outcomes."""
    counts = collections.Counter((case.kind, outcome if outcome in FINE else "VIOLATIONS") for case, outcome in found)
    kinds = list(dict.fromkeys(case.kind for case, _ in found))
    columns = [*FINE, "VIOLATIONS"]
    lines = [[kind, *(str(counts[kind, column]) for column in columns)] for kind in kinds]
    lines.append(["in all", *(str(sum(counts[kind, column] for kind in kinds)) for column in columns)])
    said = f"{len(found)} files of seed {seed}; at most {memory:.2f} GiB of memory a process.\n\n"
    return said + tables.markdown_table(["kind of file", *columns], lines)


if __name__ == "__main__":
    main()
