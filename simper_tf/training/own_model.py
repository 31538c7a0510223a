"""A model that learns from somebody's recordings: what is the same for every method."""

import abc
import math
import os
import pathlib
import time
from collections.abc import Sequence

import keras
import numpy as np

from simper_tf.data import own_labels
from simper_tf.data.recording_clips import Recordings
from simper_tf.methods.base import Method
from simper_tf.recordings import search
from simper_tf.recordings.source_contract import Source
from simper_tf.training.checkpoints import Checkpoints
from simper_tf.utils.progress import Counter, clock, say

_SAVE_SECONDS = 30.0  # Between checkpoints.


def names_of(names: str | os.PathLike | Sequence[str | os.PathLike]) -> list[str]:
    """Returns names as a list, of one or several."""
    return [os.fspath(name) for name in ([names] if isinstance(names, str | os.PathLike) else names)]


class OwnModel(abc.ABC):
    """A method with the recordings that it learns from.

    Attributes:
        recordings: The `Recordings`.
        method: The `Method`, compiled.
        held_out: Sources of the recordings that nothing is learned from.
        stretches: Of recordings in which somebody has counted, `own_labels.Stretch`.
    """

    held_out: tuple[Source, ...] = ()
    stretches: tuple[own_labels.Stretch, ...] = ()

    def __init__(self, recordings: Recordings, method: Method):
        self.recordings, self.method = recordings, method

    def fit(
        self,
        steps: int = 500,
        batch_size: int = 4,
        verbose: int | str = "auto",
        callbacks: Sequence = (),
        checkpoints: str | os.PathLike | None = None,
    ) -> keras.callbacks.History:
        """Trains, and finds at which multiple of the frequency it reads.

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
                    **self._data(size, a_pass, done), epochs=passes, initial_epoch=done // a_pass,
                    verbose=2 if verbose == 2 else 0, callbacks=[*own, *callbacks],
                )  # fmt: skip
            except KeyboardInterrupt:
                if saved:
                    saved.save()
                raise
        self._conclude()
        return history

    def frequency(self, name: str | os.PathLike) -> float:
        """Returns the frequency in Hz that the model reads in a recording, over its clips.

        NaN where it reads none, or one outside of the band of `recordings`, of which alone the model has learned.
        Of what is no one recording with a clip it is a ValueError; of SimPer also before `fit`.
        """
        found = search.find(names_of(name), self.recordings.rate, is_fallback=True, **self.recordings.table)
        new = Recordings(found, **self._cut(found.sources))
        if len(new.sources) != 1:
            raise ValueError(f"{name} stands for {len(new.sources)} recordings. Name one.")
        return self._hertz(new.clips, new.band, new.rate)

    def frequencies(self) -> dict[str, float]:
        """Returns the name of each recording that it learned from -> what `frequency` gives of it."""
        clips, names = self.recordings.clips, np.array(self.recordings.recordings)
        band, rate = self.recordings.band, self.recordings.rate
        return {name: self._hertz(clips[names == name], band, rate) for name in dict.fromkeys(names.tolist())}

    @abc.abstractmethod
    def export(self, folder: str | os.PathLike) -> pathlib.Path:
        """Writes the next numbered SavedModel below a folder, which answers in Hz, and returns its path.

        Of SimPer it is a ValueError before `fit`.
        """

    @property
    @abc.abstractmethod
    def told_by_labels(self) -> str:
        """A sentence on what labels tell of the reading."""

    @abc.abstractmethod
    def _data(self, size, steps, done) -> dict:
        """Returns what `Method.fit` takes of data: batches of so many clips, so many a pass, after so many steps."""

    @abc.abstractmethod
    def _conclude(self):
        """Finds out what is to be known for reading, once it has learned."""

    @abc.abstractmethod
    def _cut(self, sources) -> dict:
        """Returns how a recording that is to be read is cut, as arguments of `Recordings`; of several anything."""

    @abc.abstractmethod
    def _hertz(self, clips, band, rate) -> float:
        """Returns the median frequency of the clips of a recording, NaN for none or outside of the band."""

    def _shown(self, sources) -> float:
        """Returns the seconds from the first frame to the last of one recording that is read; infinity of a series."""
        if self.recordings.are_series or len(sources) != 1:
            return math.inf
        info = sources[0].info()
        return info.seconds - 1 / info.rate

    def _facts(self, encoder: keras.Model) -> dict:
        """Returns what the exported model says of itself."""
        rate = self.recordings.rate
        return {
            "method": type(self.method).__name__.lower(), "encoder": encoder.name,
            "rates_trained_on": [rate, rate], "clip_seconds": self.recordings.clip_shape[0] / rate,
        }  # fmt: skip

    def _labeled(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns which clips are labeled with a frequency of the band, and the frequencies of all."""
        recordings, (low, high) = self.recordings, self.recordings.band
        seconds = recordings.clip_shape[0] / recordings.rate
        hertz = own_labels.of_clips(self.stretches, recordings.recordings, recordings.starts, seconds)
        return (low <= hertz) & (hertz <= high), hertz


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
