"""TFDS builder of UBFC-rPPG; the README beside it says what it is and how to get it."""

import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders

from . import reader


class Builder(tfds_builders.BySubject, tfds.core.GeneratorBasedBuilder):
    """Clips of faces, labeled with the heart rate."""

    READER = reader
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "UBFC-rPPG, DATASET_2, as its authors share it: DATASET_2/subject<N>/vid.avi and ground_truth.txt. "
        "The README beside this builder says how to get it; `trainers.standin` writes a stand-in."
    )
    DOCS = {
        "rate": ("Measured over the clip; each camera ran at its own rate.", "[29.26, 29.76] frames per second"),
        "id": ("Recording and first frame.", "subject<N>/<5 digits>"),
        "subject": ("Who is seen.", "subject1 to subject49, 42 of them"),
        "ppg": ("The contact PPG at each frame.", "about zero mean, arbitrary unit"),
    }
    HOMEPAGE = "https://sites.google.com/view/ybenezeth/ubfcrppg"
    LICENSE = "Shared for research purposes. Faces of subjects 21 and 27 must not be published."
