"""Clips that a run uses, on a made-up data set; `tests/trainers/test_parts.py` has runs of a real one."""

import dataclasses
import itertools

import numpy as np
import pytest

from simper_tf.evaluation.tasks import Frequency, Scalar, Series
from simper_tf.training import subsets
from simper_tf.training.settings import Settings

RNG = np.random.default_rng(0)
IDS = np.array([b"clip %d" % k for k in range(200)])


@dataclasses.dataclass(frozen=True)
class Made:
    """A data set of 200 training clips with labels 0.5 to 5, 10 validation and 20 test clips, of 150 frames."""

    task: object = dataclasses.field(default_factory=lambda: Frequency("Hz"))
    rows: dict = dataclasses.field(default_factory=dict)
    known_labels: object = None
    num_frames: int = 150
    name = "made"
    config = "up"

    def column(self, feature, split, limit=0):
        number = {"train": 200, "validation": 10, "test": 20}[split]
        values = {"id": IDS[:number], "label": np.linspace(0.5, 5, number)}[feature]
        return values[: limit or None]

    def take(self, rows, known_labels=None):
        return dataclasses.replace(self, rows=rows, known_labels=known_labels)

    def cut(self, num_frames):
        return dataclasses.replace(self, num_frames=num_frames)


def test_a_share_has_the_number_asked_for_and_at_least_one():
    assert [subsets.share(IDS, fraction, 0).sum() for fraction in (1, 0.5, 0.1, 0.05, 1e-9)] == [200, 100, 20, 10, 1]


def test_a_small_share_lies_inside_a_large_one():
    shares = [subsets.share(IDS, fraction, 3) for fraction in (0.05, 0.1, 0.2, 0.5, 1)]
    for small, large in itertools.pairwise(shares):
        assert not np.any(small & ~large)


def test_a_share_depends_on_ids_and_seed_and_not_on_order():
    found, order = subsets.share(IDS, 0.1, 0), RNG.permutation(200)
    assert set(IDS[order][subsets.share(IDS[order], 0.1, 0)]) == set(IDS[found])
    others = subsets.share(IDS, 0.1, 1)
    assert 0 <= np.sum(found & others) < 10
    # No stretch of the split is preferred.
    assert 5 <= np.flatnonzero(found).mean() / 10 <= 15


def test_labels_are_known_of_a_share_of_the_clips_that_are_used():
    found = subsets.used(Made(), Settings(data_fraction=0.5, label_fraction=0.1))
    assert (len(found.rows["train"]), found.known_labels.sum()) == (100, 10)
    alone = subsets.used(Made(), Settings(data_fraction=0.05))
    assert set(alone.rows["train"]) == set(found.rows["train"][found.known_labels])
    assert alone.known_labels.all()
    assert set(found.rows) == {"train"}
    limited = subsets.used(Made(), Settings(train_clips=40, data_fraction=0.5))
    assert len(limited.rows["train"]) == 20
    assert limited.rows["train"].max() < 40
    assert subsets.used(Made(), Settings(train_clips=40)).rows == {}


def test_a_gap_and_a_range_hide_labels_and_never_a_test_clip():
    settings = Settings(label_gap=(2, 3), label_range=(1, 4.5))
    assert list(subsets.seen(np.array([0.9, 1, 1.9, 2, 2.5, 3, 3.1, 4.5, 4.6]), settings)) == [
        False, True, True, False, False, False, True, True, False,
    ]  # fmt: skip
    assert subsets.seen(np.array([1.0]), Settings()) is None
    found = subsets.used(Made(), settings)
    assert found.rows.keys() == {"train", "validation"}
    for split, rows in found.rows.items():
        labels = Made().column("label", split)
        hidden = np.setdiff1d(np.arange(len(labels)), rows)
        assert np.all(((labels[rows] >= 1) & (labels[rows] < 2)) | ((labels[rows] > 3) & (labels[rows] <= 4.5)))
        assert np.all((labels[hidden] < 1) | ((labels[hidden] >= 2) & (labels[hidden] <= 3)) | (labels[hidden] > 4.5))
    fewer = subsets.used(Made(), dataclasses.replace(settings, data_fraction=0.1))
    assert set(fewer.rows["train"]) < set(found.rows["train"])


@pytest.mark.parametrize(
    ("made", "fields", "message"),
    [
        ({}, {"label_range": (7, 8)}, "`label_range=7.0,8.0` leaves no train clip: .* between 0.5 and 5 Hz. Hide"),
        ({}, {"label_gap": (7, 8)}, "`label_gap=7.0,8.0`: of 20 test clips 20 have a label that training could have"),
        ({}, {"label_gap": (2, 3), "test_clips": 3}, "of 3 test clips 3 have .* between 0.5 and .*use more test clips"),
        ({"task": Series("K")}, {"label_gap": (2, 3)}, "labels of made are series, which lie in no gap or range"),
        ({"task": Frequency("count")}, {"clip_frames": 90}, "`clip_frames=90` .*made, whose labels are counts of"),
        ({}, {"clip_frames": 151}, "`clip_frames=151`: the clips of made/up have 150 frames. Use from 8 to 150"),
        ({}, {"clip_frames": 7}, "`clip_frames=7`: .*Use from 8 to 150"),
    ],
)  # fmt: skip
def test_what_leaves_nothing_or_cannot_be_asked_is_refused(made, fields, message):
    with pytest.raises(ValueError, match=message):
        subsets.used(Made(**made), Settings(**fields))


def test_a_choice_on_validation_clips_needs_no_hidden_test_label():
    assert subsets.used(Made(), Settings(label_gap=(2, 3), test_clips=3, split="validation")).rows
    assert subsets.used(Made(task=Scalar("mmHg")), Settings(label_gap=(2, 3))).rows


def test_clips_are_cut_to_the_frames_asked_for():
    assert subsets.used(Made(), Settings(clip_frames=90)).num_frames == 90
    assert subsets.used(Made(), Settings()).num_frames == 150
