"""Trained encoders that read a recording beside the count of its repetitions."""

import dataclasses
import math
from collections.abc import Callable

from simper_tf.commands import console
from simper_tf.commands.command_options import Predict
from simper_tf.reading import learned, source_reader
from simper_tf.recordings import source_contract
from simper_tf.utils import quiet
from simper_tf.utils.errors import RawDataError, printable


def wishes_of(request: Predict) -> source_reader.Wishes:
    """Returns what is wanted of each recording."""
    end = math.inf if request.end is None else request.end
    return source_reader.Wishes(request.band, request.start, end, request.crop, request.face)


class Learner:
    """The trained encoders that read beside the repetitions; TensorFlow is loaded where there is one.

    Args:
        request: Which of them are asked, and how.
        is_shown: Whether learning tells how long it takes.
    """

    def __init__(self, request: Predict, is_shown: bool = True):
        self._request, self._model, self._is_shown = request, None, is_shown
        if request.model or request.adapt:
            quiet.start()
        if request.model:
            from simper_tf.reading import exported

            self._model = exported.Exported(request.model)

    def check(self, source: source_contract.Source):
        """Refuses a recording that an encoder cannot read."""
        if self._model:
            self._model.check(source)
        if self._request.adapt and source.is_live:
            source.require_pictures("`adapt`", twice=True)

    def added(self, source: source_contract.Source, done: source_reader.Done) -> source_reader.Done:
        """Returns what was read with what encoders say of it."""
        wishes, seconds = wishes_of(self._request), self._request.adapt
        if self._model:
            done = with_model(source, wishes, done, self._model, self._request.window)
        if not seconds:
            return done
        counter = console.Counter(f"learning from {printable(source.name)}, second", max(round(seconds), 1))

        def report(left):
            if self._is_shown:
                counter.show(min(round(seconds - left), counter.total), f"{console.clock(left)} left")

        return with_adapted(source, wishes, done, seconds, self._request.window, report)


def with_adapted(
    source: source_contract.Source, wishes: source_reader.Wishes, done: source_reader.Done, seconds: float,
    window: float | None = None, report: Callable[[float], None] = lambda left: None,
) -> source_reader.Done:  # fmt: skip
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
        return source_reader.renamed(done, done.name, ("No clear repetition: SimPer does not learn from it.",))
    from simper_tf.reading import adapted

    part = _planned(source, wishes, done, window, clear[0].hertz)
    return source_reader.with_learned(done, adapted.adapt(part, seconds, report=report))


def with_model(source, wishes: source_reader.Wishes, done: source_reader.Done, model, window: float | None = None):
    """Returns what was read with what an exported model says of it.

    Args:
        source: The recording.
        wishes: What was wanted of it.
        done: What was read.
        model: An `exported.Exported`.
        window: Seconds that it is asked about at once, None for what the model needs.
    """
    own = dataclasses.replace(wishes, band=wishes.band or model.band)
    needed = model.window(min(done.info.seconds, wishes.end) - wishes.start)
    try:
        said = model.read(_planned(source, own, done, window or needed))
    except RawDataError as error:  # Such as a recording that is shorter than it needs.
        return source_reader.renamed(done, done.name, (not_asked(error, needed, done.info.seconds),))
    return source_reader.with_learned(done, said)


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
