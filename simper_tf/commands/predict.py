"""Recordings read one after another, each with its answers printed, written and drawn."""

import contextlib
import dataclasses
import hashlib
import math
import pathlib
import sys
import time
from collections.abc import Callable, Sequence

from simper_tf.commands import annotated, console, html_page
from simper_tf.commands.command_options import Predict
from simper_tf.reading import answers, drawing, learned, readings
from simper_tf.recordings import search, sources
from simper_tf.utils import files, quiet
from simper_tf.utils.errors import RawDataError, printable

LOCK = ".lock"
# Windows of a recording that are printed; the files have all.
_MOST_PRINTED = 20
# Seconds of a recording that is read before anybody asks for progress.
_SHORT = 30.0
# Times that writing all answers takes, until they are written again.
_WRITING = 10


def predict(names: Sequence[str], request: Predict) -> list[RawDataError]:
    """Reads all recordings; what fails is printed to the standard error, and the others are read.

    Args:
        names: Files, folders, patterns and numbers of cameras.
        request: How they are read, and what is made of it.

    Returns:
        What could not be read.

    Raises:
        ValueError: a wish is not one.
        OSError: what was read cannot be written.
    """
    out = pathlib.Path(request.out)
    named = search.find(list(names), request.rate, request.rate is not None, time=request.time, columns=request.columns)
    problems = list(named.problems)
    for problem in problems:
        _complain(problem)
    for reason in named.skipped:
        console.say(f"skipped, no series: {reason}")
    if request.video:
        if not (len(named.sources) == 1 and named.sources[0].has_pictures):
            raise ValueError(
                f"--video={request.video} copies one recording with pictures. Found: {len(named.sources)} recordings."
            )
        annotated.refuse_unwritable(pathlib.Path(request.video), named.sources[0])
    total = len(problems) + len(named.sources)
    learner = _Learner(request) if named.sources else None
    with _alone(out):
        earlier = (out / answers.CSV).exists()
        done = _read_all(named.sources, problems, request, learner)
        if done:
            if request.report:
                paths = [picture_path(out, one.name) for one in done]
                page = out / "predictions.html"
                files.write_atomically(page, html_page.render(done, paths, request.unit))
                console.say(f"Page: {page}.")
            tables = ", ".join(map(str, answers.write(out, done, request.unit, request.window, request.hop)))
            console.say(f"Tables: {tables}.")
            if earlier:
                console.say("They replace those of an earlier call. To keep both name another folder: --out=FOLDER.")
    if problems and total > 1:
        print(f"predict: {len(problems)} of {total} could not be read, see above.", file=sys.stderr)
    return problems


def run(names: Sequence[str], request: Predict) -> int:
    """Reads all recordings, as `predict`; returns the exit code, 1 where one could not be read."""
    return int(bool(predict(names, request)))


def wishes_of(request: Predict) -> readings.Wishes:
    """Returns what is wanted of each recording."""
    end = math.inf if request.end is None else request.end
    return readings.Wishes(request.band, request.start, end, request.crop, request.face)


def picture_path(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Returns where the picture of a recording goes: two of the same file name differ in their folders."""
    # No more letters, each of up to four bytes, than leave room for what else is in a name of 255 bytes.
    stem = "".join(letter if letter.isalnum() else "_" for letter in pathlib.Path(name).name[:50])
    return folder / f"{stem}_{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:6]}.png"


def _read_all(named, problems, request, learner):
    """Reads recordings, empties the list of them, and returns a `readings.Done` for each."""
    done, written, due = [], 0, 0.0
    try:
        while named:
            source = named.pop(0)  # What it holds of a file goes with it.
            try:
                one = _read(source, request, learner)
            except MemoryError:
                _note(problems, RawDataError(source.name, "more than fits into memory", "less", "Read a part of it."))
                continue
            except RawDataError as error:
                _note(problems, error)
                continue
            done.append(one)
            if time.monotonic() > due:  # Seldom where there are many, as all of them are written each time.
                began, written = time.monotonic(), len(done)
                answers.write(pathlib.Path(request.out), done, request.unit, request.window, request.hop)
                due = time.monotonic() + _WRITING * (time.monotonic() - began)
            try:
                _show(source, one, request)
            except RawDataError as error:
                _note(problems, error)
            done[-1] = one.without_courses()
    finally:  # So that nothing that fails loses what was read.
        if written < len(done):
            answers.write(pathlib.Path(request.out), done, request.unit, request.window, request.hop)
    return done


def _read(source, request, learner):
    learner.check(source)
    if request.video:
        source.require_pictures("--video", twice=True)
    info = source.info()
    wishes = wishes_of(request)
    progress = _progress(f"reading {printable(source.name)}, second", min(info.seconds, wishes.end))
    done = readings.read(source, wishes, progress)
    return learner.added(source, done)


def _show(source, done, request):
    """Prints what was read of a recording, and makes its picture and its video."""
    console.say(printable(done.name))
    for line in answers.lines(done, request.unit, request.window, request.hop, _MOST_PRINTED):
        console.say(f"  {line}")
    for note in done.notes:
        console.say(f"  NOTE {note}")
    path = picture_path(pathlib.Path(request.out), done.name)
    with files.replacing(path, "wb") as file:
        drawing.figure(done, request.unit).savefig(file, format="png", dpi=110)
    console.say(f"  Picture: {path}.")
    if request.video:
        wishes = wishes_of(request)
        progress = _progress("writing the video, second", min(done.info.seconds, wishes.end))
        annotated.write(pathlib.Path(request.video), source, wishes, done, progress)
        console.say(f"  Video: {request.video}.")


def _progress(what, seconds):
    """Returns what shows the second of a recording that is reached, and the time left; of short ones nothing."""
    if not _SHORT < seconds < math.inf:
        return lambda at: None
    counter, last = console.Counter(what, math.ceil(seconds)), [0]

    def show(at):
        if int(at) > last[0]:
            last[0] = int(at)
            counter(min(last[0], counter.total))

    return show


class _Learner:
    """The trained encoders that read beside the repetitions; TensorFlow is loaded where there is one."""

    def __init__(self, request: Predict):
        self._request, self._model = request, None
        if request.model or request.adapt:
            quiet.start()
        if request.model:
            from simper_tf.reading import exported

            self._model = exported.Exported(request.model)

    def check(self, source: sources.Source):
        """Refuses a recording that an encoder cannot read."""
        if self._model:
            self._model.check(source)
        if self._request.adapt and source.is_live:
            source.require_pictures("--adapt", twice=True)

    def added(self, source: sources.Source, done: readings.Done) -> readings.Done:
        """Returns what was read with what encoders say of it."""
        wishes, seconds = wishes_of(self._request), self._request.adapt
        if self._model:
            done = with_model(source, wishes, done, self._model, self._request.window)
        if not seconds:
            return done
        counter = console.Counter(f"learning from {printable(source.name)}, second", max(round(seconds), 1))

        def report(left):
            counter.show(min(round(seconds - left), counter.total), f"{console.clock(left)} left")

        return with_adapted(source, wishes, done, seconds, self._request.window, report)


def with_adapted(
    source: sources.Source, wishes: readings.Wishes, done: readings.Done, seconds: float, window: float | None = None,
    report: Callable[[float], None] = lambda left: None,
) -> readings.Done:  # fmt: skip
    """Returns what was read with what SimPer says that learns from the recording; where nothing is clear, with a note.

    Args:
        source: The recording.
        wishes: What was wanted of it.
        done: What was read.
        seconds: How long it learns.
        window: Seconds that it looks at at once, None for what the frequency needs.
        report: Called with the seconds left after each step.
    """
    clear = done.reading.clear
    if not clear:
        return readings.renamed(done, done.name, ("No clear repetition: SimPer does not learn from it.",))
    from simper_tf.reading import adapted

    part = _planned(source, wishes, done, window, clear[0].hertz)
    return readings.with_learned(done, adapted.adapt(part, seconds, report=report))


def with_model(source, wishes: readings.Wishes, done: readings.Done, model, window: float | None = None):
    """Returns what was read with what an exported model says of it.

    Args:
        source: The recording.
        wishes: What was wanted of it.
        done: What was read.
        model: An `exported.Exported`.
        window: Seconds that it is asked about at once, None for what the model needs.
    """
    own = dataclasses.replace(wishes, band=wishes.band or model.band)
    try:
        said = model.read(_planned(source, own, done, window or model.window()))
    except RawDataError as error:  # Such as a recording that is shorter than it needs.
        return readings.renamed(done, done.name, (not_asked(error, model.window(), done.info.seconds),))
    return readings.with_learned(done, said)


def not_asked(error: RawDataError, window: float | None = None, seconds: float = math.inf) -> str:
    """Returns why a model does not read a recording.

    Args:
        error: Its refusal.
        window: Seconds that it looks at at once, if it tells.
        seconds: Those of the recording.
    """
    if window and seconds < window:
        return f"The model needs {window:.1f} s, and the recording lasts {seconds:.1f} s: it was not asked."
    return f"The model was not asked: found {error.found}; expected {error.expected}."


def _planned(source, wishes, done, window, hertz=None):
    """Returns the windows that an encoder reads: an exported one has a band of its own, and needs its length."""
    return learned.planned(source, done.info, wishes.start, wishes.end, wishes.box, wishes.band, hertz, window)


@contextlib.contextmanager
def _alone(folder):
    """Keeps other commands from writing into a folder, which is made where something is written."""
    try:
        with files.without_empty(folder), files.alone(folder / LOCK, wait=False):
            yield
    except files.InUse as error:
        raise files.InUse(f"--out={folder} is written by {error}. Wait for it, or name another folder.") from error


def _note(problems, error):
    problems.append(error)
    _complain(error)


def _complain(error):
    print(f"predict: {error}", file=sys.stderr, flush=True)
