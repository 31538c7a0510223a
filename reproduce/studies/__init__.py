"""Every table of the paper, and some of ours, as data: name -> the function that makes its `Study` for a scale."""

from collections.abc import Callable

from reproduce.studies import ablations, comparison, features, fewer, finetuning, movements, noise, phones
from reproduce.studies.scales import SETS, Scale
from reproduce.studies.table import Study

_DIGITS = ("rotating_digits",)
# Name -> function of a scale, and the data sets of the paper that it needs.
STUDIES: dict[str, tuple[Callable[[Scale], Study], tuple[str, ...]]] = {
    "phone_ppg": (phones.phones, ("phone_ppg",)),
    "imu_sets": (movements.movements, ("imu_sets",)),
    "table2": (features.features(2, "rotating_digits"), _DIGITS),
    "table3": (features.features(3, "scamps"), ("scamps",)),
    "table4": (features.features(4, "ubfc"), ("ubfc",)),
    "table5": (features.features(5, "pure"), ("pure",)),
    "table6": (features.features(6, "countix"), ("countix",)),
    "table7": (features.features(7, "lst"), ("lst",)),
    "table8": (finetuning.whole_networks, tuple(SETS)),
    "table9": (finetuning.transfer, ("ubfc", "pure")),
    "table10": (fewer.unseen, _DIGITS),
    "table12": (fewer.fewer_clips("scamps"), ("scamps",)),
    "table12_digits": (fewer.fewer_clips("rotating_digits"), _DIGITS),
    "table13": (fewer.fewer_labels("scamps"), ("scamps",)),
    "table13_digits": (fewer.fewer_labels("rotating_digits"), _DIGITS),
    "table14": (features.spurious, _DIGITS),
    "table15": (ablations.speeds, ("scamps",)),
    "table16": (ablations.views, ("scamps",)),
    "table17": (ablations.similarities, ("scamps",)),
    "table18": (ablations.generalized, tuple(SETS)),
    "table19": (fewer.lengths, ("rotating_digits", "scamps", "lst")),
    "table20": (finetuning.networks, ("countix", *finetuning.PULSE)),
    "table21": (finetuning.pulse_methods, finetuning.PULSE),
    "table22": (finetuning.other_data, ("rotating_digits", "countix", "lst")),
    "digits": (comparison.summary, _DIGITS),
    "quickstart": (comparison.quickstart, _DIGITS),
    "mnist": (comparison.mnist, _DIGITS),
    "mnist_spin": (comparison.mnist_spin, _DIGITS),
    "mnist_published": (comparison.published_recipe, _DIGITS),
    "comparison": (comparison.comparison, _DIGITS),
    "noise": (noise.noise, _DIGITS),
    "choices": (comparison.choices, _DIGITS),
}
