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
import time
from collections.abc import Sequence

import keras
import numpy as np

from simper_tf.data import held_out as held
from simper_tf.data import own_labels, proposals
from simper_tf.data.recording_clips import Recordings
from simper_tf.encoders import ENCODERS
from simper_tf.export import saved_model
from simper_tf.methods import SimPer
from simper_tf.methods.frequencies import CLIPS_AT_ONCE
from simper_tf.recordings import search
from simper_tf.recordings.source_contract import Source
from simper_tf.signals import readout, spectrum
from simper_tf.signals.octave import resolve_together
from simper_tf.signals.votes import LabeledOctave, Octave
from simper_tf.training.checkpoints import Checkpoints
from simper_tf.training.counted import Counted
from simper_tf.utils.progress import Counter, clock, say
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

Names = str | os.PathLike | Sequence[str | os.PathLike]
_LEARNING_RATE = 1e-3  # Of Adam, its usual one.
_CLOSEST = 2.0  # Times as many frames a second as learned from: views are slowed down to half the speed.
_SAVE_SECONDS = 30.0  # Between checkpoints.
_HIGHEST_SHARE = 0.49  # Of the rate, up to which features may show a line.


def from_recordings(
    names: Names | search.Found,
    *,
    num_views: int = 5,
    seed: int = 0,
    hold_out: float | Sequence[str] = 0.0,
    labels: str | os.PathLike | None = None,
    counted: Counted | None = None,
    **given,
) -> "FromRecordings":
    """Returns SimPer for recordings, to be trained by `fit`.

    What repeats in the recordings is counted first, for some seconds each.

    Args:
        names: Files, folders and patterns with *, one or several; or what `search.find` has found.
        num_views: Views in each of the two sets of a clip.
        seed: Of weights, order and views.
        hold_out: Recordings that nothing is learned from: a share of them, or their names, or the ends of their paths.
        labels: File of what somebody has counted in some recordings, see `own_labels.stretches_in`. It replaces the
            count there, and tells at which multiple of the frequency features run.
        counted: What reads them; None for one that says nothing meanwhile. Its `hertz` get what the labels say.
        given: What is not to be proposed: `band`, `window`, `hop`, `rate`, `size` and others, see `Recordings`.

    Raises:
        ValueError: no recording can be used, or what is asked for does not fit them; as `own_labels.stretches_in`.

    Example:
        >>> from simper_tf.commands import sample
        >>> model = simper_tf.from_recordings(sample.PATH)
        >>> len(model.recordings), model.recordings.clip_shape
        (14, (74, 18, 24, 3))
        >>> model.fit(steps=500), model.frequency(sample.PATH)  # doctest: +SKIP
    """
    counted, held_out, stretches = counted or Counted(), [], []
    if hold_out or labels:
        found = names if isinstance(names, search.Found) else search.find(names_of(names), given.get("rate"))
        stretches = (
            own_labels.stretches_in(labels, [source.name for source in found.sources], (0.0, math.inf))
            if labels
            else []
        )
        held_out = held.held_out(found.sources, hold_out)
        names = found._replace(sources=[source for source in found.sources if source not in held_out])
    for stretch in stretches:
        counted.tell(stretch.recording, stretch.hertz)
    made = FromRecordings(Recordings(names, seed=seed, counted=counted, **given), num_views, seed)
    made.held_out, made.stretches = tuple(held_out), tuple(stretches)
    return made


def names_of(names: Names) -> list[str]:
    """Returns names as a list, of one or several."""
    return [os.fspath(name) for name in ([names] if isinstance(names, str | os.PathLike) else names)]


class FromRecordings:
    """A method with the recordings that it learns from.

    Attributes:
        recordings: The `Recordings`.
        method: The `SimPer`, compiled.
        octave: At which multiple of the frequency features run, an `Octave`; None before `fit`.
        held_out: Sources of the recordings that nothing is learned from.
        stretches: Of recordings in which somebody has counted, `own_labels.Stretch`.
    """

    held_out: tuple[Source, ...] = ()
    stretches: tuple[own_labels.Stretch, ...] = ()

    def __init__(self, recordings: Recordings, num_views: int, seed: int):
        keras.utils.set_random_seed(seed)
        self.recordings, self.octave = recordings, None
        length, *shape = recordings.clip_shape
        proposals.check_room(recordings.rate, recordings.band, recordings.infos[0].of_what)
        times = SpeedSets(num_views, recordings.proposal.speeds)
        encoder = ENCODERS["small1d" if recordings.are_series else "small"](tuple(shape))
        views = Views(times.longest_view(length), times, interpolation="steady")
        self.method = SimPer(encoder, views, seed=seed)
        self.method.compile(keras.optimizers.Adam(_LEARNING_RATE))

    def fit(
        self,
        steps: int = 500,
        batch_size: int = 4,
        verbose: int | str = "auto",
        callbacks: Sequence = (),
        checkpoints: str | os.PathLike | None = None,
    ) -> keras.callbacks.History:
        """Trains, and finds at which multiple of the frequency the features run.

        Args:
            steps: Of the optimizer, rounded to whole passes over the clips, one at least.
            batch_size: Clips a step.
            verbose: 1 or "auto" prints steps and the time left, 2 Keras' line of every pass, 0 nothing.
            callbacks: As of `keras.Model.fit`.
            checkpoints: Folder of checkpoints, at every half minute, at Ctrl-C and at the end. Training goes on from
                what is there, to so many steps in all.
        """
        size = min(batch_size, len(self.recordings))
        a_pass = -(-len(self.recordings) // size)
        passes, done = max(round(steps / a_pass), 1), 0
        own, saved = [], checkpoints and Checkpoints(checkpoints, self.method)
        if saved:
            pathlib.Path(checkpoints).mkdir(parents=True, exist_ok=True)
            done = saved.restore(warn=say)
            own.append(_Saving(saved))
        if verbose in (1, "auto"):
            own.append(_Shown(min(done, passes * a_pass), passes * a_pass))
        history = keras.callbacks.History()
        history.history = {}
        if done < passes * a_pass:
            try:
                history = self.method.fit(
                    self.recordings, batch_size=size, epochs=passes, initial_epoch=done // a_pass,
                    verbose=2 if verbose == 2 else 0, callbacks=[*own, *callbacks],
                )  # fmt: skip
            except KeyboardInterrupt:
                if saved:
                    saved.save()
                raise
        self.octave = self._labeled() or self.method.octave(
            self.recordings, self.recordings.band[0] / self.recordings.rate
        )
        return history

    def frequency(self, name: str | os.PathLike) -> float:
        """Returns the frequency in Hz that the features show in a recording: the median of the clips with a line.

        NaN where none has, or it lies outside of the band of `recordings`, of which alone the model has learned. A
        video that is shorter than a clip, by half at most, is one clip: its frames lie closer, as those of a slower
        view do. Before `fit`, and of what is no one recording with a clip, a ValueError.
        """
        self._octave()
        plan, rate = self.recordings.proposal, self.recordings.rate
        found = search.find(names_of(name), rate)
        closer = 1.0
        if not self.recordings.are_series and len(found.sources) == 1:
            info = found.sources[0].info()
            shown = info.seconds - 1 / info.rate  # From the first frame to the last.
            closer = min(max(plan.seconds / shown, 1.0), _CLOSEST) if info.seconds < plan.seconds else 1.0
        size = {} if self.recordings.are_series else {"size": plan.shape}
        low, high = plan.band
        new = Recordings(found, band=(closer * low, high), window=plan.seconds / closer, rate=closer * rate, **size)
        if len(new.sources) != 1:
            raise ValueError(f"{name} stands for {len(new.sources)} recordings. Name one.")
        return self._hertz(new.clips, new.band, new.rate)

    def frequencies(self) -> dict[str, float]:
        """Returns the name of each recording that it learned from -> what `frequency` gives of it."""
        clips, names = self.recordings.clips, np.array(self.recordings.recordings)
        band, rate = self.recordings.band, self.recordings.rate
        return {name: self._hertz(clips[names == name], band, rate) for name in dict.fromkeys(names.tolist())}

    def export(self, folder: str | os.PathLike) -> pathlib.Path:
        """Writes the next numbered SavedModel below a folder, which answers in Hz, and returns its path.

        Features at a multiple of the frequency must fit below half the rate: the band ends where they do. Before `fit`
        it is a ValueError.
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

    def _hertz(self, clips, band, rate):
        """Returns the median frequency of the clips of a recording whose features show a line.

        NaN where none does, or where it lies outside of the band.
        """
        low, high = band
        parts = [clips[k : k + CLIPS_AT_ONCE] for k in range(0, len(clips), CLIPS_AT_ONCE)]
        features = np.concatenate([self.method.encode(part) for part in parts])
        pixels = np.concatenate([spectrum.pixel_power(part) for part in parts])
        read = self._octave().frequency if self._octave().is_common else resolve_together
        # Features may run at multiples above the band. What they do below it is drift.
        _, sure = readout.fft_frequency(features, rate, (low, _HIGHEST_SHARE * rate))
        hertz = np.asarray(read(features, pixels, rate, low))[np.asarray(sure) > 0]
        middle = float(np.median(hertz)) if len(hertz) else math.nan
        return middle if low <= middle <= high else math.nan

    def _labeled(self):
        """Returns the multiple that labeled clips tell; None where none is labeled."""
        recordings, (low, high) = self.recordings, self.recordings.band
        seconds = recordings.clip_shape[0] / recordings.rate
        hertz = own_labels.of_clips(self.stretches, recordings.recordings, recordings.starts, seconds)
        known = (low <= hertz) & (hertz <= high)
        if not known.any():
            return None
        harmonic = readout.calibrate_harmonic(
            self.method.encode(recordings.clips[known]), hertz[known], recordings.rate, recordings.band
        )
        return LabeledOctave(1 / harmonic, agreement=1.0, voting=float(known.mean()), band=recordings.band)

    def _octave(self) -> Octave:
        if self.octave is None:
            raise ValueError("The model has learned nothing yet: call `fit` first.")
        return self.octave


class _Saving(keras.callbacks.Callback):
    """Saves a checkpoint now and then, where it is interrupted, and at the end."""

    def __init__(self, saved: Checkpoints):
        super().__init__()
        self._saved, self._last = saved, time.monotonic()

    def on_train_batch_end(self, batch, logs=None):
        self._saved.step.assign_add(1)
        if time.monotonic() - self._last > _SAVE_SECONDS:
            self._saved.save()
            self._last = time.monotonic()

    def on_train_end(self, logs=None):
        self._saved.save()


class _Shown(keras.callbacks.Callback):
    """Prints steps and the time that is left."""

    def __init__(self, done: int, total: int):
        super().__init__()
        self._done, self._counter, self._first = done, Counter("step", total), 0

    def on_train_begin(self, logs=None):
        say("The first step is compiled before it runs, which may take a minute ...")

    def on_train_batch_end(self, batch, logs=None):
        self._done += 1
        if not self._first:  # It was compiled too: nothing is known of the others.
            self._first, self._began = self._done, time.monotonic()
            return
        total = self._counter.total
        seconds = (time.monotonic() - self._began) / (self._done - self._first)
        self._counter.show(min(self._done, total), f"{clock(seconds * max(total - self._done, 0))} left")
