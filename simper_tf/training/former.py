"""Settings of earlier versions, in the flags of runs that they have left.

A run names all its settings. Those that are gone and set nothing are passed over, and the others refused by name.
"""

from collections.abc import Mapping

_RECORDINGS = "simper train learns from recordings of your own"
_PYTHON = "it is an argument in Python alone, and the command line has its default"
# Name -> what there is in its place.
FORMER = {
    **dict.fromkeys(("videos", "window", "hop", "rate", "gaps", "size", "minutes", "labels"), _RECORDINGS),
    "deterministic": "TF_DETERMINISTIC_OPS=1 in the environment gives the same bits every time",
    "view_frames": "views have the most frames that fit at the fastest speed",
    **dict.fromkeys((
        "blur_sigma", "bandwidth_weight", "contrast_weight", "jitter_probability", "saturation", "contrast", "hue",
        "solarize_probability", "difference", "label_similarity", "hidden", "momentum", "queue_size", "projection",
        "widths",
    ), _PYTHON),
}  # fmt: skip
# What the settings among them, which every run names, were where nobody had set them.
_UNSET = ("", "0", "0.0", "false", "interpolate")


def says_nothing(name: str, text: str) -> bool:
    """Returns whether a setting that is gone stands for what is done without it."""
    return FORMER.get(name, _PYTHON) != _PYTHON and text.lower() in _UNSET


def known(given: Mapping[str, str]) -> dict[str, str]:
    """Returns flags by name, without those that are gone and say nothing; one that had a value is a ValueError."""
    kept = {name: text for name, text in given.items() if not says_nothing(name, text)}
    for name in kept:
        if name in FORMER:
            raise ValueError(f"`{name}={kept[name]}` is no setting any more: {FORMER[name]}. Delete that line.")
    return kept
