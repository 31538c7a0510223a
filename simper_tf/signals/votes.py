"""Multiple of the frequency at which the features of an encoder run: a vote over unlabeled clips."""

import dataclasses

import numpy as np

from simper_tf.signals.octave import denials, octave_votes, resolve_octave, wide_peak
from simper_tf.signals.readout import harmonic_frequency

# One multiple is taken for all clips only where so many of the votes agree, and so many of the clips vote. Of those
# that do not, about so many would be misread by their own pixels: none of clear digits, a quarter of noisy ones.
_AGREEMENT, _VOTING, _MISREAD = 2 / 3, 1 / 4, 1 / 10
# Where so many of the votes agree, pixels that clearly show another multiple are right: they are of a clip unlike
# these. Of 400 clips each, with perfect features at the frequency or at twice of it, pixels deny none of digits and of
# MNIST, 0.3 % in strong noise, and 5 % of drawn faces, where 86 % of the votes agree.
_OVERRULING = 0.99


@dataclasses.dataclass(frozen=True)
class Octave:
    """At which multiple of the frequency features run, by the pixels of unlabeled clips.

    Which multiple it is belongs to the encoder, once training has made it consistent. So the votes of clips whose
    pixels show it hold for those whose pixels are drowned in noise.

    Attributes:
        divisor: The multiple with most votes, 1 without any.
        agreement: Its share of the votes, in [0, 1].
        voting: The share of clips whose pixels show clearly enough which multiple it is, in [0, 1].
    """

    divisor: int
    agreement: float
    voting: float

    @property
    def shows(self) -> bool:
        """Whether the pixels of enough clips show which multiple it is."""
        return self.voting >= _VOTING

    @property
    def is_common(self) -> bool:
        """Whether one multiple is to be taken for all clips: it saves more clips than it misreads."""
        disagree = self.voting * (1 - self.agreement)
        return self.shows and self.agreement >= _AGREEMENT and disagree <= _MISREAD * (1 - self.voting)

    @property
    def is_overruled(self) -> bool:
        """Whether a clip whose pixels clearly show another multiple than the common one is read by them."""
        return self.is_common and self.agreement >= _OVERRULING

    @property
    def harmonic(self) -> float | None:
        """The frequency over that at which features run; None where each clip is to be read by its own pixels."""
        return 1 / self.divisor if self.is_common else None

    @property
    def rises(self) -> str:
        """The multiple in words: `twice a repetition`."""
        return f"{({1: 'once', 2: 'twice'}).get(self.divisor, f'{self.divisor} times')} a repetition"

    def frequency(self, features, pixels, rate, lowest=0.0) -> np.ndarray:
        """Reads `(N,)` frequencies in Hz, as `resolve_octave`, by the common multiple.

        Clip by clip where there is none, or where it `is_overruled`.
        """
        if not self.is_common:
            return resolve_octave(features, pixels, rate, lowest).numpy()
        rate = np.float32(rate)
        hertz = wide_peak(features, lowest / rate).numpy() * rate / self.divisor
        if not self.is_overruled:
            return hertz
        are_denied, seen = denials(features, pixels, hertz, rate, np.float32(lowest))
        return np.where(are_denied, seen, hertz)

    def __str__(self):
        clip_by_clip = "So the pixels of each clip decide."
        if not self.shows:
            return (
                f"How often features rise a repetition shows in {self.voting:.0%} of the clips: too few. {clip_by_clip}"
            )
        share = f"Features rise {self.rises} in {self.agreement:.0%} of the clips that show it"
        if not self.is_common:
            return f"{share}, and more or less often in others. {clip_by_clip}"
        taken = "taken as it is" if self.divisor == 1 else f"divided by {self.divisor}"
        return f"{share}. So their frequency is {taken}."


@dataclasses.dataclass(frozen=True)
class LabeledOctave(Octave):
    """At which multiple of the frequency features run, by the labels of a few clips: pixels decide nothing.

    Attributes:
        band: `(low, high)` in Hz in which frequencies are sought.
    """

    band: tuple[float, float]

    is_common, is_overruled = True, False

    def frequency(self, features, pixels, rate, lowest=0.0) -> np.ndarray:
        return harmonic_frequency(features, rate, self.band, self.harmonic)

    def __str__(self):
        return f"Features rise {self.rises} in clips that are labeled."


def find_octave(features, pixels, lowest=0.0) -> Octave:
    """Returns the `Octave` of an encoder, of unlabeled clips as in `octave_votes`."""
    votes = np.asarray(octave_votes(features, pixels, lowest))
    return Octave(*most_voted(votes), voting=float(np.mean(votes > 0)))


def most_voted(votes) -> tuple[int, float]:
    """Returns the multiple with most votes, and its share of them, in [0, 1]. Zeros do not vote; of none, 1 and 0."""
    votes = np.asarray(votes)
    votes = votes[votes > 0]
    if not len(votes):
        return 1, 0.0
    multiples, counts = np.unique(votes, return_counts=True)
    return int(multiples[counts.argmax()]), float(counts.max() / len(votes))
