"""TFDS builder of PURE; the README beside it says what it is and how to get it."""

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
        "PURE, as its authors share it: SS-TT/SS-TT/Image<nanoseconds>.png and SS-TT/SS-TT.json. "
        "The README beside this builder says how to get it; `trainers.standin` writes a stand-in."
    )
    BUILDER_CONFIGS = [
        tfds_builders.SubjectsConfig(name="paper", description="36 x 36 pixels, 180 frames, subjects 70/10/20.")
    ]

    def _info(self):
        return self.dataset_info_from_configs(
            features=tfds_features.face_features(
                self.builder_config,
                rate=("Measured over the clip, from its time stamps.", "about 30 frames per second"),
                id=("Recording and first frame.", "SS-TT/<5 digits>"),
                subject=("Who is seen.", "01 to 10"),
                ppg=("The contact PPG, interpolated at each frame's time.", "about [0, 100], arbitrary unit"),
            ),
            metadata=tfds_features.metadata(tasks.Frequency("bpm", *pulse.RANGE_BPM)),
            supervised_keys=None,
            homepage=(
                "https://www.tu-ilmenau.de/universitaet/fakultaeten/fakultaet-informatik-und-automatisierung/profil/"
                "institute-und-fachgebiete/institut-fuer-technische-informatik-und-ingenieurinformatik/"
                "fachgebiet-neuroinformatik-und-kognitive-robotik/data-sets-code/pulse-rate-detection-dataset-pure"
            ),
            license="Given by its authors on request; ask them for the terms.",
        )
