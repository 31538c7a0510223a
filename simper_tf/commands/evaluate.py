"""Errors of what is read of recordings, against stretches that somebody has counted, and the scores of runs."""

import math
import pathlib
from collections.abc import Sequence

import numpy as np

from simper_tf.commands import console, predict
from simper_tf.commands.command_options import Evaluate
from simper_tf.data import own_labels
from simper_tf.reading import readings
from simper_tf.recordings import search
from simper_tf.recordings.errors import printable
from simper_tf.utils import quiet


def evaluate(names: Sequence[str], asked: Evaluate) -> int:
    """Reads recordings, prints the errors in labeled stretches and returns the exit code, 1 where a file was left out.

    Args:
        names: Files, folders and patterns; or folders of runs alone, whose scores are printed.
        asked: Where the labels are, and which exported model reads too.

    Raises:
        ValueError: a recording or a label is not what it must be, or a run has no scores.
    """
    folders = [pathlib.Path(name) for name in names]
    if all(map(_is_run, folders)):
        for folder in folders:
            _say_scores(folder)
        return 0
    if not asked.labels:
        raise ValueError("--labels must name a file of what somebody has counted. Only folders of runs need none.")
    named = search.find(list(names), None, False)
    for problem in named.problems:
        console.say(f"Left out: {problem}")
    sources = {source.name: source for source in named.sources}
    stretches = own_labels.read(asked.labels, list(sources), (0.0, math.inf))
    model = _model(asked.model)
    done = {name: readings.read(sources[name]) for name in dict.fromkeys(stretch.recording for stretch in stretches)}
    errors = {"read": [], "model": []}
    for stretch in stretches:
        told = {"read": _read(done[stretch.recording].reading, stretch)}
        if model:
            told["model"] = _told(sources[stretch.recording], stretch, done[stretch.recording], model)
        for reader, hertz in told.items():
            errors[reader].append(hertz - stretch.hertz)
        counted = stretch.end - stretch.start if stretch.is_count else 0.0
        # A model tells a tempo, which says nothing of pauses.
        seconds = {"read": counted, "model": 0.0}
        values = "; ".join(f"{reader} {_text(hertz, seconds[reader])}" for reader, hertz in told.items())
        span = f"from {stretch.start:g} to {min(stretch.end, done[stretch.recording].info.seconds):g} s"
        console.say(f"{printable(stretch.recording)} {span}: true {_text(stretch.hertz, counted)}; {values}")
    for reader, offs in errors.items():
        if offs:
            console.say(_sentence(reader, np.array(offs)))
    return int(bool(named.problems))


def _is_run(folder):
    return (folder / "flags.cfg").is_file() or (folder / "saved_model").is_dir()


def _say_scores(folder):
    """Prints the table of the result rows of a run."""
    quiet.load_tensorflow()
    from simper_tf.evaluation import rows, tables

    scored = rows.read_rows(folder / "results.jsonl")
    if not scored:
        again = f"Score it: python -m trainers.evaluate --run_dir={folder}."
        if not (folder / "flags.cfg").is_file():  # Of simper train, which keeps no scores.
            again = f"Compare it with counts: simper evaluate RECORDINGS --labels=FILE --model={folder}."
        raise ValueError(f"{printable(str(folder))} holds no scores. {again}")
    for split in dict.fromkeys(row.split for row in scored):
        of_split = [row for row in scored if row.split == split]
        console.say(f"{printable(str(folder))}: {of_split[0].method}, {of_split[0].n} {split} clips:")
        console.say(tables.results_table(of_split))


def _model(path):
    if not path:
        return None
    quiet.start()
    from simper_tf.reading import exported

    return exported.Exported(path)


def _read(reading, stretch):
    """Returns repetitions a second of the surest answer in a stretch, in its pauses too if these were counted.

    It is the median tempo where a tempo is known, and NaN where there is no repetition.
    """
    repetitions = reading.clear[0].repetitions if reading.clear else ()
    lasting = [end - start for start, end in repetitions if stretch.start <= (start + end) / 2 <= stretch.end]
    if not lasting:
        return math.nan
    return len(lasting) / (stretch.end - stretch.start) if stretch.is_count else 1 / float(np.median(lasting))


def _told(source, stretch, done, model):
    """Returns the frequency in Hz that an exported model reads in a stretch."""
    model.check(source)
    wishes = readings.Wishes(start=stretch.start, end=stretch.end)
    learned = predict.with_model(source, wishes, done, model).learned
    return learned[-1].hertz if learned else math.nan


def _text(hertz, seconds):
    """Returns a frequency in words, and how many repetitions it makes in some seconds, if there are any."""
    if not math.isfinite(hertz):
        return "nothing"
    return f"{hertz:.3g} Hz" + (f", {hertz * seconds:.3g} repetitions" if seconds else "")


def _sentence(reader, offs):
    kept = offs[np.isfinite(offs)]
    off = f", off by {np.abs(kept).mean():.2g} Hz in the mean" if len(kept) else ""
    return f"{reader}: {len(kept)} of {len(offs)} stretches{off}."
