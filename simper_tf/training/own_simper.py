"""SimPer that learns from somebody's recordings: films and series."""

import math

import keras
import numpy as np

from simper_tf.data import proposals
from simper_tf.data.recording_clips import Recordings
from simper_tf.encoders import ENCODERS
from simper_tf.export import saved_model
from simper_tf.methods import SimPer
from simper_tf.methods.frequencies import CLIPS_AT_ONCE
from simper_tf.signals import readout, spectrum
from simper_tf.signals.octave import resolve_together
from simper_tf.signals.votes import LabeledOctave, Octave
from simper_tf.training.own_model import OwnModel
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

_LEARNING_RATE = 1e-3  # Of Adam, its usual one.
_CLOSEST = 2.0  # Times as many frames a second as learned from: views are slowed down to half the speed.
_HIGHEST_SHARE = 0.49  # Of the rate, up to which features may show a line.


class OwnSimPer(OwnModel):
    """SimPer and the recordings that it learns from: read by the clips whose features show a line.

    Attributes:
        octave: At which multiple of the frequency features run, an `Octave`; None before `fit`.
    """

    def __init__(self, recordings: Recordings, num_views: int, seed: int):
        keras.utils.set_random_seed(seed)
        self.octave = None
        length, *shape = recordings.clip_shape
        proposals.check_room(recordings.rate, recordings.band, recordings.infos[0].of_what)
        times = SpeedSets(num_views, recordings.proposal.speeds)
        encoder = ENCODERS["small1d" if recordings.are_series else "small"](tuple(shape))
        views = Views(times.longest_view(length), times, interpolation="steady")
        super().__init__(recordings, SimPer(encoder, views, seed=seed))
        self.method.compile(keras.optimizers.Adam(_LEARNING_RATE))

    def export(self, folder):
        """Writes a SavedModel, see `OwnModel`.

        Features at a multiple of the frequency must fit below half the rate: the band ends where they do.
        """
        rate, harmonic, (low, high) = self.recordings.rate, self._check_learned().harmonic, self.recordings.band
        if harmonic:
            high = min(high, 0.999 * harmonic * rate / 2)
        encoder = self.method.encoder
        return saved_model.export_model(
            encoder, folder, self.recordings.clip_shape[1:], (low, high), harmonic, facts=self._facts(encoder),
            is_overruled=self.octave.is_overruled,
        )  # fmt: skip

    @property
    def told_by_labels(self):
        return str(self._check_learned())

    def _data(self, size, steps, done):
        return {"x": self.recordings, "batch_size": size}

    def _conclude(self):
        recordings, (known, hertz) = self.recordings, self._labeled()
        if not known.any():
            self.octave = self.method.octave(recordings, recordings.band[0] / recordings.rate)
            return
        features = self.method.encode(recordings.clips[known])
        harmonic = readout.calibrate_harmonic(features, hertz[known], recordings.rate, recordings.band)
        self.octave = LabeledOctave(1 / harmonic, agreement=1.0, voting=float(known.mean()), band=recordings.band)

    def _check_learned(self) -> Octave:
        if self.octave is None:
            raise ValueError("The model has learned nothing yet: call `fit` first.")
        return self.octave

    def _cut(self, sources):
        """A video that is shorter than a clip, by half at most, is one clip.

        Its frames lie closer, as those of a slower view do.
        """
        plan, (low, high) = self.recordings.proposal, self.recordings.band
        closer = min(max(plan.seconds / self._shown(sources), 1.0), _CLOSEST)
        size = {} if self.recordings.are_series else {"size": plan.shape}
        return {"window": plan.seconds / closer, "band": (closer * low, high), "rate": closer * plan.rate, **size}

    def _hertz(self, clips, band, rate):
        low, high = band
        parts = [clips[k : k + CLIPS_AT_ONCE] for k in range(0, len(clips), CLIPS_AT_ONCE)]
        features = np.concatenate([self.method.encode(part) for part in parts])
        pixels = np.concatenate([spectrum.pixel_power(part) for part in parts])
        octave = self._check_learned()
        read = octave.frequency if octave.is_common else resolve_together
        # Features may run at multiples above the band. What they do below it is drift.
        _, sure = readout.fft_frequency(features, rate, (low, _HIGHEST_SHARE * rate))
        hertz = np.asarray(read(features, pixels, rate, low))[np.asarray(sure) > 0]
        middle = float(np.median(hertz)) if len(hertz) else math.nan
        return middle if low <= middle <= high else math.nan
