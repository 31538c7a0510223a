"""Repetitions counted in recordings before a model learns from them, and compared with it afterwards."""

import math
from collections.abc import Callable, Sequence

from simper_tf.reading import readings
from simper_tf.recordings.errors import RawDataError, printable
from simper_tf.recordings.sources import Source

# Recordings that are counted; of more, the first ones tell what a model is for.
_MOST = 24


class Counted:
    """Frequencies of the clear answers on recordings, each read once.

    Args:
        say: Called with the number of a recording, from 1 on, before it is read.

    Attributes:
        hertz: Name of a recording -> its frequencies, the surest first; none where nothing is clear.
    """

    def __init__(self, say: Callable[[int], None] = lambda number: None):
        self._say, self.hertz = say, {}

    def __call__(self, source: Source) -> tuple[float, ...]:
        """Returns the frequencies in Hz of what clearly repeats in a recording; none of more than 24."""
        if source.name not in self.hertz and (len(self.hertz) >= _MOST or source.is_live):
            return ()
        if source.name not in self.hertz:
            self._say(len(self.hertz) + 1)
            try:
                answers = readings.read(source).reading.clear
            except RawDataError:  # It is too short, or damaged on the way.
                answers = ()
            self.hertz[source.name] = tuple(float(answer.hertz) for answer in answers)
        return self.hertz[source.name]

    def notes(self, band: Sequence[float], flag: str = "") -> list[str]:
        """Returns a sentence for each frequency outside of a band, which no model of that band reads.

        Args:
            band: `(low, high)` in Hz.
            flag: What set the band, for the sentence; empty if it was proposed.
        """
        low, high = band
        sentences = []
        for name, frequencies in self.hertz.items():
            for hertz in frequencies:
                if not low <= hertz <= high:
                    wider = f"{min(low, hertz / 2):.2g},{max(high, 2 * hertz):.2g}"
                    sentences.append(
                        f"{printable(name)} repeats at {hertz:.3g} Hz, outside of "
                        f"{flag or f'the band of {low:.3g} to {high:.3g} Hz'}: the model will not read it. "
                        f"A band that holds it: --band={wider}."
                    )
        return sentences


def compared(hertz: float, frequencies: Sequence[float]) -> str:
    """Returns in words what a model reads beside what was counted in the same recording.

    Args:
        hertz: What the model reads, NaN for nothing.
        frequencies: What repeats, the surest first.
    """
    model = f"model {hertz:.3g} Hz" if math.isfinite(hertz) else "model: no answer"
    if not frequencies:
        return f"{model}, repetitions: none clear"
    return f"{model}, repetitions {frequencies[0]:.3g} Hz: {'agrees' if agrees(hertz, frequencies) else 'wrong'}"


def agrees(hertz: float, frequencies: Sequence[float]) -> bool:
    """Returns whether what a model reads is one of the frequencies that were counted."""
    return any(abs(hertz / one - 1) <= readings.SAME for one in frequencies)


def verdict(agreeing: int, total: int) -> str:
    """Returns in a sentence whether a model is to be used, by how many recordings it reads as they were counted."""
    if not total:
        return "Nothing clearly repeats in these recordings: whether the model is right is not known."
    if agreeing == total:
        return f"{agreeing} of {total} agree."
    use = "do not use this model" if 2 * agreeing <= total else "use it with care"
    return (
        f"{agreeing} of {total} agree: {use}. simper predict counts these recordings without --model. A better model "
        "takes more or longer recordings of one kind, or more --steps."
    )
