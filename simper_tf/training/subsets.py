"""Settings and a data set -> the clips that a run uses: shares of them, gaps in their labels, the ends of clips.

Test clips are never fewer for it.
"""

import hashlib

import numpy as np

from simper_tf.data.built import ClipData
from simper_tf.evaluation.tasks import Frequency, Series
from simper_tf.training.settings import Settings, text_of
from simper_tf.utils.units import FEWEST_FRAMES


def used(clips: ClipData, settings: Settings) -> ClipData:
    """Returns a data set as a run uses it.

    Training and validation clips with labels that training must not see are left out first. Of the training clips that
    remain, up to `train_clips`, the share `data_fraction` is used for anything, and of those the labels of the share
    `label_fraction` are known. A ValueError says that nothing is left, that no test clip has a label that training
    could not have seen, or that this cannot be asked of these labels or clips.
    """
    clips = _cut(clips, settings.clip_frames)
    chosen = _with_seen_labels(clips, settings)
    if settings.data_fraction == settings.label_fraction == 1:
        return clips.take(chosen)
    ids = clips.column("id", "train")
    rows = chosen.get("train", np.arange(len(ids)))[: settings.train_clips or None]
    rows = rows[share(ids[rows], settings.data_fraction, settings.seed)]
    known = share(ids[rows], settings.label_fraction, settings.seed)
    return clips.take({**chosen, "train": rows}, known)


def share(ids: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    """Returns which of N clips, named by bytes, make up a share of them, `(N,)` bool: at least one.

    They have the lowest hashes of seed and id. So a smaller share lies inside a larger one, and which clips they are
    does not depend on their order.
    """
    hashes = [hashlib.sha256(b"%d/%s" % (seed, name)).digest() for name in ids]
    order = sorted(range(len(ids)), key=hashes.__getitem__)
    chosen = np.zeros(len(ids), bool)
    chosen[order[: max(round(fraction * len(ids)), 1)]] = True
    return chosen


def seen(labels: np.ndarray, settings: Settings) -> np.ndarray | None:
    """Returns which of `(N,)` labels training could have seen, `(N,)` bool; None if the settings hide none."""
    if not settings.label_gap and not settings.label_range:
        return None
    visible = np.ones(len(labels), bool)
    if settings.label_gap:
        low, high = settings.label_gap
        visible &= (labels < low) | (labels > high)
    if settings.label_range:
        low, high = settings.label_range
        visible &= (labels >= low) & (labels <= high)
    return visible


def _cut(clips, num_frames):
    if not num_frames:
        return clips
    if isinstance(clips.task, Frequency) and clips.task.unit == "count":
        raise ValueError(
            f"`clip_frames={num_frames}` means nothing for {clips.name}, whose labels are counts of whole clips. Leave "
            "it out."
        )
    if not FEWEST_FRAMES <= num_frames <= clips.num_frames:
        raise ValueError(
            f"`clip_frames={num_frames}`: the clips of {clips.name}/{clips.config} have {clips.num_frames} frames. Use "
            f"from {FEWEST_FRAMES} to {clips.num_frames} of them, or 0 for all."
        )
    return clips.cut(num_frames)


def _with_seen_labels(clips, settings):
    """Returns split -> rows of the clips whose labels training may see; empty where no label is hidden."""
    given = {name: getattr(settings, name) for name in ("label_gap", "label_range") if getattr(settings, name)}
    if not given:
        return {}
    hidden = " and ".join(f"`{name}={text_of(pair)}`" for name, pair in given.items())
    if isinstance(clips.task, Series):
        raise ValueError(f"{hidden}: labels of {clips.name} are series, which lie in no gap or range. Leave it out.")
    chosen = {}
    for split in ("train", "validation"):
        labels = clips.column("label", split)
        chosen[split] = np.flatnonzero(seen(labels, settings))
        if not len(chosen[split]):
            raise ValueError(
                f"{hidden} leaves no {split} clip: their labels lie between {labels.min():g} and {labels.max():g} "
                f"{clips.task.unit}. Hide fewer."
            )
    if settings.split == "test":
        labels = clips.column("label", "test", settings.test_clips)
        number = int(np.sum(seen(labels, settings)))
        if number in (0, len(labels)):
            raise ValueError(
                f"{hidden}: of {len(labels)} test clips {number} have a label that training could have seen, so that "
                f"errors on seen and unseen labels cannot be compared. Their labels lie between {labels.min():g} and "
                f"{labels.max():g} {clips.task.unit}: hide others, or use more test clips."
            )
    return chosen
