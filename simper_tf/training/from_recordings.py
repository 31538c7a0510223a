"""SimPer on anybody's recordings in five lines: what it takes is proposed from them, as for a run on recordings.

Example:

    model = simper_tf.from_recordings("clips/*.mp4")
    model.fit(steps=500)
    print(model.frequency("new.mp4"))
    model.export("saved_model")
"""

import math
import os
import pathlib
from collections.abc import Sequence

import keras
import numpy as np

from simper_tf.data import proposals
from simper_tf.data.recording_clips import Recordings
from simper_tf.encoders import ENCODERS
from simper_tf.export import saved_model
from simper_tf.methods import SimPer
from simper_tf.methods.frequencies import CLIPS_AT_ONCE
from simper_tf.signals import spectrum
from simper_tf.signals.octave import resolve_together
from simper_tf.signals.votes import Octave
from simper_tf.training.counted import Counted
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

Names = str | os.PathLike | Sequence[str | os.PathLike]
_LEARNING_RATE = 1e-3


def from_recordings(
    names: Names, *, num_views: int = 5, seed: int = 0, counted: Counted | None = None, **given
) -> "FromRecordings":
    """Returns SimPer for recordings, to be trained by `fit`.

    What repeats in the recordings is counted first, for some seconds each.

    Args:
        names: Files, folders and patterns with *, one or several.
        num_views: Views in each of the two sets of a clip.
        seed: Of weights, order and views.
        counted: What reads them; None for one that says nothing meanwhile.
        given: What is not to be proposed: `band`, `window`, `hop`, `rate`, `size` and others, see `Recordings`.

    Raises:
        ValueError: no recording can be used, or what is asked for does not fit them.

    Example:
        >>> from simper_tf.commands import sample
        >>> model = simper_tf.from_recordings(sample.PATH)
        >>> len(model.recordings), model.recordings.clip_shape
        (14, (74, 18, 24, 3))
        >>> model.fit(steps=500), model.frequency(sample.PATH)  # doctest: +SKIP
    """
    return FromRecordings(Recordings(names, seed=seed, counted=counted or Counted(), **given), num_views, seed)


class FromRecordings:
    """A method with the recordings that it learns from.

    Attributes:
        recordings: The `Recordings`.
        method: The `SimPer`, compiled.
        octave: At which multiple of the frequency features run, an `Octave`; None before `fit`.
    """

    def __init__(self, recordings: Recordings, num_views: int, seed: int):
        keras.utils.set_random_seed(seed)
        self.recordings, self.octave = recordings, None
        length, *shape = recordings.clip_shape
        proposals.check_room(recordings.rate, recordings.band)
        times = SpeedSets(num_views, recordings.proposal.speeds)
        encoder = ENCODERS["small1d" if recordings.are_series else "small"](tuple(shape))
        views = Views(times.longest_view(length), times, interpolation="steady")
        self.method = SimPer(encoder, views, seed=seed)
        self.method.compile(keras.optimizers.Adam(_LEARNING_RATE))

    def fit(
        self, steps: int = 500, batch_size: int = 4, verbose: int | str = 0, callbacks: Sequence = ()
    ) -> keras.callbacks.History:
        """Trains, and finds at which multiple of the frequency the features run.

        Args:
            steps: Of the optimizer, rounded to whole passes over the clips, one at least.
            batch_size: Clips a step.
            verbose, callbacks: As of `keras.Model.fit`.
        """
        size = min(batch_size, len(self.recordings))
        passes = max(round(steps / -(-len(self.recordings) // size)), 1)
        history = self.method.fit(
            self.recordings, batch_size=size, epochs=passes, verbose=verbose, callbacks=list(callbacks)
        )
        self.octave = self.method.octave(self.recordings, self.recordings.band[0] / self.recordings.rate)
        return history

    def frequency(self, name: str | os.PathLike) -> float:
        """Returns the frequency in Hz that the features show in a recording: the median of its clips.

        NaN where that lies outside of the band of `recordings`, of which alone the model has learned.

        Raises:
            ValueError: it was not trained, the name is not that of one recording, or that has no clip.
        """
        self._octave()
        plan = self.recordings.proposal
        size = {} if self.recordings.are_series else {"size": plan.shape}
        new = Recordings(name, band=plan.band, window=plan.seconds, rate=plan.rate, **size)
        if len(new.sources) != 1:
            raise ValueError(f"{name} stands for {len(new.sources)} recordings. Name one.")
        return self._hertz(new.clips)

    def frequencies(self) -> dict[str, float]:
        """Returns the name of each recording that it learned from -> what `frequency` gives of it.

        Raises:
            ValueError: it was not trained.
        """
        clips, names = self.recordings.clips, np.array(self.recordings.recordings)
        return {name: self._hertz(clips[names == name]) for name in dict.fromkeys(names.tolist())}

    def export(self, folder: str | os.PathLike) -> pathlib.Path:
        """Writes the next numbered SavedModel below a folder, which answers in Hz, and returns its path.

        Features at a multiple of the frequency must fit below half the rate: the band ends where they do.

        Raises:
            ValueError: it was not trained.
        """
        rate, harmonic, (low, high) = self.recordings.rate, self._octave().harmonic, self.recordings.band
        if harmonic:
            high = min(high, 0.999 * harmonic * rate / 2)
        facts = {
            "method": "simper", "encoder": self.method.encoder.name, "rates_trained_on": [rate, rate],
            "clip_seconds": self.recordings.clip_shape[0] / rate,
        }  # fmt: skip
        return saved_model.export_model(
            self.method.encoder, folder, self.recordings.clip_shape[1:], (low, high), harmonic, facts=facts,
            is_overruled=self._octave().is_overruled,
        )  # fmt: skip

    def _hertz(self, clips):
        """Returns the median frequency of the clips of a recording, NaN where it lies outside of the band."""
        low, high = self.recordings.band
        parts = [clips[k : k + CLIPS_AT_ONCE] for k in range(0, len(clips), CLIPS_AT_ONCE)]
        features = np.concatenate([self.method.encode(part) for part in parts])
        pixels = np.concatenate([spectrum.pixel_power(part) for part in parts])
        read = self._octave().frequency if self._octave().is_common else resolve_together
        hertz = read(features, pixels, self.recordings.rate, low)
        middle = float(np.median(hertz))
        return middle if low <= middle <= high else math.nan

    def _octave(self) -> Octave:
        if self.octave is None:
            raise ValueError("The model has learned nothing yet: call `fit` first.")
        return self.octave
