"""Replay that learns from somebody's films: the network of the reader, which goes on learning from them."""

import math

import keras
import numpy as np
import tensorflow as tf

from simper_tf.data import film_stretches
from simper_tf.data.recording_clips import Recordings
from simper_tf.encoders import glance
from simper_tf.export import saved_model
from simper_tf.methods import Replay, rhythm_scales
from simper_tf.methods.frequencies import CLIPS_AT_ONCE
from simper_tf.reading.films import rhythm_network
from simper_tf.signals import samples
from simper_tf.signals.rhythm_form import NUM_FRAMES
from simper_tf.training.own_model import OwnModel
from simper_tf.utils.units import PERIODS
from simper_tf.views.replays import Replays
from simper_tf.views.views import Views

SPEEDS = 0.6, 1.5  # Of replays: two of one film differ by a factor of 2.5 at most.
_LEARNING_RATE = 2e-4  # A tenth of that of a network that begins at random weights.
LONGEST = 24.0  # Seconds of a clip that is read, at most: windows of 4 s to all of it are looked at.
_MULTIPLES = 1.0, 0.5, 2.0  # That labels may tell.


def replay_of_films(seed: int, nothing_share: float = 0.35, **options) -> Replay:
    """Returns the method and the encoder of the reader at random weights, not compiled.

    Args:
        seed: Of first weights and replays.
        nothing_share: Share of replays in which nothing repeats.
        options: Of `Replay`.
    """
    keras.utils.set_random_seed(seed)
    views = Views(NUM_FRAMES, Replays(2, SPEEDS, nothing_share=nothing_share), None)
    return Replay(glance(), views, seed=seed, **options)


def layers_of(model: Replay) -> dict[str, keras.layers.Layer]:
    """Returns the layers with weights by the names of `rhythm_network.LAYERS`."""
    layers = [layer for part in (model.encoder, model.head) for layer in part.layers if layer.weights]
    return dict(zip(rhythm_network.LAYERS, layers, strict=True))


def set_shipped(model: Replay):
    """Gives a method of `replay_of_films` the weights that come with the package."""
    for name, layer in layers_of(model).items():
        layer.set_weights([rhythm_network.weights()[f"{name}.{part}"] for part in ("kernel", "bias")])


def longest_clip(highest: float) -> float:
    """Returns the seconds of a clip that is read at once, which tells frequencies up to a highest one in Hz."""
    return min(LONGEST, rhythm_scales.longest(highest))


class OwnReplay(OwnModel):
    """Replay and the films that it learns from: a network that other films have taught goes on learning.

    It reads before `fit` too, by the weights that come with the package.

    Attributes:
        multiple: Of what the network reads, as labels tell at the end of `fit`.
    """

    multiple = 1.0

    def __init__(self, recordings: Recordings, seed: int):
        method = replay_of_films(seed, ratio_weight=0.0)
        set_shipped(method)
        super().__init__(recordings, method)
        self.method.compile(keras.optimizers.Adam(_LEARNING_RATE, global_clipnorm=1.0))
        shape = recordings.clip_shape[1:]
        self._reader = rhythm_scales.over_scales(method.encoder, method.head, shape)

    def frequencies(self):
        """Reads each recording as `frequency` does, see `OwnModel`."""
        return {source.name: self.frequency(source.name) for source in self.recordings.sources}

    def export(self, folder):
        """Writes a SavedModel, see `OwnModel`. Its features are the chances of every period."""
        shape, facts = self.recordings.clip_shape[1:], {**self._facts(self._reader), "most_seconds": self._longest}
        return saved_model.export_rhythm(self._reader, folder, shape, self.recordings.band, self.multiple, facts)

    @property
    def told_by_labels(self):
        how = {0.5: "half of what it reads is taken", 1.0: "what it reads is taken as it is"}
        return f"By the labels {how.get(self.multiple, 'twice what it reads is taken')}."

    def _data(self, size, steps, done):
        rate = self.recordings.rate
        films = [(clip, rate) for clip in _small_gray(self.recordings.clips)]
        return {
            "x": film_stretches.dataset(films, size, self.method.seed, done), "steps_per_epoch": steps, "shuffle": False
        }  # fmt: skip

    def _conclude(self):
        self.multiple = 1.0
        known, hertz = self._labeled()
        if known.any():
            read, _ = self._read(self.recordings.clips[known], self.recordings.band, self.recordings.rate)
            off = np.abs(np.log2(np.multiply.outer(_MULTIPLES, read) / hertz[known]))
            self.multiple = _MULTIPLES[int(np.median(off, axis=1).argmin())]

    def _cut(self, sources):
        """Clips are longer than those that were learned from: slow repetitions are read too."""
        plan, (low, high) = self.recordings.proposal, self.recordings.band
        seconds = min(self._longest, self._shown(sources))
        return {
            "window": seconds,
            "band": (max(low, 1.01 * PERIODS / seconds), high),
            "rate": plan.rate,
            "size": plan.shape,
        }

    @property
    def _longest(self):
        return longest_clip(self.recordings.band[1] / self.multiple)

    def _hertz(self, clips, band, rate):
        """Clips count by their confidence; none is told where no clip has 0.5."""
        low, high = band
        hertz, confidence = self._read(clips, (low / self.multiple, high / self.multiple), rate)
        if confidence.max() < samples.SURE:
            return math.nan
        middle = self.multiple * samples.weighted_median(hertz, confidence)
        return middle if low <= middle <= high else math.nan

    def _read(self, clips, band, rate):
        """Returns the likeliest frequency of each clip, before any multiple, and its confidence."""
        parts = [tf.cast(clips[k : k + CLIPS_AT_ONCE], tf.float32) / 255 for k in range(0, len(clips), CLIPS_AT_ONCE)]
        rates = [tf.fill([len(part)], np.float32(rate)) for part in parts]
        read = [rhythm_scales.read(self._reader(part), part, of, band) for part, of in zip(parts, rates, strict=True)]
        return [np.concatenate(values).astype(float) for values in zip(*read, strict=True)]


def _small_gray(clips):
    """Returns `(N, T, 32, 32)` uint8 pictures of `(N, T, H, W, C)` clips."""
    small = rhythm_scales.SmallGray()
    return np.concatenate([np.rint(small(np.float32(clip[None]))).astype(np.uint8) for clip in clips])
