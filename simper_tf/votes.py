"""At which one multiple of the frequency the features of all clips run, by the votes of many, without a label."""

import dataclasses

import numpy as np

from simper_tf.octave import octave_votes, resolve_octave, wide_peak

# One multiple is taken for all clips where so many of the votes agree, unless told otherwise, and so many of the clips
# vote.
_AGREEMENT, _VOTING = 2 / 3, 1 / 4


@dataclasses.dataclass(frozen=True)
class Octave:
    """At which multiple of the frequency features run, by the pixels of unlabeled clips.

    Which multiple it is belongs to the encoder, once training has made it consistent. So the votes of clips whose
    pixels show it hold for those whose pixels are drowned in noise.

    Attributes:
        divisor: The multiple with most votes, 1 without any.
        agreement: Its share of the votes, in [0, 1].
        voting: The share of clips whose pixels show a line by which to vote, in [0, 1].
        needed: The share of the votes from which on one multiple is taken for all clips.
    """

    divisor: int
    agreement: float
    voting: float
    needed: float = _AGREEMENT

    @property
    def shows(self) -> bool:
        """Whether the pixels of enough clips show a line."""
        return self.voting >= _VOTING

    @property
    def is_common(self) -> bool:
        """Whether one multiple is to be taken for all clips: few disagree, and not just a few have voted."""
        return self.agreement >= self.needed and self.shows

    @property
    def harmonic(self) -> float | None:
        """The frequency over that at which features run; None where each clip is to be read by its own pixels."""
        return 1 / self.divisor if self.is_common else None

    def frequency(self, features, pixels, rate) -> np.ndarray:
        """Reads frequencies by the common multiple, or clip by clip where there is none.

        Args:
            features, pixels, rate: As in `octave.resolve_octave`.

        Returns:
            `(N,)` float32 in Hz.
        """
        if self.is_common:
            return wide_peak(features).numpy() * np.float32(rate) / self.divisor
        return resolve_octave(features, pixels, rate).numpy()

    def __str__(self):
        if not self.shows:
            return (
                f"The pixels of {self.voting:.0%} of the clips show a line: too few to tell at which multiple of the "
                "frequency features run. Each clip is read by its own pixels."
            )
        times = "the frequency" if self.divisor == 1 else f"{self.divisor} times the frequency"
        if self.is_common:
            return f"Features run at {times}: so say {self.agreement:.0%} of the clips whose pixels show it."
        return (
            f"Features do not run at one multiple of the frequency: {self.agreement:.0%} of the clips whose pixels "
            f"show it say {times}, the others differ. Each clip is read by its own pixels."
        )


def find_octave(features, pixels, needed: float = _AGREEMENT) -> Octave:
    """Returns the `Octave` of an encoder.

    Args:
        features, pixels: Of unlabeled clips, as in `octave.resolve_octave`.
        needed: As in `Octave`.
    """
    votes = np.asarray(octave_votes(features, pixels))
    return Octave(*most_voted(votes), voting=float(np.mean(votes > 0)), needed=needed)


def most_voted(votes) -> tuple[int, float]:
    """Returns the multiple with most votes, and its share of the votes, in [0, 1]; 1 and 0 if there is no vote.

    Args:
        votes: `(N,)` integers of `octave.octave_votes`; zeros do not vote.
    """
    votes = np.asarray(votes)
    votes = votes[votes > 0]
    if not len(votes):
        return 1, 0.0
    found, counts = np.unique(votes, return_counts=True)
    return int(found[counts.argmax()]), float(counts.max() / len(votes))
