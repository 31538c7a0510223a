"""Repetitions counted in recordings before a model learns from them, and compared with it afterwards."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from simper_tf.data.held_out import spread
from simper_tf.reading import source_reader
from simper_tf.recordings.source_contract import Source
from simper_tf.utils.errors import RawDataError, printable

# Recordings that are counted, at most.
_MOST = 24
# A model agrees with a count where both differ by no more than this share.
_AGREES = 0.05


class Counted:
    """Frequencies of the clear answers on recordings, on at most 24 spread evenly over all.

    Args:
        say: Called with a line before a recording is read.
        known: Name of a recording -> its frequencies, as an earlier count has them: it is not read again.

    Attributes:
        hertz: Name of a recording that was read or is known -> its frequencies, the surest first; none where nothing is
            clear.
        told: Names of recordings in which somebody has counted: they are not read.
    """

    def __init__(
        self, say: Callable[[str], None] = lambda line: None, known: Mapping[str, Sequence[float]] | None = None
    ):
        self._say, self.hertz, self.told = say, dict(known or {}), set()

    def tell(self, name: str, hertz: float):
        """Takes a frequency of a recording from somebody who has counted in it."""
        self.hertz[name] = (*self.hertz.get(name, ()), hertz)
        self.told.add(name)

    def __call__(self, sources: Sequence[Source]) -> list[tuple[float, ...]]:
        """Returns the frequencies in Hz of what clearly repeats in each recording; none of those that are not read."""
        files = [source for source in sources if not source.is_live and source.name not in self.hertz]
        chosen = spread(files, _MOST)
        of = f"{len(chosen)}" if len(chosen) == len(files) else f"{len(chosen)}, spread evenly over all {len(files)}"
        for number, source in enumerate(chosen, 1):
            self._say(f"Counting in recording {number} of {of} ...")
            self.hertz[source.name] = _frequencies(source)
        return [self.hertz.get(source.name, ()) for source in sources]

    def notes(self, band: Sequence[float], is_named: bool = False) -> list[str]:
        """Returns a sentence for each frequency outside of a band in Hz, which no model of that band reads.

        One that somebody has set `is_named` as `band`.
        """
        low, high = band
        named = f"`band={low:g},{high:g}`" if is_named else f"the band of {low:.3g} to {high:.3g} Hz"
        sentences = []
        for name, frequencies in self.hertz.items():
            for hertz in frequencies:
                if not low <= hertz <= high:
                    wider = f"{min(low, hertz / 2):.2g},{max(high, 2 * hertz):.2g}"
                    sentences.append(
                        f"{printable(name)} repeats at {hertz:.3g} Hz, outside of {named}: the model will not "
                        f"read it. A band that holds it: `band={wider}`."
                    )
        return sentences


def compared(hertz: float, frequencies: Sequence[float], is_told: bool = False) -> str:
    """Returns in words what a model reads, NaN for nothing, beside what was counted, or told, in the same recording."""
    model = f"model {hertz:.3g} Hz" if math.isfinite(hertz) else "model: no answer"
    if not frequencies:
        return f"{model}, repetitions: none clear, not checked"
    who, differs = ("label", "wrong") if is_told else ("repetitions", "differs")
    return f"{model}, {who} {frequencies[0]:.3g} Hz: {'agrees' if agrees(hertz, frequencies) else differs}"


def agrees(hertz: float, frequencies: Sequence[float]) -> bool:
    """Returns whether what a model reads is one of the frequencies that were counted."""
    return any(abs(hertz / counted - 1) <= _AGREES for counted in frequencies)


def differs(hertz: Mapping[str, float], frequencies: Mapping[str, Sequence[float]], band: Sequence[float]) -> bool:
    """Returns whether a model reads any recording otherwise than it was counted, inside of its band, by name."""
    low, high = band
    readable = {name: [value for value in some if low <= value <= high] for name, some in frequencies.items()}
    return any(some and name in hertz and not agrees(hertz[name], some) for name, some in readable.items())


def verdict(agreeing: int, total: int) -> str:
    """Returns in a sentence whether a model is to be used, by how many recordings it reads as they were counted."""
    if not total:
        return "Nothing clearly repeats in these recordings: whether the model is right is not known."
    if agreeing == total:
        return f"{agreeing} of {total} agree."
    use = "do not use this model" if 2 * agreeing <= total else "use it with care"
    return (
        f"{agreeing} of {total} agree: {use}. A better model takes more or longer recordings of one kind, or more "
        "steps."
    )


def worth(names: Collection[str], frequencies: Mapping[str, Sequence[float]], told: Collection[str] = ()) -> str:
    """Returns in a sentence whether a model of recordings is worth while beside what was counted in them, by name.

    What somebody has `told` of some of them the count does not know.
    """
    if any(name in told for name in names):
        return "The model follows your labels. simper predict without `model` does not know them."
    read = [name for name in names if name in frequencies]
    clear = sum(bool(frequencies[name]) for name in read)
    return (
        f"The count is clear in {clear} of {len(read)} recordings. Where it is, it reads better: simper predict "
        "without `model`. The model is for recordings like these whose count is not clear, and for a server."
    )


def _frequencies(source):
    try:
        return tuple(float(answer.hertz) for answer in source_reader.reading_of_source(source).reading.clear)
    except RawDataError:  # It is too short, or damaged on the way.
        return ()
