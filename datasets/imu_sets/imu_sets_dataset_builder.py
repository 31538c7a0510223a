"""TFDS builder of sets of exercises; the README beside it says what they are and how to get them."""

import dataclasses

import numpy as np
import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.evaluation import tasks

from . import reader


@dataclasses.dataclass(eq=False)
class ImuSetsConfig(tfds.core.BuilderConfig):
    """Settings of clips and of the split of exercises.

    Attributes:
        tested: Folder whose exercises are tested.
        num_samples: Of a clip, which is a whole set: 256 leave 13 to each repetition where there are twenty.
    """

    tested: str = "arms"
    num_samples: int = 256


class Builder(tfds_builders.ByRecording, tfds.core.GeneratorBasedBuilder):
    """Whole sets of exercises, the acceleration of a wrist, labeled with their repetitions."""

    READER = reader
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES = {"1.0.0": "Initial release."}
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "The folders arms, back and chest of the repository muvr/muvr-training-data, folder labelled, each with its "
        "files NAME.csv. The README beside this builder says how to get them; `trainers.standin` writes a stand-in."
    )
    BUILDER_CONFIGS = [
        ImuSetsConfig(name=folder, description=f"The exercises of the folder {folder} are tested.", tested=folder)
        for folder in reader.FOLDERS
    ]

    def _info(self):
        features = {
            "clip": tfds.features.Tensor(
                shape=(self.builder_config.num_samples, 1, 1, 3),
                dtype=np.float32,
                encoding="bytes",
                doc=tfds_features.doc("Acceleration of the wrist along x, y and z while the set is done.", "g"),
            ),
            "rate": tfds_features.scalar("Samples per second, by the length of the set.", "samples per second"),
            "label": tfds_features.scalar("Repetitions of the set, as its file says.", "3 to 20 repetitions"),
            "id": tfds_features.text("Folder and file.", "FOLDER/NAME"),
            "subject": tfds_features.text("The exercise."),
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            metadata=tfds_features.metadata(tasks.Frequency("count")),
            supervised_keys=None,
            homepage="https://github.com/muvr/muvr-training-data",
            license="None is stated: ask the authors before you pass files on.",
        )

    def _generate_examples(self, recordings):
        for recording in recordings:
            yield from reader.clips(recording, self.builder_config.num_samples)
