"""`fft_resolved`: the highest peak of the features, the octave told by the pixels. No label, no band."""

import dataclasses

import numpy as np

from simper_tf import octave
from simper_tf.features import Features
from simper_tf.protocols.prediction import Prediction
from simper_tf.tasks import Task

# One multiple is taken for all clips where so many of the votes agree, and so many of the clips vote.
_AGREEMENT, _VOTING = 2 / 3, 1 / 4


def fft_resolved(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Reads test clips by the multiple of the frequency that training clips vote for, or clip by clip.

    What it found is the `Octave` of the encoder, as `octave`.
    """
    found = find_octave(train)
    values = resolved_frequency(found, test) * test.per_hertz(task)
    return Prediction(values, str(found), {"octave": dataclasses.asdict(found)})


@dataclasses.dataclass(frozen=True)
class Octave:
    """At which multiple of the frequency features run, by the pixels of unlabeled clips.

    Attributes:
        divisor: The multiple with most votes, 1 without any.
        agreement: Its share of the votes, in [0, 1].
        voting: The share of clips whose pixels show a line by which to vote, in [0, 1].
    """

    divisor: int
    agreement: float
    voting: float

    @property
    def shows(self) -> bool:
        """Whether the pixels of enough clips show a line."""
        return self.voting >= _VOTING

    @property
    def is_common(self) -> bool:
        """Whether one multiple is to be taken for all clips: few disagree, and not just a few have voted."""
        return self.agreement >= _AGREEMENT and self.shows

    @property
    def harmonic(self) -> float | None:
        """The frequency over that at which features run; None where each clip is to be read by its own pixels."""
        return 1 / self.divisor if self.is_common else None

    def __str__(self):
        if not self.shows:
            return (
                f"The pixels of {self.voting:.0%} of the training clips show a line: too few to tell at which multiple "
                "of the frequency features run. Each clip is read by its own pixels."
            )
        times = "the frequency" if self.divisor == 1 else f"{self.divisor} times the frequency"
        if self.is_common:
            return f"Features run at {times}: so say {self.agreement:.0%} of the training clips whose pixels show it."
        return (
            f"Features do not run at one multiple of the frequency: {self.agreement:.0%} of the training clips whose "
            f"pixels show it say {times}, the others differ. Each clip is read by its own pixels."
        )


def find_octave(train: Features) -> Octave:
    """Returns the `Octave` of an encoder, from unlabeled clips with pixels."""
    divisors = octave.octave_votes(train.series, train.pixels)
    return Octave(*octave.common_divisor(divisors), voting=float(np.mean(divisors.numpy() > 0)))


def resolved_frequency(found: Octave, test: Features) -> np.ndarray:
    """Returns `(N,)` frequencies in Hz of clips with pixels: by the common multiple, or clip by clip."""
    if found.is_common:
        return octave.wide_peak(test.series).numpy() * test.rates / found.divisor
    return octave.resolve_octave(test.series, test.pixels, test.rates).numpy()
