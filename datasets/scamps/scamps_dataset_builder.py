"""TFDS builder of SCAMPS; the README beside it says what it is and how to get it."""

import dataclasses
import functools
import itertools

import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.evaluation import tasks
from simper_tf.signals import pulse

from . import reader


@dataclasses.dataclass(eq=False)
class ScampsConfig(tfds_builders.ClipsConfig):
    """Settings of clips and of their split; the defaults are the paper's text.

    Attributes:
        split: "random" divides the files 2000 : 400 : 400, "official" follows ScampsTrainTestSplit.csv, "folders"
            goes by the folders Train, Val and Test.
        seed: Seed of the random split.
    """

    window: int = 600
    stride: int = 600
    split: str = "random"
    seed: int = 0


class Builder(tfds_builders.OptionalBeam, tfds.core.GeneratorBasedBuilder):
    """Clips of synthetic faces, labeled with the heart rate."""

    VERSION = tfds.core.Version("2.0.0")
    RELEASE_NOTES = {"1.0.0": "Initial release.", "2.0.0": "A validation split by every rule."}
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "The P<six digits>.mat files of scamps_videos.tar.gz, in any folders, and ScampsTrainTestSplit.csv for the "
        "official split. The README beside this builder says how to get them; `trainers.standin` writes a "
        "stand-in."
    )
    BUILDER_CONFIGS = [ScampsConfig(name="paper", description="36 x 36 pixels, 600 frames, random split.")]

    def _info(self):
        size, window = self.builder_config.size, self.builder_config.window
        features = {
            "clip": tfds_features.frames(window, size, "RGB frames of the face, as cut out by the authors."),
            "rate": tfds_features.scalar("Frame rate.", "30 frames per second"),
            "label": tfds_features.heart_rate(),
            "id": tfds_features.text("File and first frame.", "P<6 digits>/<5 digits>"),
            "ppg": tfds_features.series(window, "The simulated PPG at each frame.", "arbitrary unit"),
            "breathing": tfds_features.series(window, "The simulated breathing at each frame.", "arbitrary unit"),
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            metadata=tfds_features.metadata(tasks.Frequency("bpm", *pulse.RANGE_BPM)),
            supervised_keys=None,
            homepage="https://github.com/danmcduff/scampsdataset",
            license="R-UDA 1.0: non-commercial computational research; redistribution under the same terms only.",
        )

    def _split_generators(self, dl_manager):
        config, root = self.builder_config, tfds_builders.raw_folder(self, dl_manager)
        parts = reader.usable_split(reader.find(root), root, config)
        return {part: self._generate_examples([str(path) for path in paths]) for part, paths in parts.items()}

    def _generate_examples(self, paths):
        config = self.builder_config
        clips = functools.partial(reader.clips, size=config.size, window=config.window, stride=config.stride)
        if not self.on_beam:
            return itertools.chain.from_iterable(map(clips, paths))
        beam = tfds.core.lazy_imports.apache_beam
        return beam.Create(paths) | beam.Reshuffle() | beam.FlatMap(clips)
