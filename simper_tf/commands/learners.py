"""An exported model that reads a recording beside the count of its repetitions."""

import math

from simper_tf.commands.command_options import Predict
from simper_tf.reading import learned, source_reader
from simper_tf.recordings import source_contract
from simper_tf.utils import quiet
from simper_tf.utils.errors import RawDataError


def wishes_of(request: Predict) -> source_reader.Wishes:
    """Returns what is wanted of each recording."""
    end = math.inf if request.end is None else request.end
    return source_reader.Wishes(request.band, request.start, end, request.crop, request.face)


class Learner:
    """The exported model that reads beside the repetitions; TensorFlow is loaded where there is one.

    Args:
        request: Whether one is asked, and how.
    """

    def __init__(self, request: Predict):
        self._request, self._model = request, None
        if request.model:
            quiet.start()
            from simper_tf.reading import exported

            self._model = exported.Exported(request.model)

    def check(self, source: source_contract.Source):
        """Refuses a recording that the model cannot read."""
        if self._model:
            self._model.check(source)

    def added(self, source: source_contract.Source, done: source_reader.Done) -> source_reader.Done:
        """Returns what was read with what the model says of it."""
        if not self._model:
            return done
        return with_model(source, wishes_of(self._request), done, self._model, self._request.window)


def with_model(source, wishes: source_reader.Wishes, done: source_reader.Done, model, window: float | None = None):
    """Returns what was read with what an exported model says of it.

    Args:
        source: The recording.
        wishes: What was wanted of it.
        done: What was read.
        model: An `exported.Exported`.
        window: Seconds that it is asked about at once, None for what the model needs.
    """
    needed = model.window(min(done.info.seconds, wishes.end) - wishes.start)
    band = wishes.band or model.band
    try:
        said = model.read(
            learned.planned(source, done.info, wishes.start, wishes.end, wishes.box, band, window or needed)
        )
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
