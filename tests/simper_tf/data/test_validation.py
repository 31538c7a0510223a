import types

import numpy as np
import pytest
import tensorflow as tf

from simper_tf.data import validation
from simper_tf.evaluation import tasks

BPM = tasks.Frequency("bpm", 36.0, 198.0)
CELSIUS = tasks.Series("°C", -100.0, 100.0)
RNG = np.random.default_rng(0)


def example(**changes):
    clip = RNG.integers(0, 256, (10, 4, 4, 3)).astype(np.uint8)
    values = {"clip": clip, "rate": np.float32(30), "label": np.float32(72), "id": b"a/0", "subject": b"a"}
    return values | changes


class Fake:
    """The parts of a TFDS builder that are looked at."""

    def __init__(self, stated=None, **splits):
        self.splits = splits
        counts = {split: types.SimpleNamespace(num_examples=len(examples)) for split, examples in splits.items()}
        for split, count in (stated or {}).items():
            counts[split].num_examples = count
        self.info = types.SimpleNamespace(splits=counts, metadata={})

    def as_dataset(self, split, shuffle_files):
        assert not shuffle_files
        columns = {name: np.stack([one[name] for one in self.splits[split]]) for name in self.splits[split][0]}
        return tf.data.Dataset.from_tensor_slices(columns)


def test_a_sound_set_has_no_problem_and_its_subjects_are_told():
    counts = []
    fake = Fake(train=[example(), example(id=b"b/0", subject=b"b")], test=[example(id=b"c/0", subject=b"c")])
    assert validation.examine(fake, BPM, counts.append) == ([], {"train": ["a", "b"], "test": ["c"]})
    assert counts == [1, 2, 3]


def test_shared_subjects_repeated_ids_and_wrong_counts_are_named():
    problems, _ = validation.examine(Fake({"test": 5}, train=[example(), example()], test=[example()]), BPM)
    assert problems == [
        "train, a/0: 2 times",
        "test: 1 examples where 5 are stated",
        "subject a is in test and in train",
    ]


@pytest.mark.parametrize(
    ("changes", "task", "reason"),
    [
        ({"clip": np.zeros((10, 4, 4, 3), np.uint8)}, BPM, "nothing moves in its clip"),
        ({"clip": np.full((10, 4), np.nan)}, BPM, "clip has values that are not finite"),
        ({"ppg": np.float32([1, np.inf])}, BPM, "ppg has values that are not finite"),
        ({"rate": np.float32(0)}, BPM, "a rate of 0.0 frames per second"),
        ({"label": np.float32(35)}, BPM, "a label of 35 to 35 bpm, beyond 36 to 198"),
        ({"label": np.float32(5.5)}, tasks.Frequency("count"), "a label of 5.5 to 5.5 count, beyond 0 to 5"),
        ({"label": np.float32(15.1)}, tasks.Frequency("Hz"), "a label of 15.1 to 15.1 Hz, beyond 0 to 15"),
        ({"label": np.float32([20, 101])}, CELSIUS, "a label of 20 to 101 °C, beyond -100 to 100"),
    ],
)
def test_what_cannot_be_is_named(changes, task, reason):
    assert reason in list(validation.implausible(example(**changes), task))


@pytest.mark.parametrize(
    ("label", "task"),
    [
        (36, BPM),
        (198, BPM),
        (5, tasks.Frequency("count")),
        (15, tasks.Frequency("Hz")),
        ([-100, 100], CELSIUS),
        (1e9, tasks.Scalar("mmHg")),
    ],
)
def test_the_extremes_of_a_task_pass_and_what_has_none(label, task):
    assert list(validation.implausible(example(label=np.float32(label)), task)) == []
