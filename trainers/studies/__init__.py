"""Every table of the paper, and some of ours, as data: name -> the function that makes its `Study` for a scale."""

from collections.abc import Callable

from trainers.studies import (
    ablations,
    beyond,
    comparison,
    features,
    fewer,
    finetuning,
    labeling,
    noise,
    parts,
    specialized,
    tuning,
)
from trainers.studies.scales import SETS, Scale
from trainers.studies.table import Study

PULSE = ("scamps", "ubfc", "pure")
# Name -> function of a scale, and the data sets of the paper that it needs.
STUDIES: dict[str, tuple[Callable[[Scale], Study], tuple[str, ...]]] = {
    "table2": (features.features(2, "rotating_digits"), ("rotating_digits",)),
    "table3": (features.features(3, "scamps"), ("scamps",)),
    "table4": (features.features(4, "ubfc"), ("ubfc",)),
    "table5": (features.features(5, "pure"), ("pure",)),
    "table6": (features.features(6, "countix"), ("countix",)),
    "table7": (features.features(7, "lst"), ("lst",)),
    "table8": (finetuning.whole_networks, tuple(SETS)),
    "table9": (beyond.transfer, ("ubfc", "pure")),
    "table10": (beyond.unseen, ("rotating_digits",)),
    "table12": (fewer.fewer_clips("scamps"), ("scamps",)),
    "table12_digits": (fewer.fewer_clips("rotating_digits"), ("rotating_digits",)),
    "table13": (fewer.fewer_labels("scamps"), ("scamps",)),
    "table13_digits": (fewer.fewer_labels("rotating_digits"), ("rotating_digits",)),
    "table14": (features.spurious, ("rotating_digits",)),
    "table15": (ablations.speeds, ("scamps",)),
    "table16": (ablations.views, ("scamps",)),
    "table17": (ablations.similarities, ("scamps",)),
    "table18": (ablations.generalized, tuple(SETS)),
    "table19": (fewer.lengths, ("rotating_digits", "scamps", "lst")),
    "table20": (specialized.networks, ("countix", *PULSE)),
    "table21": (specialized.pulse_methods, PULSE),
    "table22": (finetuning.other_data, ("rotating_digits", "countix", "lst")),
    "quickstart": (parts.quickstart, ("rotating_digits",)),
    "settings": (tuning.settings, ("rotating_digits",)),
    "finalists": (tuning.finalists_by_seeds, ("rotating_digits",)),
    "batches": (tuning.batches, ("rotating_digits",)),
    "comparison": (comparison.comparison, ("rotating_digits",)),
    "comparison_prior": (comparison.with_prior, ("rotating_digits",)),
    "largest_batches": (comparison.largest_batches, ("rotating_digits",)),
    "equal_seconds": (comparison.equal_seconds, ("rotating_digits",)),
    "encoder": (parts.encoder, ("rotating_digits",)),
    "losses": (parts.losses, ("rotating_digits",)),
    "noise_settings": (noise.noise_settings, ("rotating_digits",)),
    "seeds": (noise.seeds, ("rotating_digits",)),
    "strengths": (noise.strengths, ("rotating_digits",)),
    "finetune_settings": (labeling.finetune_settings, labeling.CHOSEN_ON),
    "prior": (ablations.prior, ("scamps",)),
    "between_frames": (ablations.between_frames, ("scamps", "ubfc")),
    "choices": (ablations.choices, ("rotating_digits",)),
}
