"""An exported model, asked about the windows of a recording."""

import json
import math
import pathlib

import numpy as np
import tensorflow as tf

from simper_tf.export import saved_model
from simper_tf.reading.learned import Learned, Part, median
from simper_tf.recordings import windows
from simper_tf.recordings.pixels import levels
from simper_tf.recordings.source_contract import Source
from simper_tf.signals import octave, spectrum
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.standardize import is_series

# Rates that differ by less than this share are the same.
_ALIKE = 0.01
# Times the seconds that it needs at least, as windows are whole frames.
_SPARE = 1.05


class Exported:
    """An exported model that answers in Hz.

    Series are brought to the rates that it was trained on, as those were; frames of pictures have the rate they have.

    Args:
        path: Folder of a run, of its `saved_model`, or of one version in it.

    Raises:
        ValueError: there is none, or it does not answer in Hz to frames and a rate.
    """

    def __init__(self, path):
        path = pathlib.Path(path)
        version = saved_model.find_version(path)
        if version is None:
            raise ValueError(f"`model={path}` holds no exported model. simper train writes one.")
        try:
            self._loaded = tf.saved_model.load(str(version))
            self._answer = self._loaded.signatures["serving_default"]
            inputs = self._answer.structured_input_signature[1]
            self._shape = tuple(inputs["frames"].shape[2:])
            if is_series(self._shape):
                self._answer = self._loaded.signatures[f"serving_default{saved_model.FLOAT_SUFFIX}"]
        except (OSError, KeyError, ValueError, IndexError, tf.errors.OpError) as error:  # The last of a file cut off.
            said = str(error).splitlines()[0].rstrip(".")
            raise ValueError(f"`model={path}` cannot be loaded: {said}. Export it again.") from error
        self._name = "`model`"  # Of the recording that is read.
        facts = _facts(version)
        self._rates = facts.get("rates_trained_on") if is_series(self._shape) else None
        self.band, self._least_seconds = facts.get("band_hz"), facts.get("least_seconds", 0.0)
        self._most_seconds, self._least = facts.get("most_seconds", 0.0), facts.get("least_confidence", 0.0)
        self._clip_seconds, self._by_pixels = facts.get("clip_seconds", 0.0), facts.get("by_pixels", False)
        if "rate" not in inputs or None in self._shape:
            raise ValueError(f"`model={path}` does not answer in Hz to frames of one size and a rate: name another.")
        if "frequency_hz" not in self._answer.structured_outputs:
            raise ValueError(
                f"`model={path}` answers with {', '.join(sorted(self._answer.structured_outputs))}, without "
                "frequency_hz. Name another, such as simper train writes."
            )

    @property
    def shape(self) -> tuple[int, int]:
        """`(height, width)` of the frames that it was trained on."""
        return self._shape[:2]

    def window(self, seconds: float = math.inf) -> float | None:
        """Returns the seconds it is asked about at once: those of the clips it learned from, where it tells them.

        A model of clips of any length is asked about all of a recording of so many seconds, or as many as it tells.
        """
        if not self.band:
            return None
        if self._most_seconds:
            return max(_SPARE * self._least_seconds, min(self._most_seconds, seconds))
        return max(_SPARE * self._least_seconds, self._clip_seconds or windows.PERIODS / self.band[0])

    def check(self, source: Source):
        """Refuses a recording that is no series where the model was trained on series, or the other way round.

        Raises:
            RawDataError: it is so, or has another number of channels.
        """
        self._name = source.name
        if not is_series(self._shape):
            source.require_pictures("`model`")
        elif source.has_pictures:
            raise RawDataError(source.name, "pictures", "a series, as `model` reads", "Name another `model`.")
        elif source.channels() != self._shape[2]:
            expected = f"{self._shape[2]}, as `model` reads"
            found = f"{source.channels()} channel{'s' * (source.channels() > 1)}"
            raise RawDataError(source.name, found, expected, "Name its channels by `columns`, or another `model`.")

    def read(self, part: Part) -> Learned:
        """Returns the median of its answers to the windows of a recording, without those in which it has no confidence.

        Raises:
            RawDataError: it refuses them, or a frame cannot be read.
        """
        answers = [self._answered(window) for window in part.windows(self.shape)]
        together = [answer["frequency_hz"] for answer in answers]
        if self._by_pixels and answers:
            together = self._together(answers)
        hertz = [read if answer["is_sure"] else math.nan for read, answer in zip(together, answers, strict=True)]
        return median(hertz, self.band)

    def _together(self, answers):
        """Returns the frequencies of windows, whose pixels tell the octave together."""
        names = "features", "pixels", "rate"
        features, pixels, rates = (np.stack([answer[name] for answer in answers]) for name in names)
        return octave.resolve_together(features, pixels, rates.mean(), self.band[0] if self.band else 0.0).tolist()

    def _answered(self, window):
        """Returns what the model says of a window, with the power spectrum of its pixels and its rate."""
        seen = self._at_rate_trained_on(window)
        frames = seen.frames if is_series(self._shape) else levels(seen.frames, self._shape[2])
        try:
            said = self._answer(frames=tf.constant(frames[None]), rate=tf.constant([seen.rate], tf.float32))
        except tf.errors.InvalidArgumentError as error:
            text = str(error)
            refusal = (text.partition("assertion failed: ")[2] or text).splitlines()[0]
            refusal = refusal.replace("[", "").replace("]", "")  # TensorFlow puts each part of a message in brackets.
            expected, remedy = "windows that it can read", "Change `window` or `band`, or leave `model` out."
            raise RawDataError(self._name, f"a refusal of `model` ({refusal})", expected, remedy) from error
        answer = {name: value[0].numpy() for name, value in said.items()}
        confidence = answer.get("confidence", 1.0)
        is_sure = confidence >= self._least if self._least else confidence > 0
        return {**answer, "is_sure": is_sure, "pixels": spectrum.pixel_power(frames[None])[0], "rate": seen.rate}

    def _at_rate_trained_on(self, window):
        rate = float(np.clip(window.rate, *self._rates)) if self._rates else window.rate
        return window if abs(rate / window.rate - 1) < _ALIKE else windows.at_rate(window, rate)


def _facts(version):
    """Returns what an exported model says of itself: its ranges, and whether pixels tell the octave of each clip."""
    try:
        metadata = json.loads((version / saved_model.METADATA).read_text())
        ranges = {name: tuple(metadata[name]) for name in ("rates_trained_on", "band_hz") if metadata.get(name)}
        facts = {name: (low, high) for name, (low, high) in ranges.items() if 0 < low <= high}
        by_pixels = "harmonic" in metadata and metadata["harmonic"] is None
        names = "least_seconds", "clip_seconds", "most_seconds", "least_confidence"
        numbers = {name: float(metadata.get(name) or 0.0) for name in names}
        return {**facts, **numbers, "by_pixels": by_pixels}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
