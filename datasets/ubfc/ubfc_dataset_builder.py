"""TFDS builder of UBFC-rPPG; the README beside it says what it is and how to get it."""

import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.evaluation import tasks
from simper_tf.signals import pulse

from . import reader


class Builder(tfds_builders.BySubject, tfds.core.GeneratorBasedBuilder):
    """Clips of faces, labeled with the heart rate."""

    READER = reader
    VERSION = tfds.core.Version("2.0.0")
    RELEASE_NOTES = {"1.0.0": "Initial release.", "2.0.0": "A validation split, of subjects that trained."}
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "UBFC-rPPG, DATASET_2, as its authors share it: DATASET_2/subject<N>/vid.avi and ground_truth.txt. "
        "The README beside this builder says how to get it; `trainers.standin` writes a stand-in."
    )
    BUILDER_CONFIGS = [
        tfds_builders.SubjectsConfig(name="paper", description="36 x 36 pixels, 180 frames, subjects 70/10/20.")
    ]

    def _info(self):
        return self.dataset_info_from_configs(
            features=tfds_features.face_features(
                self.builder_config,
                rate=(
                    "Measured over the clip; each camera ran at its own rate.",
                    "[29.26, 29.76] frames per second",
                ),
                id=("Recording and first frame.", "subject<N>/<5 digits>"),
                subject=("Who is seen.", "subject1 to subject49, 42 of them"),
                ppg=("The contact PPG at each frame.", "about zero mean, arbitrary unit"),
            ),
            metadata=tfds_features.metadata(tasks.Frequency("bpm", *pulse.RANGE_BPM)),
            supervised_keys=None,
            homepage="https://sites.google.com/view/ybenezeth/ubfcrppg",
            license="Shared for research purposes. Faces of subjects 21 and 27 must not be published.",
        )
