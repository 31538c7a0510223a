"""Errors of what is read of recordings, against stretches that somebody has counted, and the scores of runs."""

import dataclasses
import math
import pathlib
from collections.abc import Sequence

import numpy as np

from simper_tf.commands import console, learners
from simper_tf.commands.command_options import Evaluate
from simper_tf.data import own_labels
from simper_tf.reading import result, source_reader
from simper_tf.recordings import search
from simper_tf.utils import quiet
from simper_tf.utils.errors import RawDataError, guarding, printable

# Share of a stretch that an answer must fill of what the one that fills most does, to be asked about it.
_FILLS = 0.5


@dataclasses.dataclass(frozen=True)
class Told:
    """What a reader says of a stretch.

    Attributes:
        hertz: The tempo, as `simper predict` tells it: pauses left out. NaN for none.
        count: Repetitions, where the stretch was counted; else NaN.
        reason: Why there is no tempo.
    """

    hertz: float = math.nan
    count: float = math.nan
    reason: str = ""

    def __str__(self):
        if not math.isfinite(self.hertz):
            return f"nothing ({self.reason})"
        return f"{self.hertz:.3g} Hz" + (f", {self.count:.3g} repetitions" if math.isfinite(self.count) else "")


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
        raise console.WrongWord(
            "--labels must name a file of what somebody has counted. Only folders of runs need none."
        )
    named = search.find(list(names), time=asked.time, columns=asked.columns)
    for problem in named.problems:
        console.say(f"Left out: {problem}")
    sources = {source.name: source for source in named.sources}
    with console.checking_words():
        stretches = own_labels.stretches_in(asked.labels, named.sources, (0.0, math.inf))
    model = _model(asked.model)
    wanted = list(dict.fromkeys(stretch.recording for stretch in stretches))
    done = _read(wanted, sources)
    errors = {"read": [], "model": []}
    for stretch in stretches:
        name = stretch.recording
        answers = _said(stretch, sources[name], done[name], model) if name in done else {"read": Told()}
        for reader, answer in answers.items():
            errors[reader].append(error_of(answer, stretch))
    unit = "repetitions" if stretches and stretches[0].is_count else "Hz"
    for reader, offs in errors.items():
        if offs:
            console.say(_sentence(reader, np.array(offs), unit))
    return int(len(named.problems) > 0 or len(done) < len(wanted))


def _read(names, sources):
    """Returns what was read of recordings that can be read, and prints why others cannot."""
    done = {}
    for name in names:
        try:
            with guarding(name):
                done[name] = source_reader.reading_of_source(sources[name])
        except RawDataError as error:
            console.say(f"Left out: {error}")
    return done


def _said(stretch, source, done, model):
    """Returns what each reader says of a stretch, and prints it beside the truth."""
    answers = {"read": told_of(done.reading, stretch)}
    if model:
        answers["model"] = _of_model(source, stretch, done, model)
    span = f"from {stretch.start:g} to {min(stretch.end, done.info.seconds):g} s"
    values = "; ".join(f"{reader} {answer}" for reader, answer in answers.items())
    console.say(f"{printable(stretch.recording)} {span}: true {_true(stretch)}; {values}")
    return answers


def told_of(reading: result.Reading, stretch: own_labels.Stretch) -> Told:
    """Returns what a reading says of a stretch: the surest of its clear answers that fill it.

    Args:
        reading: Of the whole recording, whose answers may be of other stretches.
        stretch: What somebody has counted.
    """
    filled = [(answer, *answer.within(stretch.start, stretch.end)) for answer in reading.clear]
    most = max((count / hertz for _, count, hertz in filled if count), default=0.0)
    for _, count, hertz in filled:  # The surest first.
        if count and count / hertz >= _FILLS * most:
            return Told(hertz, count if stretch.is_count else math.nan)
    return Told(reason="no repetition there" if reading.clear else reading.verdict)


def error_of(answer: Told, stretch: own_labels.Stretch) -> float:
    """Returns by how much what is told is off: in repetitions where these were counted, else in Hz; NaN for nothing."""
    return answer.count - _counted(stretch) if stretch.is_count else answer.hertz - stretch.hertz


def _counted(stretch):
    return round(stretch.hertz * (stretch.end - stretch.start), 9)  # Divided by the seconds when it was read.


def _true(stretch):
    return f"{_counted(stretch):g} repetitions" if stretch.is_count else f"{stretch.hertz:.3g} Hz"


def _is_run(folder):
    return (folder / "flags.cfg").is_file() or (folder / "saved_model").is_dir()


def _say_scores(folder):
    """Prints the table of the result rows of a run."""
    from simper_tf.evaluation import markdown_tables, rows

    scored = rows.read_rows(folder / "results.jsonl")
    if not scored:
        again = f"Score it: python -m trainers.evaluate --run_dir={folder}."
        if not (folder / "flags.cfg").is_file():  # Of simper train, which keeps no scores.
            again = f"Compare it with counts: simper evaluate RECORDINGS --labels=FILE --model={folder}."
        raise ValueError(f"{printable(str(folder))} holds no scores. {again}")
    for split in dict.fromkeys(row.split for row in scored):
        of_split = [row for row in scored if row.split == split]
        console.say(f"{printable(str(folder))}: {of_split[0].method}, {of_split[0].n} {split} clips:")
        console.say(markdown_tables.results_table(of_split))


def _model(path):
    if not path:
        return None
    quiet.start()
    from simper_tf.reading import exported

    return exported.Exported(path)


def _of_model(source, stretch, done, model):
    """Returns what an exported model reads in a stretch; it tells a tempo, which says nothing of pauses."""
    try:
        model.check(source)
    except RawDataError as error:
        return Told(reason=learners.not_asked(error))
    wishes = source_reader.Wishes(start=stretch.start, end=stretch.end)
    asked = learners.with_model(source, wishes, dataclasses.replace(done, notes=()), model)
    if not asked.learned:
        return Told(reason=" ".join(asked.notes))
    said = asked.learned
    if not math.isfinite(said.hertz):
        band = f", in {said.band[0]:.3g} to {said.band[1]:.3g} Hz," if said.band else ""
        return Told(reason=f"no window{band} of which it is sure")
    return Told(said.hertz, said.hertz * (stretch.end - stretch.start) if stretch.is_count else math.nan)


def _sentence(reader, offs, unit):
    kept = offs[np.isfinite(offs)]
    off = f", off by {np.abs(kept).mean():.2g} {unit} in the mean" if len(kept) else ""
    return f"{reader}: {len(kept)} of {len(offs)} stretches{off}."
