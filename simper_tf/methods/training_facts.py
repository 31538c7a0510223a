"""Facts of a run from which options of its method may follow."""

import dataclasses

import numpy as np

from simper_tf.evaluation.tasks import Frequency, Task
from simper_tf.views.views import Views

# Rates that differ by less, as those of a camera that was measured do, are the same.
_SAME_RATE = 1e-3


@dataclasses.dataclass(frozen=True)
class TrainingFacts:
    """Facts from which arguments of a method may follow; see `Method.arguments_for`.

    Attributes:
        views: The `Views` that the method will have.
        rates: Frames per second of each training clip.
        num_clips: Training clips.
        batch_size: Clips a step, over all replicas.
        num_steps: Steps of the whole run.
        band: Lowest and highest frequency of a clip, in Hz.
        labels: Labels of all training clips where the method learns from them, else None.
        task: What these labels are; None if it is not known.
    """

    views: Views
    rates: np.ndarray
    num_clips: int
    batch_size: int
    num_steps: int
    band: tuple[float, float]
    labels: np.ndarray | None = None
    task: Task | None = None

    def cycles_per_label(self) -> float | None:
        """Returns the cycles per frame of a whole clip whose label is 1.

        None where labels are no frequencies, or are in Hz or beats per minute and clips differ in their rate.
        """
        if not isinstance(self.task, Frequency):
            return None
        cycles = 1.0 / (self.rates * self.task.per_hertz(self.views.num_frames / self.rates))
        return float(np.mean(cycles)) if np.ptp(cycles) <= _SAME_RATE * np.mean(cycles) else None

    def band_per_frame(self, fastest: float = 1.0) -> tuple[float, float]:
        """Returns the band in cycles per frame, of views of any clip at speeds from 1 to the fastest."""
        low, high = self.band
        return float(low / np.max(self.rates)), float(min(high * fastest / np.min(self.rates), 0.5))
