"""TFDS builder of land surface temperature; the README beside it says what it is and how to get it."""

import dataclasses

import numpy as np
import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.evaluation import tasks

from . import goes, reader

# Degrees C that an encoder sees as 0 and 1: a little more than the 213 to 343 K in which the product has values. Fixed,
# so that a color means the same temperature in every clip, and nothing of a test hour decides it.
_RETRIEVED = (-60.0, 70.0)


@dataclasses.dataclass(eq=False)
class LstConfig(tfds.core.BuilderConfig):
    """Hours of a clip and its target. The defaults are the paper's but for the split, see the README beside it.

    Attributes:
        start: First hour of the period, UTC.
        end: Hour after its last: the period is 100 days.
        window: Hours of a clip.
        horizon: Hours of a target, right after the clip.
        stride: Hours from one clip to the next.
        size: Cells a side of a quarter.
        split: `"time"` tests on the last windows of all quarters, `"region"` on one; see `reader.split_windows`.
        test_quarter: What a split by region tests on.
        validation_quarter: What a split by region validates on.
        validation_fraction: The fraction of the windows of each quarter that validate in a split by time.
    """

    start: str = "2022-04-07T00"
    end: str = "2022-07-16T00"
    window: int = 100
    horizon: int = 100
    stride: int = 24
    size: int = 100
    split: str = "time"
    test_quarter: str = "south_east"
    validation_quarter: str = "south_west"
    validation_fraction: float = 0.1


class Builder(tfds_builders.Alone, tfds.core.GeneratorBasedBuilder):
    """Windows of hourly temperature maps, labeled with the mean temperature of the hours after them."""

    VERSION = tfds.core.Version("2.2.0")
    RELEASE_NOTES = {
        "1.0.0": "Initial release.",
        "2.0.0": "A validation split, of windows that trained.",
        "2.1.0": "The hours that overlapping windows share.",
        "2.2.0": "time is the default, and time_32 stands in place of region_32.",
    }
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "Sync the folders ABI-L2-LSTC/2022/097 to ABI-L2-LSTC/2022/196 of the public bucket noaa-goes16 to here (2,400 "
        "files, about 6 GB). Files are found by name anywhere below. The README of datasets/lst has the command."
    )
    BUILDER_CONFIGS = [
        LstConfig(name="time", description="Tested on the last weeks, validated on weeks before."),
        LstConfig(name="time_32", description="As time, of 32 x 32 pixels, for a CPU.", size=32),
        LstConfig(name="region", description="Tested on one quarter of the map, validated on another.", split="region"),
    ]

    def _info(self):
        config = self.builder_config
        shape = (config.window, config.size, config.size, 1)
        features = {
            "clip": tfds.features.Tensor(
                shape=shape,
                dtype=np.float32,
                encoding="bytes",
                doc=tfds_features.doc(
                    "Hourly maps, row 0 north, column 0 west, gaps filled from these hours.", "degrees C"
                ),
            ),
            "mask": tfds.features.Tensor(
                shape=shape,
                dtype=np.bool_,
                encoding="zlib",
                doc=tfds_features.doc("Whether a value was measured, not filled."),
            ),
            "rate": tfds_features.scalar("Frame rate: one an hour.", "1/3600 frames per second"),
            "label": tfds_features.series(
                config.horizon, "Mean temperature of the quarter's land in the hours after the clip.", "degrees C"
            ),
            "observed": tfds_features.series(
                config.horizon, "Share of that land measured in each of those hours.", "[0, 1]"
            ),
            "quarter": tfds.features.ClassLabel(names=goes.QUARTERS, doc=tfds_features.doc("Quarter of the sector.")),
            "id": tfds_features.text("Quarter and first hour of the clip, UTC."),
            "subject": tfds_features.text("Quarter, and in which stretch of so many hours the clip starts."),
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            metadata=tfds_features.metadata(tasks.Series("°C", *goes.PLAUSIBLE), clip_range=_RETRIEVED),
            supervised_keys=None,
            homepage="https://www.goes-r.gov/products/baseline-LST.html",
            license="NOAA GOES data: there are no restrictions on the use of this data.",
        )

    def _split_generators(self, dl_manager):
        config = self.builder_config
        root = tfds_builders.raw_folder(self, dl_manager)
        recording = reader.read_hourly_maps(root, config.start, config.end, config.size)
        splits, skipped = reader.split_windows(recording, config)
        period = f"Asked for {config.start} to {config.end}, found {len(recording.maps)} hours from {recording.start}."
        report = [period, *(f"No file for {hour}: a gap." for hour in recording.missing), *skipped]
        (self.data_path / "skipped.txt").write_text("\n".join(report) + "\n")
        return {split: self._generate_examples(recording, windows) for split, windows in splits.items()}

    def _generate_examples(self, recording, windows):
        for window in windows:
            example = reader.read_window(recording, window)
            yield example["id"], example
