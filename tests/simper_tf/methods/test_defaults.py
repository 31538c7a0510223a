"""Defaults that published rows rest on: another number would change what a run of the same flags learns."""

import pytest

from simper_tf.methods import METHODS
from simper_tf.utils.options import declared
from simper_tf.views.times import CutClip, DistantTimes, SameSpeed, SpeedSets, StretchedTimes, Strides, WholeClip

# Of a head, which follow from the labels and have no unit of their own.
_OF_DATA = ("outputs", "label_deviation", "cycles_per_label")
OPTIONS = {
    "simper": {"similarity": "mxcorr", "temperature": 1.0, "label_temperature": 0.1, "label_similarity": "l1"},
    "simclr": {"temperature": 0.1, "projection": 128},
    "cvrl": {"temperature": 0.1, "projection": 128, "hidden": 2048},
    "moco": {"momentum": 0.99, "queue_size": 256, "temperature": 0.2, "projection": 128},
    "byol": {"momentum": 0.99, "hidden": 4096, "projection": 256},
    "sinc": {"bandwidth_weight": 1.0, "sparsity_weight": 1.0, "variance_weight": 1.0},
    "slf_rpm": {"temperature": 0.1, "projection": 2048},
    "supervised": {"head": "linear", "freeze": False, **dict.fromkeys(_OF_DATA, 1)},
}
# What adds to a method is off.
ADDITIONS = {"prior_weight": 0.0, "micro_batch": 0, "joint": False}


@pytest.mark.parametrize("name", OPTIONS)
def test_defaults_of_options_stay_and_nothing_is_added(name):
    # What follows from the data is no flag, and None or 0 until then; a head that needs none of it has 1.
    set_by_users = [field for field in declared(METHODS[name].Options) if field.metadata["is_flag"] or field.default]
    defaults = {field.name: field.default for field in set_by_users}
    assert defaults == {**{option: ADDITIONS[option] for option in defaults if option in ADDITIONS}, **OPTIONS[name]}


@pytest.mark.parametrize(
    ("times", "given"),
    [
        (SpeedSets, {"num_views": 10, "speed_range": (0.5, 2.0)}),
        (CutClip, {"num_windows": 4}),
        (StretchedTimes, {"num_windows": 4, "speed_range": (1.25, 1.5)}),
        (Strides, {"largest": 5}),
        *((kind, {}) for kind in (SameSpeed, WholeClip, DistantTimes)),
    ],
)
def test_defaults_of_times_stay_and_half_are_reversed(times, given):
    assert times() == times(**given, reverse_probability=0.5)
