"""SimPer on anybody's recordings in five lines: what it takes is proposed from them, as for a run on recordings.

Example:

    model = simper_tf.from_recordings("clips/*.mp4")
    model.fit(steps=500)
    print(model.frequency("new.mp4"))
    model.export("saved_model")
"""

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
from simper_tf.signals import spectrum
from simper_tf.signals.octave import Octave
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

Names = str | os.PathLike | Sequence[str | os.PathLike]
_LEARNING_RATE = 1e-3


def from_recordings(names: Names, *, num_views: int = 5, seed: int = 0, **given) -> "FromRecordings":
    """Returns SimPer for recordings, to be trained by `fit`.

    Args:
        names: Files, folders and patterns with *, one or several.
        num_views: Views in each of the two sets of a clip.
        seed: Of weights, order and views.
        given: What is not to be proposed: `band`, `window`, `hop`, `rate`, `size` and others, see `Recordings`.

    Raises:
        ValueError: no recording can be used, or what is asked for does not fit them.

    Example:
        >>> from simper_tf.commands import sample
        >>> model = simper_tf.from_recordings(sample.PATH)
        >>> len(model.recordings), model.recordings.clip_shape
        (18, (148, 18, 24, 3))
        >>> model.fit(steps=500), model.frequency(sample.PATH)  # doctest: +SKIP
    """
    return FromRecordings(Recordings(names, seed=seed, **given), num_views, seed)


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
        fastest = min(2.0, proposals.fastest_speed(recordings.rate, recordings.band))
        times = SpeedSets(num_views, (0.5, fastest))
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

        Raises:
            ValueError: it was not trained, the name is not that of one recording, or that has no clip.
        """
        octave = self._octave()
        plan = self.recordings.proposal
        size = {} if self.recordings.are_series else {"size": plan.shape}
        new = Recordings(name, band=plan.band, window=plan.seconds, rate=plan.rate, **size)
        if len(new.sources) != 1:
            raise ValueError(f"{name} stands for {len(new.sources)} recordings. Name one.")
        features, pixels = np.asarray(self.method.encode(new.clips)), spectrum.pixel_power(new.clips)
        return float(np.median(octave.frequency(features, pixels, plan.rate)))

    def export(self, folder: str | os.PathLike) -> pathlib.Path:
        """Writes the next numbered SavedModel below a folder, which answers in Hz, and returns its path.

        Features at a multiple of the frequency must fit below half the rate: the band ends where they do.

        Raises:
            ValueError: it was not trained.
        """
        rate, harmonic, (low, high) = self.recordings.rate, self._octave().harmonic, self.recordings.band
        if harmonic:
            high = min(high, 0.999 * harmonic * rate / 2)
        facts = {"method": "simper", "encoder": self.method.encoder.name, "rates_trained_on": [rate, rate]}
        return saved_model.export_model(
            self.method.encoder, folder, self.recordings.clip_shape[1:], (low, high), harmonic, facts=facts,
        )  # fmt: skip

    def _octave(self) -> Octave:
        if self.octave is None:
            raise ValueError("The model has learned nothing yet: call `fit` first.")
        return self.octave
